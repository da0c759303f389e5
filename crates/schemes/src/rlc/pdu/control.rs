//! Control PDUs: the three kinds, and the octets of RESET and RESET ACK (3GPP TS 25.322 §9.2.1.7).

use super::nibbles::Nibbles;
use super::{AmPdu, Status};
use alloc::vec::Vec;
use bytes::Bytes;

pub(super) const STATUS: u8 = 0;
const RESET: u8 = 1;
const RESET_ACK: u8 = 2;

/// What a RESET PDU says, and a RESET ACK PDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reset {
    /// RSN: which reset this is about, by turns.
    pub number: bool,
    /// HFNI: the highest hyper frame number that its sender has used, 20 bits (§9.2.2.14).
    pub hyper_frame_number: u32,
}

impl Reset {
    fn read(octets: &[u8]) -> Option<Self> {
        let mut nibbles = Nibbles::of(octets);
        let (_, flags) = (nibbles.four()?, nibbles.four()?);
        let hyper_frame_number = u32::from(nibbles.eight()?) << 12 | u32::from(nibbles.twelve()?);
        // The reserved bits R1 (§9.2.2.6) shall be zero; padding may have any value.
        (flags & 7 == 0).then_some(Self { number: flags & 8 != 0, hyper_frame_number })
    }

    fn write(self, kind: u8, pad_to: Option<usize>) -> Bytes {
        debug_assert!(self.hyper_frame_number < 1 << 20, "a hyper frame number indicator has 20 bits");
        let [_, high, middle, low] = (self.hyper_frame_number << 4).to_be_bytes();
        let octets = [kind << 4 | u8::from(self.number) << 3, high, middle, low];
        padded(octets.to_vec(), pad_to)
    }
}

/// A RESET PDU, in at least as many octets as told.
#[must_use]
pub fn reset(reset: Reset, pad_to: Option<usize>) -> Bytes {
    reset.write(RESET, pad_to)
}

/// A RESET ACK PDU, in at least as many octets as told.
#[must_use]
pub fn reset_ack(reset: Reset, pad_to: Option<usize>) -> Bytes {
    reset.write(RESET_ACK, pad_to)
}

pub(super) fn padded(mut octets: Vec<u8>, pad_to: Option<usize>) -> Bytes {
    let length = octets.len().max(pad_to.unwrap_or(0));
    octets.resize(length, 0);
    octets.into()
}

/// Reads a PDU whose first bit D/C is 0.
pub(super) fn parse(octets: Bytes) -> Option<AmPdu> {
    match octets.first()? >> 4 {
        STATUS => Status::read(octets).map(AmPdu::Status),
        RESET => Reset::read(&octets).map(AmPdu::Reset),
        RESET_ACK => Reset::read(&octets).map(AmPdu::ResetAck),
        _ => None,
    }
}
