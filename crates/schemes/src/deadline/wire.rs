//! The octets of recovery with a deadline. Nothing else knows them; who watches frames reads them by [`parse`].
//!
//! ```text
//!     kind 0  data       | N | packet ...              the packet's number, its low eight bits
//!     kind 1  again      | N | packet ...              the same, of a packet that was asked for
//!     kind 2  NACK       |   N   |   N   | ...         numbers that are missing, in 16 bits, at most ten
//!     kind 3  parity     |   N   | count | key | sum   of so many packets from N on, 1 to 64, in 16, 8 and 8 bits
//!     kind 4  keepalive  |   N   |                     the number of the next packet to be sent, in 16 bits
//! ```

use arqway_arq::Seq;
use arqway_contract::{Frame, Head, Kind};
use arqway_units::Octets;
use bytes::Bytes;

/// A number as all but data bear it.
pub(super) type Number = Seq<16>;
/// The same as data bear it.
type Short = Seq<8>;

const DATA: Kind = Kind::new(0);
const AGAIN: Kind = Kind::new(1);
const NACK: Kind = Kind::new(2);
const PARITY: Kind = Kind::new(3);
const KEEPALIVE: Kind = Kind::new(4);

/// How many numbers a NACK has at most.
pub(super) const MOST_ASKED: usize = 10;
/// How many packets parity is of, at most.
pub(super) const MOST_IN_SUM: usize = 64;
/// What parity has in front of the packets' own octets.
pub(super) const HEAD_OF_PARITY: Octets = Octets::new(4 + super::parity::LENGTH as u64);

/// How far behind the newest frame a data frame may lie and be read as an old one: late, or a duplicate.
const LOOKBACK: u64 = 32;
/// How many data frames in a row may be lost before the next one is read wrongly.
pub(super) const REACH: u64 = Short::MODULUS - LOOKBACK - 1;

/// A frame as received: numbers are still the low bits, for whoever knows the window to expand.
#[derive(Debug, PartialEq, Eq)]
pub enum Pdu {
    /// A packet, for the first time.
    Data {
        /// Eight bits of its number.
        number: u64,
        /// What it carries.
        packet: Bytes,
    },
    /// A packet, again.
    Again {
        /// Eight bits of its number.
        number: u64,
        /// What it carries.
        packet: Bytes,
    },
    /// These packets are missing: their numbers, an octet each two.
    Nack(Head),
    /// A sum of packets.
    Parity(Parity),
    /// The line is idle.
    Keepalive {
        /// The number of the next packet to be sent.
        next: u64,
    },
}

/// A sum of packets.
#[derive(Debug, PartialEq, Eq)]
pub struct Parity {
    /// The number of the first, 16 bits of it.
    pub first: u64,
    /// How many they are.
    pub count: u8,
    /// What decides how many times each is taken.
    pub key: u8,
    /// What they are together.
    pub sum: Bytes,
}

/// Reads a frame, or `None` where it is none of these: of an unknown kind, too short, or too long.
#[must_use]
pub fn parse(mut frame: Frame) -> Option<Pdu> {
    match frame.tag.kind() {
        kind @ (DATA | AGAIN) => {
            let [number] = frame.take()?;
            let (number, packet) = (number.into(), frame.into_packet()?);
            Some(if kind == DATA { Pdu::Data { number, packet } } else { Pdu::Again { number, packet } })
        }
        NACK => {
            let numbers: Head = frame.head.iter().chain(&frame.body).copied().take(2 * MOST_ASKED).collect();
            let fits = frame.remaining() == numbers.len() && numbers.len() >= 2 && numbers.len().is_multiple_of(2);
            fits.then_some(Pdu::Nack(numbers))
        }
        PARITY => {
            let [high, low, count, key] = frame.take()?;
            let sum = frame.into_packet().filter(|sum| sum.len() > super::parity::LENGTH)?;
            let first = u16::from_be_bytes([high, low]).into();
            (1..=MOST_IN_SUM).contains(&count.into()).then_some(Pdu::Parity(Parity { first, count, key, sum }))
        }
        KEEPALIVE => {
            let next = u16::from_be_bytes(frame.take()?);
            (frame.remaining() == 0).then(|| Pdu::Keepalive { next: next.into() })
        }
        _ => None,
    }
}

/// The numbers that a NACK has, 16 bits of each.
pub(super) fn numbers(asked: &Head) -> impl Iterator<Item = u64> {
    asked.as_chunks::<2>().0.iter().map(|number| u16::from_be_bytes(*number).into())
}

/// The number of a data frame, of which the receiver knows the low bits and that it is not far behind `end`, one past the newest.
pub(super) fn number_of_data(end: Number, low_bits: u64) -> Number {
    let earliest = Short::new(end.as_u64().saturating_sub(LOOKBACK));
    Number::new(Short::at_or_after(earliest, low_bits).as_u64())
}

/// The number of one that was asked for: it lies before `end`.
pub(super) fn number_of_again(end: Number, low_bits: u64) -> Option<Number> {
    Short::before(Short::new(end.as_u64()), low_bits).map(|number| Number::new(number.as_u64()))
}

pub(super) fn data(number: Number, packet: Bytes) -> Frame {
    Frame::new(DATA, &[Short::new(number.as_u64()).wire_u8()], packet)
}

pub(super) fn again(number: Number, packet: Bytes) -> Frame {
    Frame::new(AGAIN, &[Short::new(number.as_u64()).wire_u8()], packet)
}

pub(super) fn nack(missing: impl Iterator<Item = Number>) -> Frame {
    let mut frame = Frame::new(NACK, &[], Bytes::new());
    for number in missing.take(MOST_ASKED) {
        frame.head.extend(number.wire_u16().to_be_bytes());
    }
    frame
}

pub(super) fn parity(first: Number, count: u8, key: u8, sum: Bytes) -> Frame {
    let [high, low] = first.wire_u16().to_be_bytes();
    Frame::new(PARITY, &[high, low, count, key], sum)
}

pub(super) fn keepalive(next: Number) -> Frame {
    Frame::new(KEEPALIVE, &next.wire_u16().to_be_bytes(), Bytes::new())
}
