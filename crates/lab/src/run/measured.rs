//! What is kept of a run when it ends.

use arqway_units::Time;
use std::sync::Arc;

/// What is kept of a run: everything that rows and remarks are made of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    pub(crate) metrics: Vec<Metric>,
    /// When it ended.
    pub(crate) ended: Time,
    /// How many events it took.
    pub(crate) events: u64,
    /// Whether all of every file was there when it ended.
    pub(crate) file_complete: Option<bool>,
    /// How often the link toward the client lost frames; some in a row count once.
    pub(crate) losses: Option<f64>,
}

/// One number of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Metric {
    /// The application that it was measured of.
    pub(crate) app: Arc<str>,
    /// As rows name it.
    pub(crate) name: Arc<str>,
    pub(crate) value: f64,
}
