//! How Snoop is set up. A configuration that parsed is valid. Only the access point's end uses it.

use arqway_arq::{Arithmetic, DeviatesFrom, Deviation, Smoothing, gain};
use arqway_contract::settings;
use arqway_units::{Ratio, Span, positive_span};
use core::num::{NonZeroU32, NonZeroUsize};
use serde::{Deserialize, Serialize};

settings! {
    /// The settings. The defaults are ns-2's, which agree with the papers' code wherever both specify a value.
    #[cfg_attr(feature = "schema", schemars(rename = "SnoopConfig"))]
    pub struct Config {
        /// The number of packets that may wait while the line accepts no more.
        pub buffer: NonZeroUsize = const { NonZeroUsize::new(256).expect("not zero") },
        /// The number of segments of a connection that are cached until the client has them.
        pub cache: NonZeroUsize = const { NonZeroUsize::new(100).expect("not zero") },
        /// The number of connections tracked; a new one replaces the one that has been idle longest.
        pub connections: NonZeroUsize = const { NonZeroUsize::new(256).expect("not zero") },
        /// The idle time after which a connection is forgotten.
        #[serde(deserialize_with = "positive_span")]
        pub forget_after: Span = Span::from_milliseconds(120_000),
        /// The duplicate acknowledgement that triggers the retransmission; those before it pass.
        pub duplicate_threshold: NonZeroU32 = const { NonZeroU32::new(2).expect("not zero") },
        /// Whether all connections share one count for that threshold, as in ns-2, instead of having one each.
        pub shared_duplicate_counter: bool = false,
        /// The maximum number of local retransmissions of a segment, before it is left to its sender.
        pub retransmissions: u32 = 10,
        /// Where a retransmitted segment waits for the line.
        pub resend: Resend = Resend::Behind,
        /// When a segment is retransmitted without any duplicate.
        pub estimator: Estimator = Estimator::default(),
    }
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

settings! {
    /// How the round trip from here to the client and back is estimated; the timeout is srtt + 4 srttvar.
    // ns-2 gives the old estimate the weight 1/8 and the sample 7/8, the other way round than TCP; so srtt is nearly the
    // last sample.
    #[derive(Copy)]
    #[cfg_attr(feature = "schema", schemars(rename = "SnoopEstimator"))]
    pub struct Estimator {
        /// The smoothed round-trip time before the first sample; with zero, the first sample becomes the estimate.
        pub initial_srtt: Span = Span::from_milliseconds(100),
        /// Its deviation before the first sample.
        pub initial_srttvar: Span = Span::from_milliseconds(250),
        /// The gain of the smoothed round-trip time.
        #[serde(deserialize_with = "gain")]
        pub srtt_gain: Ratio = share(0.875),
        /// The gain of its deviation.
        #[serde(deserialize_with = "gain")]
        pub srttvar_gain: Ratio = share(0.125),
        /// The minimum timeout.
        #[serde(deserialize_with = "positive_span")]
        pub floor: Span = Span::from_milliseconds(100),
    }
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

const fn share(value: f64) -> Ratio {
    match Ratio::new(value) {
        Some(share) => share,
        None => Ratio::ONE,
    }
}
