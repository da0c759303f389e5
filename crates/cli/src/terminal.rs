//! Results go to stdout, notes to stderr.
//!
//! A reader may stop half way: `arqway ... 2>&1 | head` is not a failure. That is why notes are not written by `eprintln!`,
//! which panics when nobody reads them.
//!
//! Whatever names and files say, nothing is written that a terminal obeys: it is shown escaped.

use arqway_config::{one_line, printable};
use std::fmt::Display;
use std::io::{self, Write};

/// Results.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match io::stdout().write_all(printable(text).as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}

/// The longest line of a note: a name of any length may be in it.
const LONGEST_LINE: usize = 2000;

/// Prints a note on a line of its own.
pub(crate) fn note(note: impl Display) {
    let note = note.to_string();
    let lines: Vec<_> = note.split('\n').map(|line| one_line(line, LONGEST_LINE)).collect();
    // If stderr is closed, there is nowhere left to report it.
    writeln!(io::stderr(), "{}", lines.join("\n")).ok();
}

/// The width that every terminal has.
const WIDTH: usize = 80;

/// A text in lines that a terminal holds, each behind so many blanks.
pub(crate) fn wrapped(text: &str, indent: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::take(&mut line));
        }
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(word);
    }
    lines.push(line);
    lines.iter().map(|line| format!("{:indent$}{line}", "")).collect()
}
