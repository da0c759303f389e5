//! Short forms, as the papers and the command line name schemes: `raw`, `sr:1.1`, or bare `sr`.
//!
//! A short form says only what differs between the schemes compared; everything else is the world's.

use crate::any::ServiceConfig;
use crate::selective_repeat::{Policy, Timeout};
use crate::{raw, selective_repeat};
use alloc::string::{String, ToString};
use arqway_units::{SHORTEST_TIMER, Span};
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

/// How each service is set up in a world, unless a scheme says otherwise.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WorldDefaults {
    /// For `raw`.
    pub raw: raw::Config,
    /// For `sr`.
    pub selective_repeat: selective_repeat::Config,
}

/// A scheme by its short form.
#[derive(Debug, Clone, PartialEq)]
pub enum ShortForm {
    /// `raw`
    Raw,
    /// `asr:A+B`: Selective Repeat with a timeout of A smoothed round-trip times and B deviations.
    AdaptiveSelectiveRepeat(Policy),
    /// `sr:SECONDS`, or `sr` with the world's timeout.
    SelectiveRepeat {
        /// The retransmission timeout.
        timeout: Option<Span>,
    },
}

impl ShortForm {
    /// The service it names in a world.
    #[must_use]
    pub fn in_world(&self, world: &WorldDefaults) -> ServiceConfig {
        match self {
            Self::Raw => ServiceConfig::Raw(world.raw.clone()),
            Self::AdaptiveSelectiveRepeat(policy) => ServiceConfig::SelectiveRepeat(selective_repeat::Config {
                timeout: Timeout::Adaptive(*policy),
                ..world.selective_repeat.clone()
            }),
            Self::SelectiveRepeat { timeout } => ServiceConfig::SelectiveRepeat(selective_repeat::Config {
                timeout: timeout.map_or(world.selective_repeat.timeout, Timeout::Fixed),
                ..world.selective_repeat.clone()
            }),
        }
    }
}

/// Why a text is no short form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no scheme; right would be `raw`, `sr`, `sr:1.1` for a timeout of 1.1 s, or `asr:3+2` for one of 3 srtt + 2 srttvar"
)]
pub struct ShortFormError(String);

impl FromStr for ShortForm {
    type Err = ShortFormError;

    fn from_str(text: &str) -> Result<Self, ShortFormError> {
        let wrong = || ShortFormError(text.to_string());
        match text.split_once(':') {
            None if text == "raw" => Ok(Self::Raw),
            None if text == "sr" => Ok(Self::SelectiveRepeat { timeout: None }),
            Some(("sr", seconds)) => {
                let seconds = seconds.parse::<f64>().map_err(|_| wrong())?;
                let timeout = Span::from_seconds(seconds);
                if timeout >= SHORTEST_TIMER && timeout < Span::MAX {
                    Ok(Self::SelectiveRepeat { timeout: Some(timeout) })
                } else {
                    Err(wrong())
                }
            }
            Some(("asr", policy)) => {
                let (srtt, srttvar) = policy.split_once('+').ok_or_else(wrong)?;
                let factor =
                    |text: &str| text.parse().ok().filter(|factor| (0.0..=1000.0).contains(factor)).ok_or_else(wrong);
                Ok(Self::AdaptiveSelectiveRepeat(Policy { srtt: factor(srtt)?, srttvar: factor(srttvar)? }))
            }
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for ShortForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raw => out.write_str("raw"),
            Self::AdaptiveSelectiveRepeat(Policy { srtt, srttvar }) => write!(out, "asr:{srtt}+{srttvar}"),
            Self::SelectiveRepeat { timeout: None } => out.write_str("sr"),
            // `{:?}` keeps the decimal point: sr:1.0, as the papers write it.
            Self::SelectiveRepeat { timeout: Some(timeout) } => write!(out, "sr:{:?}", timeout.as_seconds()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_form_prints_as_it_is_read() {
        for text in ["raw", "sr", "sr:0.9", "sr:1.0", "asr:3+2", "asr:2.5+0"] {
            assert_eq!(text.parse::<ShortForm>().map(|form| form.to_string()), Ok(text.to_string()));
        }
    }

    #[test]
    fn what_is_no_scheme_is_refused_with_what_would_be_right() {
        for text in [
            "",
            "sr:",
            "sr:0",
            "sr:-1",
            "sr:nan",
            "sr:1e300",
            "sr:1e-10",
            "raw:1",
            "hdlc",
            "asr",
            "asr:3",
            "asr:3+",
            "asr:-1+2",
            "asr:1+nan",
        ] {
            let error = text.parse::<ShortForm>().expect_err(text);
            assert!(error.to_string().contains("right would be `raw`, `sr`"), "{error}");
        }
    }

    #[test]
    fn a_short_form_changes_only_what_it_names() {
        let mut world = WorldDefaults::default();
        world.selective_repeat.drop_stale_copies = false;
        let ServiceConfig::SelectiveRepeat(config) =
            ShortForm::SelectiveRepeat { timeout: Some(Span::from_milliseconds(900)) }.in_world(&world)
        else {
            panic!("sr names Selective Repeat")
        };
        assert_eq!((config.timeout, config.drop_stale_copies), (Timeout::Fixed(Span::from_milliseconds(900)), false));
    }
}
