//! Scenarios, experiments and claims are built into the program: a new file there is a reason to build again.

fn main() {
    for folder in ["scenarios", "experiments", "claims", "sensitivity"] {
        println!("cargo::rerun-if-changed=../../{folder}");
    }
}
