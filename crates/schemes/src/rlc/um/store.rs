//! PDUs that are kept until those before them have come, by their numbers.
//!
//! ```text
//!     lowest              highest
//!       | 5 | . | 7 | 8 | . | 10 |      a place for each number that is not too old
//! ```

use super::Number;
use crate::rlc::pdu::Contents;
use alloc::vec::Vec;
use arqway_units::remainder;

/// A place for each of the last numbers, up to the highest one of which a PDU has come.
#[derive(Debug)]
pub(super) struct Store {
    places: Vec<Option<Contents>>,
    highest: Number,
}

impl Store {
    /// Room for so many numbers, at most half of those that the wire has. The highest number comes with the first PDU.
    pub(super) fn new(window: usize) -> Self {
        Self { places: core::iter::repeat_with(|| None).take(window).collect(), highest: Number::ZERO }
    }

    /// The highest number that a PDU has had.
    pub(super) fn highest(&self) -> Number {
        self.highest
    }

    /// The lowest one that has a place.
    pub(super) fn lowest(&self) -> Number {
        Number::new((self.highest.as_u64() + 1).saturating_sub(self.places.len() as u64))
    }

    /// The number of a PDU, of which the low bits are known: one that has a place, or one beyond.
    pub(super) fn number_of(&self, low_bits: u8) -> Number {
        Number::at_or_after(self.lowest(), low_bits.into())
    }

    /// All is empty, and `highest` has the last place.
    pub(super) fn restart(&mut self, highest: Number) {
        self.places.fill_with(|| None);
        self.highest = highest;
    }

    /// Makes the places end with `highest`; what has none any more, in the order of numbers.
    pub(super) fn advance(&mut self, highest: Number, mut leaves: impl FnMut(Number, Contents)) {
        let (first, last) = (self.lowest(), self.highest);
        self.highest = highest;
        let end = self.lowest().min(last.next());
        for number in (first.as_u64()..end.as_u64()).map(Number::new) {
            if let Some(contents) = self.place(number).take() {
                leaves(number, contents);
            }
        }
    }

    pub(super) fn put(&mut self, number: Number, contents: Contents) {
        debug_assert!(self.lowest() <= number && number <= self.highest, "the number has a place");
        *self.place(number) = Some(contents);
    }

    pub(super) fn get(&self, number: Number) -> Option<&Contents> {
        let has_place = self.lowest() <= number && number <= self.highest;
        self.places.get(self.index(number)).filter(|_| has_place)?.as_ref()
    }

    pub(super) fn take(&mut self, number: Number) -> Option<Contents> {
        self.get(number)?;
        self.place(number).take()
    }

    fn place(&mut self, number: Number) -> &mut Option<Contents> {
        let index = self.index(number);
        &mut self.places[index]
    }

    fn index(&self, number: Number) -> usize {
        remainder(number.as_u64(), self.places.len())
    }
}
