//! The only file that reads a clock.
//!
//! It maps the system's monotonic clock (`CLOCK_MONOTONIC`) to [`Time`] since the start, so that a trace of a real link
//! begins at zero like one of the simulator.

use arqway_units::{Span, Time};
use rustix::event::Timespec;
use std::time::{Duration, Instant, SystemTime};

/// A clock that began to run when it was made.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock that shows [`Time::ZERO`] now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads clocks")]
    pub fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// How long after 1970 (UTC) it was started, as the system's other clock has it now: another answer once that was set, or
    /// the machine slept, which this one does not count.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads clocks")]
    pub fn since_1970(&self) -> Span {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        span(now.saturating_sub(self.start.elapsed()))
    }

    /// The time since the start. It never decreases.
    #[must_use]
    pub fn now(&self) -> Time {
        Time::ZERO + span(self.start.elapsed())
    }
}

fn span(duration: Duration) -> Span {
    Span::from_nanoseconds(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

/// How long `ppoll` may wait; without a limit where the length is beyond what it can count.
///
/// `Time`, the clock and `ppoll` all count nanoseconds and the kernel never wakes early, so that a deadline is due once
/// a wait for it has run out: nothing is rounded down, and a loop cannot spin in the last fraction of a millisecond.
#[must_use]
pub fn timeout(span: Span) -> Option<Timespec> {
    Timespec::try_from(Duration::from_nanos(span.as_nanoseconds())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_never_shorter_than_its_span() {
        let wait = timeout(Span::from_nanoseconds(1_000_000_001));
        assert_eq!(wait, Some(Timespec { tv_sec: 1, tv_nsec: 1 }));
    }

    #[test]
    fn the_start_has_a_date() {
        // 2025 to 2100.
        assert!((1.7e9..4.1e9).contains(&Clock::start().since_1970().as_seconds()));
    }

    #[test]
    fn the_clock_never_goes_back() {
        let clock = Clock::start();
        let earlier = clock.now();
        assert!(clock.now() >= earlier);
    }
}
