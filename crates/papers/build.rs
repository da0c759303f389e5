//! Experiments, claims and alternatives are built into the program: a new file there is a reason to build again.

fn main() {
    for folder in ["experiments", "claims", "sensitivity"] {
        println!("cargo::rerun-if-changed=../../{folder}");
    }
}
