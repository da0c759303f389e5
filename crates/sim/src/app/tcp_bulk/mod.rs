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
mod outcome;
mod recovery;
mod response;

use super::downloads::Downloads;
use super::{End, Hosts, Model, Owner, Quantity, Setup, TcpEvent};
use crate::packet::{PacketSize, TCP_HEADERS};
use crate::tcp::{ConnectionId, Message};
use ack_burst::AckBurst;
use alloc::vec::Vec;
use arqway_units::{Span, Time};
pub use config::{Samples, SamplesError, TcpBulkConfig};
pub use outcome::{TcpBulkOutcome, TcpBulkSample};
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
    id: ConnectionId,
    recovery: Recovery,
    acknowledgements: AckBurst,
    response: Response,
}

/// Its timers.
mod timer {
    pub(super) const END: u8 = 0;
    pub(super) const SAMPLE: u8 = 1;
}

impl TcpBulk {
    /// Records where the first connection stands, and sets the timer for the next time.
    fn sample(&mut self, hosts: &mut Hosts<'_>) {
        let first = self.watched.first().and_then(|watched| hosts.connections.get_mut(watched.id));
        let Some(sender) = first.map(|connection| &connection.sender) else { return };
        self.taken.push(TcpBulkSample {
            at: hosts.now,
            window: sender.congestion_window(),
            sent: sender.highest_sent(),
            acknowledged: sender.acknowledged(),
        });
        if let Some(next) = self.samples.and_then(|samples| samples.after(hosts.now)) {
            hosts.wake_at(next, timer::SAMPLE);
        }
    }

    /// The time is over: the outcome stays as it is now, and packets that are still on their way find no connection.
    fn finish(&mut self, hosts: &mut Hosts<'_>) {
        self.result = Some(TcpBulkOutcome::new(self, hosts.connections, hosts.now));
        for watched in &self.watched {
            hosts.connections.close(watched.id);
        }
    }
}

impl Model for TcpBulk {
    type Config = TcpBulkConfig;
    type Outcome = TcpBulkOutcome;
    type Connection = u16;

    const QUANTITIES: &'static [Quantity] = outcome::QUANTITIES;

    fn build(config: &TcpBulkConfig, setup: &mut Setup<'_>) -> Self {
        let size = PacketSize::new(config.packet, setup.headers, TCP_HEADERS);
        let TcpBulkConfig { connections, ds, duration, samples, .. } = *config;
        Self {
            downloads: Downloads { size, connections, server_port: SERVER_PORT, ds },
            duration,
            samples,
            half_window: f64::from(setup.tcp.settings().maximum_window) / 2.0,
            watched: Vec::with_capacity(connections.get().into()),
            taken: Vec::with_capacity(samples.map_or(0, |samples| samples.count())),
            result: None,
        }
    }

    fn start(&mut self, hosts: &mut Hosts<'_>) {
        // Before anything else that happens at the same time.
        hosts.wake_at(Time::ZERO + self.duration, timer::END);
        if let Some(samples) = self.samples {
            hosts.wake_at(samples.first(), timer::SAMPLE);
        }
        let message = Message::endless(self.downloads.size);
        for id in self.downloads.start(message, Owner::TcpBulk, hosts) {
            let (recovery, acknowledgements, response) = Default::default();
            self.watched.push(Watched { id, recovery, acknowledgements, response });
        }
    }

    fn handle_timer(&mut self, timer: u8, hosts: &mut Hosts<'_>) {
        match timer {
            timer::END => self.finish(hosts),
            _ => self.sample(hosts),
        }
    }

    fn handle_tcp(&mut self, index: u16, event: TcpEvent<'_>, now: Time) {
        let Some(watched) = self.watched.get_mut(usize::from(index)) else { return };
        match event {
            TcpEvent::Acknowledged(sender) => {
                watched.acknowledgements.count(now);
                watched.recovery.opened(sender.congestion_window(), self.half_window, now);
                watched.response.acknowledged(sender.acknowledged());
            }
            TcpEvent::TimedOut => watched.recovery.timed_out(now),
            TcpEvent::Retransmitted(number) => watched.response.sent_again(number, now),
            TcpEvent::LostOnTheWire(number, arrival) => watched.response.lost(number, arrival),
        }
    }

    fn is_finished(&self) -> bool {
        self.result.is_some()
    }

    fn outcome(&self, end: &End<'_>) -> TcpBulkOutcome {
        self.result.clone().unwrap_or_else(|| TcpBulkOutcome::new(self, end.connections, end.now))
    }
}

/// The mean, in seconds, of lengths of time: each part is how many, and their sum in nanoseconds.
fn mean_s(parts: impl Iterator<Item = (u64, u128)>) -> Option<f64> {
    let (count, sum) = parts.fold((0, 0), |(count, sum), part| (count + part.0, sum + part.1));
    let mean = |count: u64| u64::try_from(sum / u128::from(count)).unwrap_or(u64::MAX);
    (count > 0).then(|| Span::from_nanoseconds(mean(count)).as_seconds())
}
