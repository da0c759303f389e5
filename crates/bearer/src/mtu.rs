//! How large a datagram may be: Datagram Packetization Layer Path MTU Discovery (RFC 8899).
//!
//! ```text
//!     least        current                         highest          most
//!       |-------------|-------- search ---------------|- - - - - - - -|
//!       always goes   goes      probe in between      does not go, as far as is known
//!
//!     fast path, from 1,280: most, 1,280, then between      slow path, from least: between, most if that went, then between
//! ```
//!
//! | RFC 8899 | here |
//! | --- | --- |
//! | §5.1.2 `MIN_PLPMTU`, `MAX_PLPMTU`, `BASE_PLPMTU` | `least`, `most`, and 1,280 octets between them, which data have on trust |
//! | §5.1.2 `MAX_PROBES` 3 | [`PROBES`] |
//! | §5.1.1 `PROBE_TIMER`, from the round trip where that is known | two of them, at least [`CONFIRMATION`] |
//! | §5.1.1 `PMTU_RAISE_TIMER` 600 s | [`RAISE`] |
//! | §4.1 probes of padding | a datagram of zeros, which the peer answers |
//! | §5.2 base, confirmed | if `most` does not go, 1,280 octets are probed too, unless data have shown that they go |
//! | §5.3 search | `most` first, then the geometric mean of what is left, to a 256th: what is too large costs its octets |
//! | §4.3 black hole | large datagrams that nobody confirms, while small ones are |
//! | §5.2 after it | `least`, then the search below what failed, and beyond it unless probes fail too |
//!
//! On a path so slow that datagrams of `most` hold up a call, nothing is taken on trust: data have the least size until a probe has shown a
//! larger one, and the first probe is between the two. Nothing is probed while nothing is sent: a link that is idle stays idle. The owner
//! learns of a size when the search is at its end.

use arqway_units::{Span, Time};

const PROBES: u8 = 3;
const RAISE: Span = Span::from_milliseconds(600_000);
/// The search is at its end when no size is larger by this part of the present one.
const STEP: u16 = 256;
/// What is left to gain below this part of the present one is not worth a wait: probes go at a small share of the rate.
const COARSE: u16 = 8;
/// What every path with IPv6 carries (RFC 8200 §5).
const BASE: u16 = 1280;
/// How long a large datagram may stay unconfirmed before a probe asks for it, and a probe before another one is sent, at least.
const CONFIRMATION: Span = Span::from_milliseconds(400);

/// The search, in sizes of datagrams with the overhead.
#[derive(Debug)]
pub(super) struct MtuSearch {
    least: u16,
    most: u16,
    current: u16,
    /// The largest that has arrived.
    confirmed: u16,
    /// What the owner was told last.
    told: u16,
    /// Nothing above is known to go, or worth a try before `raise`: ten minutes after a probe was lost, and at once after a
    /// black hole, since lost datagrams look like one.
    highest: u16,
    /// Whether `highest` itself is tried first.
    highest_first: bool,
    raise: Time,
    /// Whether the largest size is not the first to try.
    is_slow: bool,
    /// Something was sent since the last probe.
    active: bool,
    /// When the last probe has taken no more than its share of the rate.
    rest_until: Time,
    probe: Option<Probe>,
    large: Option<Large>,
}

/// A size that is tried.
#[derive(Debug, Clone, Copy)]
struct Probe {
    size: u16,
    sent: u8,
    /// When the last one went; `None` while it is not sent.
    at: Option<Time>,
}

/// Datagrams above the least size, none of which is confirmed.
#[derive(Debug, Clone, Copy)]
struct Large {
    size: u16,
    /// When it went, or was asked for last; `None` while it is to be asked for.
    at: Option<Time>,
    asked: u8,
    wants_probe: bool,
}

impl MtuSearch {
    /// A search between two sizes; on a slow path it starts at the lesser one, else in between.
    pub(super) fn new(least: u16, most: u16, is_slow: bool) -> Self {
        let least = least.min(most);
        let current = if is_slow { least } else { BASE.clamp(least, most) };
        Self {
            least,
            most,
            current,
            confirmed: least,
            told: 0,
            is_slow,
            highest: most,
            highest_first: true,
            raise: Time::ZERO,
            active: false,
            rest_until: Time::ZERO,
            probe: None,
            large: None,
        }
    }

    /// The largest datagram that may be sent.
    pub(super) fn current(&self) -> u16 {
        self.current
    }

    /// The largest, while it is not known yet whether it goes.
    pub(super) fn tried(&self) -> Option<u16> {
        (self.highest_first && self.highest > self.current).then_some(self.highest)
    }

    /// Whether large datagrams may be lost for their size.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.large.is_some_and(|large| large.asked > 0)
    }

    /// Whether datagrams of the present size are known to go.
    pub(super) fn is_sure(&self) -> bool {
        self.is_confirmed() && !self.is_in_doubt()
    }

    /// Something larger than `current` was to be sent.
    pub(super) fn wake(&mut self) {
        self.active = true;
    }

    /// A datagram of this size goes.
    pub(super) fn send(&mut self, size: u16, now: Time) {
        self.active = true;
        if size > self.least {
            let first = Large { size, at: Some(now), asked: 0, wants_probe: false };
            let large = self.large.get_or_insert(first);
            large.size = large.size.max(size);
        }
        if now >= self.raise && self.probe.is_none() && self.highest < self.most && self.is_found() {
            (self.highest, self.highest_first) = (self.most, true);
        }
    }

    /// Whether nothing between `current` and `highest` is worth a probe.
    fn is_found(&self) -> bool {
        self.is_confirmed() && self.highest < self.current + step(self.current) && self.tried().is_none()
    }

    /// Whether the present size is known to go, to a step.
    fn is_confirmed(&self) -> bool {
        self.confirmed + step(self.current) > self.current
    }

    /// A datagram of this size has arrived at the peer.
    pub(super) fn arrived(&mut self, size: u16) {
        if self.large.is_some_and(|large| large.size <= size) {
            self.large = None;
        }
        self.confirmed = self.confirmed.max(size);
        if self.probe.is_none_or(|probe| probe.size != size) {
            return;
        }
        self.probe = None;
        self.current = self.current.max(size);
    }

    /// The size that the search has found, where that is news.
    pub(super) fn poll_found(&mut self) -> Option<u16> {
        (self.is_found() && core::mem::replace(&mut self.told, self.current) != self.current).then_some(self.current)
    }

    /// Whether a probe waits to be sent, and how large it is.
    pub(super) fn wants_probe(&self, now: Time) -> Option<u16> {
        let confirms = self.large.filter(|large| large.wants_probe).map(|large| large.size);
        let may_search =
            self.active && (now >= self.rest_until || self.highest >= self.current + self.current / COARSE);
        confirms.or_else(|| match self.probe.filter(|_| may_search) {
            Some(probe) => probe.at.is_none().then_some(probe.size),
            None => (may_search && self.probe.is_none() && !self.is_found()).then(|| self.candidate()),
        })
    }

    fn candidate(&self) -> u16 {
        if self.highest_first && !(self.is_slow && self.current == self.least) {
            return self.highest;
        }
        if !self.is_confirmed() {
            return self.current;
        }
        let mean = (u32::from(self.current) * u32::from(self.highest)).isqrt();
        u16::try_from(mean).unwrap_or(self.highest).max(self.current + 1)
    }

    /// A probe of this size goes, and `rest` is how long others wait for it that gain little.
    pub(super) fn probed(&mut self, size: u16, rest: Span, now: Time) {
        if let Some(large) = self.large.as_mut().filter(|large| large.wants_probe) {
            (large.wants_probe, large.at) = (false, Some(now));
            return;
        }
        (self.active, self.rest_until) = (false, now + rest);
        let probe = self.probe.get_or_insert(Probe { size, sent: 0, at: None });
        probe.sent += 1;
        probe.at = Some(now);
    }

    /// When a probe or a confirmation is overdue.
    pub(super) fn deadline(&self, round_trip: Span) -> Option<Time> {
        let probe = self.probe.and_then(|probe| probe.deadline(round_trip));
        let large = self.large.and_then(|large| large.deadline(round_trip));
        [probe, large].into_iter().flatten().min()
    }

    /// Acts on what is overdue. Whether a black hole was found: only the least size goes from now on.
    pub(super) fn expire(&mut self, round_trip: Span, now: Time) -> bool {
        if let Some(probe) = self.probe.as_mut().filter(|probe| probe.deadline(round_trip).is_some_and(|at| at <= now))
        {
            probe.at = None;
            if probe.sent >= PROBES {
                let Probe { size, .. } = *probe;
                (self.highest, self.highest_first) = ((size - 1).max(self.current), false);
                (self.probe, self.raise) = (None, now + RAISE);
                if size == self.current {
                    self.fall(size - 1);
                    return true;
                }
            }
        }
        let overdue = |large: &&mut Large| large.deadline(round_trip).is_some_and(|at| at <= now);
        let Some(large) = self.large.as_mut().filter(overdue) else { return false };
        if large.asked < PROBES {
            *large = Large { at: None, asked: large.asked + 1, wants_probe: true, ..*large };
            return false;
        }
        let size = large.size;
        self.fall(size);
        self.raise = now;
        true
    }

    /// Only the least size is known to go, and nothing above another one is worth a try.
    fn fall(&mut self, highest: u16) {
        (self.current, self.confirmed) = (self.least, self.least);
        (self.highest, self.highest_first) = (highest.max(self.least), false);
        (self.large, self.probe) = (None, None);
    }

    /// The link is down: what is under way says nothing of sizes. What was overdue before is asked for again: each outage may end before
    /// a black hole is found, and be due to it, where nothing small is sent meanwhile.
    pub(super) fn pause(&mut self) {
        self.large = self.large.filter(|large| large.asked > 0);
        if let Some(large) = &mut self.large {
            (large.at, large.wants_probe) = (None, true);
        }
        if let Some(probe) = &mut self.probe {
            probe.sent -= u8::from(probe.at.take().is_some());
        }
    }
}

impl Probe {
    /// When it counts as lost: the round trip may have become known since it went.
    fn deadline(&self, round_trip: Span) -> Option<Time> {
        self.at.map(|at| at + (round_trip * 2).max(CONFIRMATION))
    }
}

/// Sizes closer to this one than that are not told apart.
fn step(size: u16) -> u16 {
    (size / STEP).max(1)
}

impl Large {
    /// When it is overdue that one of them is confirmed.
    fn deadline(&self, round_trip: Span) -> Option<Time> {
        self.at.map(|at| at + (round_trip + round_trip / 2).max(CONFIRMATION))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROUND_TRIP: Span = Span::from_milliseconds(100);

    /// Sends datagrams of `size` over a path of `mtu` for `milliseconds`, and returns how large they may be at most then.
    fn run(search: &mut MtuSearch, size: u16, mtu: u16, milliseconds: core::ops::Range<u64>) -> Option<u64> {
        let mut black_hole = None;
        for millisecond in milliseconds {
            let now = Time::ZERO + Span::from_milliseconds(millisecond);
            if search.expire(ROUND_TRIP, now) {
                black_hole = Some(millisecond);
            }
            if millisecond % 20 == 0 {
                let size = size.min(search.current());
                search.send(size, now);
                if size <= mtu {
                    search.arrived(size);
                }
            }
            while let Some(size) = search.wants_probe(now) {
                search.probed(size, Span::ZERO, now);
                if size <= mtu {
                    search.arrived(size);
                }
            }
        }
        black_hole
    }

    #[test]
    fn the_largest_size_is_tried_first() {
        let mut search = MtuSearch::new(256, 1500, false);
        assert_eq!(search.wants_probe(Time::ZERO), None, "nothing was sent");
        run(&mut search, 1500, 1500, 0..50);
        assert_eq!(search.current(), 1500);
        assert_eq!(search.wants_probe(Time::ZERO), None);
    }

    #[test]
    fn a_black_hole_is_found_within_ten_round_trips_and_the_search_goes_on_below() {
        let mut search = MtuSearch::new(256, 1500, false);
        run(&mut search, 1500, 1500, 0..1000);
        let found = run(&mut search, 1500, 300, 1000..60_000).expect("a black hole");
        assert!((1000..=1000 + 4 * 400 + 20).contains(&found), "{found}");
        assert_eq!(search.current(), 300);
    }

    #[test]
    fn sizes_that_were_never_the_largest_are_confirmed_too() {
        let mut search = MtuSearch::new(256, 1500, false);
        run(&mut search, 700, 1500, 0..1000);
        assert!(run(&mut search, 700, 600, 1000..4000).is_some());
    }

    #[test]
    fn one_large_datagram_is_enough_to_find_a_black_hole() {
        let mut search = MtuSearch::new(256, 1500, false);
        run(&mut search, 1500, 1500, 0..1000);
        let now = Time::ZERO + Span::from_milliseconds(1000);
        search.send(1500, now);
        let found = run(&mut search, 100, 300, 1001..4000).expect("a black hole");
        assert!(found <= 1000 + 4 * 400, "{found}");
    }

    #[test]
    fn an_end_that_sends_small_datagrams_alone_learns_what_the_path_carries_and_says_it_once() {
        for mtu in [300, 1280, 1500] {
            let mut search = MtuSearch::new(256, 1500, false);
            run(&mut search, 100, mtu, 0..60_000);
            let found = search.poll_found().expect("the end of the search");
            assert!(found <= mtu && found + step(found) > mtu, "{found} of {mtu}");
            assert_eq!(search.poll_found(), None);
        }
    }

    #[test]
    fn after_ten_minutes_larger_sizes_are_tried_again() {
        let mut search = MtuSearch::new(256, 1500, false);
        run(&mut search, 1400, 1400, 0..60_000);
        assert!((1395..=1400).contains(&search.current()), "{}", search.current());
        run(&mut search, 1500, 1500, 60_000..500_000);
        assert!(search.current() <= 1400);
        run(&mut search, 1500, 1500, 500_000..700_000);
        assert_eq!(search.current(), 1500);
    }

    #[test]
    fn after_a_black_hole_that_was_none_the_search_goes_beyond_it() {
        // Fewer octets above the least size than a step, and more.
        for size in [257, 263, 264, 700, 1390] {
            let mut search = MtuSearch::new(256, 1500, false);
            run(&mut search, 1500, 1400, 0..30_000);
            assert!(run(&mut search, size, 256, 30_000..32_000).is_some(), "{size}");
            assert_eq!(search.current(), 256);
            run(&mut search, size, 1500, 32_000..60_000);
            assert!(search.current() + step(1500) > 1500, "{size}: {}", search.current());
        }
    }

    #[test]
    fn an_outage_is_no_black_hole() {
        let mut search = MtuSearch::new(256, 1500, false);
        run(&mut search, 1500, 1500, 0..1000);
        search.send(1500, Time::ZERO + Span::from_milliseconds(1000));
        search.pause();
        assert_eq!((search.deadline(ROUND_TRIP), search.current()), (None, 1500));
    }

    #[test]
    fn a_black_hole_is_found_though_the_link_goes_down_again_and_again_before_that() {
        let mut search = MtuSearch::new(256, 1500, false);
        run(&mut search, 1500, 1500, 0..1000);
        let found = (1..20).find(|second| {
            let from = 1000 * second;
            let found = run(&mut search, 1500, 300, from..from + 700).is_some();
            search.pause();
            found
        });
        assert!(found.is_some_and(|second| second <= 4), "{found:?}");
    }

    proptest! {
        #[test]
        fn the_search_ends_within_a_step_of_the_path_and_never_above(mtu in 256u16..=1500, size in 200u16..=1500) {
            let mut search = MtuSearch::new(256, 1500, false);
            run(&mut search, size, mtu, 0..120_000);
            // Where all that is sent goes, nobody asks whether more would.
            prop_assert!(search.current() <= mtu || size <= mtu, "{} over {mtu}", search.current());
            prop_assert!(search.current() + step(search.current()) > mtu.min(size), "{} over {mtu}", search.current());
        }
    }
}
