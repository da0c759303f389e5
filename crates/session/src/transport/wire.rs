//! The head of a sealed datagram, which is its associated data. Numbers are little-endian.
//!
//! ```text
//!     n n n 1 0 0 c l | index, 2 | counter, 2 or 4 | sealed, n+16          n: the line; c: control; l: the counter has four octets
//! ```

use super::counter::{SHORT_WHILE, widen};
use arqway_units::LineId;
use std::ops::Range;

const IS_SEALED: u8 = 0x10;
const OF_CONTROL: u8 = 2;
const HAS_LONG: u8 = 1;
/// Where the number of the line stands.
const LINE: u32 = 5;

/// What stands before a sealed packet, as long as the peer reports what arrives.
pub const SHORT_HEAD: usize = 5;
const LONG_HEAD: usize = 7;
/// The octets of a tag.
pub const TAG: usize = 16;
/// A packet that is to be sealed has so much room before it.
pub const HEAD_ROOM: usize = LONG_HEAD;

/// What a head says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// Whether this is for the session itself.
    pub(crate) is_control: bool,
    /// The line that it went by.
    pub(crate) line: LineId,
    pub(crate) index: u16,
    low: u32,
    is_long: bool,
}

impl Head {
    /// The head of a datagram that may be sealed.
    pub(crate) fn read(datagram: &[u8]) -> Option<Self> {
        let (&[kind, low, high], rest) = datagram.split_first_chunk()?;
        let flags = OF_CONTROL | HAS_LONG | u8::MAX << LINE;
        if kind & !flags != IS_SEALED || datagram.len() < Self::length(kind & HAS_LONG != 0) + TAG {
            return None;
        }
        let is_long = kind & HAS_LONG != 0;
        let low_bits = if is_long {
            u32::from_le_bytes(*rest.first_chunk()?)
        } else {
            u16::from_le_bytes(*rest.first_chunk()?).into()
        };
        Some(Self {
            is_control: kind & OF_CONTROL != 0,
            line: LineId::new(kind >> LINE)?,
            index: u16::from_le_bytes([low, high]),
            low: low_bits,
            is_long,
        })
    }

    fn length(is_long: bool) -> usize {
        if is_long { LONG_HEAD } else { SHORT_HEAD }
    }

    /// Where the sealed part begins.
    pub(crate) fn end(&self) -> usize {
        Self::length(self.is_long)
    }

    /// The counter that it means to whoever expects `next`.
    pub(crate) fn counter(&self, next: u64) -> u64 {
        widen(self.low, if self.is_long { 32 } else { 16 }, next)
    }
}

/// How many octets of head a datagram has.
pub(crate) fn head_length(unreported: u64) -> usize {
    Head::length(unreported >= SHORT_WHILE)
}

/// Writes the head of a datagram right before `at`; returns where it stands.
pub(crate) fn write_head(
    buffer: &mut [u8],
    at: usize,
    (line, is_control): (LineId, bool),
    index: u16,
    counter: u64,
    unreported: u64,
) -> Range<usize> {
    let is_long = unreported >= SHORT_WHILE;
    let head = at - Head::length(is_long)..at;
    let control = if is_control { OF_CONTROL } else { 0 };
    let counter = counter.to_le_bytes();
    let octets = &mut buffer[head.clone()];
    octets[0] = line.number() << LINE | IS_SEALED | control | u8::from(is_long);
    octets[1..3].copy_from_slice(&index.to_le_bytes());
    octets[3..].copy_from_slice(if is_long { &counter[..4] } else { &counter[..2] });
    head
}
