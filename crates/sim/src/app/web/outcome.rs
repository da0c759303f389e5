//! What came of Web Browsing.

use super::config::Counted;
use super::{Tally, WebConfig};
use crate::app::{AppConfig, End, Owner, Quantity};
use arqway_units::{Octets, Span, ToFloat};

impl AppConfig for WebConfig {
    const FINISHES: bool = false;

    fn duration(&self) -> Option<Span> {
        self.duration
    }
}

/// What the browser got.
#[derive(Debug, Clone, PartialEq)]
pub struct WebOutcome {
    /// Pages and objects from the server, their true lengths, in bits per second, as [`Counted`] says.
    pub throughput_bps: f64,
    /// How many pages were loaded with all their objects.
    pub pages: u64,
    /// How long a page took on average, in seconds from its request to the last of its objects, if one was loaded.
    pub response_s: Option<f64>,
    /// How often a retransmission timer of TCP expired, for each connection.
    pub timeouts: Option<f64>,
}

pub(super) const QUANTITIES: &[Quantity] = &[
    Quantity::once("web.throughput", "Web Browsing throughput (kbit/s)", 1e-3, |run| {
        Some(run.applications.web.as_ref()?.throughput_bps)
    }),
    Quantity::once("web.response", "Time to load a page (s)", 1.0, |run| run.applications.web.as_ref()?.response_s),
    Quantity::once("web.response-p95", "Time to load a page, 95th percentile (s)", 1.0, |run| {
        run.delays.quantile_s(crate::app::Application::Web, 0.95)
    }),
    Quantity::once("web.transactions", "Pages loaded", 1.0, |run| Some(run.applications.web.as_ref()?.pages.to_f64())),
    Quantity::once("web.timeouts", "TCP timeouts of a web connection", 1.0, |run| {
        run.applications.web.as_ref()?.timeouts
    }),
    Quantity::link_timeouts("web.link-timeouts"),
    Quantity::frame_loss("web.flr"),
];

impl WebOutcome {
    pub(super) fn new(tally: &Tally, counted: Counted, end: &End<'_>) -> Self {
        let (octets, time) = match counted {
            Counted::Transactions => (tally.octets_of_pages, tally.last_page),
            Counted::Objects => (tally.octets_of_objects, end.now),
        };
        let seconds = time.as_seconds();
        let throughput_bps = if seconds > 0.0 { Octets::new(octets).as_bits().to_f64() / seconds } else { 0.0 };
        let ours = end.connections.iter().filter(|connection| matches!(connection.owner, Owner::Web(_)));
        let timeouts = tally.timeouts + ours.map(|connection| connection.sender.timeouts()).sum::<u64>();
        Self {
            throughput_bps,
            pages: tally.pages,
            response_s: (tally.pages > 0).then(|| tally.response_s / tally.pages.to_f64()),
            timeouts: (tally.connections > 0).then(|| timeouts.to_f64() / tally.connections.to_f64()),
        }
    }
}
