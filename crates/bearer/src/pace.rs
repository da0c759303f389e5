//! When the next datagram may go: at a rate given, with what the path adds to each datagram.
//!
//! ```text
//!     datagram |======| 2 |=| 3 |======|        idle         |=====|
//!              ^      ^       ^        ^ nothing waits       ^ at once
//!              the line below is busy with it at this rate
//! ```
//!
//! Where the path is a modem with a queue and the rate is a little less than the modem's, the queue stays here, where a
//! scheduler can order it. Idleness earns nothing. Lateness does, since a timer that fires late would otherwise take from the
//! rate: up to one datagram or 5 ms, whichever is longer. The line below has sent on meanwhile, and is only as full after that as it
//! would have been.

use arqway_units::{BitRate, Octets, Pacer, Span, Time};

/// A datagram on a path of Ethernet's MTU.
const LARGEST: Octets = Octets::new(1500);

/// How late a process is woken on a machine that has other things to do. At 10 Mbit/s that is four datagrams.
const LATENESS: Span = Span::from_milliseconds(5);

/// One direction of a path.
#[derive(Debug)]
pub(super) struct Pace {
    rate: Option<(BitRate, Pacer)>,
    overhead: Octets,
    /// When the last bit of what was sent is out.
    free_at: Time,
    /// Nothing waited when the line became free.
    idle: bool,
}

impl Pace {
    /// A line that is free; without a rate it always is.
    pub(super) fn new(rate: Option<BitRate>, overhead: Octets) -> Self {
        let mut pace = Self { rate: None, overhead, free_at: Time::ZERO, idle: true };
        pace.set_rate(rate, Time::ZERO);
        pace
    }

    /// Datagrams go at another rate from now on.
    pub(super) fn set_rate(&mut self, rate: Option<BitRate>, now: Time) {
        // What is being sent takes no longer than the largest datagram does at the new rate.
        let longest = rate.map_or(Span::ZERO, |rate| rate.time_to_send(LARGEST));
        self.free_at = self.free_at.min(now + longest);
        self.rate = rate.map(|rate| (rate, Pacer::new(rate)));
    }

    /// Each datagram is so much longer on the path from now on.
    pub(super) fn set_overhead(&mut self, overhead: Octets) {
        self.overhead = overhead;
    }

    /// The rate.
    pub(super) fn rate(&self) -> Option<BitRate> {
        self.rate.as_ref().map(|(rate, _)| *rate)
    }

    /// Whether a datagram may go.
    pub(super) fn is_open(&self, now: Time) -> bool {
        self.free_at <= now
    }

    /// When the next one may go.
    pub(super) fn free_at(&self) -> Time {
        self.free_at
    }

    /// Nothing waits although the line is free.
    pub(super) fn is_idle(&mut self) {
        self.idle = true;
    }

    /// A datagram goes. When its last bit is out; `None` where nobody knows.
    pub(super) fn send(&mut self, size: Octets, now: Time) -> Option<Time> {
        let (_, pacer) = self.rate.as_mut()?;
        let takes = pacer.time_to_send(size + self.overhead);
        let late = if self.idle { Span::ZERO } else { now.since(self.free_at).min(takes.max(LATENESS)) };
        self.idle = false;
        // A late datagram is out when it would have been out in time, but not before now.
        self.free_at = now.before(late) + takes;
        Some(self.free_at.max(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    /// 100 octets, overhead and all, take 10 ms.
    fn pace() -> Pace {
        Pace::new(BitRate::from_bits_per_second(80_000), Octets::new(28))
    }

    #[test]
    fn datagrams_follow_each_other_at_the_rate_with_their_overhead() {
        let mut pace = pace();
        assert_eq!(pace.send(Octets::new(72), at(5)), Some(at(15)));
        assert!(!pace.is_open(at(14)) && pace.is_open(at(15)));
        assert_eq!(pace.send(Octets::new(172), at(15)), Some(at(35)));
    }

    #[test]
    fn idleness_earns_nothing() {
        let mut pace = pace();
        pace.send(Octets::new(72), at(0));
        pace.is_idle();
        assert_eq!(pace.send(Octets::new(72), at(1000)), Some(at(1010)));
    }

    #[test]
    fn lateness_is_caught_up_with_by_at_most_one_datagram_where_these_are_long() {
        let mut pace = pace();
        pace.send(Octets::new(72), at(0));
        assert_eq!(pace.send(Octets::new(72), at(14)), Some(at(20)), "4 ms late");
        assert_eq!(pace.send(Octets::new(72), at(100)), Some(at(100)), "80 ms late: another may follow at once");
        assert_eq!(pace.send(Octets::new(72), at(100)), Some(at(110)), "but no third");
    }

    #[test]
    fn lateness_of_five_milliseconds_takes_nothing_from_a_rate_at_which_datagrams_are_short() {
        // 1,250 octets, overhead and all, take a millisecond.
        let mut pace = Pace::new(BitRate::from_bits_per_second(10_000_000), Octets::new(28));
        let mut sent_at = |milliseconds| {
            let open = core::iter::from_fn(|| {
                pace.is_open(at(milliseconds)).then(|| pace.send(Octets::new(1222), at(milliseconds)))
            });
            open.count()
        };
        assert_eq!(
            [0, 6, 12, 32].map(&mut sent_at),
            [1, 6, 6, 6],
            "the last was 20 ms late, of which 5 are caught up with"
        );
    }

    #[test]
    fn without_a_rate_the_line_is_always_free() {
        let mut pace = Pace::new(None, Octets::new(28));
        assert_eq!((pace.send(Octets::new(1500), at(1)), pace.is_open(at(1))), (None, true));
    }
}
