//! Services, frame by frame, from Python: those of Arqway, and those written in Python against the same contract.
//!
//! ```text
//!     Service = Checked around  AnyService  (Rust)
//!                           or  PythonEnd   (an object of Python, asked by the same names)
//!     Wire    = two of them on a line with a channel of the simulator
//! ```
//!
//! Time is in seconds in Python and in whole nanoseconds here; a deadline comes back as exactly the same nanosecond.

mod event;
mod frame;
mod held;
mod python_end;
mod service;
mod wire;

pub(crate) use event::Event;
pub(crate) use frame::Frame;
pub(crate) use service::Service;
pub(crate) use wire::{Wire, WireRun, connect};

use arqway_units::Time;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The last second: up to here seconds as a float name every nanosecond.
const LATEST_S: f64 = 2e6;

/// A time of Python's.
fn time(seconds: f64) -> PyResult<Time> {
    if !(0.0..=LATEST_S).contains(&seconds) {
        let message = format!("a time must be from 0 to {LATEST_S} seconds, not {seconds}");
        return Err(PyValueError::new_err(message));
    }
    Ok(Time::from_nanoseconds((seconds * 1e9).round() as u64))
}
