//! The distributions of what a user waits for: a probe of every run.

use arqway_sim::Probe;
use arqway_sim::app::{Application, DelayDistributions};
use arqway_units::{Span, Time};
use hdrhistogram::Histogram;
use std::collections::BTreeMap;

/// A distribution for each application that has delivered something.
#[derive(Default)]
pub(crate) struct Delays(BTreeMap<Application, Distribution>);

impl Probe for Delays {
    fn delivered(&mut self, application: Application, delay: Span, _now: Time) {
        self.0.entry(application).or_insert_with(Distribution::new).record(delay);
    }
}

impl DelayDistributions for Delays {
    fn quantile_s(&self, application: Application, share: f64) -> Option<f64> {
        self.0.get(&application)?.quantile_s(share)
    }

    fn share_within(&self, application: Application, most: Span) -> Option<f64> {
        self.0.get(&application)?.share_within(most)
    }
}

/// The distribution of a length of time, in microseconds, to three digits: its size does not grow with the run.
struct Distribution(Option<Histogram<u64>>);

/// No run lasts longer than this; a length beyond it would count as it.
const LONGEST_MICROSECONDS: u64 = 1_000_000_000_000;

impl Distribution {
    fn new() -> Self {
        Self(Histogram::new_with_max(LONGEST_MICROSECONDS, 3).ok())
    }

    fn record(&mut self, length: Span) {
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(length.as_nanoseconds() / 1000);
        }
    }

    /// The share of them that is no longer than `most`; none where there is none.
    fn share_within(&self, most: Span) -> Option<f64> {
        let histogram = self.0.as_ref().filter(|histogram| !histogram.is_empty())?;
        let within = histogram.count_between(0, most.as_nanoseconds() / 1000);
        Some(within as f64 / histogram.len() as f64)
    }

    /// The length, in seconds, that this share of them does not exceed; none where there is none.
    fn quantile_s(&self, quantile: f64) -> Option<f64> {
        let histogram = self.0.as_ref().filter(|histogram| !histogram.is_empty())?;
        Some(histogram.value_at_quantile(quantile) as f64 / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_within_a_time_counts_what_took_as_long_or_less() {
        let mut delays = Distribution::new();
        assert_eq!(delays.share_within(Span::from_milliseconds(150)), None);
        for milliseconds in [100, 150, 200, 5000] {
            delays.record(Span::from_milliseconds(milliseconds));
        }
        assert_eq!(delays.share_within(Span::from_milliseconds(150)), Some(0.5));
    }

    #[test]
    fn the_longest_delays_of_congested_media_are_told_apart() {
        let mut delays = Distribution::new();
        for milliseconds in 1..=10_000 {
            delays.record(Span::from_milliseconds(milliseconds));
        }
        let quantile = delays.quantile_s(0.95).expect("there are delays");
        assert!((quantile - 9.5).abs() < 0.01, "three digits: {quantile}");
    }
}
