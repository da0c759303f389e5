//! What an emulation has done, in numbers: since the last report, and altogether.

use crate::counters::Counters;
use crate::lateness::{Lateness, LatenessSummary};
use arqway_sim::Start;
use arqway_sim::channel::Direction;
use arqway_units::{Octets, Span, Time};
use serde::Serialize;

/// Numbers over a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Report {
    /// Seconds since the start, at the end of it.
    pub at_s: f64,
    /// How long it is, in seconds.
    pub length_s: f64,
    /// Toward the client.
    pub down: Way,
    /// Toward the server.
    pub up: Way,
    /// How much later than due packets were handed over.
    pub lateness: LatenessSummary,
    /// How much later than asked the process was woken.
    pub wake_up_error: LatenessSummary,
    /// Packets that the interfaces dropped because the emulator did not read them in time.
    pub overruns: u64,
}

/// Numbers of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Way {
    /// What became of its packets.
    #[serde(flatten)]
    pub counters: Counters,
    /// How many wait in front of it, at the end.
    pub waiting: usize,
    /// What was delivered, in bits per second.
    pub delivered_bps: f64,
}

impl Report {
    /// Whether the machine was too slow for what was asked.
    #[must_use]
    pub fn is_too_late(&self) -> bool {
        self.lateness.is_too_late() || self.overruns > 0
    }
}

#[derive(Debug)]
pub(crate) struct Statistics {
    total: Totals,
    /// Those at the last report.
    last: Totals,
    lateness: Lateness,
    new_lateness: Lateness,
    wake_up: Lateness,
    new_wake_up: Lateness,
}

#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    at: Time,
    down: Counters,
    up: Counters,
    overruns: u64,
}

impl Totals {
    fn way(&mut self, way: Direction) -> &mut Counters {
        match way {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }
}

impl Statistics {
    pub(crate) fn new() -> Self {
        let [lateness, new_lateness, wake_up, new_wake_up] = std::array::from_fn(|_| Lateness::new());
        Self { total: Totals::default(), last: Totals::default(), lateness, new_lateness, wake_up, new_wake_up }
    }

    pub(crate) fn offer(&mut self, way: Direction, size: Octets) {
        self.total.way(way).offer(size);
    }

    pub(crate) fn queue_full(&mut self, way: Direction) {
        self.total.way(way).queue_full += 1;
    }

    pub(crate) fn start(&mut self, way: Direction, start: &Start) {
        self.total.way(way).start(start);
    }

    pub(crate) fn deliver(&mut self, way: Direction, size: Octets, is_taken: bool, late: Span) {
        self.total.way(way).deliver(size, is_taken);
        self.new_lateness.record(late);
    }

    pub(crate) fn wake_up(&mut self, late: Span) {
        self.new_wake_up.record(late);
    }

    /// What happened since the last report.
    pub(crate) fn report(&mut self, now: Time, waiting: [usize; 2], overruns: u64) -> Report {
        let (lateness, wake_up_error) = (self.new_lateness.summary(), self.new_wake_up.summary());
        self.lateness.take(&mut self.new_lateness);
        self.wake_up.take(&mut self.new_wake_up);
        (self.total.at, self.total.overruns) = (now, overruns);
        let earlier = std::mem::replace(&mut self.last, self.total);
        numbers(&self.total, &earlier, waiting, lateness, wake_up_error)
    }

    /// What happened since the start.
    pub(crate) fn summary(&mut self, now: Time, waiting: [usize; 2], overruns: u64) -> Report {
        self.report(now, waiting, overruns);
        let (lateness, wake_up_error) = (self.lateness.summary(), self.wake_up.summary());
        numbers(&self.total, &Totals::default(), waiting, lateness, wake_up_error)
    }
}

fn numbers(
    now: &Totals,
    earlier: &Totals,
    [down, up]: [usize; 2],
    lateness: LatenessSummary,
    wake_up_error: LatenessSummary,
) -> Report {
    let length_s = now.at.since(earlier.at).as_seconds();
    let way = |counters: Counters, waiting| {
        let bits = Octets::new(counters.delivered_octets).as_bits();
        let delivered_bps = if length_s > 0.0 { bits as f64 / length_s } else { 0.0 };
        Way { counters, waiting, delivered_bps }
    };
    Report {
        at_s: now.at.as_seconds(),
        length_s,
        down: way(now.down.since(&earlier.down), down),
        up: way(now.up.since(&earlier.up), up),
        lateness,
        wake_up_error,
        overruns: now.overruns - earlier.overruns,
    }
}
