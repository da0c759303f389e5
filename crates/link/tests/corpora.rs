//! Inputs that a fuzzer found interesting, driven through the very drivers that found them: see `fuzz/src/lib.rs`.
//!
//! `.ci/fuzz` looks for new ones; what it finds, and what once was a finding, is committed in `fuzz/corpus/<target>/`.

#[path = "../../../fuzz/src/lib.rs"]
pub mod fuzz;

#[path = "../../../fuzz/replay.rs"]
mod replay;

use replay::{folder, names_in};
use std::collections::BTreeSet;

#[test]
fn every_committed_input_of_every_target_runs_without_a_finding() {
    replay::every_input(&fuzz::TARGETS);
}

#[test]
fn every_target_has_a_file_and_every_file_is_a_target() {
    let mut targets: Vec<String> = fuzz::TARGETS.iter().map(|(name, _)| (*name).to_string()).collect();
    targets.sort();
    let files: Vec<String> = names_in(&folder("fuzz_targets"))
        .iter()
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        // Other crates have those: `crates/{hdlc,session}/tests/corpora.rs`.
        .filter(|name| name != "hdlc" && !name.starts_with("session_"))
        .collect();
    assert_eq!(files, targets);
    replay::every_file(&fuzz::TARGETS);
}

/// An acknowledged mode whose peer answers with anything need not come to rest, so that only its PDUs have a target.
#[test]
fn every_kind_of_service_but_acknowledged_mode_has_a_target() {
    let kinds: BTreeSet<&str> = arqway_link::scheme_names().map(|(kind, _)| kind).collect();
    let has_target = |kind: &&str| fuzz::TARGETS.iter().any(|(target, _)| *target == kind.replace('-', "_"));
    assert_eq!(kinds.into_iter().filter(|kind| !has_target(kind)).collect::<Vec<_>>(), ["rlc-am"]);
}
