//! What fuzzing must know of a service: its settings, what it keeps, what a peer answers, what it promises. The drivers are
//! in `fuzz/` and know no service.

use super::{Frame, Kind, Service, Tag};
use alloc::vec::Vec;
use arbitrary::Unstructured;
use arqway_units::Span;
use core::num::NonZeroUsize;

/// What the drivers ask of a service's configuration.
pub trait Fuzzed: Service {
    /// Whether a frame may carry a part of a packet, or several.
    const SEGMENTS: bool = false;

    /// Whether drivers that send anything can bring it to rest: it repeats nothing for ever, or [`answer`](Self::answer)s
    /// end that.
    const COMES_TO_REST: bool = true;

    /// Any settings, mostly small ones, whose limits are soon reached.
    fn any(input: &mut Input<'_>) -> Self;
    /// How many packets, of its own and of its peer, an end may keep.
    fn kept_at_most(&self) -> usize;
    /// How many of its own packets an end may still keep when it is at rest, its peer having acknowledged all it saw.
    fn own_kept_at_rest(&self) -> usize {
        0
    }
    /// Whether packets may have fewer octets in frames than they had before.
    fn shortens(&self) -> bool {
        false
    }
    /// How many packets a frame owes the network layer at once, by its tag and what is behind it; `None` where that depends.
    fn owes(_tag: Tag, _octets: &[u8]) -> Option<u64> {
        None
    }
    /// What a peer that wants nothing but rest sends back for a frame: for services that repeat until they are answered.
    fn answer(&self, _frame: &Frame) -> Option<Frame> {
        None
    }
    /// Whether a link that comes back has it say something that it would not have said otherwise.
    fn speaks_when_link_is_back(&self) -> bool {
        false
    }
    /// What it promises over a line that loses and doubles frames, reorders none, and is well again in the end.
    fn promise(&self) -> Promise;
    /// Holds its reader of frames to a second opinion. A frame may come off a wire or, its first octets still in a head
    /// that ends after `split` of them or before, from memory.
    fn check_reader(_kind: u8, _octets: &[u8], _split: usize) {}
}

/// What becomes of the packets that a service took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// All are delivered, once and in order.
    AllInOrder,
    /// All are delivered, once.
    AllOnce,
    /// Some are delivered, none twice, in order.
    SomeInOrder,
    /// Some are delivered, none twice.
    SomeOnce,
    /// Every frame that arrives is delivered, in order.
    WhatArrives,
    /// Some are delivered, perhaps twice.
    Some,
    /// What is delivered may even be made of several: its numbers come round.
    Nothing,
}

/// A fuzzer's octets read as choices. Past their end every choice is the first one, so that any input is a valid one and a
/// prefix of an input does what the input begins with.
pub struct Input<'octets>(Unstructured<'octets>);

impl<'octets> Input<'octets> {
    /// All of an input.
    #[must_use]
    pub fn new(octets: &'octets [u8]) -> Self {
        Self(Unstructured::new(octets))
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A number from `least` to `most`.
    pub fn between(&mut self, least: u16, most: u16) -> u16 {
        self.0.int_in_range(least..=most).unwrap_or(least)
    }

    /// An index below `count`.
    pub fn index(&mut self, count: usize) -> usize {
        self.0.int_in_range(0..=count.saturating_sub(1)).unwrap_or(0)
    }

    /// Any octet.
    pub fn octet(&mut self) -> u8 {
        self.0.arbitrary().unwrap_or(0)
    }

    /// Any number of two octets.
    pub fn number(&mut self) -> u16 {
        u16::from_be_bytes([self.octet(), self.octet()])
    }

    /// Yes or no.
    pub fn flag(&mut self) -> bool {
        self.octet() & 1 == 1
    }

    /// One of some values.
    pub fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.index(values.len())]
    }

    /// So many milliseconds.
    pub fn span(&mut self, least: u16, most: u16) -> Span {
        Span::from_milliseconds(self.between(least, most).into())
    }

    /// A number from one on.
    pub fn at_least_one(&mut self, most: u16) -> NonZeroUsize {
        NonZeroUsize::new(self.between(1, most).into()).unwrap_or(NonZeroUsize::MIN)
    }

    /// A number within bounds, mostly near the lower one.
    ///
    /// # Panics
    /// Never: what is chosen lies between the bounds.
    pub fn bounded<const LEAST: u16, const MOST: u16>(&mut self) -> super::Bounded<LEAST, MOST> {
        let most = if self.flag() { MOST } else { MOST.min(LEAST + 6) };
        super::Bounded::new(self.between(LEAST, most)).expect("a number between the bounds")
    }

    /// At most so many octets as they are; the length stands before them.
    pub fn octets(&mut self, most: u16) -> &'octets [u8] {
        let length = usize::from(self.between(0, most)).min(self.0.len());
        self.0.bytes(length).unwrap_or_default()
    }

    /// All that is left.
    #[must_use]
    pub fn rest(self) -> &'octets [u8] {
        self.0.take_rest()
    }
}

/// A frame as it comes off a wire, and the same from memory: its first octets still in a head that is no longer than `head`.
#[must_use]
pub fn both_ways(kind: u8, octets: &[u8], split: usize, head: usize) -> [Frame; 2] {
    let split = split.min(head).min(octets.len());
    let kind = Kind::new(kind);
    [
        Frame::from_wire(Tag::of_kind(kind), Vec::from(octets).into()),
        Frame::new(kind, &octets[..split], Vec::from(&octets[split..]).into()),
    ]
}

/// What a frame owes the network layer that is its packet and nothing else.
#[must_use]
pub fn owes_a_packet(tag: Tag, octets: &[u8]) -> Option<u64> {
    Some(u64::from(tag.kind() == Kind::new(0) && !octets.is_empty()))
}
