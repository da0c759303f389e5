//! The octets of go-back-n. Nothing else knows them; who watches frames reads them by [`parse`].
//!
//! N(R), the next number awaited, is the first octet of each frame, so that a fresh one can be written at the last moment
//! whatever the frame is.
//!
//! ```text
//!     kind 0  data            | N(R) | N(S) | packet ...        N(S): this frame's number
//!     kind 1  acknowledgement | N(R) |
//! ```

use arqway_arq::Seq;
use arqway_contract::{Frame, Kind};
use arqway_units::Octets;
use bytes::Bytes;

/// A sequence number; two of eight bits make the two octets that multiservice §III prints.
pub(super) type Number = Seq<8>;

const DATA: Kind = Kind::new(0);
const ACKNOWLEDGEMENT: Kind = Kind::new(1);

/// A frame as received: numbers are still the low bits, for whoever knows the window to expand.
#[derive(Debug, PartialEq, Eq)]
pub enum Pdu {
    /// A packet.
    Data {
        /// N(R): the next number awaited by who sends this.
        next: u64,
        /// N(S): this frame's number.
        number: u64,
        /// What it carries.
        packet: Bytes,
    },
    /// All before a number have arrived.
    Acknowledgement {
        /// N(R): the next number awaited.
        next: u64,
    },
}

/// Reads a frame, or `None` where it is none of go-back-n's: of an unknown kind, too short, or too long.
#[must_use]
pub fn parse(mut frame: Frame) -> Option<Pdu> {
    match frame.tag.kind() {
        DATA => {
            let [next, number] = frame.take()?;
            frame.into_packet().map(|packet| Pdu::Data { next: next.into(), number: number.into(), packet })
        }
        ACKNOWLEDGEMENT => {
            let [next] = frame.take()?;
            (frame.remaining() == 0).then(|| Pdu::Acknowledgement { next: next.into() })
        }
        _ => None,
    }
}

/// What stands in front of a packet, behind the tag.
pub(super) const HEAD_OF_DATA: Octets = Octets::new(2);

/// A data frame; its N(R) is written when it starts.
pub(super) fn data(number: Number, packet: Bytes) -> Frame {
    Frame::new(DATA, &[0, number.wire_u8()], packet)
}

/// An acknowledgement; its N(R) is written when it starts.
pub(super) fn acknowledgement() -> Frame {
    Frame::new(ACKNOWLEDGEMENT, &[0], Bytes::new())
}

/// Writes N(R) into any of our frames.
pub(super) fn write_next(frame: &mut Frame, next: Number) {
    if let Some(first) = frame.head.first_mut() {
        *first = next.wire_u8();
    }
}
