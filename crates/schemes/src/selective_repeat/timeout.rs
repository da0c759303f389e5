//! How long a frame waits for its acknowledgement: a fixed time, or one that follows the measured round-trip time
//! (Adaptive Selective Repeat, monet08 §V).
//!
//! ```text
//!     timeout = a srtt + b srttvar          the policy "a+b"; not below the floor
//! ```
//!
//! The estimate is TCP's ([`RoundTrip`]). A sample is the time from a frame's last transmission to the acknowledgement that
//! is the first to cover it, taken of the last frame that an acknowledgement covers and of no reject, or of one frame at a
//! time ([`Samples`]). A timeout changes nothing: there is no back-off. That no timer expires before one set earlier is
//! [`TimerQueue`](arqway_arq::TimerQueue)'s rule.

use super::samples::Samples;
use arqway_arq::{Arithmetic, RoundTrip, Smoothing};
use arqway_contract::settings;
use arqway_units::{SHORTEST_TIMER, Span, positive_span};
use core::fmt;
use core::str::FromStr;
use serde::de::{Error, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The retransmission timeout of a frame: a length of time, or `{ kind = "adaptive", srtt = 3, srttvar = 2 }`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename_all = "kebab-case"))]
pub enum Timeout {
    /// From the measured round-trip time.
    Adaptive(Policy),
    /// Constant.
    #[cfg_attr(feature = "schema", schemars(untagged))]
    Fixed(Span),
}

/// How many smoothed round-trip times and how many of their deviations make a timeout.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Policy {
    /// The factor of the smoothed round-trip time, alpha in the paper.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1000)))]
    pub srtt: f64,
    /// The factor of its deviation, beta in the paper.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1000)))]
    pub srttvar: f64,
}

impl FromStr for Policy {
    type Err = PolicyError;

    /// Reads `3+2`.
    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let factor = |text: &str| text.parse().ok().filter(|factor| (0.0..=1000.0).contains(factor)).ok_or(PolicyError);
        let (srtt, srttvar) = text.split_once('+').ok_or(PolicyError)?;
        Ok(Self { srtt: factor(srtt)?, srttvar: factor(srttvar)? })
    }
}

/// A text that is no policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected `3+2`, for 3 srtt + 2 srttvar")]
pub struct PolicyError;

settings! {
    /// How the round-trip time is estimated.
    // monet08 §V starts from 1.1 s and 0; it calculates as TCP does, in integers of 10 ms, earlier work in fractions.
    #[derive(Copy)]
    pub struct EstimatorConfig {
        /// How it follows the samples.
        pub smoothing: Smoothing = Smoothing::default(),
        /// Which frames give samples of it.
        pub samples: Samples = Samples::EachAcknowledgement,
        /// The smoothed round-trip time before the first sample; with zero, the first sample becomes the estimate.
        pub initial_srtt: Span = Span::from_milliseconds(1100),
        /// Its deviation before the first sample.
        pub initial_srttvar: Span = Span::ZERO,
        /// The timeout before the first sample, if it does not follow from the other two.
        pub initial_timeout: Option<Span> = None,
        /// The minimum timeout.
        #[serde(deserialize_with = "positive_span")]
        pub floor: Span = Span::from_milliseconds(200),
    }
}

impl From<Span> for Timeout {
    fn from(fixed: Span) -> Self {
        Self::Fixed(fixed)
    }
}

/// As it is read.
impl Serialize for Timeout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Table<'a> {
            kind: &'static str,
            #[serde(flatten)]
            policy: &'a Policy,
        }

        match self {
            Self::Fixed(span) => span.serialize(serializer),
            Self::Adaptive(policy) => Table { kind: "adaptive", policy }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Timeout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TimeoutVisitor;

        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            #[serde(rename = "kind")]
            _kind: Kind,
            #[serde(deserialize_with = "factor")]
            srtt: f64,
            #[serde(deserialize_with = "factor")]
            srttvar: f64,
        }

        /// The one kind of timeout that is a table.
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Kind {
            Adaptive,
        }

        impl<'de> Visitor<'de> for TimeoutVisitor {
            type Value = Timeout;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a length of time or { kind = \"adaptive\", srtt = 3, srttvar = 2 }, such as \"1.1 s\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Timeout, E> {
                let span: Span = text.parse().map_err(E::custom)?;
                if span < SHORTEST_TIMER {
                    return Err(E::custom(alloc::format!("this must be {SHORTEST_TIMER} or more")));
                }
                Ok(Timeout::Fixed(span))
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Timeout, M::Error> {
                let Table { srtt, srttvar, .. } = Table::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Timeout::Adaptive(Policy { srtt, srttvar }))
            }
        }

        deserializer.deserialize_any(TimeoutVisitor)
    }
}

fn factor<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let factor = f64::deserialize(deserializer)?;
    if (0.0..=1000.0).contains(&factor) {
        Ok(factor)
    } else {
        Err(D::Error::custom("expected a factor between 0 and 1000"))
    }
}

/// The timeout, and the estimate behind it if it has one.
#[derive(Debug)]
pub(super) enum Timer {
    Fixed(Span),
    Adaptive(Estimator),
}

impl Timer {
    pub(super) fn new(timeout: Timeout, config: EstimatorConfig) -> Self {
        match timeout {
            Timeout::Fixed(span) => Self::Fixed(span),
            Timeout::Adaptive(policy) => Self::Adaptive(Estimator::new(policy, config)),
        }
    }

    /// How long a frame that is sent now waits.
    pub(super) fn timeout(&self) -> Span {
        match self {
            Self::Fixed(span) => *span,
            Self::Adaptive(estimator) => estimator.timeout,
        }
    }

    pub(super) fn sample(&mut self, round_trip: Span) {
        if let Self::Adaptive(estimator) = self {
            estimator.sample(round_trip);
        }
    }
}

/// The policy over its estimate.
#[derive(Debug)]
pub(super) struct Estimator {
    policy: Policy,
    arithmetic: Arithmetic,
    round_trip: RoundTrip,
    floor: Span,
    timeout: Span,
}

impl Estimator {
    fn new(policy: Policy, config: EstimatorConfig) -> Self {
        let arithmetic = config.smoothing.arithmetic;
        let [srtt, srttvar] = [config.initial_srtt, config.initial_srttvar].map(|span| arithmetic.ticks(span));
        let round_trip = RoundTrip::new(config.smoothing, srtt, srttvar);
        let mut estimator = Self { policy, arithmetic, round_trip, floor: config.floor, timeout: Span::ZERO };
        estimator.timeout =
            config.initial_timeout.map_or_else(|| estimator.calculated(), |span| span.max(config.floor));
        estimator
    }

    fn sample(&mut self, round_trip: Span) {
        self.round_trip.sample(self.arithmetic.ticks(round_trip));
        self.timeout = self.calculated();
    }

    fn calculated(&self) -> Span {
        let Policy { srtt, srttvar } = self.policy;
        Span::from_seconds(self.round_trip.timeout(srtt, srttvar) * self.arithmetic.tick().as_seconds()).max(self.floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_arq::FixedPoint;
    use proptest::prelude::*;

    const WHOLE: Arithmetic = Arithmetic::Integer(FixedPoint::TCP);

    fn estimator(srtt: f64, srttvar: f64, arithmetic: Arithmetic) -> Estimator {
        Estimator::new(
            Policy { srtt, srttvar },
            EstimatorConfig {
                smoothing: Smoothing { arithmetic, ..Smoothing::default() },
                ..EstimatorConfig::default()
            },
        )
    }

    #[test]
    fn before_the_first_sample_the_timeout_follows_from_the_initial_estimate() {
        assert_eq!(estimator(3.0, 2.0, WHOLE).timeout, Span::from_milliseconds(3300));
        let config =
            EstimatorConfig { initial_timeout: Some(Span::from_milliseconds(1100)), ..EstimatorConfig::default() };
        assert_eq!(Estimator::new(Policy { srtt: 3.0, srttvar: 2.0 }, config).timeout, Span::from_milliseconds(1100));
    }

    #[test]
    fn a_sample_moves_the_timeout() {
        let mut fractions = estimator(1.0, 4.0, Arithmetic::Float);
        fractions.sample(Span::from_milliseconds(305));
        // srtt = 110 - 79.5 / 8 = 100.0625; srttvar = 79.5 / 4 = 19.875; together 179.5625; all in units of 10 ms.
        assert!((fractions.timeout.as_seconds() - 1.795_625).abs() < 1e-9, "{:?}", fractions.timeout);
        let mut whole = estimator(1.0, 4.0, WHOLE);
        whole.sample(Span::from_milliseconds(305));
        // A sample of 30 ticks: srtt = 110 - 80 / 8 = 100, srttvar = 20.
        assert_eq!(whole.timeout, Span::from_milliseconds(1800));
        whole.sample(Span::from_milliseconds(305));
        // srtt = 100 - 70 / 8 = 91.25, srttvar = 20 + 50 / 4 = 32.5: 221.25 ticks are cut to 221.
        assert_eq!(whole.timeout, Span::from_milliseconds(2210));
    }

    #[test]
    fn the_factors_of_a_policy_are_read_as_they_stand_from_0_to_1000() {
        let read = |srtt: f64| {
            let text = std::format!(r#"{{"kind":"adaptive","srtt":{srtt},"srttvar":2}}"#);
            serde_json::from_str::<Timeout>(&text).map_err(|error| alloc::string::ToString::to_string(&error))
        };
        for srtt in [0.0, 3.0, 1000.0] {
            assert_eq!(read(srtt), Ok(Timeout::Adaptive(Policy { srtt, srttvar: 2.0 })));
        }
        for srtt in [-0.1, 1000.1] {
            assert!(read(srtt).is_err_and(|error| error.starts_with("expected a factor between 0 and 1000")), "{srtt}");
        }
    }

    #[test]
    fn a_steady_round_trip_is_learned() {
        let mut estimator = estimator(4.0, 0.0, Arithmetic::Float);
        for _ in 0..200 {
            estimator.sample(Span::from_milliseconds(150));
        }
        assert!((estimator.timeout.as_seconds() - 0.6).abs() < 1e-6, "{:?}", estimator.timeout);
    }

    proptest! {
        #[test]
        fn no_sequence_of_samples_brings_the_timeout_below_its_floor(samples in proptest::collection::vec(0u64..20_000, 0..200), srtt in 0.0..6.0, srttvar in 0.0..6.0, whole: bool) {
            let arithmetic = if whole { WHOLE } else { Arithmetic::Float };
            let mut estimator = estimator(srtt, srttvar, arithmetic);
            for sample in samples {
                estimator.sample(Span::from_milliseconds(sample));
                prop_assert!(estimator.timeout >= EstimatorConfig::default().floor);
            }
        }
    }
}
