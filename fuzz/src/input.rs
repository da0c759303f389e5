//! A fuzzer's octets read as choices. Past their end every choice is the first one, so that any input is a valid one and a
//! prefix of an input does what the input begins with.

use arbitrary::Unstructured;
use arqway_units::Span;

/// What is left of an input.
pub(crate) struct Input<'octets>(Unstructured<'octets>);

impl<'octets> Input<'octets> {
    pub(crate) fn new(octets: &'octets [u8]) -> Self {
        Self(Unstructured::new(octets))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A number from `least` to `most`.
    pub(crate) fn between(&mut self, least: u16, most: u16) -> u16 {
        self.0.int_in_range(least..=most).unwrap_or(least)
    }

    /// An index below `count`.
    pub(crate) fn index(&mut self, count: usize) -> usize {
        self.0.int_in_range(0..=count.saturating_sub(1)).unwrap_or(0)
    }

    pub(crate) fn octet(&mut self) -> u8 {
        self.0.arbitrary().unwrap_or(0)
    }

    pub(crate) fn number(&mut self) -> u16 {
        u16::from_be_bytes([self.octet(), self.octet()])
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.octet() & 1 == 1
    }

    /// One of some values.
    pub(crate) fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.index(values.len())]
    }

    pub(crate) fn span(&mut self, least: u16, most: u16) -> Span {
        Span::from_milliseconds(self.between(least, most).into())
    }

    /// At most so many octets as they are; the length stands before them.
    pub(crate) fn octets(&mut self, most: u16) -> &'octets [u8] {
        let length = usize::from(self.between(0, most)).min(self.0.len());
        self.0.bytes(length).unwrap_or_default()
    }

    /// All that is left.
    pub(crate) fn rest(self) -> &'octets [u8] {
        self.0.take_rest()
    }
}
