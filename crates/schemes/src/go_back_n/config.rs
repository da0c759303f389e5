//! How go-back-n is set up. A configuration that parsed is valid.

use super::GoBackN;
use arqway_arq::TimerStarts;
use arqway_contract::{Bounded, End, Grammar, LinkContext, Parameter, SchemeName, Service, settings, timer};
use arqway_units::{Span, positive_span};

settings! {
    /// The settings of one end. The two ends may differ: neither needs to know the other's.
    // The window of Selective Repeat beside it in the papers; times for a link of some milliseconds. multiservice prints
    // neither window nor times.
    #[derive(Eq)]
    #[cfg_attr(feature = "schema", schemars(rename = "GoBackNConfig"))]
    pub struct Config {
        /// The maximum number of unacknowledged frames: up to the modulus less one, since the receiver accepts only the
        /// next frame.
        pub window: Bounded<1, 255> = const { Bounded::new(127).expect("from 1 to 255") },
        /// The retransmission timeout of the oldest unacknowledged frame, after which all are sent again.
        #[serde(deserialize_with = "positive_span")]
        pub timeout: Span = Span::from_milliseconds(100),
        /// When the timer of a frame starts.
        pub timer_starts: TimerStarts = TimerStarts::Departure,
        /// How long an acknowledgement waits for a data frame on which to be piggybacked.
        pub delayed_acknowledgement: Span = Span::from_milliseconds(50),
        /// Whether a queued copy is withdrawn when its acknowledgement arrives.
        pub drop_stale_copies: bool = true,
    }
}

impl Service for Config {
    type End = End<GoBackN>;

    const KNOWS_LOSSES: bool = true;

    const NAMES: &'static [SchemeName] = &[SchemeName::with(
        "go-back-n",
        Parameter {
            key: "timeout",
            required: false,
            grammar: Grammar::Seconds,
            example: "0.1",
            means: "going back after 0.1 s",
        },
    )];

    fn build(&self, _: &LinkContext) -> Self::End {
        End::new(GoBackN::new(self))
    }

    fn residual_loss(&self, _: f64) -> f64 {
        0.0
    }

    fn holds_back(&self) -> bool {
        true
    }

    fn named(&self, _: &str, parameter: Option<&str>) -> Option<Self> {
        let timeout = parameter.map_or(Some(self.timeout), timer)?;
        Some(Self { timeout, ..self.clone() })
    }
}
