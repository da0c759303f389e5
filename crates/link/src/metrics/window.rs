//! Sums over a sliding window: what there was at each boundary of its parts is kept, and subtracted.
//!
//! ```text
//!     |----|----|----|----|----|--          the window ends now and begins at a boundary: with ten parts
//!          ^ oldest            ^ now        it is between nine and ten parts long
//! ```

use super::{EndMetrics, ReceiverMetrics, SenderMetrics, share};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use arqway_contract::Counters;
use arqway_units::{Span, Time, ToFloat};
use core::num::NonZeroUsize;

/// Over what time metrics are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasurementWindow {
    /// How long it is.
    pub length: Span,
    /// In how many parts it moves on.
    pub parts: NonZeroUsize,
}

impl Default for MeasurementWindow {
    /// Ten seconds, a second at a time.
    fn default() -> Self {
        Self { length: Span::from_milliseconds(10_000), parts: NonZeroUsize::new(10).unwrap_or(NonZeroUsize::MIN) }
    }
}

/// What a service has done since it was made, as far as metrics ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Totals {
    /// What the service counted.
    pub(crate) counters: Counters,
    /// All that went out on the link: tags, heads and bodies of every frame that started.
    pub(crate) link_octets: u64,
    /// Octets of all packets that came out of it.
    pub(crate) delivered_octets: u64,
}

impl Totals {
    /// What happened since then.
    pub(crate) fn since(&self, then: &Self, knows_losses: bool) -> EndMetrics {
        let (now, then_counted) = (&self.counters, &then.counters);
        let part = |part: u64, whole: u64| (whole > 0).then(|| share(part.to_f64() / whole.to_f64()));
        let first = now.frames_sent - then_counted.frames_sent;
        let again = now.frames_resent - then_counted.frames_resent;
        let delivered = now.packets_delivered - then_counted.packets_delivered;
        let missed = now.packets_missed - then_counted.packets_missed;
        // One that was missed in one window may be recovered in the next.
        let lost = missed.saturating_sub(now.frames_recovered - then_counted.frames_recovered);
        let octets = now.octets_sent - then_counted.octets_sent;
        EndMetrics {
            sent: SenderMetrics {
                goodput: part(octets, self.link_octets - then.link_octets),
                octets,
                retransmissions: (first > 0).then(|| again.to_f64() / first.to_f64()),
            },
            received: ReceiverMetrics {
                loss: part(lost, lost + delivered).filter(|_| knows_losses),
                packets: lost + delivered,
                octets: self.delivered_octets - then.delivered_octets,
            },
        }
    }

    /// How many octets a frame has had on average since then, and the share that was lost, going by what was sent again; `None` where
    /// none was sent. It is as if one more had been sent and lost: where few were sent, little is known.
    pub(crate) fn frames_since(&self, then: &Self) -> Option<(f64, f64)> {
        let first = self.counters.frames_sent - then.counters.frames_sent;
        let again = self.counters.frames_resent - then.counters.frames_resent;
        let all = (first + again).to_f64();
        let octets = (self.link_octets - then.link_octets).to_f64();
        (first > 0).then(|| (octets / all, (again + 1).to_f64() / (all + 1.0)))
    }
}

/// The totals of several services at the boundaries of a window.
#[derive(Debug)]
pub(crate) struct Sliding {
    part: Span,
    /// The oldest first; never empty.
    boundaries: VecDeque<Vec<Totals>>,
    /// How many are kept.
    parts: usize,
    /// When the next one is due.
    next: Time,
}

impl Sliding {
    pub(crate) fn new(window: MeasurementWindow, services: usize) -> Self {
        let parts = window.parts.get();
        let part = (window.length / parts as u64).max(Span::from_nanoseconds(1));
        let mut boundaries = VecDeque::with_capacity(parts + 1);
        boundaries.push_back(alloc::vec![Totals::default(); services]);
        Self { part, boundaries, parts, next: Time::ZERO + part }
    }

    /// Whether a part has ended.
    pub(crate) fn is_due(&self, now: Time) -> bool {
        now >= self.next
    }

    /// When the present part ends.
    pub(crate) fn ends(&self) -> Time {
        self.next
    }

    /// Moves the window on to now. The totals are those before anything happened now.
    pub(crate) fn advance(&mut self, totals: impl Iterator<Item = Totals> + Clone, now: Time) {
        let over = now.since(self.next).as_nanoseconds() / self.part.as_nanoseconds();
        self.next += self.part * (over + 1);
        // Parts that ended while nobody asked are all the same: nothing happened in them.
        for _ in 0..=over.min(self.parts as u64) {
            let mut boundary = if self.boundaries.len() >= self.parts {
                self.boundaries.pop_front().unwrap_or_default()
            } else {
                Vec::new()
            };
            boundary.clear();
            boundary.extend(totals.clone());
            self.boundaries.push_back(boundary);
        }
    }

    /// The window begins anew: what was before tells nothing of what comes.
    pub(crate) fn restart(&mut self, totals: impl Iterator<Item = Totals>, now: Time) {
        self.boundaries.clear();
        self.boundaries.push_back(totals.collect());
        self.next = now + self.part;
    }

    /// How long the window is now: as many parts as it keeps, and what has passed of the present one.
    pub(crate) fn length(&self, now: Time) -> Span {
        let kept = self.part * u64::try_from(self.boundaries.len()).unwrap_or(u64::MAX);
        now.since(Time::ZERO) - (self.next.since(Time::ZERO) - kept)
    }

    /// What the service of this number had done when the window began.
    pub(crate) fn before(&self, service: usize) -> Totals {
        self.boundaries.front().and_then(|totals| totals.get(service)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_holds_its_parts_and_forgets_what_was_before() {
        let window =
            MeasurementWindow { length: Span::from_milliseconds(1000), parts: NonZeroUsize::new(4).expect("not zero") };
        let mut sliding = Sliding::new(window, 1);
        assert_eq!(sliding.length(Time::ZERO + Span::from_milliseconds(30)), Span::from_milliseconds(30));
        let at = |milliseconds| Time::ZERO + Span::from_milliseconds(milliseconds);
        let of = |link_octets| core::iter::once(Totals { link_octets, ..Totals::default() });
        let mut begins = Vec::new();
        for (now, total) in [(250, 10), (500, 20), (750, 30), (1000, 40), (1250, 50)] {
            assert!(!sliding.is_due(at(now - 1)) && sliding.is_due(at(now)));
            sliding.advance(of(total), at(now));
            begins.push(sliding.before(0).link_octets);
        }
        assert_eq!(begins, [0, 0, 0, 10, 20]);
        assert_eq!(sliding.length(at(1260)), Span::from_milliseconds(760), "since 500 ms");
        // Half a window without a word, then longer than a window.
        sliding.advance(of(60), at(1760));
        assert_eq!(
            (sliding.before(0).link_octets, sliding.is_due(at(1999)), sliding.is_due(at(2000))),
            (40, false, true)
        );
        sliding.advance(of(70), at(9000));
        assert_eq!(sliding.before(0).link_octets, 70);
        // Another link.
        sliding.restart(of(80), at(9100));
        assert_eq!((sliding.before(0).link_octets, sliding.length(at(9110))), (80, Span::from_milliseconds(10)));
        assert!(!sliding.is_due(at(9349)) && sliding.is_due(at(9350)));
    }
}
