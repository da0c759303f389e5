//! What the system says of files, as Python's own exceptions.

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use std::io;
use std::path::Path;

/// `FileNotFoundError` and its like, with the file's name; what is no error of the system's, such as a text that is no UTF-8, is a
/// `ValueError`.
pub(crate) fn exception(path: &Path, error: &io::Error) -> PyErr {
    let (name, told) = (path.display().to_string(), error.to_string());
    match error.raw_os_error() {
        Some(number) => {
            let told = told.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, told, name))
        }
        None => PyValueError::new_err(format!("{name}: {told}")),
    }
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> PyResult<String> {
    std::fs::read_to_string(path).map_err(|error| exception(path, &error))
}
