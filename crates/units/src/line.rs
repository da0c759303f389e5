//! Which line of a link, and one of something for each of its lines.

use alloc::vec::Vec;
use serde::{Deserialize, Deserializer};

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

/// Reads a list with an entry for each line.
///
/// # Errors
/// More entries than a link has lines.
pub fn list_of_lines<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let lines = Vec::<T>::deserialize(deserializer)?;
    if lines.len() > LineId::COUNT {
        let (count, most) = (lines.len(), LineId::COUNT);
        return Err(serde::de::Error::custom(alloc::format!("{count} lines: expected at most {most}")));
    }
    Ok(lines)
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
