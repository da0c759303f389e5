//! Reads files that somebody named: whole or not at all, and nothing that never ends.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The longest file of settings: in memory it is a hundred times as long.
pub const LONGEST_SETTINGS: u64 = 4 << 20;
/// The longest recording of losses or rates: a million steps.
pub const LONGEST_RECORDING: u64 = 16 << 20;

/// Reads a file of so many octets at most. A folder, a device (which may never end) and a named pipe (which may never begin) are
/// refused; a pipe of the shell, `<(...)` or `/dev/stdin`, is read to its end.
///
/// # Errors
/// What the system says, or what is in the file's place.
pub fn read_octets(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let refused = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    let found = fs::metadata(path)?;
    let is_of_shell = ["/dev/stdin", "/dev/fd", "/proc"].iter().any(|place| path.starts_with(place)) && is_pipe(&found);
    if found.is_dir() {
        return refused("it is a folder, not a file");
    }
    if !found.is_file() && !is_of_shell {
        return refused("it is a device or a named pipe, not a file");
    }
    let mut octets = Vec::new();
    if found.len() <= most {
        File::open(path)?.take(most + 1).read_to_end(&mut octets)?;
    }
    // A pipe has no length before it is read.
    if found.len().max(octets.len() as u64) > most {
        return refused(&format!("it is longer than {} MB, the most that is read", most >> 20));
    }
    Ok(octets)
}

#[cfg(unix)]
fn is_pipe(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &fs::Metadata) -> bool {
    false
}

/// Reads a text, likewise.
///
/// # Errors
/// As [`read_octets`] has, and where it is not text in UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read_octets(path, most)?).map_err(|error| {
        let (before, rest) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        let line_start = before.iter().rposition(|octet| *octet == b'\n').map_or(0, |line_break| line_break + 1);
        let line = before.iter().filter(|octet| **octet == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
        let is_utf_16 = before.is_empty() && (rest.starts_with(&[0xFF, 0xFE]) || rest.starts_with(&[0xFE, 0xFF]));
        let found = if is_utf_16 { "UTF-16" } else { "not UTF-8" };
        let why = format!("at {line}:{column} the text is {found}; save it as UTF-8");
        io::Error::new(io::ErrorKind::InvalidData, why)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_or_refused_with_the_place_that_is_not_text() {
        let path = std::env::temp_dir().join(format!("arqway-read-{}", std::process::id()));
        let read = |octets: &[u8]| {
            fs::write(&path, octets).expect("a file of our own");
            (
                read_octets(&path, 8).map_err(|error| error.to_string()),
                read_text(&path, 8).map_err(|error| error.to_string()),
            )
        };
        assert_eq!(read(b"12345678"), (Ok(b"12345678".to_vec()), Ok("12345678".to_owned())));
        assert!(read(b"123456789").0.is_err_and(|why| why.contains("longer than")));
        assert_eq!(read("ä\nü".as_bytes()).1, Ok("ä\nü".to_owned()));
        assert_eq!(read(b"a\nb\xc3\xa4\xe9").1, Err("at 2:3 the text is not UTF-8; save it as UTF-8".to_owned()));
        assert_eq!(read(b"\xff\xfea\0").1, Err("at 1:1 the text is UTF-16; save it as UTF-8".to_owned()));
        fs::remove_file(&path).expect("a file of our own");
        assert!(read_octets(&std::env::temp_dir(), 8).is_err_and(|why| why.to_string().contains("it is a folder")));
        assert!(read_octets(Path::new("/dev/zero"), 8).is_err_and(|why| why.to_string().contains("it is a device")));
    }
}
