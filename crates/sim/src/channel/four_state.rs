//! A link whose good periods are short or long, and its bad ones too: two states that are good and two that are bad, each
//! with its mean, and two bit error rates. So there are bursts within bursts, and runs of losses and gaps between them have
//! heavier tails than a two-state link gives (Fritchman's partitioned chain, IEEE Transactions on Information Theory 13(2),
//! 1967, with two good and two bad states, in continuous time).
//!
//! ```text
//!     good   ----+  +-+ +---------------------------+      +-----+ +-+ +------------
//!     bad        +--+ +-+                           +------+     +-+ +-+
//!               short, short          long            long      short
//! ```
//!
//! Whether a period is long is drawn for each anew; a period of one kind is never followed by one of the same kind. What
//! becomes of a frame: [`super::periods`].

use super::periods::{PeriodLength, Switching};
use super::two_state::bad_bit_errors;
use arqway_units::{Ratio, Span, positive_span};
use serde::{Deserialize, Serialize};

/// Settings of the four-state error model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FourState {
    /// The lengths of good periods.
    pub good: MixedPeriods,
    /// The lengths of bad periods.
    pub bad: MixedPeriods,
    /// The bit error rate in a good period.
    #[serde(default)]
    pub good_bit_errors: Ratio,
    /// The bit error rate in a bad period.
    #[serde(default = "bad_bit_errors")]
    pub bad_bit_errors: Ratio,
}

/// Periods of two kinds, each exponentially distributed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MixedPeriods {
    /// Mean length of a short period.
    #[serde(deserialize_with = "positive_span")]
    pub short: Span,
    /// Mean length of a long period.
    #[serde(deserialize_with = "positive_span")]
    pub long: Span,
    /// The share of periods that are long.
    pub long_share: Ratio,
}

impl MixedPeriods {
    fn length(&self) -> PeriodLength {
        PeriodLength { short: self.short, long: self.long, long_share: self.long_share }
    }
}

impl FourState {
    /// What its periods and its errors are.
    pub(super) fn switching(&self) -> Switching {
        Switching {
            good: self.good.length(),
            bad: self.bad.length(),
            good_bit_errors: self.good_bit_errors,
            bad_bit_errors: self.bad_bit_errors,
        }
    }
}
