//! How runs are stopped from outside: whoever waits for them may have two degrees of patience.

use std::sync::atomic::{AtomicU8, Ordering};

/// Says to runs that they are to stop; shared by who runs them and who stops them.
#[derive(Debug, Default)]
pub struct Stop(AtomicU8);

const AFTER_RUNS_UNDER_WAY: u8 = 1;
const AT_ONCE: u8 = 2;

impl Stop {
    /// Nobody has said so.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU8::new(0))
    }

    /// No run is begun any more; those under way are finished. Whether it was said before.
    pub fn after_runs_under_way(&self) -> bool {
        self.0.fetch_max(AFTER_RUNS_UNDER_WAY, Ordering::Relaxed) > 0
    }

    /// Runs under way are given up too: they have no results.
    pub fn at_once(&self) {
        self.0.fetch_max(AT_ONCE, Ordering::Relaxed);
    }

    /// Whether no run is to be begun.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Whether the runs under way are to be given up.
    #[must_use]
    pub fn is_at_once(&self) -> bool {
        self.0.load(Ordering::Relaxed) == AT_ONCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_no_patience_is_not_asked_for_it_again() {
        let stop = Stop::new();
        assert!(!stop.is_asked());
        assert!(!stop.after_runs_under_way(), "nobody had said so");
        assert_eq!((stop.is_asked(), stop.is_at_once()), (true, false));
        stop.at_once();
        assert!(stop.after_runs_under_way());
        assert!(stop.is_at_once(), "it is not taken back");
    }
}
