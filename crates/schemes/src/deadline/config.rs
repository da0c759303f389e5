//! How recovery with a deadline is set up. A configuration that parsed is valid.

use super::WithDeadline;
use arqway_contract::{End, Grammar, LinkContext, Parameter, SchemeName, Service, settings, timer};
use arqway_units::{Ratio, Span, positive_span};
use core::num::NonZeroUsize;

settings! {
    /// The settings of one end; both ends need the same `deadline`.
    // A playout buffer waits some 60 to 120 ms for packets that are late.
    #[cfg_attr(feature = "schema", schemars(rename = "DeadlineConfig"))]
    pub struct Config {
        /// How long after it came a packet is worth sending, or sending again: as much later than others it may arrive.
        #[serde(deserialize_with = "positive_span")]
        pub deadline: Span = Span::from_milliseconds(100),
        /// The octets of parity at most, as a share of those of packets.
        pub parity: Ratio = const { Ratio::new(0.25).expect("a share") },
        /// Whether missing packets are asked for. Without it nothing is sent back, and parity always has its whole share: for a line on
        /// which nothing comes back, or never in time. The same at both ends.
        pub requests: bool = true,
        /// The number of packets that may wait while the line accepts no more.
        pub buffer: NonZeroUsize = const { NonZeroUsize::new(256).expect("not zero") },
    }
}

impl Service for Config {
    type End = End<WithDeadline>;

    const KNOWS_LOSSES: bool = true;

    const NAMES: &'static [SchemeName] = &[SchemeName::with(
        "deadline",
        Parameter {
            key: "deadline",
            required: false,
            grammar: Grammar::Seconds,
            example: "0.1",
            means: "nothing is sent that is older than 0.1 s",
        },
    )];

    fn build(&self, _: &LinkContext) -> Self::End {
        End::new(WithDeadline::new(self))
    }

    /// A packet that is lost is sent again once, where there is time; two at once near its deadline are not counted on.
    fn residual_loss(&self, frame_loss: f64) -> f64 {
        if self.requests { frame_loss * frame_loss } else { frame_loss }
    }

    fn named(&self, _: &str, parameter: Option<&str>) -> Option<Self> {
        let deadline = parameter.map_or(Some(self.deadline), timer)?;
        Some(Self { deadline, ..self.clone() })
    }
}
