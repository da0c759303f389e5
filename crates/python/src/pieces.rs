//! A plan in pieces, for executors: what is to be run as bytes, what came out as bytes, and the results of all.
//!
//! ```text
//!     Pieces.task(0)  -->  bytes  -->  run_task, in whatever process  -->  bytes  -->  Pieces.add
//! ```

use crate::planned::Planned;
use crate::results::Results;
use crate::study::Plan;
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::partial::{Collected, PartialError, PartialResults, ResultStore, RunIndex, Task, folder_of, pack};
use arqway_lab::run::plan::Run;
use pyo3::exceptions::{PyIndexError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The pieces of a plan that are still to be run.
#[pyclass(frozen, module = "arqway._arqway")]
pub(crate) struct Pieces {
    plan: Arc<Planned>,
    catalogue: RunIndex,
    packed: Vec<Vec<Run>>,
    known: Mutex<Known>,
    refused: Vec<String>,
}

/// Where pieces that come are put.
enum Known {
    Memory(Collected),
    Disk(ResultStore),
}

impl Known {
    fn collected(&self) -> &Collected {
        match self {
            Self::Memory(collected) => collected,
            Self::Disk(shelf) => shelf.collected(),
        }
    }
}

fn cannot_read(error: impl Display) -> PyErr {
    PyOSError::new_err(error.to_string())
}

fn wrong(error: PartialError) -> PyErr {
    match error {
        PartialError::Run(error) => PyRuntimeError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}

#[pymethods]
impl Pieces {
    /// Packs what a folder of results does not have yet, or everything.
    #[new]
    fn new(py: Python<'_>, plan: &Plan, folder: Option<PathBuf>) -> PyResult<Self> {
        let plan = plan.planned();
        py.detach(|| {
            let catalogue = RunIndex::of(&plan.runs).map_err(wrong)?;
            let (known, refused) = match folder {
                None => (Known::Memory(Collected::default()), Vec::new()),
                Some(folder) => {
                    let (shelf, refused) = ResultStore::open(&[folder_of(&folder)]).map_err(cannot_read)?;
                    (Known::Disk(shelf), refused.iter().map(ToString::to_string).collect())
                }
            };
            let missing = known.collected().missing(&catalogue, &plan.runs.runs);
            let packed = pack(&plan.runs, &missing);
            Ok(Self { plan, catalogue, packed, known: Mutex::new(known), refused })
        })
    }

    fn __len__(&self) -> usize {
        self.packed.len()
    }

    /// How many runs the plan has.
    #[getter]
    fn planned(&self) -> usize {
        self.plan.runs.runs.len()
    }

    /// How many of them are still missing.
    #[getter]
    fn missing(&self) -> usize {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.collected().missing(&self.catalogue, &self.plan.runs.runs).len()
    }

    /// Files that are no pieces, and why.
    #[getter]
    fn refused(&self) -> Vec<String> {
        self.refused.clone()
    }

    /// What somebody has to run for a piece.
    fn task<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        let runs = self.packed.get(index).ok_or_else(|| PyIndexError::new_err("there is no such piece"))?;
        let octets = py.detach(|| Task::new(&self.plan.runs, runs).map(|task| task.to_bytes()));
        Ok(PyBytes::new(py, &octets.map_err(wrong)?))
    }

    /// Takes what came out; tells of how many runs.
    fn add(&self, py: Python<'_>, octets: &[u8]) -> PyResult<usize> {
        py.detach(|| {
            let piece = PartialResults::from_bytes(octets).map_err(wrong)?;
            let runs = piece.len();
            match &mut *self.known.lock().unwrap_or_else(PoisonError::into_inner) {
                Known::Memory(collected) => collected.add(piece),
                Known::Disk(shelf) => shelf.add(piece).map_err(cannot_read)?,
            }
            Ok(runs)
        })
    }

    /// The results, once nothing is missing.
    fn results(&self, py: Python<'_>) -> PyResult<Results> {
        let results = py.detach(|| {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.collected().results(&self.catalogue, &self.plan.runs.runs)
        });
        if results.finished() < results.planned {
            let missing = results.planned - results.finished();
            return Err(PyRuntimeError::new_err(format!("{missing} of {} runs are missing", results.planned)));
        }
        Results::new(py, Arc::clone(&self.plan), &results)
    }
}

/// Ends tasks that run in threads of this process.
#[pyclass(frozen, module = "arqway._arqway")]
#[derive(Default)]
pub(crate) struct Stop(Arc<Cancellation>);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Runs under way are given up.
    fn at_once(&self) {
        self.0.at_once();
    }
}

/// Runs a task without the interpreter's lock.
#[pyfunction]
#[pyo3(signature = (task, stop=None))]
pub(crate) fn run_task<'py>(py: Python<'py>, task: &[u8], stop: Option<&Stop>) -> PyResult<Bound<'py, PyBytes>> {
    let stop = stop.map(|stop| Arc::clone(&stop.0)).unwrap_or_default();
    let work = || -> Result<Vec<u8>, PartialError> { Ok(Task::from_bytes(task)?.run(&stop, || ())?.to_bytes()) };
    let octets = py.detach(work);
    Ok(PyBytes::new(py, &octets.map_err(wrong)?))
}
