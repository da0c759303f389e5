//! Every command in the documentation is one that this program accepts.
//!
//! ```text
//!     arqway reproduce monet08 fig3            a line of a block, with a remark after it
//!     $ arqway run my-link.toml > log          a line of a console, up to the shell's part
//!     `arqway trace`                           in a sentence, where arguments may be missing
//! ```
//!
//! `tests/cli/tutorial.rs` compares what the commands of the tutorial print.

use crate::Arguments;
use clap::Parser;
use clap::error::ErrorKind;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_command_that_the_documentation_shows_is_taken() {
    let (mut shown, mut wrong) = (0, Vec::new());
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page").replace("\\\n", " ");
        for command in commands(&page) {
            shown += 1;
            if let Err(why) = taken(&command) {
                wrong.push(format!("{}: {}\n{why}", path.display(), command.text));
            }
        }
    }
    assert!(shown > 80, "{shown} commands");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn commands_are_found_where_they_stand_and_wrong_ones_are_seen() {
    let page = [
        "    arqway run a.toml --out b     a remark",
        "$ arqway manual && man arqway",
        "`arqway trace` and `arqway runn`",
        "    cargo run --release -p arqway -- reproduce monet08 > log",
        "    arqway sensitivity --only 'A b' monet08",
        "    arqway reproduce PAPER",
        "    arqway run --fast a.toml",
    ];
    let found = commands(&page.join("\n"));
    let (right, wrong): (Vec<_>, Vec<_>) = found.iter().partition(|command| taken(command).is_ok());
    let texts = |commands: Vec<&Shown>| commands.into_iter().map(|command| command.text.clone()).collect::<Vec<_>>();
    let expected = ["run a.toml --out b", "manual", "trace", "reproduce monet08", "sensitivity --only 'A b' monet08"];
    assert_eq!(texts(right), expected);
    assert_eq!(texts(wrong), ["runn", "run --fast a.toml"]);
}

/// A command without its name.
#[derive(Debug)]
struct Shown {
    text: String,
    /// Whether it is part of a sentence.
    is_mention: bool,
}

fn taken(command: &Shown) -> Result<(), String> {
    let typed = ["arqway".to_owned()].into_iter().chain(words(&command.text));
    let Err(error) = Arguments::try_parse_from(typed) else { return Ok(()) };
    let is_fine = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
        ErrorKind::MissingRequiredArgument => command.is_mention,
        _ => false,
    };
    if is_fine { Ok(()) } else { Err(error.to_string()) }
}

/// The commands on a page. A line with a placeholder (`PAPER`, `...`, `$N`) is not a command.
fn commands(page: &str) -> Vec<Shown> {
    let mut found = Vec::new();
    for line in page.lines() {
        let typed = line.strip_prefix("    ").or_else(|| line.strip_prefix("$ "));
        if let Some(command) = typed.and_then(without_name) {
            // Two blanks separate a remark.
            let command = command.split("  ").next().unwrap_or(command);
            found.push(Shown { text: of_the_shell(command), is_mention: false });
        } else if !line.starts_with("    ") {
            let quoted = line.split('`').skip(1).step_by(2).filter_map(without_name);
            found.extend(quoted.map(|command| Shown { text: of_the_shell(command), is_mention: true }));
        }
    }
    found.retain(|command| !command.text.is_empty() && !words(&command.text).iter().any(|word| is_placeholder(word)));
    found
}

fn without_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("arqway ").or_else(|| line.strip_prefix("target/release/arqway ")).or_else(|| {
        line.strip_prefix("cargo run").and_then(|rest| rest.split_once("-p arqway -- ")).map(|(_, rest)| rest)
    })
}

/// A command up to a redirection, a pipe, or the next command.
fn of_the_shell(command: &str) -> String {
    let ends = [" > ", " >> ", " | ", " && ", " 2>", " & "].iter().filter_map(|end| command.find(end));
    command[..ends.min().unwrap_or(command.len())].trim().to_owned()
}

/// The words of a command, split as a shell would.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, ' ') => words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty())),
            _ => word.push(letter),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

fn is_placeholder(word: &str) -> bool {
    let is_name = word.len() > 1 && word.chars().all(|letter| letter.is_ascii_uppercase() || "_./".contains(letter));
    is_name || word == "N" || word.contains(['[', '$', '<', '…', '{', '*']) || word.contains("...")
}

/// The README, the notes for contributors, and every page.
fn pages() -> Vec<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(|name| project.join(name)).to_vec();
    let mut folders = vec![project.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}
