//! What came of greedy sources. Most quantities are one number; some are many, and their names say which one it is:
//!
//! | metric | |
//! | --- | --- |
//! | `bursts@1`, `bursts@2`, ... | the share of the bursts that had one packet, two, ... up to the maximum window |
//! | `window@15.01`, `sent@15.01`, `acknowledged@15.01` | where the first connection stood 15.01 s after the start |

use super::recovery::Recovery;
use super::response::Response;
use super::{TcpBulk, TcpBulkConfig};
use crate::app::{AppConfig, Connections, Owner, Quantity, Run};
use crate::tcp::Sender;
use alloc::vec::Vec;
use arqway_units::{Time, ToFloat};

impl AppConfig for TcpBulkConfig {
    const FINISHES: bool = true;

    fn connections(&self) -> u32 {
        self.connections.get().into()
    }
}

/// What greedy sources got, and what their TCP did meanwhile; times are in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct TcpBulkOutcome {
    /// Data acknowledged on all connections together, in bits per second while they were open.
    pub throughput_bps: f64,
    /// How often a retransmission timer expired, for each connection.
    pub timeouts: f64,
    /// The mean of all round-trip times that their TCP measured.
    pub round_trip_s: Option<f64>,
    /// How many bursts of one packet, of two, and so on up to the maximum window their senders sent.
    pub bursts: Vec<u64>,
    /// From a timeout until half of the maximum window was open again: the mean of the recoveries so far.
    pub recovery_s: Option<f64>,
    /// From the moment when a packet that the wire lost would have arrived until it was sent again: the mean.
    pub response_s: Option<f64>,
    /// The most new acknowledgements that came to one sender within 30 ms.
    pub most_acknowledgements: u64,
    /// Where the first connection stood, at the moments that the settings list.
    pub samples: Vec<TcpBulkSample>,
}

/// Where a connection stood at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TcpBulkSample {
    /// When.
    pub at: Time,
    /// The congestion window in packets.
    pub window: f64,
    /// The highest packet sent; -1 before the first.
    pub sent: i64,
    /// The highest packet acknowledged; -1 before the first.
    pub acknowledged: i64,
}

const TIME: &str = "Time (s)";

pub(super) const QUANTITIES: &[Quantity] = &[
    Quantity::once("tcp-bulk.throughput", "Throughput of all connections (kbit/s)", 1e-3, |run| {
        Some(bulk(run)?.throughput_bps)
    }),
    Quantity::once("tcp-bulk.utilisation", "Normalised throughput", 1.0, |run| {
        Some(bulk(run)?.throughput_bps / run.network.rate.as_bits_per_second().to_f64())
    }),
    Quantity::once("tcp-bulk.timeouts", "TCP timeouts of a connection", 1.0, |run| Some(bulk(run)?.timeouts)),
    Quantity::once("tcp-bulk.rtt", "Round-trip time that TCP measures (s)", 1.0, |run| bulk(run)?.round_trip_s),
    Quantity::once("tcp-bulk.burst", "Mean packets of a burst", 1.0, |run| mean_burst(bulk(run)?)),
    Quantity::once("tcp-bulk.burst-max", "Packets of the longest burst", 1.0, |run| longest_burst(bulk(run)?)),
    Quantity::once("tcp-bulk.buffers", "Mean packets held for resequencing", 1.0, packets_held),
    Quantity::once("tcp-bulk.recovery", "From a timeout to half of the window (s)", 1.0, |run| bulk(run)?.recovery_s),
    Quantity::once("tcp-bulk.response", "Response to a loss on the wire (s)", 1.0, |run| bulk(run)?.response_s),
    Quantity::once("tcp-bulk.ack-burst", "Most new acknowledgements within 30 ms", 1.0, |run| {
        Some(bulk(run)?.most_acknowledgements.to_f64())
    }),
    Quantity::once("tcp-bulk.node-drops", "Packets without room in the forwarding node", 1.0, |run| {
        Some(run.network.node_drops?.to_f64())
    })
    .needs("forwarding-node.enabled = true", |world| world.has_forwarding_node),
    Quantity::link_timeouts("tcp-bulk.link-timeouts"),
    Quantity::frame_loss("tcp-bulk.flr"),
    Quantity::series("tcp-bulk.bursts", "Share of the bursts (%)", 100.0, "Packets in a burst", burst_shares),
    Quantity::series("tcp-bulk.window", "Congestion window (packets)", 1.0, TIME, |run| {
        samples(run, |sample| sample.window)
    })
    .needs(SAMPLES, |world| world.applications.tcp_bulk.is_some_and(|bulk| bulk.samples.is_some())),
    Quantity::series("tcp-bulk.sent", "Highest packet sent", 1.0, TIME, |run| {
        samples(run, |sample| sample.sent.to_f64())
    })
    .needs(SAMPLES, |world| world.applications.tcp_bulk.is_some_and(|bulk| bulk.samples.is_some())),
    Quantity::series("tcp-bulk.acknowledged", "Highest packet acknowledged", 1.0, TIME, |run| {
        samples(run, |sample| sample.acknowledged.to_f64())
    })
    .needs(SAMPLES, |world| world.applications.tcp_bulk.is_some_and(|bulk| bulk.samples.is_some())),
];

/// What a series over time needs.
const SAMPLES: &str = "tcp-bulk.samples = { from = \"0 s\", until = \"10 s\", every = \"0.1 s\" }";

fn bulk<'a>(run: &Run<'a>) -> Option<&'a TcpBulkOutcome> {
    run.applications.tcp_bulk.as_ref()
}

/// How many packets the client's end of the link held on average, because others had to leave first: by Little's law, how
/// long all of them were held over the time of the run.
fn packets_held(run: &Run<'_>) -> Option<f64> {
    let seconds = run.ended.as_seconds();
    (seconds > 0.0).then(|| run.network.client.held_nanoseconds.to_f64() / 1e9 / seconds)
}

/// The mean number of packets sent at one instant in answer to one event.
fn mean_burst(bulk: &TcpBulkOutcome) -> Option<f64> {
    let packets: u64 = (1..).zip(&bulk.bursts).map(|(packets, count)| packets * count).sum();
    let bursts = bulk.bursts.iter().sum::<u64>();
    (bursts > 0).then(|| packets.to_f64() / bursts.to_f64())
}

fn longest_burst(bulk: &TcpBulkOutcome) -> Option<f64> {
    bulk.bursts.iter().rposition(|count| *count > 0).map(|index| (index + 1).to_f64())
}

fn burst_shares(run: &Run<'_>) -> Vec<(f64, f64)> {
    let Some(bulk) = bulk(run) else { return Vec::new() };
    let all = bulk.bursts.iter().sum::<u64>();
    let share = |(packets, count): (u32, &u64)| (f64::from(packets), count.to_f64() / all.to_f64());
    (1..).zip(&bulk.bursts).filter(|_| all > 0).map(share).collect()
}

/// Where the first connection stood, as often as the settings ask for.
fn samples(run: &Run<'_>, value: fn(&TcpBulkSample) -> f64) -> Vec<(f64, f64)> {
    let Some(bulk) = bulk(run) else { return Vec::new() };
    bulk.samples.iter().map(|sample| (sample.at.as_seconds(), value(sample))).collect()
}

impl TcpBulkOutcome {
    pub(super) fn new(bulk: &TcpBulk, connections: &Connections, now: Time) -> Self {
        let senders = || {
            let of_bulk = connections.iter().filter(|connection| matches!(connection.owner, Owner::TcpBulk(_)));
            of_bulk.map(|connection| &connection.sender)
        };
        let watched = || bulk.watched.iter();
        Self {
            throughput_bps: bulk.downloads.throughput_bps(senders(), now),
            timeouts: bulk.downloads.timeouts(senders()),
            round_trip_s: mean_round_trip_s(senders()),
            bursts: bursts(senders()),
            recovery_s: Recovery::mean_s(watched().map(|watched| &watched.recovery)),
            response_s: Response::mean_s(watched().map(|watched| &watched.response)),
            most_acknowledgements: watched().map(|watched| watched.acknowledgements.most()).max().unwrap_or(0),
            samples: bulk.taken.clone(),
        }
    }
}

/// The mean of all round-trip times that were measured.
fn mean_round_trip_s<'a>(senders: impl Iterator<Item = &'a Sender>) -> Option<f64> {
    let add = |(samples, seconds), sender: &Sender| {
        (samples + sender.round_trip_samples(), seconds + sender.round_trip_sum().as_seconds())
    };
    let (samples, seconds) = senders.fold((0, 0.0), add);
    (samples > 0).then(|| seconds / samples.to_f64())
}

/// How many bursts had one packet, two, and so on, of all senders together.
fn bursts<'a>(senders: impl Iterator<Item = &'a Sender>) -> Vec<u64> {
    let mut all = Vec::new();
    for sender in senders {
        all.resize(all.len().max(sender.bursts().len()), 0);
        all.iter_mut().zip(sender.bursts()).for_each(|(all, of_one)| *all += of_one);
    }
    all
}
