//! Two queues coupled with each other: `DualPI2`, RFC 9332, for packets that say that their ends heed each mark at once (ECT(1), RFC 9331)
//! and for all others.
//!
//! ```text
//!     ECT(1), CE --> [ L ] --- marked where they waited longer than the step, ---+--> first, but a tenth is the others'
//!                              or as often as 2p                 ^               |
//!                                                                | coupled       |
//!     all others --> [ C ] --- dropped as often as p^2, -------- p --------------+
//!                              or marked where that is understood     p follows what they wait beyond the target
//! ```
//!
//! Classic TCP slows down by the square root of what it loses, those of L4S by what is marked: so both get about the same rate, and the queue
//! of L stays as short as the step.

use super::limits::L4s;
use arqway_units::{Span, Time};

/// Marks of L for each p of the others: RFC 9332, Section 2.1, equation 1.
const COUPLING: f64 = 2.0;
/// What the classic queue's packets wait, about, where nobody says so (Appendix A).
const TARGET: Span = Span::from_milliseconds(15);
/// The longest round trip for which it is stable (RTT_max of Appendix A), where none is known.
const ROUND_TRIP: Span = Span::from_milliseconds(100);
/// Of both queues the classic one has this part at least.
const CLASSIC_SHARE: i64 = 10;

/// How long packets may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Aims {
    /// Those of L.
    pub(super) step: Span,
    /// The others, about.
    pub(super) target: Span,
    /// The longest round trip for which it is stable.
    pub(super) round_trip: Span,
}

/// Which queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Classic,
    LowLatency,
}

/// What is to become of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Goes,
    /// It is marked; where that would not be understood it is dropped.
    Marked,
    /// It is dropped: too many were marked for nothing.
    Dropped,
}

/// What is known of both queues, by the names of RFC 9332, Appendix A, where it has them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coupled {
    /// p'
    base: f64,
    /// prevq
    previous: Span,
    update_at: Time,
    /// What the deterministic draws have added up to, of each queue.
    count_low: f64,
    count_classic: f64,
    /// What the classic queue is owed, in octets.
    owed: i64,
}

impl Default for Coupled {
    fn default() -> Self {
        let (base, count_low, count_classic) = (0.0, 0.0, 0.0);
        Self { base, previous: Span::ZERO, update_at: Time::ZERO, count_low, count_classic, owed: 0 }
    }
}

impl Coupled {
    /// Whose turn it is, where packets wait in both.
    pub(super) fn turn(&self) -> Side {
        if self.owed > 0 { Side::Classic } else { Side::LowLatency }
    }

    /// A packet of so many octets goes while packets wait in both.
    pub(super) fn charge(&mut self, side: Side, octets: i64) {
        self.owed += match side {
            Side::LowLatency => octets,
            Side::Classic => -octets * (CLASSIC_SHARE - 1),
        };
    }

    /// Nobody waits in one of both: nobody is owed anything.
    pub(super) fn alone(&mut self) {
        self.owed = 0;
    }

    /// The first packets of both queues have waited so long: dualpi2_update, as often as is due.
    pub(super) fn update(&mut self, waited: Span, aims: Aims, now: Time) {
        let Aims { target, round_trip, .. } = aims;
        let interval = target.min(round_trip / 3);
        if now.since(self.update_at) >= interval * 64 {
            // Nothing was asked for long: what was, was for another time.
            self.update_at = now;
        }
        while self.update_at <= now {
            let longest = round_trip.as_seconds();
            let (alpha, beta) = (0.1 * interval.as_seconds() / (longest * longest), 0.3 / longest);
            let (current, previous, target) = (waited.as_seconds(), self.previous.as_seconds(), target.as_seconds());
            self.base = (self.base + alpha * (current - target) + beta * (current - previous)).clamp(0.0, 1.0);
            self.previous = waited;
            self.update_at += interval;
        }
    }

    /// What becomes of a packet whose turn it is, which has waited so long: dualpi2_dequeue.
    pub(super) fn judge(&mut self, side: Side, waited: Span, aims: Aims) -> Verdict {
        let (coupled, classic) = (COUPLING * self.base, self.base * self.base);
        match side {
            // Marks do not help any more: both are dropped alike (Section 4.2.3, overload).
            Side::LowLatency if coupled >= 1.0 => {
                if recur(&mut self.count_low, classic) {
                    Verdict::Dropped
                } else {
                    Verdict::Marked
                }
            }
            Side::LowLatency => {
                let native = if waited > aims.step { 1.0 } else { 0.0 };
                if recur(&mut self.count_low, coupled.max(native)) { Verdict::Marked } else { Verdict::Goes }
            }
            Side::Classic => {
                if recur(&mut self.count_classic, classic) {
                    Verdict::Marked
                } else {
                    Verdict::Goes
                }
            }
        }
    }
}

/// A draw without chance: `true` as often as is likely.
fn recur(count: &mut f64, likelihood: f64) -> bool {
    *count += likelihood;
    let is_over = *count >= 1.0;
    if is_over {
        *count -= 1.0;
    }
    is_over
}

impl From<L4s> for Aims {
    /// Until anything is known of the link.
    fn from(L4s { step, target }: L4s) -> Self {
        Self { step, target: target.unwrap_or(TARGET), round_trip: ROUND_TRIP }
    }
}

impl Aims {
    /// The same where packets are so large that two take so long, and a round trip is so long.
    pub(super) fn on_link(self, two_packets: Span, round_trip: Span) -> Self {
        let round_trip = round_trip.max(self.round_trip);
        let stretch = round_trip.as_seconds() / self.round_trip.as_seconds();
        let target = Span::from_seconds(self.target.as_seconds() * stretch);
        Self { step: self.step.max(two_packets), target: target.max(two_packets), round_trip }
    }
}
