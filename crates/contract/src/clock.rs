//! The two clocks that an [`Entity`](super::Entity) is told: the time, and one that stands still while the link is down.
//!
//! ```text
//!     the link  ------------|   down    |----------------
//!     now       0   1   2   3   4   5   6   7   8   9
//!     timers    0   1   2   3   3   3   3   4   5   6        three less from then on
//! ```
//!
//! A retransmission timer that goes by the second needs no care in an outage: none of it has passed when the link is back,
//! and no round trip has an outage in it. What somebody waits for who knows nothing of the link, such as the time after
//! which a packet is of no use any more, goes by the first.
//!
//! The clock belongs to the shell around every entity, [`End`](super::End), and not to its owner: so a service is at rest in
//! an outage whoever drives it. Services written in Python have a shell of their own, with the same clock.

use arqway_units::{Span, Time};

/// The time, and the time by which timers go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// The time. How long a packet may wait goes by it.
    pub now: Time,
    /// The same without the time that the link was down: it stands still in an outage, and is behind from then on. What waits
    /// for the peer goes by it, and round trips are measured by it.
    pub timers: Time,
}

/// When an entity wants to act next, by each of the two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deadlines {
    /// By [`Clock::now`]. One that comes while the link is down is acted on when it is back, before anything is sent.
    pub now: Option<Time>,
    /// By [`Clock::timers`].
    pub timers: Option<Time>,
}

impl Deadlines {
    /// Of an entity all of whose timers stand still while the link is down.
    #[inline]
    #[must_use]
    pub fn of_timers(timers: Option<Time>) -> Self {
        Self { now: None, timers }
    }
}

/// Tells both clocks, to whom it belongs: the shell around a service.
#[derive(Debug, Default)]
pub struct LinkClock {
    /// How long the link was down, in all outages that are over.
    down: Span,
    /// Where the clock of the timers stands while the link is down.
    stands_at: Option<Time>,
}

impl LinkClock {
    /// Both clocks.
    #[inline]
    #[must_use]
    pub fn read(&self, now: Time) -> Clock {
        Clock { now, timers: self.stands_at.unwrap_or(self.running(now)) }
    }

    #[inline]
    fn running(&self, now: Time) -> Time {
        now.before(self.down)
    }

    /// The link goes down: the clock of the timers stands still, unless it does so already.
    pub fn stop(&mut self, now: Time) {
        self.stands_at.get_or_insert(self.running(now));
    }

    /// The link is back: the clock of the timers goes on where it stands. Whether it stood still.
    pub fn go_on(&mut self, now: Time) -> bool {
        let Some(at) = self.stands_at.take() else { return false };
        self.down = now.since(at);
        true
    }

    /// Whether the clock of the timers stands still.
    #[inline]
    #[must_use]
    pub fn stands(&self) -> bool {
        self.stands_at.is_some()
    }

    /// The time of the first deadline. None while the link is down: no timer runs, and what the other clock makes due can do
    /// nothing before the link is back.
    #[inline]
    #[must_use]
    pub fn true_time(&self, Deadlines { now, timers }: Deadlines) -> Option<Time> {
        if self.stands() {
            return None;
        }
        let timers = timers.map(|deadline| deadline + self.down);
        match (now, timers) {
            (Some(now), Some(timers)) => Some(now.min(timers)),
            (one, other) => one.or(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    #[test]
    fn timers_stand_still_in_each_outage_and_go_on_where_they_were() {
        let mut clock = LinkClock::default();
        let timers = |clock: &LinkClock, now| clock.read(at(now)).timers;
        assert_eq!(timers(&clock, 30), at(30));
        clock.stop(at(40));
        assert_eq!((timers(&clock, 40), timers(&clock, 90)), (at(40), at(40)));
        assert!(clock.go_on(at(100)));
        assert_eq!((timers(&clock, 100), timers(&clock, 115)), (at(40), at(55)));
        clock.stop(at(120));
        assert!(clock.go_on(at(200)));
        assert_eq!(timers(&clock, 201), at(61));
        assert_eq!(clock.read(at(201)).now, at(201));
    }

    #[test]
    fn an_outage_moves_the_deadline_of_a_timer_by_its_length_and_no_other() {
        let mut clock = LinkClock::default();
        let timer = Deadlines::of_timers(Some(at(50)));
        let both = Deadlines { now: Some(at(60)), ..timer };
        assert_eq!((clock.true_time(timer), clock.true_time(both)), (Some(at(50)), Some(at(50))));
        clock.stop(at(40));
        assert_eq!((clock.true_time(timer), clock.true_time(both)), (None, None));
        clock.go_on(at(55));
        assert_eq!((clock.true_time(timer), clock.true_time(both)), (Some(at(65)), Some(at(60))));
    }

    #[test]
    fn what_is_heard_again_changes_nothing() {
        let mut clock = LinkClock::default();
        assert!(!clock.go_on(at(10)));
        clock.stop(at(20));
        clock.stop(at(30));
        assert!(clock.go_on(at(40)));
        assert!(!clock.go_on(at(50)));
        assert_eq!(clock.read(at(60)).timers, at(40));
    }
}
