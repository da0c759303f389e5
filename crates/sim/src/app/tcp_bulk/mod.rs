//! Greedy sources: "data always exists" (shikama06, Table 1). Some connections from the server to the client begin at time
//! zero and send as fast as TCP lets them until the time is over; then they are closed, and what they have got is counted.
//!
//! ```text
//!     connection 1   =====================================|
//!     connection 2   =====================================|
//!     ...            0                                 duration
//! ```
//!
//! Each connection is watched where it sends, times out and is acknowledged, for what the paper tells of its TCP beside
//! the throughput: a file an idea. Samples over time are taken only where they are asked for.

mod ack_burst;
mod config;
mod recovery;
mod response;

use super::{Downloads, Owner};
use crate::outcome::{TcpBulkOutcome, TcpBulkSample};
use crate::packet::{Headers, PacketSize, TCP_HEADERS};
use crate::tcp::{Connections, Message, Sender, SlotId, TcpConfig};
use ack_burst::AckBurst;
use alloc::vec::Vec;
use arqway_units::{Span, Time};
pub use config::{Samples, SamplesError, TcpBulkConfig};
use recovery::Recovery;
use response::Response;

/// The discard service (RFC 863) takes whatever comes.
const SERVER_PORT: u16 = 9;

/// All greedy sources.
#[derive(Debug)]
pub(crate) struct TcpBulk {
    downloads: Downloads,
    duration: Span,
    samples: Option<Samples>,
    /// Half of the window that TCP can have.
    half_window: f64,
    watched: Vec<Watched>,
    taken: Vec<TcpBulkSample>,
    /// What came of it, once it is over.
    result: Option<TcpBulkOutcome>,
}

/// One connection, and what is known of it.
#[derive(Debug)]
struct Watched {
    id: SlotId,
    recovery: Recovery,
    acknowledgements: AckBurst,
    response: Response,
}

impl TcpBulk {
    /// Sources that have not begun.
    pub(crate) fn new(config: &TcpBulkConfig, headers: Headers, tcp: &TcpConfig) -> Self {
        let size = PacketSize::new(config.packet, headers, TCP_HEADERS);
        let TcpBulkConfig { connections, ds, duration, samples, .. } = *config;
        Self {
            downloads: Downloads { size, connections, server_port: SERVER_PORT, ds },
            duration,
            samples,
            half_window: f64::from(tcp.settings().maximum_window) / 2.0,
            watched: Vec::with_capacity(connections.get().into()),
            taken: Vec::with_capacity(samples.map_or(0, |samples| samples.count())),
            result: None,
        }
    }

    /// Opens the connections; where each clock stands in its tick is asked anew.
    pub(crate) fn open(&mut self, tcp: &TcpConfig, connections: &mut Connections, clock_phase: impl FnMut() -> Span) {
        let message = Message::endless(self.downloads.size);
        for id in self.downloads.open(message, Owner::TcpBulk, tcp, connections, clock_phase) {
            let (recovery, acknowledgements, response) = Default::default();
            self.watched.push(Watched { id, recovery, acknowledgements, response });
        }
    }

    /// Its connections.
    pub(crate) fn connections(&self) -> impl Iterator<Item = SlotId> {
        self.watched.iter().map(|watched| watched.id)
    }

    /// One of its connections.
    pub(crate) fn connection(&self, index: usize) -> Option<SlotId> {
        self.watched.get(index).map(|watched| watched.id)
    }

    /// When it is over.
    pub(crate) fn end(&self) -> Time {
        Time::ZERO + self.duration
    }

    /// Whether it is over.
    pub(crate) fn is_over(&self) -> bool {
        self.result.is_some()
    }

    /// When the first sample is to be taken, if any is.
    pub(crate) fn first_sample(&self) -> Option<Time> {
        self.samples.map(|samples| samples.first())
    }

    /// Records where the first connection stands; returns when to do that again.
    pub(crate) fn sample(&mut self, sender: &Sender, now: Time) -> Option<Time> {
        self.taken.push(TcpBulkSample {
            at: now,
            window: sender.congestion_window(),
            sent: sender.highest_sent(),
            acknowledged: sender.acknowledged(),
        });
        self.samples?.after(now)
    }

    /// A retransmission timer of a connection has expired.
    pub(crate) fn timed_out(&mut self, index: u16, now: Time) {
        if let Some(watched) = self.watched.get_mut(usize::from(index)) {
            watched.recovery.timed_out(now);
        }
    }

    /// A sender has taken a new acknowledgement.
    pub(crate) fn acknowledged(&mut self, index: u16, sender: &Sender, now: Time) {
        let Some(watched) = self.watched.get_mut(usize::from(index)) else { return };
        watched.acknowledgements.count(now);
        watched.recovery.opened(sender.congestion_window(), self.half_window, now);
        watched.response.acknowledged(sender.acknowledged());
    }

    /// A connection sends a packet again.
    pub(crate) fn sent_again(&mut self, index: u16, number: i64, now: Time) {
        if let Some(watched) = self.watched.get_mut(usize::from(index)) {
            watched.response.sent_again(number, now);
        }
    }

    /// A packet of a connection was lost on the wire; it would have arrived then.
    pub(crate) fn lost_on_the_wire(&mut self, index: u16, number: i64, arrival: Time) {
        if let Some(watched) = self.watched.get_mut(usize::from(index)) {
            watched.response.lost(number, arrival);
        }
    }

    /// It is over: what came of it stays as it is from now on.
    pub(crate) fn finish(&mut self, connections: &Connections, now: Time) {
        self.result = Some(self.outcome(connections, now));
    }

    /// What came of it, or has come of it so far.
    pub(crate) fn outcome(&self, connections: &Connections, now: Time) -> TcpBulkOutcome {
        if let Some(result) = &self.result {
            return result.clone();
        }
        let senders = || {
            let of_bulk = connections.iter().filter(|connection| matches!(connection.owner, Owner::TcpBulk(_)));
            of_bulk.map(|connection| &connection.sender)
        };
        TcpBulkOutcome {
            throughput_bps: self.downloads.throughput_bps(senders(), now),
            timeouts: self.downloads.timeouts(senders()),
            round_trip_s: mean_round_trip_s(senders()),
            bursts: bursts(senders()),
            recovery_s: Recovery::mean_s(self.watched.iter().map(|watched| &watched.recovery)),
            response_s: Response::mean_s(self.watched.iter().map(|watched| &watched.response)),
            most_acknowledgements: self
                .watched
                .iter()
                .map(|watched| watched.acknowledgements.most())
                .max()
                .unwrap_or(0),
            samples: self.taken.clone(),
        }
    }
}

/// The mean of all round-trip times that were measured.
fn mean_round_trip_s<'a>(senders: impl Iterator<Item = &'a Sender>) -> Option<f64> {
    let add = |(samples, seconds), sender: &Sender| {
        (samples + sender.round_trip_samples(), seconds + sender.round_trip_sum().as_seconds())
    };
    let (samples, seconds) = senders.fold((0, 0.0), add);
    (samples > 0).then(|| seconds / samples as f64)
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
