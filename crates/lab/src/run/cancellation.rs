//! Stops runs from outside: after the runs under way, or at once.
//!
//! After Ctrl-C the command finishes the current runs, since they are nearly done. A notebook does not wait for a run of
//! minutes, so its runs are abandoned: a world asks every thousand events.

use std::sync::atomic::{AtomicU8, Ordering};

/// A request to stop, shared by the threads that run and the one that stops them.
#[derive(Debug, Default)]
pub struct Cancellation(AtomicU8);

const AFTER_CURRENT_RUNS: u8 = 1;
const AT_ONCE: u8 = 2;

impl Cancellation {
    /// Not requested.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU8::new(0))
    }

    /// Starts no further run; those under way are finished. Returns whether a stop was requested before.
    pub fn after_current_runs(&self) -> bool {
        self.0.fetch_max(AFTER_CURRENT_RUNS, Ordering::Relaxed) > 0
    }

    /// Gives up the runs under way too: they have no results.
    pub fn at_once(&self) {
        self.0.fetch_max(AT_ONCE, Ordering::Relaxed);
    }

    /// Whether no further run may start.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Whether the runs under way are to be given up too.
    #[must_use]
    pub fn is_immediate(&self) -> bool {
        self.0.load(Ordering::Relaxed) == AT_ONCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_immediate_stop_is_not_taken_back() {
        let stop = Cancellation::new();
        assert!(!stop.is_requested());
        assert!(!stop.after_current_runs(), "not requested before");
        assert_eq!((stop.is_requested(), stop.is_immediate()), (true, false));
        stop.at_once();
        assert!(stop.after_current_runs());
        assert!(stop.is_immediate(), "it is not taken back");
    }
}
