//! PDUs in their order become SDUs, and a gap costs those that have something in it (§11.2.3.1).

use super::Number;
use crate::rlc::pdu::Contents;
use crate::rlc::reassembly::Reassembler;
use arqway_contract::Counters;
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct InSequence {
    /// VR(US): one past the number of the last PDU.
    next: Number,
    /// VR(UM) - VR(US): so far ahead a PDU is taken.
    window: u64,
    reassembler: Reassembler,
}

impl InSequence {
    /// A PDU so far ahead of the last one is dropped. The first one is number `first`.
    pub(super) fn new(first: Number, window: u64) -> Self {
        Self { next: first, window, reassembler: Reassembler::of_umd() }
    }

    /// Takes a PDU as it arrived; its number is still the low bits.
    pub(super) fn take(
        &mut self,
        low_bits: u8,
        contents: &Contents,
        counters: &mut Counters,
        deliver: &mut impl FnMut(Bytes),
    ) {
        let number = Number::at_or_after(self.next, low_bits.into());
        if number < self.next + self.window {
            self.take_numbered(number, contents, counters, deliver);
        } else {
            counters.out_of_sequence_received += 1;
        }
    }

    /// Takes a PDU that others have put into its place.
    pub(super) fn take_numbered(
        &mut self,
        number: Number,
        contents: &Contents,
        counters: &mut Counters,
        deliver: &mut impl FnMut(Bytes),
    ) {
        if number != self.next {
            self.reassembler.lose();
            counters.frames_abandoned += number.offset_from(self.next).unwrap_or(0);
        }
        self.next = number.next();
        self.reassembler.take(contents, deliver);
    }

    /// How many SDUs were dropped because they grew too long.
    pub(super) fn too_long(&self) -> u64 {
        self.reassembler.too_long()
    }
}
