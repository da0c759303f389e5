//! Inputs that a fuzzer found interesting, driven through the very drivers that found them: see `fuzz/src/lib.rs`.
//!
//! `.ci/fuzz` looks for new ones; what it finds, and what once was a finding, is committed in `fuzz/corpus/<target>/`.

#[path = "../../../fuzz/src/lib.rs"]
pub mod fuzz;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(name)
}

/// What is in a folder, in the order of the names.
fn names_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a name in the folder").path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_committed_input_of_every_target_runs_without_a_finding() {
    for (target, driver) in fuzz::TARGETS {
        let inputs = names_in(&folder("corpus").join(target));
        assert!(!inputs.is_empty(), "fuzz/corpus/{target} has no inputs to replay");
        for path in inputs {
            let octets = fs::read(&path).expect("an input");
            // A panic of the driver does not know which input it was.
            let finding = std::panic::catch_unwind(|| driver(&octets));
            assert!(finding.is_ok(), "a finding, told above: {}", path.display());
        }
    }
}

#[test]
fn every_target_has_a_file_and_every_file_is_a_target() {
    let mut targets: Vec<String> = fuzz::TARGETS.iter().map(|(name, _)| (*name).to_string()).collect();
    targets.sort();
    let files: Vec<String> = names_in(&folder("fuzz_targets"))
        .iter()
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        // Those of the session are its own affair: `crates/session/tests/corpora.rs`.
        .filter(|name| !name.starts_with("session_"))
        .collect();
    assert_eq!(files, targets);
    for target in targets {
        let source = fs::read_to_string(folder("fuzz_targets").join(format!("{target}.rs"))).expect("a target");
        assert!(source.contains(&format!("run(\"{target}\"")), "fuzz_targets/{target}.rs drives another target");
    }
}

/// An acknowledged mode whose peer answers with anything need not come to rest, so that only its PDUs have a target.
#[test]
fn every_kind_of_service_but_acknowledged_mode_has_a_target() {
    let kinds: BTreeSet<&str> = arqway_link::scheme_names().map(|(kind, _)| kind).collect();
    let has_target = |kind: &&str| fuzz::TARGETS.iter().any(|(target, _)| *target == kind.replace('-', "_"));
    assert_eq!(kinds.into_iter().filter(|kind| !has_target(kind)).collect::<Vec<_>>(), ["rlc-am"]);
}
