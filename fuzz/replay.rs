//! The committed inputs of targets, driven again: what `tests/corpora.rs` of each crate does that has targets.

use std::fs;
use std::path::{Path, PathBuf};

/// A target: its name, and what it does with an input.
type Target = (&'static str, fn(&[u8]));

/// A folder beside this file.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(name)
}

/// What is in a folder, in the order of the names.
pub(crate) fn names_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a name in the folder").path()).collect();
    paths.sort();
    paths
}

/// Runs every input of every target.
///
/// # Panics
/// On a finding, or where a target has no inputs.
pub(crate) fn every_input(targets: &[Target]) {
    for (target, driver) in targets {
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

/// Looks at the file of every target.
///
/// # Panics
/// Where it drives another one.
pub(crate) fn every_file(targets: &[Target]) {
    for (target, _) in targets {
        let source = fs::read_to_string(folder("fuzz_targets").join(format!("{target}.rs"))).expect("a target");
        assert!(source.contains(&format!("run(\"{target}\"")), "fuzz_targets/{target}.rs drives another target");
    }
}
