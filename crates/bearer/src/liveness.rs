//! Whether the path carries datagrams, both ways.
//!
//! ```text
//!     datagram ->   something is unanswered
//!                     | silence         ping    ping    ping
//!                     +----------------+-------+-------+-------+---> down: a ping each interval
//!                     0             patience                 limit   |
//!     <- report      the silence is over                             +---- <- report: up
//! ```
//!
//! Silence counts only while something is unanswered, so an idle link sends nothing and is not missed. Before it is called
//! down it is asked three times: what is unanswered may just have been lost. Nobody is asked while the report may still be on its
//! way, which is what *patience* says.

use arqway_units::{Span, Time};

/// After how much silence something is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Before that a report may still come.
    pub(super) patience: Span,
    /// From then on the link is down.
    pub(super) limit: Span,
    /// How often one that is down is asked.
    pub(super) interval: Span,
}

/// How often a silent link is asked before it is down.
const PINGS: u8 = 3;

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Ask the peer for a report.
    Ping,
    /// The link is down from now on.
    Down,
}

/// One end's view of the path.
#[derive(Debug)]
pub(super) struct Liveness {
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Up {
        heard: Time,
        /// Pings in this silence.
        pings: u8,
    },
    Down {
        ping_at: Time,
    },
}

impl Liveness {
    /// A path of which nothing is known counts as up.
    pub(super) fn new(now: Time) -> Self {
        Self { state: State::Up { heard: now, pings: 0 } }
    }

    /// Whether the path carries datagrams.
    pub(super) fn is_up(&self) -> bool {
        matches!(self.state, State::Up { .. })
    }

    /// The peer has answered. Whether the link was down.
    pub(super) fn answered(&mut self, now: Time) -> bool {
        let was_down = !self.is_up();
        self.state = State::Up { heard: now, pings: 0 };
        was_down
    }

    /// The line below is back: silence counts from now on, and a link that was down is asked at once.
    pub(super) fn resume(&mut self, now: Time) {
        self.state = match self.state {
            State::Up { .. } => State::Up { heard: now, pings: 0 },
            State::Down { .. } => State::Down { ping_at: now },
        };
    }

    /// When there is something to do, with something unanswered since a time.
    pub(super) fn deadline(&self, unanswered: Option<Time>, Limits { patience, limit, .. }: Limits) -> Option<Time> {
        match self.state {
            State::Down { ping_at } => Some(ping_at),
            State::Up { heard, pings } => {
                let silence = patience + (limit - patience) * u64::from(pings) / u64::from(PINGS);
                unanswered.map(|since| since.max(heard) + silence)
            }
        }
    }

    /// What is due, one after the other.
    pub(super) fn act(&mut self, unanswered: Option<Time>, limits: Limits, now: Time) -> Option<Act> {
        if self.deadline(unanswered, limits)? > now {
            return None;
        }
        match &mut self.state {
            State::Up { pings, .. } if *pings < PINGS => {
                *pings += 1;
                Some(Act::Ping)
            }
            State::Up { .. } => {
                // The last ping was not long ago.
                self.state = State::Down { ping_at: now + limits.interval };
                Some(Act::Down)
            }
            State::Down { ping_at } => {
                *ping_at = now + limits.interval;
                Some(Act::Ping)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Span = Span::from_milliseconds(1000);

    const LIMITS: Limits = Limits { patience: Span::from_milliseconds(400), limit: SECOND, interval: SECOND };

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    #[test]
    fn silence_counts_only_while_something_is_unanswered() {
        let liveness = Liveness::new(at(0));
        assert_eq!(liveness.deadline(None, LIMITS), None);
        assert_eq!(liveness.deadline(Some(at(5000)), LIMITS), Some(at(5400)));
    }

    #[test]
    fn a_silent_link_is_asked_three_times_then_down_and_asked_each_second() {
        let mut liveness = Liveness::new(at(0));
        for (milliseconds, expected) in [
            (2399, None),
            (2400, Some(Act::Ping)),
            (2599, None),
            (2600, Some(Act::Ping)),
            (2800, Some(Act::Ping)),
            (2999, None),
            (3000, Some(Act::Down)),
            (3999, None),
            (4000, Some(Act::Ping)),
            (5000, Some(Act::Ping)),
        ] {
            assert_eq!(liveness.act(Some(at(2000)), LIMITS, at(milliseconds)), expected, "at {milliseconds}");
        }
        assert!(liveness.answered(at(5100)) && liveness.is_up());
    }

    #[test]
    fn an_answer_ends_the_silence() {
        let mut liveness = Liveness::new(at(0));
        assert_eq!(liveness.act(Some(at(0)), LIMITS, at(900)), Some(Act::Ping));
        assert!(!liveness.answered(at(950)));
        assert_eq!(liveness.deadline(Some(at(940)), LIMITS), Some(at(1350)));
    }
}
