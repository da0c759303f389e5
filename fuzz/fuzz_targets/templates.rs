//! See `TARGETS` in `fuzz/src/lib.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| arqway_fuzz::run("templates", octets));
