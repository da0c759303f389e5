//! The options of TCP's header that selective acknowledgements need (RFC 2018 §2 and §3), as octets:
//!
//! ```text
//!     SACK-permitted, on a SYN        nop nop 4 2
//!     SACK, with n blocks             nop nop 5 2+8n   from to   from to   ...      each edge four octets
//! ```
//!
//! An acknowledgement is longer by them, so the way back is dearer while something is missing.

use super::acknowledgement::{Block, Blocks};
use etherparse::{TcpHeaderSlice, TcpOptionElement};

const NOP: u8 = 1;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
/// Two octets in front, so that the edges lie at multiples of four, and two of the option itself.
const HEAD: usize = 4;
const BLOCK: usize = 8;

/// The options of one segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    octets: [u8; Self::MOST],
    length: usize,
}

impl Options {
    const MOST: usize = HEAD + Blocks::MOST * BLOCK;

    pub(super) const fn none() -> Self {
        Self { octets: [0; Self::MOST], length: 0 }
    }

    /// Says that this end understands selective acknowledgements.
    pub(super) fn sack_permitted() -> Self {
        let mut options = Self::none();
        options.put([NOP, NOP, SACK_PERMITTED, 2]);
        options
    }

    /// Tells blocks, whose edges are packets, as sequence numbers.
    pub(super) fn sack(blocks: &Blocks, sequence: impl Fn(i64) -> u32) -> Self {
        let blocks = blocks.as_slice();
        let mut options = Self::none();
        if !blocks.is_empty() {
            options.put([NOP, NOP, SACK, u8::try_from(2 + BLOCK * blocks.len()).unwrap_or(u8::MAX)]);
        }
        for block in blocks {
            options.put(sequence(block.from).to_be_bytes());
            options.put(sequence(block.to).to_be_bytes());
        }
        options
    }

    fn put(&mut self, octets: [u8; 4]) {
        self.octets[self.length..self.length + 4].copy_from_slice(&octets);
        self.length += 4;
    }

    /// As they stand behind the header: whole words.
    pub(super) fn as_octets(&self) -> &[u8] {
        &self.octets[..self.length]
    }
}

/// The blocks that a header tells, whose edges are sequence numbers, as packets.
pub(super) fn blocks_of(header: &TcpHeaderSlice<'_>, packet: impl Fn(u32) -> i64) -> Blocks {
    let mut blocks = Blocks::default();
    for option in header.options_iterator().flatten() {
        if let TcpOptionElement::SelectiveAcknowledgement(first, more) = option {
            for (from, to) in core::iter::once(first).chain(more.into_iter().flatten()) {
                blocks.push(Block { from: packet(from), to: packet(to) });
            }
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 2018 §3: 8n + 2 octets for n blocks, and "a maximum of 4 SACK blocks" where no other option is used.
    #[test]
    fn an_option_has_eight_octets_a_block_and_two_beside() {
        let octets = |count: i64| {
            let blocks: Blocks = (0..count).map(|block| Block { from: 100 * block, to: 100 * block + 7 }).collect();
            Options::sack(&blocks, |packet| packet as u32).as_octets().to_vec()
        };
        assert_eq!(octets(0), [] as [u8; 0]);
        assert_eq!(octets(1), [1, 1, 5, 10, 0, 0, 0, 0, 0, 0, 0, 7]);
        assert_eq!((octets(2)[3], octets(2).len()), (18, 20));
        assert_eq!((octets(4)[3], octets(4).len()), (34, 36), "a header has room for 40");
        assert_eq!(octets(5), octets(4));
        assert_eq!(Options::sack_permitted().as_octets(), [1, 1, 4, 2], "RFC 2018 §2");
    }
}
