//! How forward error correction is set up. A configuration that parsed is valid.

use super::Fec;
use crate::contract::{Bounded, End, Grammar, Parameter, SchemeName, Service, Side, digits};
use arqway_units::{Span, positive_span};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

/// How many data frames a block may have: a quarter of the numbers that one octet counts, so that the receiver may look
/// back two blocks and still tell numbers apart.
pub(super) const LARGEST_BLOCK: u16 = 64;

/// The settings of one end; both ends need the same block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "XorFecConfig"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The number of data frames that a parity frame covers.
    pub block: Bounded<2, LARGEST_BLOCK>,
    /// The idle time before an unfinished block gets its parity frame.
    #[serde(deserialize_with = "positive_span")]
    pub idle_timeout: Span,
    /// The number of packets that may wait while the line accepts no more.
    pub buffer: NonZeroUsize,
}

const BLOCK: Bounded<2, LARGEST_BLOCK> = Bounded::new(12).expect("from 2 to 64");
const BUFFER: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");

impl Default for Config {
    /// The block of multiservice §III, which prints no timeout.
    fn default() -> Self {
        Self { block: BLOCK, idle_timeout: Span::from_milliseconds(50), buffer: BUFFER }
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

    fn build(&self, _: Side) -> Self::End {
        End::new(Fec::new(self))
    }

    fn named(&self, _: &str, parameter: Option<&str>) -> Option<Self> {
        let block = parameter.map_or(Some(self.block), digits)?;
        Some(Self { block, ..self.clone() })
    }
}
