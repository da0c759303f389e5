//! Files that keep a key: only their owner may read them, or they are refused.

use super::{KeyError, PresharedKey, PrivateKey};
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use zeroize::Zeroizing;

/// Why there is no key in a file.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// It cannot be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Others than its owner may read or write it.
    #[error("{}: others can read or change this key (mode {mode:04o}); expected 0600: chmod 600 '{}'", path.display(), path.display())]
    Open {
        /// Which file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// There is something else in it.
    #[error("{}: {error}", path.display())]
    NoKey {
        /// Which file.
        path: PathBuf,
        /// What was expected.
        error: KeyError,
    },
}

/// Longer than a key and white space around it.
const MOST: u64 = 256;

/// Reads a private key.
///
/// # Errors
/// If the file is missing, is not its owner's alone, or holds something else.
pub fn read_private(path: &Path) -> Result<PrivateKey, KeyFileError> {
    read(path)
}

/// Reads a preshared key.
///
/// # Errors
/// As [`read_private`].
pub fn read_preshared(path: &Path) -> Result<PresharedKey, KeyFileError> {
    read(path)
}

fn read<K: FromStr<Err = KeyError>>(path: &Path) -> Result<K, KeyFileError> {
    let unreadable = |error| KeyFileError::Unreadable { path: path.to_owned(), error };
    // Before it is opened, which may take for ever.
    refuse_kind(&fs::metadata(path).map_err(unreadable)?, path).map_err(unreadable)?;
    let file = File::open(path).map_err(unreadable)?;
    // Of the open file, not of the path: nobody can put another one there meanwhile.
    refuse_open(&file.metadata().map_err(unreadable)?, path)?;
    // Room for all of it at once: what a buffer leaves behind when it grows is not wiped.
    let mut octets = Zeroizing::new(Vec::with_capacity(512));
    file.take(MOST).read_to_end(&mut octets).map_err(unreadable)?;
    let text = str::from_utf8(&octets).map_err(|_| KeyError::Length(octets.len()));
    text.and_then(str::parse).map_err(|error| KeyFileError::NoKey { path: path.to_owned(), error })
}

/// Whether a key may be kept in a file.
///
/// # Errors
/// If others than its owner may read or write it.
pub fn check_key_file(path: &Path) -> Result<(), KeyFileError> {
    let metadata = fs::metadata(path).map_err(|error| KeyFileError::Unreadable { path: path.to_owned(), error })?;
    refuse_open(&metadata, path)
}

#[cfg(unix)]
fn refuse_open(metadata: &Metadata, path: &Path) -> Result<(), KeyFileError> {
    use std::os::unix::fs::PermissionsExt as _;
    const OF_OTHERS: u32 = 0o077;
    let mode = metadata.permissions().mode() & 0o7777;
    // What is no regular file, such as a pipe of a shell, is no place where a key is kept.
    if metadata.is_file() && mode & OF_OTHERS != 0 {
        return Err(KeyFileError::Open { path: path.to_owned(), mode });
    }
    Ok(())
}

/// Only a file keeps a key. A pipe of the shell, `<(...)`, may bring one, and so may whoever types it.
#[cfg(unix)]
fn refuse_kind(metadata: &Metadata, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::FileTypeExt as _;
    let is_of_shell = ["/dev/fd", "/proc"].iter().any(|folder| path.starts_with(folder));
    let is_pipe = is_of_shell && metadata.file_type().is_fifo() || path == Path::new("/dev/stdin");
    let refused = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    match () {
        () if metadata.is_dir() => refused("it is a folder, not a file"),
        () if metadata.is_file() || is_pipe => Ok(()),
        () => refused("it is a device or a named pipe, not a file"),
    }
}

#[cfg(not(unix))]
fn refuse_kind(_: &Metadata, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn refuse_open(_: &Metadata, _: &Path) -> Result<(), KeyFileError> {
    Ok(())
}
