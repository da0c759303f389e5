//! See `TARGETS` in `crates/net/src/fuzz.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| arqway_hdlc::fuzz::run("hdlc", octets));
