//! How Snoop is set up. A configuration that parsed is valid. Only the access point's end uses it.

use crate::arq::{Arithmetic, DeviatesFrom, Deviation, Smoothing, gain};
use arqway_units::{Ratio, Span, positive_span};
use core::num::{NonZeroU32, NonZeroUsize};
use serde::{Deserialize, Serialize};

/// The settings. The defaults are ns-2's, which agree with the papers' code where both say something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SnoopConfig"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// How many packets may wait for a line that takes no more.
    pub buffer: NonZeroUsize,
    /// How many segments of a connection are kept until the client has them.
    pub cache: NonZeroUsize,
    /// How many connections are watched; for one more, that which has been silent longest is forgotten.
    pub connections: NonZeroUsize,
    /// A connection that has been silent for so long is forgotten.
    #[serde(deserialize_with = "positive_span")]
    pub forget_after: Span,
    /// Which duplicate acknowledgement brings the segment that is missing: those before it pass.
    pub duplicate_threshold: NonZeroU32,
    /// Whether all connections together count toward that threshold, as in ns-2, instead of each on its own.
    pub shared_duplicate_counter: bool,
    /// How often a segment is sent again from here before it is left to its sender.
    pub retransmissions: u32,
    /// Where a segment sent again waits for the line.
    pub resend: Resend,
    /// When a segment is sent again without any duplicate.
    pub estimator: Estimator,
}

/// Where a segment that is sent again waits, as long as the line takes no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Resend {
    /// Behind what waits already, as in ns-2.
    Behind,
    /// Before everything else.
    First,
}

/// How the round trip from here to the client and back is estimated; the timeout is srtt + 4 srttvar.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SnoopEstimator"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Estimator {
    /// The smoothed round-trip time before the first sample; zero: the first sample is taken whole.
    pub initial_srtt: Span,
    /// Its deviation before the first sample.
    pub initial_srttvar: Span,
    /// How far a sample moves the smoothed round-trip time.
    #[serde(deserialize_with = "gain")]
    pub srtt_gain: Ratio,
    /// How far a sample moves its deviation.
    #[serde(deserialize_with = "gain")]
    pub srttvar_gain: Ratio,
    /// No timeout is shorter.
    #[serde(deserialize_with = "positive_span")]
    pub floor: Span,
}

impl Estimator {
    /// Fractions of a second, and a deviation from the estimate that the sample has moved already, as in ns-2.
    pub(super) fn smoothing(&self) -> Smoothing {
        Smoothing {
            arithmetic: Arithmetic::Float,
            srtt_gain: self.srtt_gain,
            srttvar_gain: self.srttvar_gain,
            deviates_from: DeviatesFrom::Updated,
            deviation: Deviation::Absolute,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            buffer: BUFFER,
            cache: CACHE,
            connections: CONNECTIONS,
            forget_after: Span::from_milliseconds(120_000),
            duplicate_threshold: THRESHOLD,
            shared_duplicate_counter: false,
            retransmissions: 10,
            resend: Resend::Behind,
            estimator: Estimator::default(),
        }
    }
}

/// As many as `raw` holds.
const BUFFER: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");
const CACHE: NonZeroUsize = NonZeroUsize::new(100).expect("not zero");
const CONNECTIONS: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");
const THRESHOLD: NonZeroU32 = NonZeroU32::new(2).expect("not zero");

impl Default for Estimator {
    /// ns-2 gives the old estimate the weight 1/8 and the sample 7/8, the other way round than TCP; so srtt is nearly the
    /// last sample.
    fn default() -> Self {
        Self {
            initial_srtt: Span::from_milliseconds(100),
            initial_srttvar: Span::from_milliseconds(250),
            srtt_gain: share(0.875),
            srttvar_gain: share(0.125),
            floor: Span::from_milliseconds(100),
        }
    }
}

const fn share(value: f64) -> Ratio {
    match Ratio::new(value) {
        Some(share) => share,
        None => Ratio::ONE,
    }
}
