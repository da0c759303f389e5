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

use arqway_units::{BitRate, LineId, Octets, Span};

/// By which line frames go that are asked for from now on, and which of them are to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The line.
    pub line: LineId,
    /// Whether packets that have not been sent are to go by it. Where they are not, another line brings them sooner.
    pub is_for_new: bool,
    /// Whether it is the line that brings a frame soonest: what the peer waits for goes by it.
    pub is_soonest: bool,
}

impl Turn {
    /// All that there is goes by this line.
    #[must_use]
    pub const fn of(line: LineId) -> Self {
        Self { line, is_for_new: true, is_soonest: true }
    }
}

/// The turn of whoever has one line.
impl Default for Turn {
    fn default() -> Self {
        Self::of(LineId::FIRST)
    }
}

/// What is known of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineState {
    /// Whether frames may go by it.
    pub is_up: bool,
    /// Whether frames go by it only while no line is up that is none.
    pub is_spare: bool,
    /// Whether what is under way on it may be lost, and does not come back with it. One that somebody closes brings it to its end.
    pub is_lost: bool,
    /// How fast frames leave.
    pub rate: Option<BitRate>,
    /// How long a round trip takes, or a guess.
    pub round_trip: Span,
}

impl LineState {
    /// How long a frame takes to the other end, where so many octets go before it or in it.
    #[must_use]
    pub fn delay(&self, octets: Octets) -> Span {
        self.round_trip / 2 + self.rate.map_or(Span::ZERO, |rate| rate.time_to_send(octets))
    }
}
