//! The octets of forward error correction. Nothing else knows them; who watches frames reads them by [`parse`].
//!
//! ```text
//!     kind 0  data    | N | packet ...                            the frame's number, its low eight bits
//!     kind 1  parity  | N | count | lengths | check   | xor ...   of the data frames N to N + count - 1:
//!                       1     1        2         4                the XOR of their lengths, the sum of their checks, the XOR
//!                                                                 of their packets, each padded with zeros to the longest
//! ```
//!
//! A parity frame says itself which frames it covers, so a data frame needs no mark of where its block begins, and a block
//! may end early.

use super::block::Parity;
use super::config::LARGEST_BLOCK;
use arqway_arq::Seq;
use arqway_contract::{Frame, Kind};
use arqway_units::Octets;
use bytes::Bytes;

/// The number of a data frame.
pub(super) type Number = Seq<8>;

const DATA: Kind = Kind::new(0);
const PARITY: Kind = Kind::new(1);

/// A frame as received.
#[derive(Debug, PartialEq, Eq)]
pub enum Pdu {
    /// A packet.
    Data {
        /// The frame's number.
        number: u8,
        /// What it carries.
        packet: Bytes,
    },
    /// What recovers one packet of a block.
    Parity(Parity),
}

/// Reads a frame, or `None` where it is none of ours: of an unknown kind, too short, or of a block that there cannot be.
#[must_use]
pub fn parse(mut frame: Frame) -> Option<Pdu> {
    match frame.tag.kind() {
        DATA => {
            let [number] = frame.take()?;
            frame.into_packet().map(|packet| Pdu::Data { number, packet })
        }
        PARITY => {
            let [first, count] = frame.take()?;
            let lengths = u16::from_be_bytes(frame.take()?);
            let check = u32::from_be_bytes(frame.take()?);
            let xor = frame.into_packet().filter(|_| (1..=LARGEST_BLOCK).contains(&u16::from(count)))?;
            Some(Pdu::Parity(Parity { first, count, lengths, check, xor }))
        }
        _ => None,
    }
}
/// What stands in front of the XOR of packets, behind the tag.
pub(super) const HEAD_OF_PARITY: Octets = Octets::new(8);

pub(super) fn data(number: Number, packet: Bytes) -> Frame {
    Frame::new(DATA, &[number.wire_u8()], packet)
}

pub(super) fn parity(parity: Parity) -> Frame {
    let mut frame = Frame::new(PARITY, &[parity.first, parity.count], parity.xor);
    frame.head.extend(parity.lengths.to_be_bytes());
    frame.head.extend(parity.check.to_be_bytes());
    frame
}
