//! How late the emulator itself was.
//!
//! A simulated link is never late. A process is: the kernel wakes it some tens of microseconds after the time it asked for,
//! or much later where the machine is busy. What is measured on an emulated link is only as good as this number, so it
//! stands beside every result.

use arqway_units::Span;
use hdrhistogram::Histogram;
use serde::Serialize;

/// The longest lateness that is told apart from longer ones.
const LONGEST: u64 = 60_000_000_000;
/// Digits that are kept: one part in a hundred.
const DIGITS: u8 = 2;

/// Above this, for one in a hundred packets, the machine is too slow for what was asked.
pub const TOO_LATE: Span = Span::from_milliseconds(1);

/// How late packets were handed over, or the process was woken.
#[derive(Debug, Clone)]
pub(crate) struct Lateness(Option<Histogram<u64>>);

/// Lateness in numbers: seconds, 0 where nothing was measured.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct LatenessSummary {
    /// How many were measured.
    pub count: u64,
    /// Half of them were later than this.
    pub median_s: f64,
    /// One in a hundred was later than this.
    pub p99_s: f64,
    /// The latest.
    pub max_s: f64,
}

impl LatenessSummary {
    /// Whether the machine was too slow for what was asked.
    #[must_use]
    pub fn is_too_late(&self) -> bool {
        self.p99_s > TOO_LATE.as_seconds()
    }
}

impl Lateness {
    pub(crate) fn new() -> Self {
        // The bounds are constants that the library accepts.
        Self(Histogram::new_with_max(LONGEST, DIGITS).ok())
    }

    pub(crate) fn record(&mut self, late: Span) {
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(late.as_nanoseconds());
        }
    }

    /// Adds what another has measured, and empties that.
    pub(crate) fn take(&mut self, other: &mut Self) {
        if let (Some(all), Some(new)) = (&mut self.0, &mut other.0) {
            // Both have the same bounds.
            all.add(&*new).ok();
            new.reset();
        }
    }

    pub(crate) fn summary(&self) -> LatenessSummary {
        let Some(histogram) = &self.0 else { return LatenessSummary::default() };
        let seconds = |nanoseconds| Span::from_nanoseconds(nanoseconds).as_seconds();
        LatenessSummary {
            count: histogram.len(),
            median_s: seconds(histogram.value_at_quantile(0.5)),
            p99_s: seconds(histogram.value_at_quantile(0.99)),
            max_s: seconds(histogram.max()),
        }
    }
}
