//! What an IP packet carries: the protocol field of IPv4, the last next-header field of IPv6.

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

/// A protocol over IP, by name or by its assigned number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Protocol(u8);

/// The protocols that have a name here.
const NAMES: [(&str, Protocol); 6] = [
    ("tcp", Protocol::TCP),
    ("udp", Protocol::UDP),
    ("icmp", Protocol::ICMP),
    ("icmpv6", Protocol::ICMPV6),
    ("sctp", Protocol::SCTP),
    ("esp", Protocol::ESP),
];

impl Protocol {
    /// Internet Control Message Protocol: errors, and pings.
    pub const ICMP: Self = Self(1);
    /// The same of IPv6.
    pub const ICMPV6: Self = Self(58);
    /// Transmission Control Protocol.
    pub const TCP: Self = Self(6);
    /// User Datagram Protocol.
    pub const UDP: Self = Self(17);
    /// Encapsulating Security Payload: hides what is inside (RFC 4303).
    pub const ESP: Self = Self(50);
    /// Stream Control Transmission Protocol.
    pub const SCTP: Self = Self(132);
    /// Datagram Congestion Control Protocol.
    const DCCP: Self = Self(33);
    /// UDP-Lite.
    const UDP_LITE: Self = Self(136);

    /// The protocol with this assigned number.
    #[must_use]
    pub const fn of_number(number: u8) -> Self {
        Self(number)
    }

    /// The names by which a file may call protocols.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The assigned number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Whether its header begins with a source and a destination port.
    pub fn has_ports(self) -> bool {
        [Self::TCP, Self::UDP, Self::SCTP, Self::DCCP, Self::UDP_LITE].contains(&self)
    }
}

/// A text that names no protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a protocol; expected tcp, udp, icmp, icmpv6, sctp, esp or a number from 0 to 255")]
pub struct ProtocolError(String);

impl FromStr for Protocol {
    type Err = ProtocolError;
    fn from_str(text: &str) -> Result<Self, ProtocolError> {
        let named = NAMES.iter().find(|(name, _)| *name == text).map(|(_, protocol)| *protocol);
        named.or_else(|| text.parse().ok().map(Self)).ok_or_else(|| ProtocolError(text.to_string()))
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

crate::serde_as_text!(Protocol, "a protocol, such as \"tcp\" or 47");
