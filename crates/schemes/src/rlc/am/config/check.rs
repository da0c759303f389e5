//! What is given and cannot take effect beside something else is refused where a configuration is read. What a profile brings is not: there
//! it is only not used.

use super::{Config, Discard};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A setting without effect, and what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Ineffective {
    #[error(
        "poll.by-status has no effect on PDUs of a fixed size, with which no STATUS may ask for a report (25.322 §9.2.2.11.9): \
         expected flexible-pdu-size = true, or no poll.by-status"
    )]
    PollByStatus,
    #[error(
        "pad-control-pdus has no effect on PDUs of flexible size, which have no one size to be padded to: expected \
         flexible-pdu-size = false, or no pad-control-pdus"
    )]
    PadControlPdus,
    #[error(
        "piggyback has no effect on PDUs of flexible size, which have no padding for a report to ride in: expected \
         flexible-pdu-size = false, or no piggyback"
    )]
    Piggyback,
    #[error(
        "retransmissions has no effect where discard is by time, and a PDU is sent again as often as it takes: expected \
         discard = \"after-transmissions\", discard = \"reset\", or no retransmissions"
    )]
    Retransmissions,
}

impl Config {
    fn check(&self) -> Result<(), Ineffective> {
        let (given, flexible) = (Some(true), self.is_flexible());
        let is_timed = matches!(self.discard, Some(Discard::Timer { .. }));
        let found = [
            (self.poll.by_status == given && !flexible, Ineffective::PollByStatus),
            (self.pad_control_pdus == given && flexible, Ineffective::PadControlPdus),
            (self.piggyback == given && flexible, Ineffective::Piggyback),
            (self.retransmissions.is_some() && is_timed, Ineffective::Retransmissions),
        ];
        found.into_iter().find(|(is_so, _)| *is_so).map_or(Ok(()), |(_, error)| Err(error))
    }
}

// The derived functions are the type's own (`remote = "Self"`), so that these can add the check.
impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let config = Self::deserialize(deserializer)?;
        config.check().map_err(de::Error::custom)?;
        Ok(config)
    }
}

impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// What reading it says, in the form that `serde_json` reads.
    fn read(config: &str) -> Result<Config, alloc::string::String> {
        serde_json::from_str(config).map_err(|error| error.to_string())
    }

    #[test]
    fn a_setting_that_is_given_and_cannot_take_effect_is_refused_with_what_was_expected() {
        for (config, setting, right) in [
            (
                r#"{"flexible-pdu-size": false, "poll": {"by-status": true}}"#,
                "poll.by-status",
                "flexible-pdu-size = true",
            ),
            (
                r#"{"profile": "umts-uniform", "poll": {"by-status": true}}"#,
                "poll.by-status",
                "flexible-pdu-size = true",
            ),
            (r#"{"pad-control-pdus": true}"#, "pad-control-pdus", "flexible-pdu-size = false"),
            (r#"{"piggyback": true, "uplink-pdu-size": "40 octets"}"#, "piggyback", "flexible-pdu-size = false"),
            (r#"{"discard": {"timer": {"after": "2 s"}}, "retransmissions": 3}"#, "retransmissions", "discard = "),
        ] {
            let error = read(config).expect_err(config);
            assert!(error.starts_with(setting) && error.contains("expected ") && error.contains(right), "{error}");
        }
    }

    #[test]
    fn what_takes_effect_and_what_a_profile_brings_is_not() {
        for config in [
            "{}",
            r#"{"flexible-pdu-size": false}"#,
            r#"{"profile": "umts-uniform", "flexible-pdu-size": true}"#,
            r#"{"flexible-pdu-size": false, "pad-control-pdus": true, "piggyback": true, "poll": {"by-status": false}}"#,
            r#"{"profile": "umts-two-state", "piggyback": true}"#,
            r#"{"pad-control-pdus": false, "piggyback": false, "poll": {"by-status": true}}"#,
            r#"{"discard": {"timer": {"after": "2 s"}}}"#,
        ] {
            assert_eq!(read(config).err(), None, "{config}");
        }
    }

    #[test]
    fn a_setting_that_does_not_exist_is_refused() {
        assert!(read(r#"{"windw": 3}"#).expect_err("no such setting").contains("windw"));
    }
}
