//! Smoothed round-trip time and its mean deviation: the one estimator, TCP's and Adaptive Selective Repeat's
//! (Jacobson 1988; RFC 6298 §2; monet08 §V).
//!
//! ```text
//!     srtt    += 1/8 (sample - srtt)
//!     srttvar += 1/4 (|sample - srtt| - srttvar)
//! ```
//!
//! In integer arithmetic both are kept in ticks with a few bits behind the binary point, rounded down, and a timeout is
//! whole ticks. BSD, ns-2 and the papers keep three bits and two: just what gains of 1/8 and 1/4 need to lose nothing.

use arqway_units::{Ratio, Span, ToFloat, positive_span};
use serde::{Deserialize, Deserializer, Serialize};

/// How an estimate follows its samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Smoothing {
    /// Integers or floating point.
    pub arithmetic: Arithmetic,
    /// The gain of the smoothed round-trip time.
    #[serde(deserialize_with = "gain")]
    pub srtt_gain: Ratio,
    /// The gain of its deviation.
    #[serde(deserialize_with = "gain")]
    pub srttvar_gain: Ratio,
    /// The smoothed round-trip time from which the deviation of a sample is taken.
    pub deviates_from: DeviatesFrom,
    /// Whether the deviation is taken as an absolute value or with its sign.
    pub deviation: Deviation,
}

/// The arithmetic of the estimator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// Floating point.
    Float,
    /// Integers in clock ticks, with a few bits after the binary point.
    Integer(FixedPoint),
}

/// How integers hold an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FixedPoint {
    /// Length of a tick.
    #[serde(deserialize_with = "positive_span")]
    pub tick: Span,
    /// Bits of the smoothed round-trip time after the binary point.
    #[serde(deserialize_with = "bits")]
    pub srtt_bits: u8,
    /// Bits of its deviation after the binary point.
    #[serde(deserialize_with = "bits")]
    pub srttvar_bits: u8,
}

/// The smoothed round-trip time from which the deviation of a sample is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DeviatesFrom {
    /// The previous one, before the sample updates it (RFC 6298 §2.3).
    Previous,
    /// The one that the sample has already updated.
    Updated,
}

/// How the deviation of a sample is averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Deviation {
    /// Its absolute value, so that the average measures spread (RFC 6298 §2.3).
    Absolute,
    /// With its sign, as in the formula of aina06 and mobimedia07: it lengthens the timeout while the round-trip time
    /// grows and shortens it while the round-trip time shrinks.
    Signed,
}

/// More bits than this tell nothing of any clock.
const MOST_BITS: u8 = 16;

impl Default for Smoothing {
    /// TCP's gains (RFC 6298 §2.3), in fractions.
    fn default() -> Self {
        Self { arithmetic: Arithmetic::Float, ..Self::TCP }
    }
}

impl Default for FixedPoint {
    fn default() -> Self {
        Self::TCP
    }
}

impl FixedPoint {
    /// BSD's and ns-2's, with the tick of today's systems.
    pub const TCP: Self = Self { tick: Span::from_milliseconds(10), srtt_bits: 3, srttvar_bits: 2 };
}

impl Smoothing {
    /// BSD's and ns-2's.
    pub const TCP: Self = Self {
        arithmetic: Arithmetic::Integer(FixedPoint::TCP),
        srtt_gain: EIGHTH,
        srttvar_gain: QUARTER,
        deviates_from: DeviatesFrom::Previous,
        deviation: Deviation::Absolute,
    };
}

const EIGHTH: Ratio = share(0.125);
const QUARTER: Ratio = share(0.25);

const fn share(value: f64) -> Ratio {
    match Ratio::new(value) {
        Some(share) => share,
        None => Ratio::ONE,
    }
}

impl Arithmetic {
    /// The unit of estimates; without whole numbers any will do.
    #[must_use]
    pub fn tick(self) -> Span {
        match self {
            Self::Float => Span::from_milliseconds(1),
            Self::Integer(fixed) => fixed.tick,
        }
    }

    /// A length of time in ticks: whole ones that have passed, or fractions.
    #[must_use]
    pub fn ticks(self, span: Span) -> f64 {
        let (span, tick) = (span.as_nanoseconds(), self.tick().as_nanoseconds());
        match self {
            Self::Float => span.to_f64() / tick.to_f64(),
            Self::Integer(_) => (span / tick).to_f64(),
        }
    }

    /// The part of an estimate that a reader takes: whole ticks, or all of it.
    fn read(self, ticks: f64) -> f64 {
        match self {
            Self::Float => ticks,
            Self::Integer(_) => libm::floor(ticks),
        }
    }
}

/// The estimate, in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundTrip {
    smoothing: Smoothing,
    /// Zero before the first sample.
    srtt: f64,
    srttvar: f64,
}

impl RoundTrip {
    /// An estimate that starts from a guess. Without one of the round-trip time itself (zero) the first sample is taken
    /// whole, and half of it as its deviation.
    #[must_use]
    pub fn new(smoothing: Smoothing, srtt_ticks: f64, srttvar_ticks: f64) -> Self {
        Self { smoothing, srtt: srtt_ticks, srttvar: srttvar_ticks }
    }

    /// Takes a sample, in ticks. Whole numbers know nothing shorter than one.
    pub fn sample(&mut self, ticks: f64) {
        let Smoothing { arithmetic, srtt_gain, srttvar_gain, deviates_from, deviation } = self.smoothing;
        let (srtt_digit, srttvar_digit) = self.last_digits();
        let sample = match arithmetic {
            Arithmetic::Float => ticks,
            Arithmetic::Integer(_) => ticks.max(1.0),
        };
        if self.srtt == 0.0 {
            (self.srtt, self.srttvar) = (sample, sample / 2.0);
            return;
        }
        let error = sample - self.srtt();
        self.srtt += rounded(error * srtt_gain.as_f64(), srtt_digit);
        let deviates = match deviates_from {
            DeviatesFrom::Previous => error,
            DeviatesFrom::Updated => sample - self.srtt(),
        };
        let averaged = match deviation {
            Deviation::Absolute => deviates.abs(),
            Deviation::Signed => deviates,
        };
        let growth = (averaged - self.srttvar()) * srttvar_gain.as_f64();
        self.srttvar += rounded(growth, srttvar_digit);
    }

    /// What the last bit of each estimate is worth.
    fn last_digits(&self) -> (f64, f64) {
        let digit = |bits: u8| 1.0 / f64::from(1u32 << bits.min(MOST_BITS));
        match self.smoothing.arithmetic {
            Arithmetic::Float => (0.0, 0.0),
            Arithmetic::Integer(fixed) => (digit(fixed.srtt_bits), digit(fixed.srttvar_bits)),
        }
    }

    /// The smoothed round-trip time as it is read.
    #[must_use]
    pub fn srtt(&self) -> f64 {
        self.smoothing.arithmetic.read(self.srtt)
    }

    /// Its deviation as it is read.
    #[must_use]
    pub fn srttvar(&self) -> f64 {
        self.smoothing.arithmetic.read(self.srttvar)
    }

    /// The deviation with what stands behind the binary point.
    #[must_use]
    pub fn exact_srttvar(&self) -> f64 {
        self.srttvar
    }

    /// A timeout of so many round-trip times and so many deviations, in ticks; TCP's is 1 and 4 (RFC 6298 §2.3). Integers
    /// are cut after the sum, as BSD and ns-2 do.
    #[must_use]
    pub fn timeout(&self, srtts: f64, srttvars: f64) -> f64 {
        self.smoothing.arithmetic.read(srtts * self.srtt + srttvars * self.srttvar)
    }

    /// Gives up the smoothed time after many timeouts in a row, keeping it as uncertainty: the next sample starts anew.
    pub fn distrust(&mut self) {
        self.srttvar += self.srtt() / 4.0;
        self.srtt = 0.0;
    }
}

/// Rounded down to a multiple of a digit; without digits as it is.
fn rounded(value: f64, digit: f64) -> f64 {
    if digit == 0.0 { value } else { libm::floor(value / digit) * digit }
}

/// A share of which nothing would never learn.
pub fn gain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ratio, D::Error> {
    let gain = Ratio::deserialize(deserializer)?;
    if gain == Ratio::ZERO {
        return Err(serde::de::Error::custom("a gain of nothing would never learn; TCP's are 12.5 % and 25 %"));
    }
    Ok(gain)
}

fn bits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let bits = u8::deserialize(deserializer)?;
    if bits > MOST_BITS {
        return Err(serde::de::Error::custom(alloc::format!("this must be 0 to {MOST_BITS} bits")));
    }
    Ok(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tcp() -> RoundTrip {
        RoundTrip::new(Smoothing::TCP, 0.0, 0.0)
    }

    #[test]
    fn the_first_sample_is_taken_whole_and_half_of_it_as_deviation() {
        let mut estimate = RoundTrip::new(Smoothing::TCP, 0.0, 300.0);
        estimate.sample(11.0);
        assert_eq!((estimate.srtt(), estimate.exact_srttvar(), estimate.timeout(1.0, 4.0)), (11.0, 5.5, 33.0));
    }

    #[test]
    fn later_samples_move_the_estimate_by_an_eighth_and_a_quarter() {
        let mut estimate = tcp();
        estimate.sample(11.0);
        estimate.sample(14.0);
        assert_eq!((estimate.srtt(), estimate.exact_srttvar()), (11.0, 5.0));
    }

    #[test]
    fn a_steady_round_trip_ends_at_that_value() {
        let mut estimate = tcp();
        for _ in 0..100 {
            estimate.sample(40.0);
        }
        assert_eq!((estimate.srtt(), estimate.srttvar()), (40.0, 0.0));
    }

    #[test]
    fn a_deviation_is_measured_before_or_after_the_estimate_moves() {
        let after = |deviates_from| {
            let smoothing = Smoothing { deviates_from, ..Smoothing::default() };
            let mut estimate = RoundTrip::new(smoothing, 110.0, 0.0);
            estimate.sample(30.0);
            (estimate.srtt(), estimate.srttvar())
        };
        assert_eq!(after(DeviatesFrom::Previous), (100.0, 20.0));
        assert_eq!(after(DeviatesFrom::Updated), (100.0, 17.5));
    }

    #[test]
    fn a_deviation_with_its_sign_shortens_the_timeout_while_the_round_trip_shrinks() {
        let smoothing = Smoothing { deviation: Deviation::Signed, ..Smoothing::default() };
        let mut estimate = RoundTrip::new(smoothing, 110.0, 0.0);
        estimate.sample(30.0);
        assert_eq!((estimate.srtt(), estimate.srttvar(), estimate.timeout(1.0, 4.0)), (100.0, -20.0, 20.0));
        estimate.sample(180.0);
        assert_eq!((estimate.srtt(), estimate.srttvar()), (110.0, 5.0));
    }

    #[test]
    fn without_bits_behind_the_point_small_errors_are_never_learned() {
        let coarse = FixedPoint { srtt_bits: 0, srttvar_bits: 0, ..FixedPoint::TCP };
        let smoothing = Smoothing { arithmetic: Arithmetic::Integer(coarse), ..Smoothing::TCP };
        let mut estimate = RoundTrip::new(smoothing, 40.0, 0.0);
        for _ in 0..100 {
            estimate.sample(47.0);
        }
        assert_eq!(estimate.srtt(), 40.0, "an eighth of seven ticks is no whole tick");
    }

    proptest! {
        #[test]
        fn integers_are_jacobsons_own(samples in proptest::collection::vec(1i64..500, 1..200)) {
            // Jacobson 1988, appendix A: eight times the one, four times the other, in shifts.
            let (mut eight_srtt, mut four_srttvar) = (samples[0] * 8, samples[0] * 2);
            let mut estimate = tcp();
            estimate.sample(samples[0] as f64);
            for sample in &samples[1..] {
                let error = sample - (eight_srtt >> 3);
                eight_srtt = (eight_srtt + error).max(1);
                four_srttvar = (four_srttvar + error.abs() - (four_srttvar >> 2)).max(1);
                estimate.sample(*sample as f64);
                prop_assert_eq!(estimate.srtt(), (eight_srtt >> 3) as f64);
                prop_assert_eq!(estimate.exact_srttvar() * 4.0, four_srttvar as f64);
                prop_assert_eq!(estimate.timeout(1.0, 4.0), ((four_srttvar * 8 + eight_srtt) >> 3) as f64);
            }
        }
    }
}
