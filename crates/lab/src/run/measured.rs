//! What is kept of a run when it ends.

use super::delays::Delays;
use arqway_sim::app::{Application, SERVICES};
use arqway_sim::{Outcome, Scenario};
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

impl Measured {
    pub(crate) fn new(scenario: &Scenario, outcome: &Outcome, delays: &Delays) -> Self {
        Self {
            metrics: metrics(scenario, outcome, delays),
            ended: outcome.ended,
            events: outcome.events,
            file_complete: outcome.applications.file_transfer.as_ref().map(|file| file.is_complete),
            losses: losses(outcome),
        }
    }
}

/// All metrics of a run, in the order of their rows: those of each application that takes part, then those of services.
fn metrics(scenario: &Scenario, outcome: &Outcome, delays: &Delays) -> Vec<Metric> {
    let of_application = |application: Application| {
        let app: Arc<str> = application.name().into();
        let metrics = application.metrics(&outcome.run(delays)).into_iter();
        metrics.map(move |(name, value)| Metric { app: app.clone(), name: name.into(), value })
    };
    let of_services = outcome.service_metrics(scenario).into_iter();
    let services: Arc<str> = SERVICES.into();
    let of_services = of_services.map(|(name, value)| Metric { app: services.clone(), name: name.into(), value });
    scenario.applications().flat_map(of_application).chain(of_services).collect()
}

fn losses(outcome: &Outcome) -> Option<f64> {
    let network = &outcome.network;
    let frames = (network.access_point.frames_sent + network.access_point.frames_resent) as f64;
    Some(network.frame_loss_rate? * frames / network.frame_loss_run?)
}
