//! `arqway genkey --config`: what it prints and writes can be used as it stands.

use crate::folder::{Folder, arqway, text};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

fn stderr(output: &Output) -> &str {
    text(&output.stderr)
}

/// What `arqway up --check` says of the settings of an end in a folder.
fn checked(folder: &Path, end: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_arqway"))
        .current_dir(folder)
        .args(["up", "--check", &format!("{end}.toml")])
        .output()
        .expect("the command");
    assert!(output.status.success(), "{}", stderr(&output));
    text(&output.stdout).to_owned()
}

/// Both ends know each other, by keys and addresses, and how to meet.
fn assert_that_they_match(folder: &Path, endpoint: &str, rate: &str) {
    let [left, right] = ["left", "right"].map(|end| checked(folder, end));
    let public =
        |said: &str| said.lines().find_map(|line| line.split_once("public key")).expect("a key").1.trim().to_owned();
    for (end, other) in [("left", &right), ("right", &left)] {
        let settings = fs::read_to_string(folder.join(format!("{end}.toml"))).expect("a file");
        assert!(settings.contains(&public(other)), "{settings}");
        assert!(settings.lines().count() <= 11, "{settings}");
        for file in ["toml", "key"] {
            let mode = fs::metadata(folder.join(format!("{end}.{file}"))).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{end}.{file}");
        }
    }
    assert_ne!(public(&left), public(&right));
    for (said, expected) in [
        (&left, ["addresses       10.9.0.1/24", "allowed       10.9.0.2", "learned when it calls", "[::]:51820", rate]),
        (&right, ["addresses       10.9.0.2/24", "allowed       10.9.0.1", endpoint, "peer left", rate]),
    ] {
        expected.iter().for_each(|expected| assert!(said.contains(expected), "no `{expected}`:\n{said}"));
    }
}

#[test]
fn settings_of_both_ends_are_written_so_that_they_can_be_used_at_once() {
    let folder = Folder::new("both-ends");
    let out = folder.0.join("new").join("tunnel");
    let out_text = out.display().to_string();
    let wanted = ["--endpoint", "home.example.org:51820", "--rate", "10 Mbit/s"];
    let made = || arqway(&[&["genkey", "--config", "--out", &out_text][..], &wanted[..]].concat());
    let first = made();
    assert!(first.status.success(), "{}", stderr(&first));
    assert!(
        !text(&first.stdout).contains(&fs::read_to_string(out.join("left.key")).expect("a key")),
        "it shows no key"
    );
    assert_that_they_match(&out, "home.example.org:51820", "rate          10 Mbit/s");
    let before: Vec<Vec<u8>> = files(&out);
    assert_eq!(made().status.code(), Some(2), "nothing is overwritten");
    assert_eq!(files(&out), before);
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    ["left.toml", "left.key", "right.toml", "right.key"].map(|name| fs::read(folder.join(name)).expect("a file")).into()
}

#[test]
fn a_disk_that_is_full_leaves_none_of_the_files() {
    let folder = Folder::new("both-full");
    // A disk is full where no file may grow, which a shell can set without being root.
    let limited = "trap '' XFSZ; ulimit -f 0; exec \"$0\" genkey --config --out ends";
    let shell = Command::new("sh").current_dir(&folder.0).args(["-c", limited, env!("CARGO_BIN_EXE_arqway")]).output();
    let shell = shell.expect("a shell");
    assert_eq!(shell.status.code(), Some(1), "{}", stderr(&shell));
    assert!(stderr(&shell).contains("cannot write ends/left.toml: "), "{}", stderr(&shell));
    assert_eq!(fs::read_dir(folder.0.join("ends")).expect("a folder").count(), 0);
}

#[test]
fn what_is_printed_for_each_end_saves_its_files_when_it_is_pasted_into_a_shell() {
    let folder = Folder::new("both-pasted");
    let printed = arqway(&["genkey", "--config"]);
    assert!(stderr(&printed).contains("203.0.113.5:51820 is a placeholder"), "{}", stderr(&printed));
    let (left, right) = text(&printed.stdout).split_once("\n\n# The right end").expect("two pieces");
    let paste = |piece: &str| -> Output {
        Command::new("sh")
            .current_dir(&folder.0)
            .args(["-c", &format!("umask 022\n{piece}")])
            .output()
            .expect("a shell")
    };
    for piece in [left.to_owned(), format!("# The right end{right}")] {
        let pasted = paste(&piece);
        assert!(pasted.status.success(), "{}", stderr(&pasted));
    }
    assert_that_they_match(&folder.0, "203.0.113.5:51820", "rate          automatic");
    let before = files(&folder.0);
    assert!(!paste(left).status.success(), "nothing is overwritten");
    assert_eq!(files(&folder.0), before);
}

#[test]
fn each_end_sends_as_fast_as_its_direction_of_the_line_carries() {
    let folder = Folder::new("both-directions");
    let out = folder.0.display().to_string() + "/ends";
    let made = arqway(&["genkey", "--config", "--out", &out, "--up", "9 Mbit/s", "--down", "45 Mbit/s"]);
    assert!(made.status.success(), "{}", stderr(&made));
    for (end, rate) in [("left", "rate          45 Mbit/s"), ("right", "rate          9 Mbit/s")] {
        let said = checked(Path::new(&out), end);
        assert!(said.contains(rate), "no `{rate}`:\n{said}");
    }
}

#[test]
fn both_ends_of_a_serial_line_are_alike() {
    let folder = Folder::new("both-serial");
    let out = folder.0.display().to_string() + "/ends";
    let made = arqway(&["genkey", "--config", "--out", &out, "--serial", "/dev/ttyUSB0", "--baud", "57600"]);
    assert!(made.status.success() && stderr(&made).is_empty(), "{}", stderr(&made));
    for end in ["left", "right"] {
        let said = checked(Path::new(&out), end);
        for expected in [
            "serial line     /dev/ttyUSB0, 57600 baud, frames of 1500 octets",
            "endpoint      the other end of the line",
            "rate          45.368 kbit/s",
        ] {
            assert!(said.contains(expected), "no `{expected}`:\n{said}");
        }
    }
}
