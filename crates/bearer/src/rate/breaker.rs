//! A circuit breaker (RFC 8084): a given rate may be wrong, or right no more, and then most of what is sent only crowds others
//! out.
//!
//! ```text
//!     delivered, of what was sent    at least half                          less than half, ten round trips long
//!                                      |                                       |
//!     pace                            configured  ----------------------->   0.9 of what was delivered
//!                                      ^                                       |  after ten round trips, try half as much again
//!                                      +---- each try brings more <------------+  a try that brings nothing is taken back,
//!                                                                                 and the next one waits twice as long
//! ```
//!
//! Losses alone do not open it: a bad link at its right rate loses three frames out of ten and delivers seven. Only round trips count in which
//! the pace was used: who sends little says nothing of the rate.
//!
//! | RFC 8084 | here |
//! | --- | --- |
//! | §3.1 ingress meter, egress meter, their messages | octets sent, and octets that [reports](crate::report) say arrived |
//! | §3.1 measurement period | a [round](Round): a round-trip time, and [`DATAGRAMS`] |
//! | §3.1 trigger: persistent excessive congestion | [`ROUNDS`] rounds in a row, each with less than half |
//! | §3.1 reaction, and its operator learns of it | a lower pace, [`Event::Slowed`](crate::Event::Slowed) |
//! | §4 recovery, not too soon | tries, each of which has to bring more |
//! | §3.1 loss of messages | the link is down: see [liveness](crate::liveness) |

use super::Mark;
use arqway_units::{BitRate, Octets, Span};

/// How many rounds in a row open it, and how many judge a try.
const ROUNDS: u32 = 10;
/// A round has so many datagrams at least, so that chance does not decide it.
const DATAGRAMS: u64 = 16;
/// Tries wait so many rounds at most.
const LONGEST_WAIT: u32 = 160;
/// The pace is not lowered below this part of what is configured.
const LEAST: u64 = 32;

/// Another pace from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) pace: BitRate,
    /// Whether somebody should know: less than half had arrived, or the pace is as configured again. A try is no news.
    pub(crate) is_news: bool,
}

/// The breaker of a path with a pace.
#[derive(Debug)]
pub(crate) struct Breaker {
    configured: BitRate,
    /// What it has made of that.
    lowered: Option<Lowered>,
    round: Option<Round>,
    /// Rounds in a row that delivered less than half.
    bad: u32,
    /// The rounds of this row; at a lower pace, all since that was set.
    seen: Seen,
}

#[derive(Debug, Clone, Copy)]
struct Lowered {
    pace: BitRate,
    /// What is known of the pace before, while a higher one is tried: what it delivered of 1,000 octets, and itself.
    tried_from: Option<(BitRate, u64)>,
    /// Rounds before the next try.
    wait: u32,
}

/// What is under way of a measurement.
#[derive(Debug)]
struct Round {
    began: Mark,
    delivered: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    rounds: u32,
    sent: u64,
    delivered: u64,
}

impl Seen {
    /// What was delivered of 1,000 octets. More than was sent comes where a queue is drained, and says nothing.
    fn share(&self) -> u64 {
        (self.delivered * 1000).checked_div(self.sent).unwrap_or(1000).min(1000)
    }
}

impl Breaker {
    /// The breaker of a path that has this pace.
    pub(crate) fn new(configured: BitRate) -> Self {
        Self { configured, lowered: None, round: None, bad: 0, seen: Seen::default() }
    }

    /// The configured pace, where the present one is lower.
    pub(crate) fn slowed_from(&self) -> Option<BitRate> {
        self.lowered.map(|_| self.configured)
    }

    /// What is measured ends here: the link was down, or numbers begin anew.
    pub(crate) fn interrupt(&mut self) {
        (self.round, self.bad) = (None, 0);
    }

    /// A report: the newest datagram that has arrived, if it is remembered, and how many octets more did. `overhead` is what the path adds
    /// to each.
    pub(crate) fn hear(
        &mut self,
        newest: Option<Mark>,
        delivered: u64,
        overhead: Octets,
        round_trip: Span,
    ) -> Option<Change> {
        if let Some(round) = &mut self.round {
            round.delivered += delivered;
        }
        let newest = newest?;
        let Some(round) = &self.round else {
            self.round = Some(Round { began: newest, delivered: 0 });
            return None;
        };
        let (lasted, datagrams) = (newest.at.since(round.began.at), newest.number - round.began.number);
        if lasted < round_trip || datagrams < DATAGRAMS {
            return None;
        }
        let (sent, delivered) = (newest.octets - round.began.octets, round.delivered);
        self.round = Some(Round { began: newest, delivered: 0 });
        let used = Octets::new(sent + datagrams * overhead.as_u64());
        // Three quarters: between datagrams of other sizes, and where packets come in bursts, there are gaps.
        if self.pace().time_to_send(used) * 4 < lasted * 3 {
            self.bad = 0;
            return None;
        }
        self.judge(sent, delivered)
    }

    /// A round in which the pace was used.
    fn judge(&mut self, sent: u64, delivered: u64) -> Option<Change> {
        if delivered * 2 >= sent {
            self.bad = 0;
            self.lowered?;
        } else {
            self.bad += 1;
            if self.bad == 1 && self.lowered.is_none() {
                self.seen = Seen::default();
            }
        }
        let Seen { rounds, sent: before, delivered: arrived } = self.seen;
        self.seen = Seen { rounds: rounds + 1, sent: before + sent, delivered: arrived + delivered };
        let share = self.seen.share();
        match self.lowered {
            Some(lowered @ Lowered { tried_from: Some(from), .. }) if self.seen.rounds >= ROUNDS => {
                Some(self.end_of_try(lowered, from, share))
            }
            _ if self.bad >= ROUNDS => {
                let wait = self.lowered.map_or(ROUNDS, |lowered| lowered.wait);
                // Less than what arrived, so that a queue on the way is drained.
                let pace = part(self.pace(), share * 9, 10_000).max(part(self.configured, 1, LEAST));
                Some(self.lower(pace, None, wait, true))
            }
            Some(lowered) if self.seen.rounds >= lowered.wait => Some(self.try_more(lowered, share)),
            _ => None,
        }
    }

    /// Ten rounds at a higher pace: at least half of what was added to it should have arrived.
    fn end_of_try(&mut self, lowered: Lowered, (before, share_before): (BitRate, u64), share: u64) -> Change {
        let [now, then] = [lowered.pace, before].map(|pace| u128::from(pace.as_bits_per_second()));
        let (share_now, share_then) = (u128::from(share), u128::from(share_before));
        if now * share_now * 2 < then * share_then * 2 + now.saturating_sub(then) * share_then {
            return self.lower(before, None, (lowered.wait * 2).min(LONGEST_WAIT), false);
        }
        if lowered.pace < self.configured {
            return self.try_more(lowered, share);
        }
        *self = Self { round: self.round.take(), ..Self::new(self.configured) };
        Change { pace: self.configured, is_news: true }
    }

    /// Half as much again, or all of it where that is nearly it.
    fn try_more(&mut self, lowered: Lowered, share: u64) -> Change {
        let more = part(lowered.pace, 3, 2);
        let pace = if part(more, 5, 4) >= self.configured { self.configured } else { more };
        self.lower(pace, Some((lowered.pace, share)), lowered.wait, false)
    }

    fn lower(&mut self, pace: BitRate, tried_from: Option<(BitRate, u64)>, wait: u32, is_news: bool) -> Change {
        self.lowered = Some(Lowered { pace, tried_from, wait });
        // What is under way was sent at the pace before.
        self.interrupt();
        self.seen = Seen::default();
        Change { pace, is_news }
    }

    fn pace(&self) -> BitRate {
        self.lowered.map_or(self.configured, |lowered| lowered.pace)
    }
}

/// So many parts of a rate.
fn part(rate: BitRate, parts: u64, of: u64) -> BitRate {
    let bits = u128::from(rate.as_bits_per_second()) * u128::from(parts) / u128::from(of.max(1));
    u64::try_from(bits).ok().and_then(BitRate::from_bits_per_second).unwrap_or(BitRate::MINIMUM)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Carries, Sent};
    use crate::wire::Report;
    use arqway_units::Time;

    /// Whether a pace of 1 Gbit/s over 600 ms is lowered in so many reports, four in a round trip, where all, or so many of 1,000 octets, arrive.
    fn is_lowered(arrive: u64, reports: u64) -> bool {
        const SIZE: u64 = 1250;
        let pace = BitRate::from_bits_per_second(1_000_000_000).expect("not zero");
        let (mut breaker, mut sent) = (Breaker::new(pace), Sent::default());
        // 15,000 datagrams of 10 us in 150 ms; what arrives went out 600 ms before.
        let at = |number: u64| Time::ZERO + Span::from_nanoseconds(10_000 * number);
        let mut numbers = 0..;
        (1..=reports).any(|report| {
            numbers.by_ref().take(15_000).for_each(|number| sent.send(Octets::new(SIZE), Carries::Frames, at(number)));
            let Some(newest) = (15_000 * report).checked_sub(60_000 + 1) else { return false };
            let octets = u32::try_from((newest * SIZE * arrive / 1000) % (1 << 32)).expect("32 bits");
            let newest = u32::try_from(newest).expect("few");
            let report =
                Report { newest, octets, arrived: 0, largest: 0, is_marked: false, hold: None, takes_short: false };
            let Some(news) = sent.report(&report, at(0)) else { return false };
            breaker.hear(news.newest, news.delivered, Octets::ZERO, Span::from_milliseconds(600)).is_some()
        })
    }

    #[test]
    fn of_more_datagrams_under_way_than_are_remembered_all_that_arrive_count() {
        assert!(!is_lowered(1000, 400));
        assert!(is_lowered(400, 400));
    }
}
