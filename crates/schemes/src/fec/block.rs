//! A block of packets and its parity: what adds packets up at one end, and works one out at the other.

use super::wire::Number;
use super::xor::{check_of, length_of, xor_onto};
use alloc::vec::Vec;
use bytes::{Bytes, BytesMut};

/// What recovers one packet of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parity {
    /// The number of the block's first data frame.
    pub first: u8,
    /// How many data frames it covers.
    pub count: u8,
    /// The XOR of their packets' lengths.
    pub lengths: u16,
    /// The sum of their packets' checks.
    pub check: u32,
    /// The XOR of their packets.
    pub xor: Bytes,
}

impl Parity {
    /// The number behind those of the frames that it covers.
    pub(super) fn end(&self) -> u8 {
        (Number::new(self.first.into()) + self.count.into()).wire_u8()
    }

    /// The numbers of the frames that it covers.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u8> {
        let first = Number::new(self.first.into());
        (0..self.count).map(move |place| (first + place.into()).wire_u8())
    }
}

/// The sum of some packets; its memory is used again for the next.
#[derive(Debug, Default)]
pub(super) struct Sum {
    count: u8,
    lengths: u16,
    check: u32,
    xor: Vec<u8>,
    slab: Slab,
}

impl Sum {
    pub(super) fn add(&mut self, number: u8, packet: &[u8]) {
        self.count += 1;
        self.lengths ^= length_of(packet);
        self.check = self.check.wrapping_add(check_of(number, packet));
        xor_onto(&mut self.xor, packet);
    }

    pub(super) fn count(&self) -> u8 {
        self.count
    }

    /// Nothing added.
    pub(super) fn clear(&mut self) {
        (self.count, self.lengths, self.check) = (0, 0, 0);
        self.xor.clear();
    }

    /// The parity of what was added from the frame `first` on.
    pub(super) fn parity(&mut self, first: u8) -> Parity {
        let (count, lengths, check) = (self.count, self.lengths, self.check);
        Parity { first, count, lengths, check, xor: self.slab.keep(&self.xor) }
    }

    /// The packet that, added to what was added, makes this parity: that of the frame `missing`. `None` if there is none,
    /// because what was added is not of the same block.
    pub(super) fn missing_from(&mut self, parity: &Parity, missing: u8) -> Option<Bytes> {
        xor_onto(&mut self.xor, &parity.xor);
        let (packet, padding) = self.xor.split_at_checked(usize::from(self.lengths ^ parity.lengths))?;
        let fits = !packet.is_empty() && padding.iter().all(|octet| *octet == 0);
        let is_right = fits && self.check.wrapping_add(check_of(missing, packet)) == parity.check;
        is_right.then(|| self.slab.keep(packet))
    }
}

/// Memory for octets that live on: one allocation for many.
#[derive(Debug, Default)]
struct Slab(BytesMut);

impl Slab {
    const SIZE: usize = 1 << 16;

    fn keep(&mut self, octets: &[u8]) -> Bytes {
        if self.0.capacity() < octets.len() {
            self.0 = BytesMut::with_capacity(Self::SIZE.max(octets.len()));
        }
        self.0.extend_from_slice(octets);
        self.0.split().freeze()
    }
}
