//! Scenarios are built into the program: a new file there is a reason to build again.
//!
//! The program also knows a number of the code that decides what a run measures (`ARQWAY_MEASURES`), so that pieces of a plan
//! that another state of that code measured are told from its own.

use std::fs;
use std::path::{Path, PathBuf};

/// What decides the numbers of a run: the units, the protocols, the simulator, what is measured, and everybody else's code.
const MEASURES: [&str; 14] = [
    "../units/src",
    "../ip/src",
    "../contract/src",
    "../arq/src",
    "../schemes/src",
    "../tally/src",
    "../bearer/src",
    "../link/src",
    "../sim/src",
    "src/run/delays.rs",
    "src/run/measured.rs",
    "src/run/mod.rs",
    "src/run/partial",
    "../../Cargo.lock",
];

fn main() {
    println!("cargo::rerun-if-changed=../../scenarios");
    let mut files = Vec::new();
    for place in MEASURES {
        println!("cargo::rerun-if-changed={place}");
        collect(Path::new(place), &mut files);
    }
    files.sort();
    let mut hash = Fnv::new();
    for file in files {
        hash.add(file.to_string_lossy().replace('\\', "/").as_bytes());
        // However the lines were checked out.
        let text = fs::read(&file).unwrap_or_default();
        hash.add(&text.into_iter().filter(|octet| *octet != b'\r').collect::<Vec<u8>>());
    }
    println!("cargo::rustc-env=ARQWAY_MEASURES={:08x}", hash.0 >> 32 ^ hash.0 & 0xffff_ffff);
}

/// All files below a place.
fn collect(place: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(place) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) => files.push(place.to_owned()),
    }
}

/// The hash of Fowler, Noll and Vo, 64 bits, variant 1a: the same wherever the program is built.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, octets: &[u8]) {
        for octet in octets.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*octet)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
