//! How transparent mode is set up. A configuration that parsed is valid.

use super::TransparentMode;
use crate::contract::{End, SchemeName, Service, Side};
use arqway_units::{Span, optional_positive_span};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

/// The settings of one end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcTmConfig"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// How long an SDU may wait to be handed over before it is dropped (`Timer_Discard`); unlimited by default.
    #[serde(deserialize_with = "optional_positive_span")]
    pub discard_after: Option<Span>,
    /// The number of packets that may wait while the line accepts no more.
    pub buffer: NonZeroUsize,
}

const BUFFER: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");

impl Default for Config {
    /// As `raw`.
    fn default() -> Self {
        Self { discard_after: None, buffer: BUFFER }
    }
}

impl Service for Config {
    type End = End<TransparentMode>;

    const NAMES: &'static [SchemeName] = &[SchemeName::plain("rlc-tm")];

    fn build(&self, _: Side) -> Self::End {
        End::new(TransparentMode::new(self))
    }
}
