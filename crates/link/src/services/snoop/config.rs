//! How Snoop is set up. A configuration that parsed is valid. Only the access point's end uses it.

use crate::arq::{Arithmetic, DeviatesFrom, Deviation, Smoothing, gain};
use arqway_units::{Ratio, Span, positive_span};
use core::num::{NonZeroU32, NonZeroUsize};
use serde::{Deserialize, Serialize};

/// The settings. The defaults are ns-2's, which agree with the papers' code wherever both specify a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SnoopConfig"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The number of packets that may wait while the line accepts no more.
    pub buffer: NonZeroUsize,
    /// The number of segments of a connection that are cached until the client has them.
    pub cache: NonZeroUsize,
    /// The number of connections tracked; a new one replaces the one that has been idle longest.
    pub connections: NonZeroUsize,
    /// The idle time after which a connection is forgotten.
    #[serde(deserialize_with = "positive_span")]
    pub forget_after: Span,
    /// The duplicate acknowledgement that triggers the retransmission; those before it pass.
    pub duplicate_threshold: NonZeroU32,
    /// Whether all connections share one count for that threshold, as in ns-2, instead of having one each.
    pub shared_duplicate_counter: bool,
    /// The maximum number of local retransmissions of a segment, before it is left to its sender.
    pub retransmissions: u32,
    /// Where a retransmitted segment waits for the line.
    pub resend: Resend,
    /// When a segment is retransmitted without any duplicate.
    pub estimator: Estimator,
}

/// Where a retransmitted segment waits while the line accepts no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Resend {
    /// Behind the waiting packets, as in ns-2.
    Behind,
    /// Before everything else.
    First,
}

/// How the round trip from here to the client and back is estimated; the timeout is srtt + 4 srttvar.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SnoopEstimator"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Estimator {
    /// The smoothed round-trip time before the first sample; with zero, the first sample becomes the estimate.
    pub initial_srtt: Span,
    /// Its deviation before the first sample.
    pub initial_srttvar: Span,
    /// The gain of the smoothed round-trip time.
    #[serde(deserialize_with = "gain")]
    pub srtt_gain: Ratio,
    /// The gain of its deviation.
    #[serde(deserialize_with = "gain")]
    pub srttvar_gain: Ratio,
    /// The minimum timeout.
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
