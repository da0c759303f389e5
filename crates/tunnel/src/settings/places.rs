//! Where ends are: `51820`, `"192.0.2.1:51820"`, `"boat.example.org:51820"`, `"10.9.0.1/24"`.

use arqway_net::{User, unmapped};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};
use std::{fmt, io};

/// Where datagrams of peers arrive: at all addresses of this machine, or at one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
pub struct Listen(#[schemars(with = "str")] pub SocketAddr);

/// Any free port, at all addresses.
impl Default for Listen {
    fn default() -> Self {
        Self((Ipv6Addr::UNSPECIFIED, 0).into())
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
            fn visit_u64<E: Error>(self, port: u64) -> Result<Listen, E> {
                let port = u16::try_from(port).map_err(|_| E::custom("expected a port from 0 to 65535"))?;
                Ok(Listen((Ipv6Addr::UNSPECIFIED, port).into()))
            }
            fn visit_i64<E: Error>(self, port: i64) -> Result<Listen, E> {
                u64::try_from(port)
                    .map_err(|_| E::custom("expected a port from 0 to 65535"))
                    .and_then(|port| self.visit_u64(port))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Listen, E> {
                let refused = || {
                    E::custom(format!(
                        "`{text}` is not an address and a port; expected one such as \"192.0.2.1:51820\" or \"[2001:db8::1]:51820\""
                    ))
                };
                text.parse().map(Listen).map_err(|_| refused())
            }
        }
        deserializer.deserialize_any(ListenVisitor)
    }
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
pub struct Endpoint(String);

/// A text that is no host and port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a host and a port; expected one such as \"203.0.113.5:51820\", \"[2001:db8::5]:51820\" or \"boat.example.org:51820\""
)]
pub struct NoEndpoint(String);

impl TryFrom<String> for Endpoint {
    type Error = NoEndpoint;
    fn try_from(text: String) -> Result<Self, NoEndpoint> {
        let is_address = text.parse::<SocketAddr>().is_ok_and(|address| address.port() > 0);
        let is_name = text.rsplit_once(':').is_some_and(|(host, port)| {
            let is_of_name = |octet: u8| octet.is_ascii_alphanumeric() || b"-._".contains(&octet);
            // All digits and dots, and no address: a slip, and no name.
            let has_letter = host.bytes().any(|octet| octet.is_ascii_alphabetic());
            has_letter && host.bytes().all(is_of_name) && port.parse::<u16>().is_ok_and(|port| port > 0)
        });
        if is_address || is_name { Ok(Self(text)) } else { Err(NoEndpoint(text)) }
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
        self.0.parse::<SocketAddr>().is_err()
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

pub(super) fn endpoint(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "A host, by address or name, and a port",
        "type": "string",
        "examples": ["203.0.113.5:51820", "[2001:db8::5]:51820", "boat.example.org:51820"],
    })
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

/// A text that is no address in a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an address in a network; expected one such as \"10.9.0.1/24\" or \"fd00::1/64\"")]
pub struct NoInterfaceAddress(String);

impl TryFrom<String> for InterfaceAddress {
    type Error = NoInterfaceAddress;
    fn try_from(text: String) -> Result<Self, NoInterfaceAddress> {
        let parts = text.split_once('/').and_then(|(address, prefix)| {
            let (address, prefix): (IpAddr, u8) = (address.parse().ok()?, prefix.parse().ok()?);
            let longest = if address.is_ipv4() { 32 } else { 128 };
            (1..=longest).contains(&prefix).then_some(Self { address, prefix })
        });
        parts.ok_or(NoInterfaceAddress(text))
    }
}

pub(super) fn interface_address(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "An address in a network",
        "type": "string",
        "examples": ["10.9.0.1/24", "fd00::1/64"],
    })
}

/// Who is asked for names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct NameServer(#[schemars(with = "str")] pub IpAddr);

/// A text that is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an address; expected that of a name server, such as \"10.9.0.1\" or \"fd00::1\"")]
pub struct NoNameServer(String);

impl TryFrom<String> for NameServer {
    type Error = NoNameServer;
    fn try_from(text: String) -> Result<Self, NoNameServer> {
        text.parse().map(Self).map_err(|_| NoNameServer(text))
    }
}

pub(super) fn name_server(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "description": "The address of a name server", "type": "string", "examples": ["10.9.0.1", "fd00::1"] })
}

/// A user of this machine, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct UserName(#[schemars(with = "str")] pub User);

/// A text that is no user's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no user `{0}` in /etc/passwd; expected one, such as made by `useradd --system arqway`")]
pub struct NoUser(String);

impl TryFrom<String> for UserName {
    type Error = NoUser;
    fn try_from(text: String) -> Result<Self, NoUser> {
        User::named(&text).map(Self).ok_or(NoUser(text))
    }
}

pub(super) fn user(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "description": "A user of this machine", "type": "string", "examples": ["arqway"] })
}
