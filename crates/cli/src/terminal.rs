//! Results go to stdout, notes to stderr.
//!
//! A reader may stop half way: `arqway ... 2>&1 | head` is not a failure. That is why notes are not written by `eprintln!`,
//! which panics when nobody reads them.

use std::fmt::Display;
use std::io::{self, Write};

/// Results.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}

/// Prints a note on a line of its own.
pub(crate) fn note(note: impl Display) {
    // If stderr is closed, there is nowhere left to report it.
    writeln!(io::stderr(), "{note}").ok();
}
