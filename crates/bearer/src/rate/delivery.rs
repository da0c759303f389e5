//! How fast datagrams arrive, by the clock of the end where they do.
//!
//! ```text
//!     sent       |  |  |  |  |  |          at the pace
//!     arrived        |   |   |   |   |     as fast as the line carries them, where a queue stands before it
//! ```
//!
//! Counted is what was sent, lost or not: a radio that loses a fifth has carried it all the same.

use super::Mark;
use arqway_units::{Octets, Span, Time, ToFloat};

/// Reports that are remembered.
const REMEMBERED: usize = 16;
/// Arrivals are counted over so long a time at least: radios send in bursts, each 1 to 20 ms.
const WINDOW: u32 = 60_000;

#[derive(Debug, Clone, Copy)]
struct Point {
    sent_at: Time,
    arrived: u32,
    /// All octets up to it, with the path's overhead.
    octets: u64,
    number: u64,
    /// Of these, without the overhead.
    own: u64,
    /// What had arrived of all.
    delivered: u64,
}

/// The newest datagrams that arrived, one a report.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    points: arrayvec::ArrayVec<Point, REMEMBERED>,
    delivered: u64,
}

/// How fast the same datagrams were sent, and how fast they arrived, in octets a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rates {
    pub(super) sent: f64,
    pub(super) arrived: f64,
    /// What share did not arrive, where there were enough to say so.
    pub(super) lost: f64,
    pub(super) datagrams: u64,
}

/// Losses are counted from so many datagrams.
const ENOUGH: u64 = 12;

impl Delivery {
    /// A report: the newest datagram, and when it arrived by the peer's clock.
    pub(super) fn hear(&mut self, newest: Mark, overhead: Octets, arrived: u32, delivered: u64) {
        self.delivered += delivered;
        let octets = newest.octets + (newest.number + 1) * overhead.as_u64();
        // Some arrived in another order, or a clock was set.
        if self.points.last().is_some_and(|last| arrived.wrapping_sub(last.arrived).cast_signed() <= 0) {
            self.points.clear();
        }
        if self.points.is_full() {
            self.points.remove(0);
        }
        self.points.push(Point {
            sent_at: newest.at,
            arrived,
            octets,
            number: newest.number,
            own: newest.octets,
            delivered: self.delivered,
        });
    }

    /// Over the last [`WINDOW`], or the last report where that is longer ago.
    pub(super) fn rates(&self) -> Option<Rates> {
        let (last, before) = self.points.split_last()?;
        let is_long = |point: &&Point| last.arrived.wrapping_sub(point.arrived) >= WINDOW;
        let first = before.iter().rev().find(is_long).or(before.first())?;
        let octets = (last.octets - first.octets).to_f64();
        let arrived = f64::from(last.arrived.wrapping_sub(first.arrived)) * 1e-6;
        let sent = last.sent_at.since(first.sent_at).max(Span::from_nanoseconds(1)).as_seconds();
        let own = (last.own - first.own).max(1).to_f64();
        let lost = (1.0 - (last.delivered - first.delivered).to_f64() / own).max(0.0);
        let datagrams = last.number - first.number;
        let lost = if datagrams < ENOUGH { 0.0 } else { lost };
        Some(Rates { lost, datagrams, sent: octets / sent, arrived: octets / arrived.max(1e-6) })
    }

    /// Whether the window is filled: fewer reports say little.
    pub(super) fn is_sure(&self) -> bool {
        let ends = self.points.first().zip(self.points.last());
        ends.is_some_and(|(first, last)| last.arrived.wrapping_sub(first.arrived) >= WINDOW)
    }

    /// What was measured ends here.
    pub(super) fn interrupt(&mut self) {
        self.points.clear();
    }
}
