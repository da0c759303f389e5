//! The share of one of several machines in a study: every n-th batch.

use super::pack;
use crate::run::plan::{Plan, Run};
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// `2/3`: the second of three shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which, counted from 1.
    index: NonZeroU32,
    /// Of how many.
    of: NonZeroU32,
}

/// Why a text is not a shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// Not two numbers.
    #[error("expected i/n, such as 2/3 for the second of three shards")]
    Form,
    /// None of the shares there are.
    #[error("there is no shard {index} of {of}: shards are numbered 1 to {of}")]
    Index {
        /// What was asked for.
        index: u32,
        /// How many there are.
        of: NonZeroU32,
    },
    /// More than a study is shared into.
    #[error("expected at most {MOST_SHARDS} shards, not {0}")]
    Many(NonZeroU32),
}

/// The most shares of a study: with more, each would be a second of work.
pub(super) const MOST_SHARDS: u32 = 1000;

impl Shard {
    /// All shares of so many.
    pub fn all(of: NonZeroU32) -> impl Iterator<Item = Self> {
        (1..=of.get()).filter_map(NonZeroU32::new).map(move |index| Self { index, of })
    }

    /// How many shares there are.
    #[must_use]
    pub fn of(self) -> NonZeroU32 {
        self.of
    }

    /// Its runs of each of these plans: the pieces of all plans are dealt out one by one, each round from the next shard on, so that
    /// pieces that come back in step with the shards do not all fall to one.
    #[must_use]
    pub fn runs_of(self, plans: &[&Plan]) -> Vec<Vec<Run>> {
        let mut next = 0;
        let mut is_mine = |_: &Vec<Run>| {
            let number = (next + next / self.of.get()) % self.of.get();
            next += 1;
            number == self.index.get() - 1
        };
        let mine = |plan: &&Plan| pack(plan, &plan.runs).into_iter().filter(&mut is_mine).flatten().collect();
        plans.iter().map(mine).collect()
    }
}

impl FromStr for Shard {
    type Err = ShardError;
    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (index, of) = text.split_once('/').ok_or(ShardError::Form)?;
        let index: u32 = index.trim().parse().map_err(|_| ShardError::Form)?;
        let of: NonZeroU32 = of.trim().parse().map_err(|_| ShardError::Form)?;
        if of.get() > MOST_SHARDS {
            return Err(ShardError::Many(of));
        }
        let valid = NonZeroU32::new(index).filter(|index| *index <= of);
        valid.map(|index| Self { index, of }).ok_or(ShardError::Index { index, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.index, self.of)
    }
}
