//! The octets of RLC: 3GPP TS 25.322 §9.2. Nothing else in [`rlc`](super) knows them.
//!
//! ```text
//!     UMD         | SN (7)          E | LI (7|15) E | ... | data | padding |
//!     AMD         | 1 | SN (12) | P | HE (2) | LI (7|15) E | ... | data | padding, or a piggybacked STATUS |
//!     STATUS      | 0 | 000 | SUFI | SUFI | ... | padding |
//!     RESET       | 0 | 001 | RSN | 000 | HFNI (20) | padding |
//!     RESET ACK   | 0 | 010 | RSN | 000 | HFNI (20) | padding |
//! ```
//!
//! A transparent mode PDU (TMD) has nothing but data. A length indicator (LI) tells where an SDU ends, counted in octets from
//! the end of the header, so that a PDU carries parts of several; its predefined values tell of the PDU before, of padding and
//! of a piggybacked STATUS: see [`LengthIndicator`]. A super-field (SUFI) is what a STATUS PDU says: see [`Sufi`].
//!
//! Reading is all or nothing (§10.3): a PDU with one reserved or invalid value is none, so that nobody acts on part of it.
//! What a number means, a window alone can tell, and is not judged here.
//! Contents are then read again from the same octets, so no list of them is allocated.
//!
//! A frame has one kind for all of them. Of our own the head is the PDU's first one or two octets, which are written afresh at
//! each transmission, and the body is all the rest; a control PDU has no head.

mod contents;
mod control;
mod length_indicator;
mod nibbles;
mod numbers;
mod relative_list;
mod status;
mod sufi;
mod writer;

use arqway_contract::{Frame, Kind};
use bytes::Bytes;

pub use contents::Contents;
pub use control::{Reset, reset, reset_ack};
pub use length_indicator::{LengthIndicator, LengthIndicatorSize};
pub use status::{Status, Sufis};
pub use sufi::{Bitmap, List, MoveReceivingWindow, RelativeList, Sufi};
pub use writer::StatusWriter;

/// The kind of every frame of RLC: the PDUs tell themselves apart.
pub const KIND: Kind = Kind::new(0);

/// The largest UMD PDU of a peer that uses 7-bit length indicators (§9.2.2.8, §11.2.4.4).
const LARGEST_UMD_OF_SEVEN_BITS: usize = 125;

/// What the field HE of an AMD PDU says of what follows the header (§9.2.2.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderExtension {
    /// Data.
    Data,
    /// A length indicator.
    Indicator,
    /// Data, and the PDU's last octet is the last one of an SDU: the "special value", which must be configured.
    EndsHere,
}

/// The first two octets of an AMD PDU, of which `number` has 12 bits (§9.2.2.1, §9.2.2.3, §9.2.2.4).
#[must_use]
pub fn amd_head(number: u16, poll: bool, extension: HeaderExtension) -> [u8; 2] {
    debug_assert!(number < 1 << 12, "an AMD PDU's number has 12 bits");
    let extension = match extension {
        HeaderExtension::Data => 0,
        HeaderExtension::Indicator => 1,
        HeaderExtension::EndsHere => 2,
    };
    (1 << 15 | (number & 0xfff) << 3 | u16::from(poll) << 2 | extension).to_be_bytes()
}

/// The first octet of a UMD PDU, of which `number` has 7 bits and `extension` is the E bit: whether a length indicator follows
/// (§9.2.2.3, §9.2.2.5).
#[must_use]
pub fn umd_head(number: u8, extension: bool) -> [u8; 1] {
    debug_assert!(number < 1 << 7, "a UMD PDU's number has 7 bits");
    [number << 1 | u8::from(extension)]
}

/// An acknowledged mode data PDU (§9.2.1.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amd {
    /// The sequence number SN, of 12 bits.
    pub number: u16,
    /// The polling bit P: a status report is asked for.
    pub poll: bool,
    /// The SDUs.
    pub contents: Contents,
    /// What is piggybacked in the padding.
    pub status: Option<Status>,
}

/// An unacknowledged mode data PDU (§9.2.1.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Umd {
    /// The sequence number SN, of 7 bits.
    pub number: u8,
    /// The SDUs.
    pub contents: Contents,
}

/// What the peer of an acknowledged mode entity sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AmPdu {
    /// Data.
    Data(Amd),
    /// What has arrived, what is discarded, how much may be sent.
    Status(Status),
    /// Begin anew.
    Reset(Reset),
    /// The answer to [`Reset`](Self::Reset).
    ResetAck(Reset),
}

/// What the two ends of an acknowledged mode bearer have agreed on beside the size of length indicators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AmOptions {
    /// "Use of the special value of the HE field": see [`HeaderExtension::EndsHere`], which is reserved otherwise.
    pub ends_here: bool,
    /// "SDU discard with explicit signalling": in one PDU at most 15 SDUs end, since its super-fields count no further.
    pub at_most_fifteen_ends: bool,
}

/// Reads a frame of acknowledged mode, or `None` where it is malformed: the caller counts it and acts on none of it.
#[must_use]
pub fn parse_am(mut frame: Frame, size: LengthIndicatorSize, options: AmOptions) -> Option<AmPdu> {
    if frame.tag.kind() != KIND {
        return None;
    }
    let first = *frame.head.first().or_else(|| frame.body.first())?;
    if first & 0x80 == 0 {
        return control::parse(rest(frame));
    }
    let head = u16::from_be_bytes(frame.take()?);
    let extension = match head & 3 {
        0 => HeaderExtension::Data,
        1 => HeaderExtension::Indicator,
        2 if options.ends_here => HeaderExtension::EndsHere,
        _ => return None,
    };
    let most_ends = if options.at_most_fifteen_ends { 15 } else { usize::MAX };
    let (contents, status) = contents::of_amd(rest(frame), extension, size, most_ends)?;
    Some(AmPdu::Data(Amd { number: head >> 3 & 0xfff, poll: head & 4 != 0, contents, status }))
}

/// Reads a frame of unacknowledged mode, or `None` where it is malformed. `alternative_e_bit`: whether the alternative
/// interpretation of the first octet's E bit is configured, by which a PDU without length indicators is one whole SDU
/// (§9.2.2.5); then [`Contents::ends_here`] says so.
#[must_use]
pub fn parse_um(mut frame: Frame, size: LengthIndicatorSize, alternative_e_bit: bool) -> Option<Umd> {
    let octets = frame.remaining();
    if frame.tag.kind() != KIND || (size == LengthIndicatorSize::Seven && octets > LARGEST_UMD_OF_SEVEN_BITS) {
        return None;
    }
    let [head] = frame.take()?;
    let extension = match (head & 1, alternative_e_bit) {
        (0, false) => HeaderExtension::Data,
        (0, true) => HeaderExtension::EndsHere,
        _ => HeaderExtension::Indicator,
    };
    Some(Umd { number: head >> 1, contents: contents::of_umd(rest(frame), extension, size)? })
}

/// What of a frame is not read yet, in one piece. Our own frames have no more head by then, and nothing is copied.
fn rest(frame: Frame) -> Bytes {
    if frame.head.is_empty() { frame.body } else { [frame.head.as_slice(), &frame.body].concat().into() }
}

#[cfg(test)]
mod tests;
