//! Where ends are: `51820`, `"192.0.2.1:51820"`, `"boat.example.org:51820"`, `"10.9.0.1/24"`.

use arqway_net::unmapped;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};
use std::{fmt, io};

/// Why a text does not say where something is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}; expected one such as {examples}")]
pub struct PlaceError {
    text: String,
    expected: &'static str,
    examples: &'static str,
}

impl PlaceError {
    fn new(text: &str, expected: &'static str, examples: &'static str) -> Self {
        Self { text: text.to_owned(), expected, examples }
    }
}

/// Where datagrams of peers arrive: at all addresses of this machine, or at one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
pub struct Listen(#[schemars(with = "str")] pub SocketAddr);

/// Any free port, at all addresses.
impl Default for Listen {
    fn default() -> Self {
        Self::at_port(0)
    }
}

impl Listen {
    fn at_port(port: u16) -> Self {
        Self((Ipv6Addr::UNSPECIFIED, port).into())
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.ip(), self.0.port()) {
            (address, 0) if address.is_unspecified() => out.write_str("any free port"),
            (address, 0) => write!(out, "{address}, any free port"),
            _ => self.0.fmt(out),
        }
    }
}

impl<'de> Deserialize<'de> for Listen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListenVisitor;
        impl Visitor<'_> for ListenVisitor {
            type Value = Listen;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a port, or an address and a port such as \"192.0.2.1:51820\"")
            }
            fn visit_i64<E: Error>(self, port: i64) -> Result<Listen, E> {
                let refused = |_| E::custom("expected a port from 0 to 65535");
                u16::try_from(port).map(Listen::at_port).map_err(refused)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Listen, E> {
                let examples = "\"192.0.2.1:51820\" or \"[2001:db8::1]:51820\"";
                let refused = |_| E::custom(PlaceError::new(text, "an address and a port", examples));
                text.parse().map(Listen).map_err(refused)
            }
        }
        deserializer.deserialize_any(ListenVisitor)
    }
}

/// Where scrapes come in: an address and a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct MetricsAddress(#[schemars(with = "str")] pub SocketAddr);

impl TryFrom<String> for MetricsAddress {
    type Error = PlaceError;
    fn try_from(text: String) -> Result<Self, PlaceError> {
        let at = text.parse::<SocketAddr>().ok().filter(|at| at.port() > 0);
        let examples = "\"127.0.0.1:9586\" or \"[::1]:9586\"";
        at.map(Self).ok_or_else(|| PlaceError::new(&text, "an address and a port", examples))
    }
}

pub(super) fn metrics_address(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "An address of this machine and a port",
        "type": "string",
        "examples": ["127.0.0.1:9586"],
    })
}

pub(super) fn listen(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "A port at all addresses of this machine, or an address and a port",
        "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": 65535 },
            { "type": "string", "examples": ["192.0.2.1:51820"] },
        ],
    })
}

/// Where a peer is: a host, by address or by name, and a port.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct Endpoint(pub(super) String);

impl TryFrom<String> for Endpoint {
    type Error = PlaceError;
    fn try_from(text: String) -> Result<Self, PlaceError> {
        let is_address = text.parse::<SocketAddr>().is_ok_and(|address| address.port() > 0);
        let is_name = text.rsplit_once(':').is_some_and(|(host, port)| {
            let is_of_name = |octet: u8| octet.is_ascii_alphanumeric() || b"-._".contains(&octet);
            // Digits and dots alone are a slip in an address.
            let has_letter = host.bytes().any(|octet| octet.is_ascii_alphabetic());
            has_letter && host.bytes().all(is_of_name) && port.parse::<u16>().is_ok_and(|port| port > 0)
        });
        if is_address || is_name {
            return Ok(Self(text));
        }
        let examples = "\"203.0.113.5:51820\", \"[2001:db8::5]:51820\" or \"boat.example.org:51820\"";
        Err(PlaceError::new(&text, "a host and a port", examples))
    }
}

impl Endpoint {
    /// The first address that a socket `reaches`: those of a name are looked up.
    ///
    /// # Errors
    /// The name is not known, or nobody can be asked now, or all its addresses are of the other version of IP.
    pub fn resolve(&self, reaches: impl Fn(SocketAddr) -> bool) -> io::Result<SocketAddr> {
        let mut addresses = self.0.to_socket_addrs()?.map(unmapped);
        let unreachable = || io::Error::other("none of its addresses is of a version of IP that `listen` has");
        addresses.find(|address| reaches(*address)).ok_or_else(unreachable)
    }

    /// Whether its address may change: that of a name.
    #[must_use]
    pub fn is_name(&self) -> bool {
        self.address().is_none()
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

pub(super) fn endpoint(_: &mut SchemaGenerator) -> Schema {
    text(
        "A host, by address or name, and a port",
        &["203.0.113.5:51820", "[2001:db8::5]:51820", "boat.example.org:51820"],
    )
}

/// An address of this end, and how much of it is its network's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct InterfaceAddress {
    /// The address.
    #[schemars(with = "str")]
    pub address: IpAddr,
    /// The length of the network's prefix, in bits.
    pub prefix: u8,
}

impl fmt::Display for InterfaceAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.address, self.prefix)
    }
}

impl TryFrom<String> for InterfaceAddress {
    type Error = PlaceError;
    fn try_from(text: String) -> Result<Self, PlaceError> {
        let parts = text.split_once('/').and_then(|(address, prefix)| {
            let (address, prefix): (IpAddr, u8) = (address.parse().ok()?, prefix.parse().ok()?);
            let longest = if address.is_ipv4() { 32 } else { 128 };
            let is_host = !address.is_unspecified() && !address.is_multicast();
            (is_host && (1..=longest).contains(&prefix)).then_some(Self { address, prefix })
        });
        let refused = || PlaceError::new(&text, "an address in a network", "\"10.9.0.1/24\" or \"fd00::1/64\"");
        parts.ok_or_else(refused)
    }
}

pub(super) fn interface_address(_: &mut SchemaGenerator) -> Schema {
    text("An address in a network", &["10.9.0.1/24", "fd00::1/64"])
}

/// Who is asked for names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct NameServer(#[schemars(with = "str")] pub IpAddr);

impl TryFrom<String> for NameServer {
    type Error = PlaceError;
    fn try_from(text: String) -> Result<Self, PlaceError> {
        let refused = |_| PlaceError::new(&text, "the address of a name server", "\"10.9.0.1\" or \"fd00::1\"");
        text.parse().map(Self).map_err(refused)
    }
}

pub(super) fn name_server(_: &mut SchemaGenerator) -> Schema {
    text("The address of a name server", &["10.9.0.1", "fd00::1"])
}

fn text(description: &str, examples: &[&str]) -> Schema {
    json_schema!({ "description": description, "type": "string", "examples": examples })
}
