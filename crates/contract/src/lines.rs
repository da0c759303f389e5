//! Several lines under one link: which of them the next frame goes by, and what is known of each.
//!
//! ```text
//!                      +--- line 0: 20 Mbit/s, 20 ms ---+
//!     services, owner -|                                |- owner, services
//!                      +--- line 1: 10 Mbit/s, 270 ms --+
//! ```
//!
//! Each line keeps the order of its frames; between two lines there is none. So a service whose receiver takes what overtakes for
//! lost is given one line at a time, and one that [spans lines](crate::LinkService::spans_lines) counts by line.

use arqway_units::{BitRate, LineId, Octets, Ratio, Span};

/// By which line frames go that are asked for from now on, and which of them are to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The line.
    pub line: LineId,
    /// Whether packets that have not been sent are to go by it. Where they are not, another line brings them sooner.
    pub is_for_new: bool,
    /// Whether it is the line that brings a frame soonest: what the peer waits for goes by it.
    pub is_soonest: bool,
    /// Whether copies of what has gone by other lines are to go by it, so that it shows what it carries. Nobody waits for these.
    pub is_for_copies: bool,
}

impl Turn {
    /// All that there is goes by this line.
    #[must_use]
    pub const fn of(line: LineId) -> Self {
        Self { line, is_for_new: true, is_soonest: true, is_for_copies: false }
    }
}

/// The turn of whoever has one line.
impl Default for Turn {
    fn default() -> Self {
        Self::of(LineId::FIRST)
    }
}

/// A line that carries a smaller part of what the fastest one does is slow beside it: what it would add is less than what is lost where the
/// packets behind one of its own wait for that.
const SLOW_PART: u64 = 16;
/// One that was slow no longer is, from this part on.
const FAST_ENOUGH_PART: u64 = 12;

/// Whether a line that carries so much is slow beside one that carries `fastest`.
#[must_use]
pub fn is_slow_beside(carries: BitRate, fastest: BitRate, was_slow: bool) -> bool {
    let part = if was_slow { FAST_ENOUGH_PART } else { SLOW_PART };
    carries.as_bits_per_second().saturating_mul(part) < fastest.as_bits_per_second()
}

/// What is known of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineState {
    /// Whether frames may go by it.
    pub is_up: bool,
    /// Whether frames go by it only while no line is up that is none.
    pub is_spare: bool,
    /// Whether it carries [too little](is_slow_beside) for packets that wait for each other, while a faster one is up.
    pub is_slow: bool,
    /// Whether it is slow as far as anybody knows, and is to show what it carries.
    pub is_tried: bool,
    /// Whether what is under way on it may be lost, and does not come back with it. One that somebody closes brings it to its end.
    pub is_lost: bool,
    /// The share of datagrams that it loses, as far as known.
    pub loss: Option<Ratio>,
    /// How fast frames leave.
    pub rate: Option<BitRate>,
    /// How long a round trip takes, or a guess.
    pub round_trip: Span,
}

impl LineState {
    /// A line that is up, of which nothing but its rate and its round trip is known.
    #[must_use]
    pub const fn up(rate: Option<BitRate>, round_trip: Span) -> Self {
        let (is_up, loss) = (true, None);
        Self { is_up, is_spare: false, is_slow: false, is_tried: false, is_lost: false, loss, rate, round_trip }
    }

    /// How long a frame takes to the other end, where so many octets go before it or in it.
    #[must_use]
    pub fn delay(&self, octets: Octets) -> Span {
        self.round_trip / 2 + self.rate.map_or(Span::ZERO, |rate| rate.time_to_send(octets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_slow_below_a_sixteenth_of_the_fastest_until_it_carries_a_twelfth() {
        let kilobits = |kilobits: u64| BitRate::from_bits_per_second(kilobits * 1000).expect("not zero");
        let is_slow = |carries, was_slow| is_slow_beside(kilobits(carries), kilobits(1200), was_slow);
        assert_eq!([74, 75, 99, 100, 1200].map(|carries| is_slow(carries, false)), [true, false, false, false, false]);
        assert_eq!([74, 75, 99, 100, 1200].map(|carries| is_slow(carries, true)), [true, true, true, false, false]);
    }
}
