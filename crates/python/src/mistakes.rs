//! What is wrong with settings, as the exception `arqway.Mistakes`: told in the words of the command, each mistake an object.

use arqway_config::{Mistake, Mistakes};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

static MISTAKE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static MISTAKES: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The exception; or why it cannot be made.
pub(crate) fn exception(py: Python<'_>, mistakes: &Mistakes) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let each = mistakes.iter().map(|mistake| object(py, mistake)).collect::<PyResult<Vec<_>>>()?;
        let class = MISTAKES.import(py, "arqway._mistakes", "Mistakes")?;
        Ok(PyErr::from_value(class.call1((mistakes.to_string(), PyTuple::new(py, each)?))?))
    };
    made().unwrap_or_else(|error| error)
}

/// A mistake in a file has line and column, one in values of Python a path.
fn object<'py>(py: Python<'py>, mistake: &Mistake) -> PyResult<Bound<'py, PyAny>> {
    let Mistake { origin, message, help } = mistake;
    let class = MISTAKE.import(py, "arqway._mistakes", "Mistake")?;
    match origin.path() {
        Some(path) => class.call1((None::<&str>, None::<usize>, None::<usize>, path, message, help)),
        None => {
            let position = origin.position();
            class.call1((origin.source.name(), position.line, position.column, None::<&str>, message, help))
        }
    }
}
