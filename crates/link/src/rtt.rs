//! Smoothed round-trip time and its mean deviation, in integer clock ticks (Jacobson 1988; RFC 6298 §2).
//!
//! ```text
//!     deviation += (|sample - srtt| - deviation) / 4
//!     srtt      += (sample - srtt) / 8
//! ```
//!
//! The state keeps three and two bits behind the binary point, as BSD and ns-2 do, so that no precision is lost to the
//! gains of 1/8 and 1/4.

/// The estimate; TCP's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RoundTrip {
    /// Eight times the smoothed round-trip time; zero before the first sample.
    smoothed: i64,
    /// Four times the mean deviation.
    deviation: i64,
}

impl RoundTrip {
    /// An estimate before its first sample, whose deviation is a guess in ticks.
    #[must_use]
    pub fn with_deviation(ticks: i64) -> Self {
        Self { smoothed: 0, deviation: ticks * 4 }
    }

    /// Takes a sample of so many ticks; less than one counts as one.
    pub fn sample(&mut self, ticks: i64) {
        let ticks = ticks.max(1);
        if self.smoothed == 0 {
            self.smoothed = ticks * 8;
            self.deviation = ticks * 2;
            return;
        }
        let error = ticks - self.smoothed / 8;
        self.smoothed = (self.smoothed + error).max(1);
        self.deviation = (self.deviation + error.abs() - self.deviation / 4).max(1);
    }

    /// srtt + 4 deviations, in whole ticks.
    #[must_use]
    pub fn timeout(&self) -> i64 {
        (self.deviation * 8 + self.smoothed) / 8
    }

    /// Gives up the smoothed time after many timeouts in a row, keeping it as uncertainty: the next sample starts anew.
    pub fn distrust(&mut self) {
        self.deviation += self.smoothed / 8;
        self.smoothed = 0;
    }

    /// The smoothed round-trip time in whole ticks.
    #[must_use]
    pub fn smoothed(&self) -> i64 {
        self.smoothed / 8
    }

    /// The mean deviation in quarters of a tick.
    #[must_use]
    pub fn deviation_quarters(&self) -> i64 {
        self.deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sample_is_taken_whole_and_half_of_it_as_deviation() {
        let mut estimate = RoundTrip::with_deviation(1200);
        estimate.sample(11);
        assert_eq!((estimate.smoothed(), estimate.deviation_quarters(), estimate.timeout()), (11, 22, 33));
    }

    #[test]
    fn later_samples_move_the_estimate_by_an_eighth_and_a_quarter() {
        let mut estimate = RoundTrip::default();
        estimate.sample(11);
        estimate.sample(14);
        assert_eq!((estimate.smoothed(), estimate.deviation_quarters()), (11, 20));
    }

    #[test]
    fn a_steady_round_trip_ends_at_that_value() {
        let mut estimate = RoundTrip::default();
        for _ in 0..100 {
            estimate.sample(40);
        }
        assert_eq!((estimate.smoothed(), estimate.deviation_quarters() / 4), (40, 0));
    }
}
