//! Folders and files of results. Nothing in them depends on wall time, host, path, threads or order of runs: same version,
//! same arguments, same bytes.

use crate::figure::png;
use crate::results::rows::{self, Row};
use crate::whole_file::WholeFile;
use parquet::errors::ParquetError;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The version that results carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// A file or a folder.
    #[error("cannot write {path}: {source}", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else writes into the folder.
    #[error(
        "{folder} is being written by {by}: wait until that has ended, or choose another folder with --out",
        folder = folder.display()
    )]
    InUse {
        /// Which.
        folder: PathBuf,
        /// Who.
        by: String,
    },
    /// A file or a folder that is to be read again.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The rows as Parquet.
    #[error("cannot write rows as Parquet: {0}")]
    Parquet(String),
    /// A figure as PNG.
    #[error("cannot draw {id}: {source}")]
    Png {
        /// Of which figure.
        id: String,
        /// What the renderer said.
        source: png::PngError,
    },
    /// The report.
    #[error("cannot write the report: {0}")]
    Report(#[from] askama::Error),
}

/// Writes the rows both ways; `command` is what to type for them.
pub fn write_rows(all: &[Row], command: &str, directory: &Path) -> Result<(), OutputError> {
    write_whole(&directory.join("rows.csv"), |file| rows::write_csv(all, file))?;
    let path = directory.join("rows.parquet");
    let failed = |source| OutputError::File { path: path.clone(), source };
    let mut file = WholeFile::create(&path).map_err(failed)?;
    let metadata = [("version", VERSION.to_owned()), ("command", command.to_owned())];
    let metadata = metadata.map(|(key, value)| (format!("arqway.{key}"), value));
    rows::write_parquet(all, &metadata, &mut file).map_err(|error| not_written(path.clone(), error))?;
    file.finish().map_err(failed)
}

/// What the Parquet writer says: mostly what the system has said to it.
fn not_written(path: PathBuf, error: ParquetError) -> OutputError {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => OutputError::File { path, source: *source },
            Err(other) => OutputError::Parquet(other.to_string()),
        },
        other => OutputError::Parquet(other.to_string()),
    }
}

/// Makes a folder, and those above it.
pub fn make(folder: &Path) -> Result<(), OutputError> {
    fs::create_dir_all(folder).map_err(|source| OutputError::File { path: folder.to_owned(), source })
}

/// Writes a file, whole or not at all.
///
/// # Errors
/// What could not be written, and why.
pub fn save(path: &Path, octets: &[u8]) -> Result<(), OutputError> {
    write_whole(path, |file| file.write_all(octets))
}

fn write_whole(path: &Path, write: impl FnOnce(&mut WholeFile) -> io::Result<()>) -> Result<(), OutputError> {
    let written = WholeFile::create(path).and_then(|mut file| {
        write(&mut file)?;
        file.finish()
    });
    written.map_err(|source| OutputError::File { path: path.to_owned(), source })
}

/// Writes a drawing as `ID.svg` and `ID.png`.
///
/// # Errors
/// What could not be drawn or written, and why.
pub fn save_drawing(directory: &Path, id: &str, svg: &str) -> Result<(), OutputError> {
    save(&directory.join(format!("{id}.svg")), svg.as_bytes())?;
    let pixels = png::to_png(svg, png::SCALE).map_err(|source| OutputError::Png { id: id.to_owned(), source })?;
    save(&directory.join(format!("{id}.png")), &pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_disk_that_is_full_is_told_by_the_file_that_found_it_so() {
        let full = Path::new("/dev/full");
        if !full.exists() {
            return; // Only some systems have one.
        }
        let folder = std::env::temp_dir().join(format!("arqway-full-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for name in ["rows.csv", "rows.parquet"] {
            std::os::unix::fs::symlink(full, folder.join(name)).unwrap();
            let error = write_rows(&[], "arqway", &folder).unwrap_err();
            assert!(matches!(&error, OutputError::File { path, .. } if path.ends_with(name)), "{error}");
            fs::remove_file(folder.join(name)).unwrap();
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
