//! How transparent mode is set up. A configuration that parsed is valid.

use super::TransparentMode;
use arqway_contract::{End, LinkContext, SchemeName, Service, settings};
use arqway_units::{Span, optional_positive_span};
use core::num::NonZeroUsize;

settings! {
    /// The settings of one end.
    // As `raw`.
    #[derive(Eq)]
    #[cfg_attr(feature = "schema", schemars(rename = "RlcTmConfig"))]
    pub struct Config {
        /// How long an SDU may wait to be handed over before it is dropped (`Timer_Discard`); unlimited by default.
        #[serde(deserialize_with = "optional_positive_span")]
        pub discard_after: Option<Span> = None,
        /// The number of packets that may wait while the line accepts no more.
        pub buffer: NonZeroUsize = const { NonZeroUsize::new(256).expect("not zero") },
    }
}

impl Service for Config {
    type End = End<TransparentMode>;

    const NAMES: &'static [SchemeName] = &[SchemeName::plain("rlc-tm")];

    fn build(&self, _: &LinkContext) -> Self::End {
        End::new(TransparentMode::new(self))
    }
}
