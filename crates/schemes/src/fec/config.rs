//! How forward error correction is set up. A configuration that parsed is valid.

use super::Fec;
use arqway_contract::{Bounded, End, Grammar, LinkContext, Parameter, SchemeName, Service, digits, settings};
use arqway_units::{Span, positive_span};
use core::num::NonZeroUsize;

/// How many data frames a block may have: a quarter of the numbers that one octet counts, so that the receiver may look
/// back two blocks and still tell numbers apart.
pub(super) const LARGEST_BLOCK: u16 = 64;

settings! {
    /// The settings of one end; both ends need the same block.
    // The block of multiservice §III, which prints no timeout.
    #[derive(Eq)]
    #[cfg_attr(feature = "schema", schemars(rename = "XorFecConfig"))]
    pub struct Config {
        /// The number of data frames that a parity frame covers.
        pub block: Bounded<2, LARGEST_BLOCK> = const { Bounded::new(12).expect("from 2 to 64") },
        /// The idle time before an unfinished block gets its parity frame.
        #[serde(deserialize_with = "positive_span")]
        pub idle_timeout: Span = Span::from_milliseconds(50),
        /// The number of packets that may wait while the line accepts no more.
        pub buffer: NonZeroUsize = const { NonZeroUsize::new(256).expect("not zero") },
    }
}

impl Service for Config {
    type End = End<Fec>;

    const KNOWS_LOSSES: bool = true;

    const NAMES: &'static [SchemeName] = &[SchemeName::with(
        "xor-fec",
        Parameter {
            key: "block",
            required: false,
            grammar: Grammar::Count { least: 2, most: LARGEST_BLOCK },
            example: "12",
            means: "a parity frame for every 12",
        },
    )];

    fn build(&self, _: &LinkContext) -> Self::End {
        End::new(Fec::new(self))
    }

    /// The frame is lost, and so is another of its block, of which the parity frame is one.
    fn residual_loss(&self, frame_loss: f64) -> f64 {
        frame_loss * (1.0 - libm::pow(1.0 - frame_loss, f64::from(self.block.get())))
    }

    fn named(&self, _: &str, parameter: Option<&str>) -> Option<Self> {
        let block = parameter.map_or(Some(self.block), digits)?;
        Some(Self { block, ..self.clone() })
    }
}
