//! The octets of Karn's RLP. Nothing else knows them; who watches frames reads them by [`parse`].
//!
//! ```text
//!     kind 0  data       | N | packet ...             the packet's number, its low eight bits
//!     kind 1  repair     | N | packet ...             the same, of a packet that was asked for
//!     kind 2  NACK       |   N   | bits ...           a missing number in 16 bits; bit i of the rest, from the highest of the
//!                                                     first octet on, asks for N + 1 + i as well; at most 16 octets, and the
//!                                                     last one is not zero
//!     kind 3  keepalive  |   N   |                    the number of the next packet to be sent, in 16 bits
//!     kind 4  linked data     |   N   | link | packet ... the number in 16 bits; link: how many frames back the one is that must
//!     kind 5  linked repair   |   N   | link | packet ...     go before it, 0 where there is none
//!     kind 6  long data       |   N   | packet ...            the number in 16 bits, and no link
//!     kind 7  long repair     |   N   | packet ...
//! ```
//!
//! Data are linked where packets are not released in the order of their numbers, nor as they come: see
//! [`arqway_arq::Resequencing`].
//!
//! Other data bear one octet, which multiservice §III prints. What is rare and small bears two: an end that misread the short
//! numbers, because a burst was longer than they can count, learns it from these, and is never sent a wrong packet. Linked data
//! bear two as well: in an order by flow a number that was misread would let a packet pass others of its flow that wait. So do all
//! data on a link of several lines, where a frame may come by a slow one behind any number that came by another.

use arqway_arq::Seq;
use arqway_contract::{Frame, Head, Kind, Tag};
use arqway_units::Octets;
use bytes::Bytes;

/// A number as NACKs and keepalives bear it.
pub(super) type Number = Seq<16>;
/// The same as data bear it.
type Short = Seq<8>;

const DATA: Kind = Kind::new(0);
const REPAIR: Kind = Kind::new(1);
const NACK: Kind = Kind::new(2);
const KEEPALIVE: Kind = Kind::new(3);
const LINKED_DATA: Kind = Kind::new(4);
const LINKED_REPAIR: Kind = Kind::new(5);
const LONG_DATA: Kind = Kind::new(6);
const LONG_REPAIR: Kind = Kind::new(7);

/// How many octets of bits a NACK may have: with its first number they ask for a whole window.
const MOST_BITS: usize = 16;

/// How far behind the newest frame a data frame may lie and be read as an old one: late, or a duplicate.
pub(super) const LOOKBACK: u64 = 32;
/// The same where its number has 16 bits: as far as anybody waits for one.
const LONG_LOOKBACK: u64 = 128;
/// How many data frames in a row may be lost before the next one is read wrongly.
pub(super) const REACH: u64 = Short::MODULUS - LOOKBACK - 1;

/// How a packet bears its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The low eight bits.
    Short,
    /// 16 bits.
    Long,
    /// 16 bits, and how many frames back the one is that must go before it; 0 where there is none.
    Linked(u8),
}

impl Form {
    /// The form of a packet: by its link where there is one, otherwise long or not.
    pub(super) fn of(link: Option<u32>, is_long: bool) -> Self {
        // No link reaches beyond the window, which has room in an octet.
        match link.and_then(|link| u8::try_from(link).ok()) {
            Some(link) => Self::Linked(link),
            None if is_long => Self::Long,
            None => Self::Short,
        }
    }

    /// How many frames back the one is that must go before it, where the frame says so.
    #[must_use]
    pub fn link(self) -> Option<u8> {
        match self {
            Self::Linked(link) => Some(link),
            Self::Short | Self::Long => None,
        }
    }

    /// What stands in front of a packet, behind the tag.
    fn head(self, number: Number) -> Head {
        let [high, low] = number.wire_u16().to_be_bytes();
        match self {
            Self::Short => Head::from_iter([Short::new(number.as_u64()).wire_u8()]),
            Self::Long => Head::from_iter([high, low]),
            Self::Linked(link) => Head::from_iter([high, low, link]),
        }
    }
}

/// A frame as received: numbers are still the low bits, for whoever knows the window to expand.
#[derive(Debug, PartialEq, Eq)]
pub enum Pdu {
    /// A packet, for the first time, or a copy that nobody asked for.
    Data {
        /// Its number: as many bits of it as the form has.
        number: u64,
        /// How it bears it.
        form: Form,
        /// What it carries.
        packet: Bytes,
    },
    /// A packet, again.
    Repair {
        /// Its number, likewise.
        number: u64,
        /// How it bears it.
        form: Form,
        /// What it carries.
        packet: Bytes,
    },
    /// Frames are missing.
    Nack(Missing),
    /// The line is idle.
    Keepalive {
        /// The number of the next packet to be sent.
        next: u64,
    },
}

/// Which numbers a NACK asks for.
#[derive(Debug, PartialEq, Eq)]
pub struct Missing {
    first: u16,
    bits: Head,
}

impl Missing {
    /// Only this number.
    pub(super) fn only(first: Number) -> Self {
        Self { first: first.wire_u16(), bits: Head::new() }
    }

    /// The number that lies `ahead` of the first as well; `false` where it is too far ahead.
    pub(super) fn add(&mut self, ahead: u64) -> bool {
        let Some(index) = ahead.checked_sub(1).filter(|index| *index < 8 * MOST_BITS as u64) else { return false };
        let octet = (index / 8) as usize;
        while self.bits.len() <= octet {
            self.bits.push(0);
        }
        self.bits[octet] |= 0x80 >> (index % 8);
        true
    }

    /// The low bits of the numbers, in ascending order.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        let bits = self.bits.iter().flat_map(|octet| (0..8).map(move |bit| octet & (0x80 >> bit) != 0));
        let others = (1u64..).zip(bits).filter(|(_, asked)| *asked);
        core::iter::once(0)
            .chain(others.map(|(ahead, _)| ahead))
            .map(|ahead| (Number::new(self.first.into()) + ahead).wire())
    }
}

/// Reads a frame, or `None` where it is none of RLP's: of an unknown kind, too short, or too long.
#[must_use]
pub fn parse(mut frame: Frame) -> Option<Pdu> {
    match frame.tag.kind() {
        kind @ (DATA | REPAIR) => {
            let [number] = frame.take()?;
            carried(kind == DATA, number.into(), Form::Short, frame)
        }
        kind @ (LINKED_DATA | LINKED_REPAIR) => {
            let [high, low, link] = frame.take()?;
            carried(kind == LINKED_DATA, u16::from_be_bytes([high, low]), Form::Linked(link), frame)
        }
        kind @ (LONG_DATA | LONG_REPAIR) => {
            carried(kind == LONG_DATA, u16::from_be_bytes(frame.take()?), Form::Long, frame)
        }
        NACK => {
            let first = u16::from_be_bytes(frame.take()?);
            let bits: Head = frame.head.iter().chain(&frame.body).copied().take(MOST_BITS).collect();
            // One way to say a thing: no zeros behind.
            let fits = frame.remaining() == bits.len() && bits.last() != Some(&0);
            fits.then_some(Pdu::Nack(Missing { first, bits }))
        }
        KEEPALIVE => {
            let next = u16::from_be_bytes(frame.take()?);
            (frame.remaining() == 0).then(|| Pdu::Keepalive { next: next.into() })
        }
        _ => None,
    }
}

/// The number of a data frame, of which the receiver knows the low bits and that it is not far behind `end`, one past the
/// newest. It knows more bits of one that is not short.
pub(super) fn number_of_data(end: Number, low_bits: u64, form: Form) -> Number {
    let earliest = |back| end.as_u64().saturating_sub(back);
    match form {
        Form::Short => Number::new(Short::at_or_after(Short::new(earliest(LOOKBACK)), low_bits).as_u64()),
        Form::Long | Form::Linked(_) => Number::at_or_after(Number::new(earliest(LONG_LOOKBACK)), low_bits),
    }
}

/// The number of a repair: it was asked for, so it lies before `end`.
pub(super) fn number_of_repair(end: Number, low_bits: u64, form: Form) -> Option<Number> {
    match form {
        Form::Short => Short::before(Short::new(end.as_u64()), low_bits).map(|number| Number::new(number.as_u64())),
        Form::Long | Form::Linked(_) => Number::before(end, low_bits),
    }
}

/// A packet behind its head, which was taken off.
fn carried(is_first: bool, number: u16, form: Form, frame: Frame) -> Option<Pdu> {
    let (number, packet) = (number.into(), frame.into_packet()?);
    Some(if is_first { Pdu::Data { number, form, packet } } else { Pdu::Repair { number, form, packet } })
}

/// What stands in front of a packet at most, behind the tag.
pub(super) const fn head_of_data(is_linked: bool, is_long: bool) -> Octets {
    Octets::new(match (is_linked, is_long) {
        (true, _) => 3,
        (false, true) => 2,
        (false, false) => 1,
    })
}

pub(super) fn data(number: Number, form: Form, packet: Bytes) -> Frame {
    let kind = match form {
        Form::Short => DATA,
        Form::Long => LONG_DATA,
        Form::Linked(_) => LINKED_DATA,
    };
    Frame::new(kind, &form.head(number), packet)
}

pub(super) fn repair(number: Number, form: Form, packet: Bytes) -> Frame {
    let kind = match form {
        Form::Short => REPAIR,
        Form::Long => LONG_REPAIR,
        Form::Linked(_) => LINKED_REPAIR,
    };
    Frame::new(kind, &form.head(number), packet)
}

pub(super) fn nack(missing: &Missing) -> Frame {
    let mut frame = Frame::new(NACK, &missing.first.to_be_bytes(), Bytes::new());
    frame.head.extend(missing.bits.iter().copied());
    frame
}

pub(super) fn keepalive(next: Number) -> Frame {
    Frame::new(KEEPALIVE, &next.wire_u16().to_be_bytes(), Bytes::new())
}

/// Whether a frame of ours is a NACK.
pub(super) fn is_nack(tag: Tag) -> bool {
    tag.kind() == NACK
}
