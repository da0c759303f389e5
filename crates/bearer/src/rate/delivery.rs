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
const REMEMBERED: usize = 32;
/// Arrivals are counted over so long a time at least: radios send in bursts, each 1 to 20 ms.
const WINDOW: u32 = 60_000;

/// So many of these say how fast the line was lately.
const WINDOWS: u32 = 6;
/// Where nothing arrives for so long, the line may have stood still.
const STANDSTILL: u32 = 100_000;
/// So many times between reports say what is usual.
const LATELY: usize = 5;

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

/// What several reports say together.
#[derive(Debug, Default)]
struct Sum {
    octets: u64,
    sent: Span,
    /// In microseconds.
    arrived: u32,
    own: u64,
    delivered: u64,
    datagrams: u64,
}

impl Sum {
    fn add(&mut self, from: &Point, to: &Point) {
        self.octets += to.octets - from.octets;
        self.sent += to.sent_at.since(from.sent_at);
        self.arrived = self.arrived.saturating_add(to.arrived.wrapping_sub(from.arrived));
        self.own += to.own - from.own;
        self.delivered += to.delivered - from.delivered;
        self.datagrams += to.number - from.number;
    }
}

/// How long nothing arrived between two reports.
fn waited(pair: &[Point]) -> u32 {
    pair[1].arrived.wrapping_sub(pair[0].arrived)
}

/// Losses are counted from so many datagrams.
const ENOUGH: u64 = 12;

impl Delivery {
    /// A report: the newest datagram, and when it arrived by the peer's clock. An octet takes so many seconds: a large datagram goes when
    /// its last one does, as it arrives when that does.
    pub(super) fn hear(&mut self, newest: Mark, overhead: Octets, octet: f64, arrived: u32, delivered: u64) {
        self.delivered += delivered;
        let size = f64::from(newest.size) + overhead.as_u64().to_f64();
        let octets = newest.octets + (newest.number + 1) * overhead.as_u64();
        // Some arrived in another order, or a clock was set.
        if self.points.last().is_some_and(|last| arrived.wrapping_sub(last.arrived).cast_signed() <= 0) {
            self.points.clear();
        }
        if self.points.is_full() {
            self.points.remove(0);
        }
        self.points.push(Point {
            sent_at: newest.at + Span::from_seconds(octet * size),
            arrived,
            octets,
            number: newest.number,
            own: newest.octets,
            delivered: self.delivered,
        });
    }

    /// Over the last [`WINDOW`] at least, and so many datagrams, but for standstills; `None` where less is remembered.
    pub(super) fn rates(&self, datagrams: u64) -> Option<Rates> {
        let longest = self.longest();
        let mut sum = Sum::default();
        let mut pairs = self.points.windows(2).rev();
        while sum.arrived < WINDOW || sum.datagrams < datagrams {
            let pair = pairs.next()?;
            if waited(pair) <= longest {
                sum.add(&pair[0], &pair[1]);
            }
        }
        let lost = (1.0 - sum.delivered.to_f64() / sum.own.max(1).to_f64()).max(0.0);
        let lost = if sum.datagrams < ENOUGH { 0.0 } else { lost };
        let sent = sum.sent.max(Span::from_nanoseconds(1)).as_seconds();
        let octets = sum.octets.to_f64();
        let arrived = octets / (f64::from(sum.arrived) * 1e-6);
        Some(Rates { lost, datagrams: sum.datagrams, sent: octets / sent, arrived })
    }

    /// For how long nothing may arrive on a line that carries something meanwhile. What takes far longer than is usual lately is a line that
    /// stood still, which says nothing of how fast it is; where most take as long, it is slow.
    fn longest(&self) -> u32 {
        let mut lately: arrayvec::ArrayVec<u32, LATELY> =
            self.points.windows(2).rev().take(LATELY).map(waited).collect();
        lately.sort_unstable();
        lately.get(lately.len() / 2).map_or(u32::MAX, |median| median.saturating_mul(4).max(STANDSTILL))
    }

    /// The most that arrived in one of the last [`WINDOWS`].
    pub(super) fn best(&self) -> f64 {
        let (mut best, mut sum, mut windows) = (0.0_f64, Sum::default(), 0);
        for pair in self.points.windows(2).rev() {
            sum.add(&pair[0], &pair[1]);
            if sum.arrived >= WINDOW {
                best = best.max(sum.octets.to_f64() / (f64::from(sum.arrived) * 1e-6));
                (sum, windows) = (Sum::default(), windows + 1);
            }
            if windows == WINDOWS {
                break;
            }
        }
        best
    }

    /// What was measured ends here.
    pub(super) fn interrupt(&mut self) {
        self.points.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Datagrams of 1,000 octets that arrive after these milliseconds, each sent 20 ms after the one before.
    fn delivery(after: &[u32]) -> Delivery {
        let mut delivery = Delivery::default();
        let mut arrived = 0;
        for (number, waited) in (0_u64..).zip(after) {
            arrived += waited * 1000;
            let at = Time::ZERO + Span::from_milliseconds(20 * number);
            delivery.hear(Mark { number, at, octets: 1000 * number, size: 1000 }, Octets::ZERO, 0.0, arrived, 1000);
        }
        delivery
    }

    fn arrived(after: &[u32]) -> f64 {
        delivery(after).rates(0).expect("enough").arrived.round()
    }

    #[test]
    fn a_standstill_says_nothing_of_how_fast_the_line_is() {
        assert_eq!(arrived(&[20, 20, 20, 20, 1000]), 50_000.0);
        assert_eq!(arrived(&[20, 20, 20, 20, 1000, 20, 20]), 50_000.0);
    }

    #[test]
    fn a_line_that_has_become_slow_is_slow_from_the_third_datagram_on() {
        assert_eq!(arrived(&[20, 20, 20, 20, 20, 200, 200]), 50_000.0);
        assert_eq!(arrived(&[20, 20, 20, 20, 20, 200, 200, 200]), 5000.0);
    }

    #[test]
    fn the_best_of_six_windows_is_remembered() {
        assert_eq!(delivery(&[20, 20, 20, 20, 200, 200, 200, 200, 200]).best().round(), 50_000.0);
        assert_eq!(delivery(&[20, 20, 20, 20, 200, 200, 200, 200, 200, 200]).best().round(), 5000.0);
    }

    #[test]
    fn as_many_datagrams_are_counted_as_are_asked_for() {
        assert_eq!(delivery(&[20; 10]).rates(0).map(|rates| rates.datagrams), Some(3));
        assert_eq!(delivery(&[20; 10]).rates(9).map(|rates| rates.datagrams), Some(9));
        assert_eq!(delivery(&[20; 10]).rates(10), None);
    }

    #[test]
    fn a_large_datagram_after_a_small_one_was_not_sent_faster_than_the_pace() {
        // At 10,000 octets a second, each goes when the one before is out.
        let sent = |octet: f64| {
            let (mut delivery, mut octets) = (Delivery::default(), 0);
            for (number, size) in (0_u64..).zip([100, 100, 100, 100, 1000]) {
                let at = Time::ZERO + Span::from_milliseconds(octets / 10);
                octets += size;
                let arrived = u32::try_from(octets * 100).expect("soon");
                let size = u32::try_from(size).expect("small");
                delivery.hear(Mark { number, at, octets, size }, Octets::ZERO, octet, arrived, octets);
            }
            delivery.rates(0).expect("enough").sent.round()
        };
        assert_eq!((sent(0.0), sent(1e-4)), (100_000.0, 10_000.0));
    }
}
