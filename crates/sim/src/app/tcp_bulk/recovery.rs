//! How long it takes until a congestion window that a timeout closed is half open again (shikama06 §4.5.2).
//!
//! ```text
//!     window  22 |----\                     ______
//!             11 |.....|...............____/...........    half of the maximum window
//!              1 |      \___/\__/-----/
//!                     timeout, timeout     |
//!                     <------------------->|
//!                             <----------->|               both count, each from its own moment
//! ```

use arqway_units::Time;

/// The timeouts of one connection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recovery {
    /// Those after which the window is still small, and the sum of their moments in nanoseconds.
    open: u64,
    moments: u128,
    recovered: u64,
    taken: u128,
}

impl Recovery {
    /// The retransmission timer has expired.
    pub(super) fn timed_out(&mut self, now: Time) {
        self.open += 1;
        self.moments += u128::from(now.as_nanoseconds());
    }

    /// The window, which has opened a little, and half of what it can be.
    pub(super) fn opened(&mut self, window: f64, half: f64, now: Time) {
        if self.open == 0 || window < half {
            return;
        }
        self.recovered += self.open;
        self.taken += u128::from(self.open) * u128::from(now.as_nanoseconds()) - self.moments;
        (self.open, self.moments) = (0, 0);
    }

    /// The mean of all that came to an end, on all connections.
    pub(super) fn mean_s<'a>(of: impl Iterator<Item = &'a Self>) -> Option<f64> {
        super::mean_s(of.map(|one| (one.recovered, one.taken)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_units::Span;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(1000 * seconds)
    }

    #[test]
    fn a_recovery_lasts_from_each_timeout_until_half_of_the_window_is_open() {
        let mut recovery = Recovery::default();
        recovery.opened(22.0, 11.0, at(1));
        recovery.timed_out(at(10));
        recovery.opened(10.9, 11.0, at(11));
        recovery.timed_out(at(12));
        recovery.opened(11.0, 11.0, at(16));
        recovery.opened(12.0, 11.0, at(30));
        let never = Recovery::default();
        assert_eq!(Recovery::mean_s([recovery, never].iter()), Some(5.0), "6 s and 4 s");
    }

    #[test]
    fn a_timeout_that_the_end_of_the_run_cuts_off_counts_for_nothing() {
        let mut recovery = Recovery::default();
        assert_eq!(Recovery::mean_s([recovery].iter()), None);
        recovery.timed_out(at(59));
        recovery.opened(2.0, 11.0, at(60));
        assert_eq!(Recovery::mean_s([recovery].iter()), None);
    }
}
