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
//!
//! A service that carried no packet toward the client has none of them. They cover the whole run, as an application's quantities do. A window at its end would show whatever happened last: the
//! last acknowledgements of a file, or an application that was over long before.

use crate::app::Quantity;
use crate::channel::Direction;
use crate::outcome::Outcome;
use crate::scenario::Scenario;
use crate::wireless::Wireless;
use alloc::string::String;
use alloc::vec::Vec;
use arqway_link::Counters;
use arqway_link::metrics::{LinkDelay, ReceiverMetrics, SenderMetrics, ServiceMetrics};
use arqway_units::{BitRate, Octets, Ratio, ToFloat};

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
];

/// What both ends of a service know of its way to the client.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServiceOutcome {
    /// What the access point's end counted.
    pub sender: Counters,
    /// What it knows of the service.
    pub sent: SenderMetrics,
    /// What the client's end knows of it.
    pub received: ReceiverMetrics,
    /// The service's share of the link when the run ended.
    pub share: Option<Ratio>,
}

impl ServiceOutcome {
    /// The metrics of the service; `None` where it carried no packet. Where its receiver cannot know what is lost, what it
    /// delivered is taken from what the sender sent.
    #[must_use]
    pub fn metrics(&self, wireless: &Wireless) -> Option<ServiceMetrics> {
        let loss = self.received.loss.or_else(|| self.received.loss_by_both_ends(&self.sent));
        let received = ReceiverMetrics { loss, ..self.received };
        ServiceMetrics::one_way(&self.sent, &received, &self.link_delay(wireless)).filter(|_| self.sent.octets > 0)
    }

    /// The time of a mean frame on the link; and until it is sent again, after the client has asked for it.
    fn link_delay(&self, wireless: &Wireless) -> LinkDelay {
        let [down, up] = [Direction::Down, Direction::Up].map(|way| wireless.delay(way).mean());
        let frame = Octets::new(self.sender.octets_sent / self.sender.frames_sent.max(1));
        let one_way = wireless.rate(Direction::Down).mean().time_to_send(frame) + down;
        LinkDelay { one_way, round_trip: one_way + up }
    }
}

/// A service that carried packets in a run.
pub(crate) struct Service {
    metrics: ServiceMetrics,
    /// Where the scheduler keeps shares.
    share: Option<Ratio>,
    link_rate: BitRate,
}

impl Outcome {
    /// What a run measured of each service of its scenario: metrics, such as `loss@media`, and their values, as rows have
    /// them.
    #[must_use]
    pub fn service_metrics(&self, scenario: &Scenario) -> Vec<(String, f64)> {
        let link_rate = self.network.rate;
        let of_one = |(name, outcome): (String, &ServiceOutcome)| {
            let metrics = outcome.metrics(&scenario.wireless)?;
            let share = outcome.share.filter(|_| scenario.link_layer.has_shares());
            let service = Service { metrics, share, link_rate };
            let value = move |quantity: &Quantity| Some((quantity.metric_of(&name), quantity.value_of(&service)?));
            Some(QUANTITIES.iter().filter_map(value))
        };
        scenario.link_layer.service_names().into_iter().zip(&self.services).filter_map(of_one).flatten().collect()
    }
}
