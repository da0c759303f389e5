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

use alloc::vec::Vec;
use arqway_units::{BitRate, Octets, Span};

/// The number of a line of a link, in \[0, 7\]. A link of one line has number 0 alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LineId(u8);

impl LineId {
    /// How many lines a link has at most.
    pub const COUNT: usize = 8;

    /// The first line, which every link has.
    pub const FIRST: Self = Self(0);

    /// The line of this number, or `None` from 8 on.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if number < 8 { Some(Self(number)) } else { None }
    }

    /// The first so many lines, all of them if that is more.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..8).map(Self).take(count)
    }

    /// The number, for indexing.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number on a wire.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }
}

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
    /// Whether frames cross it. What was under way on one that goes down may be lost, and does not come back with it.
    pub is_up: bool,
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

/// One for each line. Who has one line has no more than that.
#[derive(Debug, Clone, Default)]
pub struct PerLine<T> {
    /// That of the first line.
    pub first: T,
    others: Vec<T>,
}

impl<T> PerLine<T> {
    /// That of the first line alone.
    #[must_use]
    pub fn new(first: T) -> Self {
        Self { first, others: Vec::new() }
    }

    /// Makes what is missing up to a line.
    pub fn reach(&mut self, line: LineId, make: impl Fn(LineId) -> T) {
        let missing = LineId::first(line.index() + 1).skip(self.count());
        self.others.extend(missing.map(make));
    }

    /// How many lines there are.
    #[must_use]
    pub fn count(&self) -> usize {
        1 + self.others.len()
    }

    /// Whether there is another line than the first.
    #[must_use]
    pub fn are_several(&self) -> bool {
        !self.others.is_empty()
    }

    /// That of a line; of one that is not there, the first one's.
    #[must_use]
    #[inline]
    pub fn get(&self, line: LineId) -> &T {
        line.index().checked_sub(1).and_then(|index| self.others.get(index)).unwrap_or(&self.first)
    }

    /// The same, to be changed.
    #[inline]
    pub fn get_mut(&mut self, line: LineId) -> &mut T {
        line.index().checked_sub(1).and_then(|index| self.others.get_mut(index)).unwrap_or(&mut self.first)
    }

    /// Those of all lines, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        core::iter::once(&self.first).chain(&self.others)
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        core::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// All lines by number.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LineId> + Clone + use<T> {
        LineId::first(self.count())
    }
}
