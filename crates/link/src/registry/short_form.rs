//! Short forms, as the papers and the command line name schemes: `raw`, `sr:1.1`, or bare `sr`.
//!
//! A short form says only what differs between the schemes compared; everything else is the world's. Which there are is for
//! each service to say ([`Service::SHORT_FORMS`](crate::Service::SHORT_FORMS)).

use super::{KINDS, ServiceConfig, WorldDefaults};
use crate::contract::Form;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

/// A scheme by its short form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortForm {
    text: String,
    kind: &'static str,
    form: Form,
}

impl ShortForm {
    /// The kind of service that it names.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The service it names in a world.
    ///
    /// # Errors
    /// Its value is none that the service may have there.
    pub fn in_world(&self, world: &WorldDefaults) -> Result<ServiceConfig, ShortFormError> {
        let wrong = || ShortFormError(self.text.clone());
        world.named(self.kind, self.form.name, self.value()).ok_or_else(wrong)
    }

    /// The key of the service's settings that its value stands for, if it has one.
    #[must_use]
    pub fn key(&self) -> Option<&'static str> {
        self.value().and(self.form.value_of()).map(|value| value.key)
    }

    /// How legends name it: `SR 1.1 s`.
    #[must_use]
    pub fn legend(&self) -> String {
        let legend = self.form.legend;
        match (self.value(), self.form.value_of()) {
            (Some(value), Some(of)) => alloc::format!("{legend} {value}{}", of.unit),
            _ => legend.to_string(),
        }
    }

    fn value(&self) -> Option<&str> {
        self.text.split_once(':').map(|(_, value)| value)
    }
}

/// Why a text is no short form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortFormError(String);

impl core::error::Error for ShortFormError {}

impl fmt::Display for ShortFormError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` is not a scheme; expected ", self.0)?;
        let examples: alloc::vec::Vec<_> = forms().flat_map(|(_, form)| form.examples()).collect();
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

/// Every short form, with the kind of service that it names.
pub(crate) fn forms() -> impl Iterator<Item = (&'static str, &'static Form)> {
    KINDS.iter().flat_map(|(kind, forms)| forms.iter().map(move |form| (*kind, form)))
}

impl FromStr for ShortForm {
    type Err = ShortFormError;

    fn from_str(text: &str) -> Result<Self, ShortFormError> {
        let wrong = || ShortFormError(text.to_string());
        let (name, value) = text.split_once(':').map_or((text, None), |(name, value)| (name, Some(value)));
        let (kind, form) = forms().find(|(_, form)| form.name == name && form.takes(value)).ok_or_else(wrong)?;
        let short = Self { text: text.to_string(), kind, form: *form };
        // What no world would take is refused before there is a world.
        short.in_world(&WorldDefaults::default()).map(|_| short)
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
    use crate::services::selective_repeat::Timeout;
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
        for (kind, form) in forms() {
            assert!(names.insert(form.name), "{} names two services", form.name);
            for (example, _) in form.examples() {
                let short: ShortForm = example.parse().unwrap_or_else(|error| panic!("{error}"));
                let service = short.in_world(&WorldDefaults::default()).expect("a service");
                assert_eq!((short.kind(), service.kind()), (kind, kind));
            }
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
            "rlp:+3",
            "oos-rlp:03",
            "xor-fec:012",
        ] {
            let error = text.parse::<ShortForm>().expect_err(text).to_string();
            assert!(error.contains("expected `raw`, `sr`, `sr:1.1` for a timeout of 1.1 s"), "{error}");
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

    #[test]
    fn legends_give_a_value_its_unit() {
        for (text, legend) in [("raw", "Raw Link"), ("sr", "SR"), ("sr:1.1", "SR 1.1 s"), ("asr:3+2", "ASR 3+2")] {
            assert_eq!(text.parse::<ShortForm>().map(|form| form.legend()), Ok(legend.to_string()));
        }
    }
}
