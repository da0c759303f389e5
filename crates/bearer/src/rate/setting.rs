//! What a file says of a rate.
//!
//! ```toml
//! rate = "10 Mbit/s"                                      # given
//! rate = "automatic"                                      # found and followed
//! rate = { least = "200 kbit/s", most = "50 Mbit/s" }     # found between these
//! rate = "unpaced"                                        # as fast as the path takes datagrams
//! ```

use arqway_units::{BitRate, UnitError};
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How fast datagrams leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// As fast as the path takes them: it says itself when it is full.
    Unpaced,
    /// At this rate, with the overhead of each.
    Fixed(BitRate),
    /// At a rate that is found by the delay and the arrival of the datagrams themselves, and followed when it changes.
    Automatic(Bounds),
}

impl Rate {
    /// A rate that is found, whatever it is.
    pub const AUTOMATIC: Self = Self::Automatic(Bounds::ANY);

    /// The rate, where it is given.
    #[must_use]
    pub const fn fixed(self) -> Option<BitRate> {
        match self {
            Self::Fixed(rate) => Some(rate),
            Self::Unpaced | Self::Automatic(_) => None,
        }
    }
}

impl From<BitRate> for Rate {
    fn from(rate: BitRate) -> Self {
        Self::Fixed(rate)
    }
}

impl FromStr for Rate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text {
            "automatic" => Ok(Self::AUTOMATIC),
            "unpaced" => Ok(Self::Unpaced),
            rate => rate.parse().map(Self::Fixed),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unpaced => out.write_str("unpaced"),
            Self::Fixed(rate) => rate.fmt(out),
            Self::Automatic(bounds) if *bounds == Bounds::ANY => out.write_str("automatic"),
            Self::Automatic(bounds) => write!(out, "automatic, {} to {}", bounds.least, bounds.most),
        }
    }
}

/// Between which rates one is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// The pace is never lower.
    pub least: BitRate,
    /// The pace is never higher.
    pub most: BitRate,
}

const fn bits_per_second(rate: u64) -> BitRate {
    match BitRate::from_bits_per_second(rate) {
        Some(rate) => rate,
        None => BitRate::MINIMUM,
    }
}

impl Bounds {
    /// From 8 kbit/s, at which a datagram of Ethernet's size takes a second and a half, to 100 Gbit/s.
    pub const ANY: Self = Self { least: bits_per_second(8_000), most: bits_per_second(100_000_000_000) };
}

/// Bounds between which there is no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("least = {least} is more than most = {most}: expected at most as much")]
pub struct BoundsError {
    least: BitRate,
    most: BitRate,
}

/// Bounds as a file has them: one may be left out.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RateBounds"))]
#[serde(deny_unknown_fields)]
struct Given {
    /// The pace is never lower.
    least: Option<BitRate>,
    /// The pace is never higher.
    most: Option<BitRate>,
}

impl TryFrom<Given> for Bounds {
    type Error = BoundsError;
    fn try_from(given: Given) -> Result<Self, BoundsError> {
        let (least, most) = (given.least.unwrap_or(Self::ANY.least), given.most.unwrap_or(Self::ANY.most));
        // One that is given alone moves the other one along.
        let least = if given.least.is_none() { least.min(most) } else { least };
        let most = if given.most.is_none() { most.max(least) } else { most };
        if least > most { Err(BoundsError { least, most }) } else { Ok(Self { least, most }) }
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Automatic(bounds) if *bounds != Bounds::ANY => bounds.serialize(serializer),
            Self::Fixed(rate) => rate.serialize(serializer),
            named => serializer.collect_str(named),
        }
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Rate;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(
                    "a rate such as \"10 Mbit/s\", \"automatic\", \"unpaced\", or { least = ..., most = ... }",
                )
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Rate, E> {
                text.parse().map_err(|error| {
                    E::custom(alloc::format!("{error}; \"automatic\" for a rate that is found, \"unpaced\" for none"))
                })
            }
            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Rate, E> {
                self.visit_str(&alloc::format!("{number}"))
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Rate, E> {
                self.visit_str(&alloc::format!("{number}"))
            }
            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Rate, E> {
                self.visit_str(&alloc::format!("{number}"))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Rate, A::Error> {
                let given = Given::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                given.try_into().map(Rate::Automatic).map_err(serde::de::Error::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Rate {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "PathRate".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (rate, bounds) = (generator.subschema_for::<BitRate>(), generator.subschema_for::<Given>());
        schemars::json_schema!({
            "description": "How fast datagrams leave: a rate, `automatic` for one that is found and followed, bounds between which it is found, or `unpaced`.",
            "anyOf": [{ "enum": ["automatic", "unpaced"] }, rate, bounds],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};

    fn read(json: &str) -> Result<Rate, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn a_rate_is_given_found_found_between_bounds_or_absent() {
        let rate = |text: &str| text.parse::<BitRate>().expect("a rate");
        assert_eq!(read("\"10 Mbit/s\""), Ok(Rate::Fixed(rate("10 Mbit/s"))));
        assert_eq!(read("\"automatic\""), Ok(Rate::AUTOMATIC));
        assert_eq!(read("\"unpaced\""), Ok(Rate::Unpaced));
        let bounds = Bounds { least: rate("200 kbit/s"), most: rate("50 Mbit/s") };
        assert_eq!(read(r#"{ "least": "200 kbit/s", "most": "50 Mbit/s" }"#), Ok(Rate::Automatic(bounds)));
        assert_eq!(
            read(r#"{ "most": "1 kbit/s" }"#),
            Ok(Rate::Automatic(Bounds { least: rate("1 kbit/s"), most: rate("1 kbit/s") }))
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let bounds = Bounds { most: bits_per_second(5_000_000), ..Bounds::ANY };
        for rate in [Rate::Unpaced, Rate::AUTOMATIC, Rate::Fixed(bits_per_second(64_000)), Rate::Automatic(bounds)] {
            let text = serde_json::to_string(&rate).expect("it can be written");
            assert_eq!(read(&text), Ok(rate), "{text}");
        }
    }

    #[test]
    fn a_mistake_is_answered_with_what_was_expected() {
        let said = |json| read(json).expect_err("a mistake");
        assert!(said("\"auto\"").contains("\"automatic\" for a rate that is found"), "{}", said("\"auto\""));
        let reversed = said(r#"{ "least": "2 Mbit/s", "most": "1 Mbit/s" }"#);
        assert!(reversed.contains("least = 2 Mbit/s is more than most = 1 Mbit/s"), "{reversed}");
        let unknown = said(r#"{ "max": "1 Mbit/s" }"#);
        assert!(unknown.contains("unknown field `max`, expected `least` or `most`"), "{unknown}");
    }
}
