//! Who watches an advice in the making: counts its runs, and may stop them.

use arqway_lab::run::cancellation::Cancellation;
use std::num::NonZeroUsize;

/// How the runs go, as somebody watches.
pub struct Watcher<'a, P> {
    /// How many runs at a time.
    pub jobs: NonZeroUsize,
    /// Set to stop.
    pub stop: &'a Cancellation,
    /// Is told of runs.
    pub progress: &'a P,
}

/// What somebody who watches is told; how long a race is, shows only while it goes on.
pub trait Progress: Sync {
    /// So many more runs will follow.
    fn planned(&self, runs: usize);
    /// A run is finished.
    fn finished(&self);
}
