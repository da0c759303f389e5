//! Inputs that a fuzzer found interesting, driven through the very drivers that found them: see `src/fuzz.rs`.
//!
//! `.ci/fuzz` looks for new ones; what it finds, and what once was a finding, is committed in `fuzz/corpus/<target>/`.

#[path = "../../../fuzz/replay.rs"]
mod replay;

use arqway_hdlc::fuzz::TARGETS;

#[test]
fn every_committed_input_of_every_target_runs_without_a_finding() {
    replay::every_input(&TARGETS);
}

#[test]
fn every_target_has_a_file_that_drives_it() {
    replay::every_file(&TARGETS);
}
