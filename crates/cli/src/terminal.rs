//! What a terminal, or whoever reads in its place, gets: results on stdout, remarks on stderr.
//!
//! Whoever stops reading half way has what he wants: `arqway ... 2>&1 | head` is no failure. That is why remarks are not
//! written by `eprintln!`, which panics where nobody reads them.

use std::fmt::Display;
use std::io::{self, Write};

/// Results.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}

/// A remark, on a line of its own.
pub(crate) fn tell(remark: impl Display) {
    // There is nobody left to tell that it could not be told.
    writeln!(io::stderr(), "{remark}").ok();
}
