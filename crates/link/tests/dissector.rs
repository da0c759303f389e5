//! Wireshark's dissector is put together from the folders of the services, and of the session: `wireshark/frame.lua` around each
//! `dissector.lua`.
//!
//!     UPDATE=1 cargo test -p arqway-link --test dissector      writes wireshark/arqway.lua anew

use std::fs;
use std::path::{Path, PathBuf};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every `dissector.lua` below a folder, in the order of the paths.
fn dissectors(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a name in the folder").path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { dissectors(&path) } else { vec![path] };
    paths.into_iter().flat_map(below).filter(|path| path.ends_with("dissector.lua")).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// One service's part, with names of its own.
fn part(path: &Path) -> String {
    let indent = |line: &str| if line.is_empty() { String::new() } else { format!("    {line}") };
    let lines: Vec<String> = read(path).lines().map(indent).collect();
    format!("do\n{}\nend", lines.join("\n"))
}

#[test]
fn the_dissector_is_that_of_the_services() {
    let folders = ["crates/schemes/src", "crates/tally/src"].map(|folder| dissectors(&project().join(folder)));
    let parts: Vec<String> = folders.iter().flatten().map(|path| part(path)).collect();
    let frame = read(&project().join("wireshark/frame.lua"));
    let whole = frame.replace("@services@", &parts.join("\n\n"));
    let whole = whole.replace("@session@", &part(&project().join("crates/session/dissector.lua")));
    let path = project().join("wireshark/arqway.lua");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &whole).expect("the dissector");
    }
    assert!(read(&path) == whole, "out of date: UPDATE=1 cargo test -p arqway-link --test dissector");
}

#[test]
fn every_kind_of_service_is_shown() {
    let script = read(&project().join("wireshark/arqway.lua"));
    let kinds: std::collections::BTreeSet<&str> = arqway_link::scheme_names().map(|(kind, _)| kind).collect();
    for kind in kinds {
        assert!(script.contains(&format!("show[\"{kind}\"] = ")), "no dissector.lua shows `{kind}`");
    }
}
