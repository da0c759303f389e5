//! See `TARGETS` in `crates/session/src/fuzz/mod.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| arqway_session::fuzz::run("session_pair", octets));
