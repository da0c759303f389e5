//! What each service of the wireless link made of it toward the client, over a whole run, in the metrics that mean the same
//! for any recovery scheme (multiservice, Section IX, Table I).
//!
//! | `service.` | |
//! | --- | --- |
//! | `goodput` | g: octets of packets, each counted once, / octets of all frames of the service: with tags, heads, copies, parity and acknowledgements |
//! | `loss` | l: packets that recovery does not bring back / packets |
//! | `delay` | d: the time of a frame on the link, and a round trip for each time that a frame was sent again; no queueing |
//! | `effective-goodput` | e = g (1 - l) |
//! | `throughput` | B r e: what the service's share r of the link's rate B carries |
//! | `delivered` | octets of packets that came out at the client, over the time of the run |
//! | `resent` | frames with packets sent again, for each that was sent for the first time |
//!
//! A service that carried no packet toward the client has none of them. They cover the whole run, as an application's
//! quantities do. A window at its end would show whatever happened last: the last acknowledgements of a file, or an
//! application that was over long before.

use super::Quantity;
use arqway_link::metrics::ServiceMetrics;
use arqway_units::{BitRate, Ratio, ToFloat};

/// The application of their rows.
pub const APP: &str = "service";

/// What is reported of each service, in the order of its rows.
pub(crate) const QUANTITIES: &[Quantity] = &[
    Quantity::of_service("service.goodput", "Goodput (%)", 100.0, |service| Some(service.metrics.goodput.as_f64())),
    Quantity::of_service("service.loss", "Residual loss (%)", 100.0, |service| Some(service.metrics.loss.as_f64())),
    Quantity::of_service("service.delay", "Delay without queueing (s)", 1.0, |service| {
        Some(service.metrics.delay.as_seconds())
    }),
    Quantity::of_service("service.effective-goodput", "Effective goodput (%)", 100.0, |service| {
        Some(service.metrics.effective_goodput().as_f64())
    }),
    Quantity::of_service("service.throughput", "Throughput by its share (kbit/s)", 1e-3, |service| {
        let throughput = service.metrics.throughput(service.link_rate, service.share?);
        Some(throughput.map_or(0.0, |rate| rate.as_bits_per_second().to_f64()))
    })
    .needs("link-layer.scheduler = \"scfq\"", |measured| measured.has_shares),
    Quantity::of_service("service.delivered", "Packets delivered (kbit/s)", 1e-3, |service| service.delivered_bps),
    Quantity::of_service("service.resent", "Frames sent again (%)", 100.0, |service| service.resent),
];

/// A service that carried packets in a run.
pub(crate) struct Service {
    pub(crate) metrics: ServiceMetrics,
    /// Where the scheduler keeps shares.
    pub(crate) share: Option<Ratio>,
    pub(crate) link_rate: BitRate,
    /// Octets of packets that it delivered, in bits per second of the run.
    pub(crate) delivered_bps: Option<f64>,
    /// Frames sent again, for each that was sent for the first time.
    pub(crate) resent: Option<f64>,
}
