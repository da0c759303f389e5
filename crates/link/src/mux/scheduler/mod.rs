//! In which order the frames of several services go to the link.
//!
//! A scheduler knows lanes, sizes and items and nothing else, so it is tested with integers.

mod first_come;
mod self_clocked;

pub use first_come::FirstComeFirstServed;
pub use self_clocked::SelfClocked;

use super::rates::{Rates, Shares};
use arqway_units::Octets;
use serde::{Deserialize, Serialize};

/// Who an item belongs to: the index of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaneId(pub usize);

/// The kind of scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SchedulerConfig {
    /// First come, first served: a service that sends more gets more of the link.
    #[default]
    Fcfs,
    /// Self-clocked fair queueing: each service gets its share of the link, and a proportional part of unused capacity.
    Scfq(Scfq),
}

/// How self-clocked fair queueing is set up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scfq {
    /// The source of the shares.
    pub rates: Rates,
}

/// Any of the schedulers.
#[derive(Debug)]
pub(super) enum Scheduler<T> {
    Fcfs(FirstComeFirstServed<T>),
    Scfq(SelfClocked<T>),
}

impl<T> Scheduler<T> {
    pub(super) fn new(config: SchedulerConfig, shares: &Shares) -> Self {
        match config {
            SchedulerConfig::Fcfs => Self::Fcfs(FirstComeFirstServed::new(shares.parts().len())),
            SchedulerConfig::Scfq(_) => Self::Scfq(SelfClocked::new(shares.parts())),
        }
    }

    pub(super) fn push(&mut self, lane: LaneId, size: Octets, item: T) {
        match self {
            Self::Fcfs(scheduler) => scheduler.push(lane, item),
            Self::Scfq(scheduler) => scheduler.push(lane, size, item),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Fcfs(scheduler) => scheduler.is_empty(),
            Self::Scfq(scheduler) => scheduler.is_empty(),
        }
    }

    /// What goes next.
    pub(super) fn first(&self) -> Option<&T> {
        match self {
            Self::Fcfs(scheduler) => scheduler.first(),
            Self::Scfq(scheduler) => scheduler.first(),
        }
    }

    pub(super) fn pop(&mut self) -> Option<(LaneId, T)> {
        match self {
            Self::Fcfs(scheduler) => scheduler.pop(),
            Self::Scfq(scheduler) => scheduler.pop(),
        }
    }

    pub(super) fn waiting(&self, lane: LaneId) -> usize {
        match self {
            Self::Fcfs(scheduler) => scheduler.waiting(lane),
            Self::Scfq(scheduler) => scheduler.waiting(lane),
        }
    }

    /// Items that enter from now on are stamped by these shares.
    pub(super) fn set_shares(&mut self, shares: &Shares) {
        match self {
            Self::Fcfs(_) => {}
            Self::Scfq(scheduler) => scheduler.set_weights(shares.parts()),
        }
    }
}

#[cfg(test)]
mod tests;
