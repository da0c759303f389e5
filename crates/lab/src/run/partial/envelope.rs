//! The envelope of a task or a piece: says what the file is, and shows whether it is intact.
//!
//! ```text
//!     arqway-piece 1 0.1.0+52ce11f0 3127 9f86d081...   a line of text: what it is, its format, who wrote it, how many octets
//!     ...                                              follow, and their SHA-256; then the contents, as MessagePack
//! ```

use super::PROGRAM;
use crate::run::RunError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// The layout of contents; another one gets another number.
const FORMAT: &str = "1";
/// The longest first line.
const LONGEST_LINE: usize = 256;

/// Why octets are not a task or a piece of this program.
#[derive(Debug, thiserror::Error)]
pub enum PartialError {
    /// Something else altogether.
    #[error("it is not a {kind} of arqway")]
    Foreign {
        /// What it should have been.
        kind: &'static str,
    },
    /// Of another layout.
    #[error("it is a {kind} in format {found}, and this program reads format {FORMAT}")]
    Format {
        /// What it is.
        kind: &'static str,
        /// Its format.
        found: String,
    },
    /// Of a program that may measure something else.
    #[error("it was written by arqway {found}, and this is arqway {PROGRAM}")]
    Program {
        /// Who wrote it.
        found: String,
    },
    /// Its end is missing.
    #[error("it is cut short: {there} of {whole} octets are there")]
    Short {
        /// How many octets it has.
        there: usize,
        /// How many it should have.
        whole: usize,
    },
    /// Not what was written.
    #[error("it is damaged: its checksum does not match")]
    Damaged,
    /// The contents are not what they should be, although they are what was written.
    #[error("its contents cannot be read: {0}")]
    Contents(String),
    /// A world that would not be the same after it was written and read.
    #[error("a scenario of this experiment cannot be written down exactly: {0}")]
    World(String),
    /// The runs of a task.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Contents under their first line.
pub(super) fn seal(kind: &'static str, contents: &impl Serialize) -> Vec<u8> {
    // Writing into memory does not fail, and neither do numbers, texts and lists.
    seal_octets(kind, rmp_serde::to_vec_named(contents).unwrap_or_default())
}

/// The same for what is octets already.
pub(super) fn seal_octets(kind: &'static str, body: Vec<u8>) -> Vec<u8> {
    let line = format!("arqway-{kind} {FORMAT} {PROGRAM} {} {}\n", body.len(), checksum(&body));
    [line.as_bytes(), &body].concat()
}

/// The contents, if they are what was sealed.
pub(super) fn open<T: DeserializeOwned>(kind: &'static str, octets: &[u8]) -> Result<T, PartialError> {
    let foreign = || PartialError::Foreign { kind };
    let end = octets.iter().take(LONGEST_LINE).position(|octet| *octet == b'\n');
    // A file that was cut within its first line still begins like one.
    let Some(end) = end else {
        let cut = !octets.is_empty() && octets.len() < LONGEST_LINE && octets.starts_with(b"arqway-");
        return Err(if cut { PartialError::Damaged } else { foreign() });
    };
    let line = std::str::from_utf8(&octets[..end]).map_err(|_| foreign())?;
    let words: Vec<&str> = line.split(' ').collect();
    if words.first().and_then(|word| word.strip_prefix("arqway-")) != Some(kind) {
        return Err(foreign());
    }
    let found = words.get(1).copied().unwrap_or_default();
    if found != FORMAT {
        return Err(PartialError::Format { kind, found: found.to_owned() });
    }
    let [_, _, program, length, sum] = words[..] else { return Err(PartialError::Damaged) };
    if program != PROGRAM {
        return Err(PartialError::Program { found: program.to_owned() });
    }
    let (body, length) = (&octets[end + 1..], length.parse::<usize>().map_err(|_| PartialError::Damaged)?);
    if body.len() < length {
        return Err(PartialError::Short { there: body.len(), whole: length });
    }
    if body.len() > length || checksum(body) != sum {
        return Err(PartialError::Damaged);
    }
    rmp_serde::from_slice(body).map_err(|error| PartialError::Contents(error.to_string()))
}

/// The SHA-256 of some octets, as 64 digits.
pub(super) fn checksum(octets: &[u8]) -> String {
    digits(&Sha256::digest(octets))
}

/// Octets as hexadecimal digits.
pub(super) fn digits(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}
