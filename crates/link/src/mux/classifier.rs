//! Which service carries a packet: the first class whose rule matches, else the default service.
//!
//! A rule is a protocol of the IP header, version 4 or 6. What is no IP packet belongs to no class.

use super::TooManyServices;
use crate::frame::ServiceId;
use crate::registry::ServiceConfig;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;
use etherparse::{IpNumber, Ipv4HeaderSlice, Ipv6HeaderSlice};
use serde::{Deserialize, Serialize};

/// Packets with the same needs, and the service that meets them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Class {
    /// Which packets: those of this protocol.
    pub protocol: Protocol,
    /// What carries them.
    pub service: ServiceConfig,
}

/// A protocol over IP, by name or by its assigned number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Protocol(u8);

/// The protocols that have a name here.
const NAMES: [(&str, Protocol); 4] = [
    ("tcp", Protocol::TCP),
    ("udp", Protocol::UDP),
    ("icmp", Protocol(IpNumber::ICMP.0)),
    ("icmpv6", Protocol(IpNumber::IPV6_ICMP.0)),
];

impl Protocol {
    /// Transmission Control Protocol.
    pub const TCP: Self = Self(IpNumber::TCP.0);
    /// User Datagram Protocol.
    pub const UDP: Self = Self(IpNumber::UDP.0);

    /// The names by which a file may call protocols.
    #[cfg(feature = "schema")]
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The assigned number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }
}

/// A text that names no protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no protocol; right would be tcp, udp, icmp, icmpv6 or a number from 0 to 255")]
pub struct ProtocolError(String);

impl FromStr for Protocol {
    type Err = ProtocolError;
    fn from_str(text: &str) -> Result<Self, ProtocolError> {
        let named = NAMES.iter().find(|(name, _)| *name == text).map(|(_, protocol)| *protocol);
        named.or_else(|| text.parse().ok().map(Self)).ok_or_else(|| ProtocolError(text.to_string()))
    }
}

impl TryFrom<String> for Protocol {
    type Error = ProtocolError;
    fn try_from(text: String) -> Result<Self, ProtocolError> {
        text.parse()
    }
}

impl From<Protocol> for String {
    fn from(protocol: Protocol) -> Self {
        protocol.to_string()
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(_, named)| named == self) {
            Some((name, _)) => out.write_str(name),
            None => write!(out, "{}", self.0),
        }
    }
}

/// The rules, in order.
#[derive(Debug, Clone)]
pub(super) struct Classifier {
    /// Of class n, which service n + 1 carries.
    protocols: Vec<Protocol>,
}

impl Classifier {
    /// The rules of these classes: class n is carried by service n + 1, all else by service 0.
    ///
    /// # Errors
    /// More services than a tag can tell apart.
    pub(super) fn new(classes: &[Class]) -> Result<Self, TooManyServices> {
        let services = classes.len() + 1;
        if services > usize::from(ServiceId::COUNT) {
            return Err(TooManyServices(services));
        }
        Ok(Self { protocols: classes.iter().map(|class| class.protocol).collect() })
    }

    /// The index of the service that carries this packet.
    pub(super) fn classify(&self, packet: &[u8]) -> usize {
        let Some(protocol) = protocol_of(packet) else { return 0 };
        self.protocols.iter().position(|rule| *rule == protocol).map_or(0, |class| class + 1)
    }
}

fn protocol_of(packet: &[u8]) -> Option<Protocol> {
    let number = match packet.first()? >> 4 {
        4 => Ipv4HeaderSlice::from_slice(packet).ok()?.protocol(),
        6 => Ipv6HeaderSlice::from_slice(packet).ok()?.next_header(),
        _ => return None,
    };
    Some(Protocol(number.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw;
    use proptest::prelude::*;

    fn udp_apart() -> Classifier {
        let service = ServiceConfig::Raw(raw::Config::default());
        Classifier::new(&[Class { protocol: Protocol::UDP, service }]).expect("two services")
    }

    #[test]
    fn ipv4_and_ipv6_are_told_apart_by_their_protocol() {
        let mut ipv4 = [0; 20];
        (ipv4[0], ipv4[9]) = (0x45, 17);
        let mut ipv6 = [0; 40];
        (ipv6[0], ipv6[6]) = (0x60, 17);
        assert_eq!((udp_apart().classify(&ipv4), udp_apart().classify(&ipv6)), (1, 1));
        (ipv4[9], ipv6[6]) = (6, 6);
        assert_eq!((udp_apart().classify(&ipv4), udp_apart().classify(&ipv6)), (0, 0));
    }

    #[test]
    fn a_protocol_has_a_name_or_a_number() {
        for text in ["tcp", "udp", "icmp", "47"] {
            assert_eq!(text.parse::<Protocol>().map(|protocol| protocol.to_string()), Ok(text.to_string()));
        }
        let error = "tpc".parse::<Protocol>().expect_err("no protocol");
        assert_eq!(
            error.to_string(),
            "`tpc` is no protocol; right would be tcp, udp, icmp, icmpv6 or a number from 0 to 255"
        );
    }

    proptest! {
        #[test]
        fn whatever_is_no_ip_packet_goes_to_the_default_service(octets in proptest::collection::vec(any::<u8>(), 0..60)) {
            let service = udp_apart().classify(&octets);
            prop_assert!(service == 0 || matches!(octets[0] >> 4, 4 | 6));
        }
    }
}
