//! What an acknowledgement says: everything up to some packet has arrived, and with selective acknowledgements (RFC 2018)
//! which packets beyond it have too.
//!
//! ```text
//!     packets    1 2 3 . 5 6 . . 9          3 and the blocks 9..10, 5..7, if 9 came last
//! ```
//!
//! A first block that lies below the others, or inside the second, tells of a packet that came twice (D-SACK, RFC 2883).

/// Packets in a row: from the first up to one before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Block {
    /// The first of them.
    pub from: i64,
    /// One past the last.
    pub to: i64,
}

impl Block {
    /// One packet alone.
    #[must_use]
    pub const fn one(number: i64) -> Self {
        Self { from: number, to: number + 1 }
    }

    /// Whether a packet is one of them.
    #[must_use]
    pub const fn has(self, number: i64) -> bool {
        self.from <= number && number < self.to
    }

    /// Whether all of them are in another block.
    #[must_use]
    pub const fn is_inside(self, other: Self) -> bool {
        other.from <= self.from && self.to <= other.to
    }
}

/// The blocks of one acknowledgement, in the order of the option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Blocks {
    blocks: [Block; Self::MOST],
    count: usize,
}

impl Blocks {
    /// As many as fit into TCP's options where there is no time stamp beside them (RFC 2018 §3).
    pub const MOST: usize = 4;

    /// Adds one, if there is room.
    pub fn push(&mut self, block: Block) {
        if let Some(place) = self.blocks.get_mut(self.count) {
            *place = block;
            self.count += 1;
        }
    }

    /// The blocks.
    #[must_use]
    pub fn as_slice(&self) -> &[Block] {
        &self.blocks[..self.count]
    }

    /// From the lowest on.
    pub(super) fn sort(&mut self) {
        self.blocks[..self.count].sort_unstable();
    }
}

impl FromIterator<Block> for Blocks {
    fn from_iter<I: IntoIterator<Item = Block>>(blocks: I) -> Self {
        let mut all = Self::default();
        blocks.into_iter().for_each(|block| all.push(block));
        all
    }
}

/// What an acknowledgement says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Acknowledgement {
    /// The highest packet received in order.
    pub number: i64,
    /// What has arrived beyond it.
    pub blocks: Blocks,
}

impl Acknowledgement {
    /// One without blocks.
    #[must_use]
    pub fn of(number: i64) -> Self {
        Self { number, blocks: Blocks::default() }
    }

    /// The packets that came twice, if the first block tells of some (RFC 2883 §4).
    #[must_use]
    pub fn duplicate(&self) -> Option<Block> {
        let blocks = self.blocks.as_slice();
        let first = *blocks.first()?;
        let is_old = first.to <= self.number + 1;
        let is_inside = blocks.get(1).is_some_and(|second| first.is_inside(*second));
        (is_old || is_inside).then_some(first)
    }

    /// The blocks that tell what has arrived, without the one that tells what came twice.
    #[must_use]
    pub fn arrived(&self) -> &[Block] {
        let skipped = usize::from(self.duplicate().is_some());
        &self.blocks.as_slice()[skipped..]
    }
}
