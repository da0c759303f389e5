//! Inputs that a fuzzer found interesting, driven through the very drivers that found them: see `src/fuzz/mod.rs`.
//!
//! `.ci/fuzz` looks for new ones; what it finds, and what once was a finding, is committed in `fuzz/corpus/<target>/`.

use arqway_session::fuzz::TARGETS;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(name)
}

#[test]
fn every_committed_input_of_every_target_runs_without_a_finding() {
    for (target, driver) in TARGETS {
        let path = folder("corpus").join(target);
        let inputs = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut paths: Vec<PathBuf> = inputs.map(|entry| entry.expect("a name in the folder").path()).collect();
        paths.sort();
        assert!(!paths.is_empty(), "{} has no inputs to replay", path.display());
        for path in paths {
            let octets = fs::read(&path).expect("an input");
            // A panic of the driver does not know which input it was.
            let finding = std::panic::catch_unwind(|| driver(&octets));
            assert!(finding.is_ok(), "a finding, told above: {}", path.display());
        }
    }
}

#[test]
fn every_target_has_a_file_that_drives_it() {
    for (target, _) in TARGETS {
        let source = fs::read_to_string(folder("fuzz_targets").join(format!("{target}.rs"))).expect("a target");
        assert!(source.contains(&format!("run(\"{target}\"")), "fuzz_targets/{target}.rs drives another target");
    }
}
