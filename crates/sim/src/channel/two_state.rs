//! A link that is good for a while and bad for a while: exponential holding times, a bit error rate in each state
//! (monet08 §III; Gilbert and Elliott in continuous time). What becomes of a frame: [`super::periods`].

use super::periods::{PeriodLength, Switching};
use arqway_units::{Ratio, Span, positive_span};
use serde::{Deserialize, Serialize};

/// Settings of the two-state error model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TwoState {
    /// Mean length of a good period.
    #[serde(default = "good", deserialize_with = "positive_span")]
    pub good: Span,
    /// Mean length of a bad period.
    #[serde(deserialize_with = "positive_span")]
    pub bad: Span,
    /// The bit error rate in a good period.
    #[serde(default)]
    pub good_bit_errors: Ratio,
    /// The bit error rate in a bad period.
    #[serde(default = "bad_bit_errors")]
    pub bad_bit_errors: Ratio,
}

/// monet08 §III: good periods of 10 s, a bit error rate of 10^-2 in bad ones. That of good ones, 10^-6, stands in its figures.
fn good() -> Span {
    Span::from_milliseconds(10_000)
}

pub(super) fn bad_bit_errors() -> Ratio {
    Ratio::new(1e-2).unwrap_or_default()
}

impl TwoState {
    /// What its periods and its errors are.
    pub(super) fn switching(&self) -> Switching {
        Switching {
            good: PeriodLength::exponential(self.good),
            bad: PeriodLength::exponential(self.bad),
            good_bit_errors: self.good_bit_errors,
            bad_bit_errors: self.bad_bit_errors,
        }
    }
}
