//! The octets of Selective Repeat. Nothing else knows them; who watches frames reads them by [`parse`].
//!
//! The tag's kind tells the frames apart; N(R), the next number awaited, is the first octet of each, so that a fresh
//! one can be written at the last moment whatever the frame is.
//!
//! ```text
//!     kind 0  data            | N(R) | N(S) | packet ...        N(S): this frame's number
//!     kind 1  acknowledgement | N(R) |
//!     kind 2  reject          | N(R) | N(X) |                   N(X): the number that is missing
//!     kind 3  linked data     | N(R) | N(S) | link | packet ... link: how many frames back the one is that must go before it,
//!                                                               0 where there is none
//! ```
//!
//! Data are linked where packets are not released in the order of their numbers: see [`arqway_arq::Resequencing`].

use arqway_arq::Seq;
use arqway_contract::{Frame, Kind};
use arqway_units::Octets;
use bytes::Bytes;

/// A sequence number; its eight bits make the two-octet head of a data frame that the papers print.
pub(super) type Number = Seq<8>;

const DATA: Kind = Kind::new(0);
const ACKNOWLEDGEMENT: Kind = Kind::new(1);
const REJECT: Kind = Kind::new(2);
const LINKED: Kind = Kind::new(3);

/// A frame as received: numbers are still the low bits, for whoever knows the window to expand.
#[derive(Debug, PartialEq, Eq)]
pub enum Pdu {
    /// A packet.
    Data {
        /// N(R): the next number awaited by who sends this.
        next: u64,
        /// N(S): this frame's number.
        number: u64,
        /// How many frames back the one is that must go before it, where the frame says so.
        link: Option<u8>,
        /// What it carries.
        packet: Bytes,
    },
    /// All before a number have arrived.
    Acknowledgement {
        /// N(R): the next number awaited.
        next: u64,
    },
    /// A frame is missing.
    Reject {
        /// N(R): the next number awaited.
        next: u64,
        /// N(X): the number that is missing.
        missing: u64,
    },
}

/// Reads a frame, or `None` where it is none of Selective Repeat's: of an unknown kind, too short, or too long.
#[must_use]
pub fn parse(mut frame: Frame) -> Option<Pdu> {
    match frame.tag.kind() {
        DATA => {
            let [next, number] = frame.take()?;
            frame.into_packet().map(|packet| Pdu::Data { next: next.into(), number: number.into(), link: None, packet })
        }
        LINKED => {
            let [next, number, link] = frame.take()?;
            let (next, number, link) = (next.into(), number.into(), Some(link));
            frame.into_packet().map(|packet| Pdu::Data { next, number, link, packet })
        }
        ACKNOWLEDGEMENT => {
            let [next] = frame.take()?;
            (frame.remaining() == 0).then(|| Pdu::Acknowledgement { next: next.into() })
        }
        REJECT => {
            let [next, missing] = frame.take()?;
            (frame.remaining() == 0).then(|| Pdu::Reject { next: next.into(), missing: missing.into() })
        }
        _ => None,
    }
}

/// What stands in front of a packet, behind the tag.
pub(super) const fn head_of_data(is_linked: bool) -> Octets {
    Octets::new(if is_linked { 3 } else { 2 })
}

/// A data frame; its N(R) is written when it starts.
pub(super) fn data(number: Number, link: Option<u32>, packet: Bytes) -> Frame {
    // No link reaches beyond the window, which has room in an octet.
    match link.and_then(|link| u8::try_from(link).ok()) {
        None => Frame::new(DATA, &[0, number.wire_u8()], packet),
        Some(link) => Frame::new(LINKED, &[0, number.wire_u8(), link], packet),
    }
}

/// An acknowledgement; its N(R) is written when it starts.
pub(super) fn acknowledgement() -> Frame {
    Frame::new(ACKNOWLEDGEMENT, &[0], Bytes::new())
}

/// A reject of one missing frame; its N(R) is written when it starts.
pub(super) fn reject(missing: Number) -> Frame {
    Frame::new(REJECT, &[0, missing.wire_u8()], Bytes::new())
}

/// Writes N(R) into any of our frames.
pub(super) fn write_next(frame: &mut Frame, next: Number) {
    if let Some(first) = frame.head.first_mut() {
        *first = next.wire_u8();
    }
}
