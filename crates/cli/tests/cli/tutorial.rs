//! The tutorial is true: its files are written, its commands typed, and what they print is what the page shows.
//!
//! ```text
//!     ```toml             a block whose first line names a file is saved as that
//!     # my-link.toml
//!     ```console          each line behind a `$ ` is run in a shell; the lines below are what it prints,
//!     $ arqway run ...    stdout, then stderr; `...` stands for anything
//! ```

use crate::folder::{Folder, text};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// What one has done before: the program is built, and on the path.
const DONE: [&str; 2] = ["cargo build --release -p arqway", "export PATH=\"$PWD/target/release:$PATH\""];

#[test]
fn every_command_of_the_tutorial_prints_what_the_tutorial_shows() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(project.join("docs/tutorial.md")).expect("the page");
    let folder = Folder::new("tutorial");
    folder.write("wireshark/arqway.lua", &fs::read_to_string(project.join("wireshark/arqway.lua")).expect("a script"));
    let mut commands = 0;
    for block in page.split("\n```").skip(1).step_by(2) {
        let (language, block) = block.split_once('\n').unwrap_or((block, ""));
        match language {
            "toml" => {
                let name = block.lines().next().and_then(|line| line.strip_prefix("# ")).expect("the name of a file");
                folder.write(name, &format!("{block}\n"));
            }
            "console" => {
                for (command, shown) in typed(block) {
                    if DONE.contains(&command) {
                        continue;
                    }
                    commands += 1;
                    let output = shell(&folder, command);
                    let mut printed = text(&output.stdout).to_owned();
                    printed.push_str(text(&output.stderr));
                    assert!(is_shown(shown, printed.trim_end()), "$ {command}\n{printed}\nis shown as\n{shown}");
                }
            }
            other => panic!("a block of `{other}` in the tutorial is not looked at"),
        }
    }
    assert_eq!(commands, 7);
    for file in ["results/report.html", "mine/rows.csv", "service/report.html"] {
        assert!(folder.0.join(file).is_file(), "{file}");
    }
    // The page shows the very plot.
    let shown = fs::read_to_string(project.join("docs/images/tutorial-cell.svg")).expect("the picture");
    assert!(folder.read("cell.svg") == shown, "docs/images/tutorial-cell.svg is not what the command draws");
}

#[test]
fn dots_stand_for_anything_and_nothing_else_does() {
    assert!(is_shown("a\n...\nd in ...", "a\nb\nc\nd in 3 s"));
    assert!(is_shown("a", "a") && is_shown("...", "") && is_shown("a ... c", "a b c"));
    for (shown, printed) in [("a", "a\nb"), ("a\n...", "b\nc"), ("a\n...\nd", "a\nb\nd\ne"), ("b\n...a", "b\n")] {
        assert!(!is_shown(shown, printed), "{shown}: {printed}");
    }
}

/// The commands of a block, each with what it prints.
fn typed(block: &str) -> impl Iterator<Item = (&str, &str)> {
    let block = block.strip_prefix("$ ").expect("a command first");
    block.split("\n$ ").map(|part| part.split_once('\n').unwrap_or((part, "")))
}

/// Whether a text is what is shown of it.
fn is_shown(shown: &str, printed: &str) -> bool {
    let Some((first, shown)) = shown.split_once("...") else { return shown == printed };
    let (between, last) = shown.rsplit_once("...").unwrap_or(("", shown));
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    for piece in between.split("...") {
        match rest.split_once(piece) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn shell(folder: &Folder, command: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_arqway")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [program.to_path_buf()].into_iter().chain(std::env::split_paths(&path));
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(&folder.0).env("PATH", std::env::join_paths(folders).expect("a path"));
    shell.output().expect("a shell")
}
