//! Folders and files of results. Nothing in them depends on wall time, host, path, threads or order of runs: same version,
//! same arguments, same bytes.

use crate::figure::png;
use crate::results::rows::{self, Row};
use parquet::errors::ParquetError;
use std::fs;
use std::io;
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

/// Creates the folder for results and checks that files can be written there. Existing files are left alone.
///
/// # Errors
/// What could not be written, and why.
pub fn prepare(directory: &Path) -> Result<(), OutputError> {
    prepare_for(directory, "rows.csv")
}

/// The same where results are in another file.
///
/// # Errors
/// What could not be written, and why.
pub fn prepare_for(directory: &Path, file: &str) -> Result<(), OutputError> {
    make(&directory.join("figures"))?;
    prepare_without_figures(directory, file)
}

/// The same where there is no folder of figures.
///
/// # Errors
/// What could not be written, and why.
pub fn prepare_without_figures(directory: &Path, file: &str) -> Result<(), OutputError> {
    make(directory)?;
    prepare_file(&directory.join(file))
}

/// Checks that a file can be written. What is in it is left alone.
///
/// # Errors
/// It cannot, and why.
pub fn prepare_file(file: &Path) -> Result<(), OutputError> {
    let is_new = !file.exists();
    let tried = fs::File::options().append(true).create(true).open(file).map(drop);
    let tried = tried.and_then(|()| if is_new { fs::remove_file(file) } else { Ok(()) });
    tried.map_err(|source| OutputError::File { path: file.to_owned(), source })
}

/// Writes the rows both ways; `command` is what to type for them.
pub fn write_rows(all: &[Row], command: &str, directory: &Path) -> Result<(), OutputError> {
    let path = directory.join("rows.csv");
    let written = fs::File::create(&path).and_then(|file| rows::write_csv(all, file));
    written.map_err(|source| OutputError::File { path, source })?;
    let path = directory.join("rows.parquet");
    let file = fs::File::create(&path).map_err(|source| OutputError::File { path: path.clone(), source })?;
    let metadata = [("version", VERSION.to_owned()), ("command", command.to_owned())];
    let metadata = metadata.map(|(key, value)| (format!("arqway.{key}"), value));
    rows::write_parquet(all, &metadata, file).map_err(|error| not_written(path, error))
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

/// Writes a file.
///
/// # Errors
/// What could not be written, and why.
pub fn save(path: &Path, octets: &[u8]) -> Result<(), OutputError> {
    fs::write(path, octets).map_err(|source| OutputError::File { path: path.to_owned(), source })
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

    #[test]
    fn a_folder_is_tried_without_a_trace() {
        let folder = std::env::temp_dir().join(format!("arqway-prepare-{}", std::process::id()));
        let names = || fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        prepare(&folder).unwrap();
        assert_eq!(names(), ["figures"]);
        let rows = folder.join("rows.csv");
        fs::write(&rows, "of an earlier run").unwrap();
        prepare(&folder).unwrap();
        assert_eq!(fs::read_to_string(&rows).unwrap(), "of an earlier run");
        assert!(prepare(&rows).unwrap_err().to_string().starts_with("cannot write"));
        fs::remove_file(&rows).unwrap();
        fs::create_dir(&rows).unwrap();
        assert!(prepare(&folder).unwrap_err().to_string().contains("rows.csv"), "a folder is in the file's place");
        fs::remove_dir_all(&folder).unwrap();
    }
}
