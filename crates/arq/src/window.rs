//! A window over sequence numbers: the one place that turns numbers into slots of a buffer.
//!
//! ```text
//!     first = 7          end = 10
//!       | 7 | 8 | 9 |  room for limit - 3 more
//! ```

use super::Seq;
use alloc::collections::VecDeque;
use arqway_units::remainder;

/// One `T` for each number from `first` to `end`, at most `limit` of them; it allocates once.
#[derive(Debug, Clone)]
pub struct Window<const BITS: u32, T> {
    first: Seq<BITS>,
    slots: VecDeque<T>,
    limit: usize,
}

impl<const BITS: u32, T> Window<BITS, T> {
    /// An empty window at number zero with room for `limit` numbers.
    pub fn new(limit: usize) -> Self {
        Self { first: Seq::ZERO, slots: VecDeque::with_capacity(limit), limit }
    }

    /// An empty window at number zero with room for any number.
    pub fn unlimited() -> Self {
        Self { first: Seq::ZERO, slots: VecDeque::new(), limit: usize::MAX }
    }

    /// How many slots it can hold without allocating.
    pub fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// How many slots it holds.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The numbers held.
    pub fn numbers(&self) -> impl Iterator<Item = Seq<BITS>> + use<BITS, T> {
        (self.first().as_u64()..self.end().as_u64()).map(Seq::new)
    }

    /// The lower edge.
    pub fn first(&self) -> Seq<BITS> {
        self.first
    }

    /// One past the last number held.
    pub fn end(&self) -> Seq<BITS> {
        self.first + self.slots.len() as u64
    }

    /// How many numbers it may hold.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Whether another number would exceed the limit.
    pub fn is_full(&self) -> bool {
        self.slots.len() >= self.limit
    }

    /// Appends the slot of the next number and returns that number; a full window is the caller's to check.
    pub fn push(&mut self, slot: T) -> Seq<BITS> {
        debug_assert!(!self.is_full(), "the caller checks for room first");
        let number = self.end();
        self.slots.push_back(slot);
        number
    }

    /// The slot of `number`, if it lies in the window.
    pub fn get(&self, number: Seq<BITS>) -> Option<&T> {
        self.slots.get(self.index(number)?)
    }

    /// The slot of `number`, if it lies in the window.
    pub fn get_mut(&mut self, number: Seq<BITS>) -> Option<&mut T> {
        let index = self.index(number)?;
        self.slots.get_mut(index)
    }

    /// The slot at the lower edge.
    pub fn front(&self) -> Option<&T> {
        self.slots.front()
    }

    /// Slides the lower edge by one.
    pub fn pop_front(&mut self) -> Option<T> {
        let slot = self.slots.pop_front()?;
        self.first = self.first.next();
        Some(slot)
    }

    /// Which of `limit` timers, or of anything that there is one of for each number held, belongs to `number`.
    pub fn slot_of(&self, number: Seq<BITS>) -> usize {
        remainder(number.as_u64(), self.limit)
    }

    /// The one number from the lower edge on whose [`slot_of`](Self::slot_of) this is.
    pub fn number_at(&self, slot: usize) -> Seq<BITS> {
        self.first + ((slot + self.limit - self.slot_of(self.first)) % self.limit) as u64
    }

    /// Every slot, from the lower edge on.
    pub fn slots_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut()
    }

    /// Takes all slots but the first `kept` out.
    pub fn drain_from(&mut self, kept: usize) -> impl Iterator<Item = T> {
        self.slots.drain(kept..)
    }

    /// Empties the window and moves it to `first`.
    pub fn restart(&mut self, first: Seq<BITS>) {
        self.slots.clear();
        self.first = first;
    }

    fn index(&self, number: Seq<BITS>) -> Option<usize> {
        usize::try_from(number.offset_from(self.first)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_slots_while_the_window_slides() {
        let mut window = Window::<8, char>::new(2);
        assert_eq!((window.push('a'), window.push('b')), (Seq::new(0), Seq::new(1)));
        assert!(window.is_full());
        assert_eq!(window.pop_front(), Some('a'));
        assert_eq!(window.push('c'), Seq::new(2));
        assert_eq!(
            (window.get(Seq::new(0)), window.get(Seq::new(1)), window.get(Seq::new(3))),
            (None, Some(&'b'), None)
        );
        assert_eq!((window.first(), window.end()), (Seq::new(1), Seq::new(3)));
    }
}
