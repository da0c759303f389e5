//! What a path does, link by link: the JSON of `arqway path`.

use crate::hub::{LinkServiceMetrics, PathAnswer, PathLink};
use arqway_units::{BitRate, Span};
use serde::{Deserialize, Serialize};

/// A path to a destination and back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathStatus {
    /// The links to the destination, the first one first.
    pub there: Vec<PathLinkStatus>,
    /// Those that the answer has crossed.
    pub back: Vec<PathLinkStatus>,
}

/// A link in the direction in which it was crossed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathLinkStatus {
    /// As the tunnel is called at its sending end, with the peer's name where it has several.
    pub name: String,
    /// What it carries, as far as that is known.
    pub rate_bps: Option<u64>,
    /// Whether it may carry more, as nothing has gone faster yet.
    pub rate_is_least: bool,
    /// The smoothed round-trip time.
    pub round_trip_s: Option<f64>,
    /// What its services do.
    pub services: Vec<PathServiceStatus>,
}

/// A service in one direction: measured where it carries something, and else as the link's losses let expect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathServiceStatus {
    /// That of its class.
    pub name: String,
    /// Of the octets on the link, the share that packets have.
    pub goodput: Option<f64>,
    /// How often a frame with a packet was sent again, on average; `None` where none was sent lately.
    pub retransmissions: Option<f64>,
    /// The share of the packets that do not arrive.
    pub loss: Option<f64>,
    /// One way, queueing apart.
    pub delay_s: Option<f64>,
}

impl PathStatus {
    pub(crate) fn new(answer: &PathAnswer) -> Self {
        let links = |links: &[PathLink]| links.iter().map(PathLinkStatus::new).collect();
        Self { there: links(&answer.there), back: links(&answer.back) }
    }
}

impl PathLinkStatus {
    fn new(link: &PathLink) -> Self {
        Self {
            name: link.name.clone(),
            rate_bps: link.rate.map(BitRate::as_bits_per_second),
            rate_is_least: link.rate_is_least,
            round_trip_s: link.round_trip.map(Span::as_seconds),
            services: link.services.iter().map(PathServiceStatus::new).collect(),
        }
    }
}

impl PathServiceStatus {
    fn new(service: &LinkServiceMetrics) -> Self {
        Self {
            name: service.name.clone(),
            goodput: service.goodput,
            retransmissions: service.retransmissions,
            loss: service.loss,
            delay_s: service.delay.map(Span::as_seconds),
        }
    }
}
