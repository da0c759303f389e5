//! When the link goes, and when it is back.

use super::config::{MobilityConfig, When};
use crate::kernel;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use arqway_units::{Span, Time};

/// One time without a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outage {
    /// When those who are told are told.
    pub(crate) notice: Time,
    /// When the link goes down.
    pub(crate) from: Time,
    /// When it is back.
    pub(crate) until: Time,
}

/// All outages of a run, one after the other.
#[derive(Debug)]
pub(crate) struct Course {
    stays: Stays,
    outage: Span,
    notice: Span,
}

#[derive(Debug)]
enum Stays {
    /// Until these times, in ascending order.
    Until(VecDeque<Span>),
    Equal(Span),
    Drawn(Span, Box<kernel::Random>),
}

impl Course {
    /// The course of a user who moves; none of one who stays.
    pub(crate) fn new(config: &MobilityConfig, random: kernel::Random) -> Option<Self> {
        let stays = match &config.when {
            When::Never => return None,
            When::Listed(listed) => {
                let mut at: VecDeque<Span> = listed.at.iter().copied().collect();
                at.make_contiguous().sort_unstable();
                Stays::Until(at)
            }
            When::Periodic(periodic) => Stays::Equal(periodic.stay),
            When::Random(drawn) => Stays::Drawn(drawn.mean_stay, Box::new(random)),
        };
        Some(Self { stays, outage: config.outage, notice: config.notice })
    }

    /// The next outage, where there has been a link since `now`.
    pub(crate) fn next(&mut self, now: Time) -> Option<Outage> {
        let from = match &mut self.stays {
            Stays::Until(times) => (Time::ZERO + times.pop_front()?).max(now),
            Stays::Equal(stay) => now + *stay,
            Stays::Drawn(mean, random) => now + random.exponential_span(*mean),
        };
        // Nobody is told before the last outage is over: a notice longer than the stay leaves nothing of it unannounced.
        let unannounced = from.since(now) - self.notice;
        Some(Outage { notice: now + unannounced, from, until: from + self.outage })
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::{Listed, Periodic, Random};
    use super::*;
    use crate::kernel::Streams;
    use alloc::vec::Vec;

    fn outages(when: When, outage: u64) -> Vec<[u64; 3]> {
        let outage = Span::from_milliseconds(outage);
        let config = MobilityConfig { when, outage, notice: Span::from_milliseconds(100), ..MobilityConfig::default() };
        let mut course = Course::new(&config, Streams::new(1, 0).stream("mobility")).expect("a user who moves");
        let mut now = Time::ZERO;
        let next = || {
            let Outage { notice, from, until } = course.next(now)?;
            now = until;
            Some([notice, from, until].map(|at| at.as_nanoseconds() / 1_000_000))
        };
        core::iter::from_fn(next).take(3).collect()
    }

    #[test]
    fn a_stay_is_followed_by_an_outage_and_announced_before_it() {
        let when = When::Periodic(Periodic { stay: Span::from_milliseconds(1000) });
        assert_eq!(outages(when, 500), [[900, 1000, 1500], [2400, 2500, 3000], [3900, 4000, 4500]]);
    }

    #[test]
    fn what_is_listed_within_an_outage_follows_it_at_once() {
        let at = [2000, 300, 1900].map(Span::from_milliseconds).to_vec();
        assert_eq!(
            outages(When::Listed(Listed { at }), 500),
            [[200, 300, 800], [1800, 1900, 2400], [2400, 2400, 2900]]
        );
    }

    #[test]
    fn no_stay_is_announced_before_it_begins() {
        let when = When::Random(Random { mean_stay: Span::from_milliseconds(50) });
        let mut back = 0;
        for [notice, from, until] in outages(when, 10) {
            assert!(back <= notice && notice <= from && from <= until, "{notice} {from} {until}");
            back = until;
        }
    }
}
