//! How a bearer is set up. Both ends need the same, except for what is said of one direction.

use crate::rate::Rate;
use alloc::vec::Vec;
use arqway_contract::{LineId, Side, settings};
use arqway_units::{Octets, Span, list_of_lines, optional_positive_span, positive_span};
use serde::{Deserialize, Deserializer, Serialize};

settings! {
    /// The settings of a bearer.
    #[derive(Eq)]
    #[cfg_attr(feature = "schema", schemars(rename = "BearerConfig"))]
    pub struct Config {
        /// How fast datagrams leave, with the overhead of each: at a rate that is given, at one that is found, or as fast as the path takes
        /// them.
        pub rate: Rate = Rate::Unpaced,
        /// The same from the client to the access point, where it differs.
        pub rate_up: Option<Rate> = None,
        /// Whether the rate is lowered while less than half of what is sent at it arrives.
        pub breaker: bool = true,
        /// What the path adds to each datagram: 28 octets for IPv4 and UDP, 48 for IPv6 and UDP.
        #[serde(deserialize_with = "overhead")]
        pub overhead: Octets = Octets::new(28),
        /// Whether ends find each other by hellos. Where datagrams go in a secure session, its handshake says who the peer is, and
        /// nothing is said twice.
        pub hellos: bool = true,
        /// How long a small frame may wait for others to share its datagram.
        pub pack_delay: Span = Span::ZERO,
        /// The smallest MTU that the path may have, with the overhead: what is that small is never probed.
        pub mtu_least: Mtu = Mtu::LEAST,
        /// The largest MTU to look for, with the overhead.
        pub mtu_most: Mtu = Mtu::ETHERNET,
        /// The link is down after so long a silence, or four round trips if they take longer.
        #[serde(deserialize_with = "positive_span")]
        pub silence: Span = Span::from_milliseconds(1000),
        /// How often a link that is down is probed.
        #[serde(deserialize_with = "positive_span")]
        pub probe_interval: Span = Span::from_milliseconds(1000),
        /// Each of several lines by which nothing has gone for so long is asked whether it is there, so that address translators on its way
        /// keep it open. By default an idle link sends nothing.
        #[serde(deserialize_with = "optional_positive_span")]
        pub keepalive: Option<Span> = None,
        /// How long a datagram may be under way at most: for so long after a restart, datagrams name their epoch in full.
        pub datagram_lifetime: Span = Span::from_milliseconds(30_000),
        /// The lines of the link, where there are several: what of each differs from what is said above.
        #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "list_of_lines")]
        pub line: Vec<LineConfig> = Vec::new(),
    }
}

settings! {
    /// One line of several.
    #[derive(Eq)]
    pub struct LineConfig {
        /// How fast datagrams leave by it.
        pub rate: Option<Rate> = None,
        /// The same from the client to the access point, where it differs.
        pub rate_up: Option<Rate> = None,
        /// Whether frames go by it only while no other line is there, as where it costs. One end says so for both.
        pub spare: bool = false,
    }
}

impl Config {
    /// How fast the end on this side sends.
    #[must_use]
    pub fn rate_of(&self, side: Side) -> Rate {
        match side {
            Side::AccessPoint => self.rate,
            Side::Client => self.rate_up.unwrap_or(self.rate),
        }
    }

    /// The same by one of several lines.
    #[must_use]
    pub fn rate_of_line(&self, line: LineId, side: Side) -> Rate {
        let rate = self.line.get(line.index()).and_then(|line| match side {
            Side::AccessPoint => line.rate,
            Side::Client => line.rate_up.or(line.rate),
        });
        rate.unwrap_or(self.rate_of(side))
    }
}

/// No datagram may be all overhead.
const MOST_OVERHEAD: Octets = Octets::new(96);

fn overhead<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Octets, D::Error> {
    let overhead = Octets::deserialize(deserializer)?;
    if overhead > MOST_OVERHEAD {
        return Err(serde::de::Error::custom(alloc::format!(
            "an overhead of {overhead}: expected at most {MOST_OVERHEAD}"
        )));
    }
    Ok(overhead)
}

/// The size of a datagram, with what the path adds to it: 128 to 9,216 octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Octets", into = "Octets")]
pub struct Mtu(u16);

impl Mtu {
    /// Less than any network has today (RFC 791 §3.1 wants 576 of hosts), for links of our own.
    pub const LEAST: Self = Self(256);
    /// That of Ethernet.
    pub const ETHERNET: Self = Self(1500);

    const RANGE: core::ops::RangeInclusive<u64> = 128..=9216;

    /// How many octets.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// A size that no MTU has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an MTU of {0}: expected {least} to {most} octets", least = Mtu::RANGE.start(), most = Mtu::RANGE.end())]
pub struct MtuError(Octets);

impl TryFrom<Octets> for Mtu {
    type Error = MtuError;
    fn try_from(octets: Octets) -> Result<Self, MtuError> {
        let within = Some(octets.as_u64()).filter(|octets| Self::RANGE.contains(octets));
        within.and_then(|octets| u16::try_from(octets).ok()).map(Self).ok_or(MtuError(octets))
    }
}

impl From<Mtu> for Octets {
    fn from(mtu: Mtu) -> Self {
        Self::new(mtu.0.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn an_mtu_out_of_its_bounds_is_refused_with_those_bounds() {
        assert_eq!(Mtu::try_from(Octets::new(1500)), Ok(Mtu::ETHERNET));
        let error = Mtu::try_from(Octets::new(64)).expect_err("too small");
        assert_eq!(error.to_string(), "an MTU of 64 octets: expected 128 to 9216 octets");
    }

    #[test]
    fn an_overhead_that_leaves_nothing_of_the_smallest_datagram_is_refused() {
        let error =
            serde_json::from_str::<Config>(r#"{ "overhead": "128 octets" }"#).expect_err("too much").to_string();
        assert!(error.starts_with("an overhead of 128 octets: expected at most 96 octets"), "{error}");
    }

    #[test]
    fn each_direction_may_have_its_own_rate() {
        let rate = |text: &str| text.parse::<Rate>().expect("a rate");
        let config: Config = serde_json::from_str(r#"{ "rate": "2 Mbit/s", "rate-up": "64 kbit/s" }"#).expect("valid");
        assert_eq!(config.rate_of(Side::AccessPoint), rate("2 Mbit/s"));
        assert_eq!(config.rate_of(Side::Client), rate("64 kbit/s"));
        let same = Config { rate_up: None, ..config };
        assert_eq!(same.rate_of(Side::Client), rate("2 Mbit/s"));
    }
}
