//! Who watches an advice in the making: counts its runs, and may stop them.

use arqway_lab::run::cancellation::Cancellation;
use std::num::NonZeroUsize;

/// How the runs go, as somebody watches. How long a race is, shows only while it goes on.
#[derive(Clone, Copy)]
pub struct Watcher<'a> {
    /// How many runs at a time.
    pub jobs: NonZeroUsize,
    /// Set to stop.
    pub stop: &'a Cancellation,
    /// Called when so many more runs are to follow.
    pub planned: &'a dyn Fn(usize),
    /// Called when a run is finished.
    pub finished: &'a (dyn Fn() + Sync),
}
