//! Short forms, as the papers and the command line name schemes: `raw`, `sr:1.1`, or bare `sr`.
//!
//! A short form says only what differs between the schemes compared; everything else is the world's. Which there are is for
//! each service to say ([`Service::SHORT_FORMS`](arqway_contract::Service::SHORT_FORMS)).

use super::{ServiceConfig, WorldDefaults, scheme_names};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use arqway_contract::SchemeName;
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Deserializer};

/// A scheme by its short form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShortForm {
    text: String,
    #[cfg_attr(feature = "schema", schemars(skip))]
    kind: &'static str,
    #[cfg_attr(feature = "schema", schemars(skip))]
    name: &'static SchemeName,
}

impl ShortForm {
    /// The kind of service that it names.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The name before the colon.
    #[must_use]
    pub fn name(&self) -> &'static SchemeName {
        self.name
    }

    /// The parameter behind the colon, if there is one.
    #[must_use]
    pub fn parameter(&self) -> Option<&str> {
        self.text.split_once(':').map(|(_, parameter)| parameter)
    }

    /// The service it names in a world.
    ///
    /// # Errors
    /// The service cannot have its parameter there.
    pub fn in_world(&self, world: &WorldDefaults) -> Result<ServiceConfig, ShortFormError> {
        let service = world.named(self.kind, self.name.name, self.parameter());
        service.ok_or_else(|| ShortFormError(self.text.clone()))
    }

    /// The key of the service's settings that its parameter sets, if it has one.
    #[must_use]
    pub fn key(&self) -> Option<&'static str> {
        self.parameter().and(self.name.parameter).map(|parameter| parameter.key)
    }
}

/// Why a text is no short form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortFormError(String);

impl core::error::Error for ShortFormError {}

impl fmt::Display for ShortFormError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` is not a scheme; expected ", self.0)?;
        let examples: Vec<_> = scheme_names().flat_map(|(_, name)| name.examples()).collect();
        for (index, (example, means)) in examples.iter().enumerate() {
            out.write_str(match index {
                0 => "",
                _ if index + 1 == examples.len() => " or ",
                _ => ", ",
            })?;
            write!(out, "`{example}`")?;
            if let Some(means) = means {
                write!(out, " for {means}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for ShortForm {
    type Err = ShortFormError;

    fn from_str(text: &str) -> Result<Self, ShortFormError> {
        let (before, parameter) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let found = scheme_names().find(|(_, name)| name.name == before && name.takes(parameter));
        let (kind, name) = found.ok_or_else(|| ShortFormError(text.to_string()))?;
        let short = Self { text: text.to_string(), kind, name };
        // What no world would take is refused before there is a world.
        short.in_world(&WorldDefaults::default()).map(|_| short)
    }
}

impl<'de> Deserialize<'de> for ShortForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for ShortForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_arq::{Resequencing, Unordered};
    use arqway_schemes::selective_repeat::Timeout;
    use arqway_units::Span;

    #[test]
    fn a_short_form_prints_as_it_is_read() {
        for text in ["raw", "sr", "sr:0.9", "sr:1.0", "asr:3+2", "asr:2.5+0"] {
            assert_eq!(text.parse::<ShortForm>().map(|form| form.to_string()), Ok(text.to_string()));
        }
    }

    #[test]
    fn every_form_reads_its_own_examples_and_no_two_services_share_a_name() {
        let mut names = alloc::collections::BTreeSet::new();
        for (kind, name) in scheme_names() {
            assert!(names.insert(name.name), "{} names two services", name.name);
            for (example, _) in name.examples() {
                let short: ShortForm = example.parse().unwrap_or_else(|error| panic!("{error}"));
                let service = short.in_world(&WorldDefaults::default()).expect("a service");
                assert_eq!((short.kind(), service.kind()), (kind, kind));
            }
        }
    }

    #[test]
    fn what_is_not_a_scheme_is_refused_with_all_that_are() {
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
            "rlp:+3",
            "oos-rlp:03",
            "xor-fec:012",
        ] {
            let error = text.parse::<ShortForm>().expect_err(text).to_string();
            assert!(error.contains("expected `raw`, `sr`, `sr:1.1` for a timeout of 1.1 s"), "{error}");
        }
    }

    #[test]
    fn a_short_form_that_names_an_order_has_it_in_every_world() {
        let none = |world: &Resequencing| match world {
            // What goes with it is the world's to say.
            Resequencing::None(_) => world.clone(),
            _ => Resequencing::None(Unordered::default()),
        };
        for of_world in [Resequencing::Full, Resequencing::PerFlow, Resequencing::as_received()] {
            let mut world = WorldDefaults::default();
            (world.sscop.resequencing, world.rlp.resequencing) = (of_world.clone(), of_world.clone());
            let orders = [Resequencing::Full, Resequencing::PerFlow, none(&of_world), of_world.clone()];
            for (text, expected) in ["sscop-full", "sscop-pfrs", "sscop-none", "sscop"].into_iter().zip(orders) {
                let short: ShortForm = text.parse().expect("a short form");
                let Ok(ServiceConfig::Sscop(config)) = short.in_world(&world) else { panic!("{text} names SSCOP") };
                assert_eq!(config.resequencing, expected, "{text} in a world of {of_world:?}");
            }
            for (text, expected) in [("oos-rlp:1", Resequencing::as_received()), ("rlp:1", of_world.clone())] {
                let short: ShortForm = text.parse().expect("a short form");
                let Ok(ServiceConfig::Rlp(config)) = short.in_world(&world) else { panic!("{text} names RLP") };
                assert_eq!(config.resequencing, expected, "{text} in a world of {of_world:?}");
            }
        }
    }

    #[test]
    fn a_short_form_changes_only_what_it_names() {
        let mut world = WorldDefaults::default();
        world.selective_repeat.drop_stale_copies = false;
        let short: ShortForm = "sr:0.9".parse().expect("a short form");
        let Ok(ServiceConfig::SelectiveRepeat(config)) = short.in_world(&world) else {
            panic!("sr names Selective Repeat")
        };
        assert_eq!((config.timeout, config.drop_stale_copies), (Timeout::Fixed(Span::from_milliseconds(900)), false));
    }
}
