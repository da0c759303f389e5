//! Runs a plan without the interpreter's lock.
//!
//! ```text
//!     Python's thread                         threads of Rust
//!     every 10 ms: a signal? progress?  <---  runs finished, counted
//!     an exception: stop at once        --->  runs under way are given up
//! ```

use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::plan::Plan;
use arqway_lab::run::{Results, run as run_plan};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often Python is asked for signals: well below what a person takes for at once.
const LOOK: Duration = Duration::from_millis(10);

/// How many runs go on at a time unless somebody says: one for each core that this process may use.
#[pyfunction]
pub(crate) fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Runs a plan; calls `progress` with how many runs are finished and how many there are, at first and whenever that has changed.
pub(crate) fn run(py: Python<'_>, plan: &Plan, jobs: NonZeroUsize, progress: Option<&Py<PyAny>>) -> PyResult<Results> {
    let (stop, finished) = (Cancellation::new(), AtomicUsize::new(0));
    let planned = plan.runs.len();
    let mut told = None;
    let mut look = || {
        Python::attach(|py| {
            py.check_signals()?;
            let now = finished.load(Ordering::Relaxed);
            if let Some(progress) = progress.filter(|_| told != Some(now)) {
                told = Some(now);
                progress.call1(py, (now, planned))?;
            }
            Ok(())
        })
    };
    // Before anything runs: whoever refuses it now has waited for nothing.
    look()?;
    let results = py.detach(|| {
        thread::scope(|scope| {
            let (done, results) = channel();
            let (stop, finished) = (&stop, &finished);
            let runs = scope.spawn(move || {
                let count = || {
                    finished.fetch_add(1, Ordering::Relaxed);
                };
                // Nobody waits any more where an exception has ended it.
                let _ = done.send(run_plan(plan, jobs, stop, count));
            });
            loop {
                if let Err(raised) = look() {
                    stop.at_once();
                    break Err(raised);
                }
                match results.recv_timeout(LOOK) {
                    Ok(results) => break look().map(|()| results),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        // Joined here, or the scope would panic too.
                        let _ = runs.join();
                        break Err(PyRuntimeError::new_err("the runs have failed"));
                    }
                }
            }
        })
    })?;
    results.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
