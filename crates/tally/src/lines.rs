//! One of something for each line of the link: the first line's, and more where there are more.

use alloc::vec::Vec;
use arqway_contract::LineId;

/// One for each line. Who has one line has no more than that.
#[derive(Debug, Clone, Default)]
pub(super) struct PerLine<T> {
    pub(super) first: T,
    others: Vec<T>,
}

impl<T> PerLine<T> {
    pub(super) fn new(first: T) -> Self {
        Self { first, others: Vec::new() }
    }

    /// Makes what is missing up to a line.
    pub(super) fn reach(&mut self, line: LineId, make: impl Fn() -> T) {
        while self.others.len() < line.index() {
            self.others.push(make());
        }
    }

    /// How many lines there are.
    pub(super) fn count(&self) -> usize {
        1 + self.others.len()
    }

    /// Whether there is another line than the first.
    pub(super) fn are_several(&self) -> bool {
        !self.others.is_empty()
    }

    /// That of a line; of one that is not there, the first one's.
    #[inline]
    pub(super) fn get(&self, line: LineId) -> &T {
        line.index().checked_sub(1).and_then(|index| self.others.get(index)).unwrap_or(&self.first)
    }

    /// The same, to be changed.
    #[inline]
    pub(super) fn get_mut(&mut self, line: LineId) -> &mut T {
        line.index().checked_sub(1).and_then(|index| self.others.get_mut(index)).unwrap_or(&mut self.first)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        core::iter::once(&self.first).chain(&self.others)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        core::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// All lines by number.
    pub(super) fn ids(&self) -> impl DoubleEndedIterator<Item = LineId> + Clone + use<T> {
        LineId::first(self.count())
    }
}
