//! Which blocks a receiver tells, and in which order (RFC 2018 §4; RFC 2883 §4 for packets that came twice).
//!
//! The first block is the one that the last packet to arrive belongs to; behind it follow those that were first before, the
//! latest of them first. So each block is reported at least three times, and a lost acknowledgement takes little with it.
//!
//! ```text
//!     arrives    reported                    arrives    reported
//!     5          5..6                        9          9..10  5..7
//!     6          5..7                        5 again    5..6 (came twice)  5..7  9..10
//! ```

use crate::tcp::acknowledgement::{Block, Blocks};
use alloc::collections::VecDeque;

/// What a receiver has beyond the packet that it awaits.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// Apart from each other, the one that grew last first.
    blocks: VecDeque<Block>,
    /// A packet that came twice, which was not reported yet.
    twice: Option<i64>,
}

impl Ahead {
    /// Another connection begins.
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.twice = None;
    }

    /// A packet has come, after which `awaited` is the first that is missing; `before` was until then.
    pub(super) fn note(&mut self, number: i64, before: i64, awaited: i64) {
        if number < before {
            self.twice = Some(number);
        } else if number == before {
            self.blocks.retain(|block| block.from > awaited);
        } else {
            self.join(number);
        }
    }

    /// A packet beyond the one that is awaited makes a block, or one of two, or one longer.
    fn join(&mut self, number: i64) {
        let mut joined = Block::one(number);
        self.blocks.retain(|block| {
            let touches = block.from <= joined.to && joined.from <= block.to;
            if block.has(number) {
                self.twice = Some(number);
            }
            if touches {
                joined = Block { from: joined.from.min(block.from), to: joined.to.max(block.to) };
            }
            !touches
        });
        self.blocks.push_front(joined);
    }

    /// What the next acknowledgement tells.
    pub(super) fn tell(&mut self) -> Blocks {
        let twice = self.twice.take().map(Block::one);
        twice.into_iter().chain(self.blocks.iter().copied()).collect()
    }
}
