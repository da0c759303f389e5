//! A line other than UDP at all addresses of this machine: a serial one, or several of UDP, each by an interface or from an address.
//!
//! ```toml
//! line = { serial = "/dev/ttyUSB0", baud = 57600 }
//!
//! [[line]]
//! interface = "wwan0"
//! [[line]]
//! interface = "sat0"
//! rate = "9.5 Mbit/s"
//! spare = true
//! ```

use arqway_config::Located;
use arqway_hdlc::{FRAMING, STUFFED_ONE_IN};
use arqway_link::bearer::{Mtu, Rate};
use arqway_net::{BITS_AN_OCTET, SerialConfig};
use arqway_units::{BitRate, Octets};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The rates of serial lines: teleprinters went slower, and no adapter goes faster.
pub const BAUD: RangeInclusive<u32> = 50..=12_000_000;

/// What carries datagrams, where that is not UDP at all addresses of this machine.
#[derive(Debug, Clone)]
pub enum Lines {
    /// A serial line.
    Serial(LineSettings),
    /// UDP by several interfaces or from several addresses.
    Udp(Vec<Located<UdpLineSettings>>),
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrSeveral;
        impl<'de> Visitor<'de> for OneOrSeveral {
            type Value = Lines;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a serial line, or a list of lines of UDP")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Lines, A::Error> {
                LineSettings::deserialize(MapAccessDeserializer::new(map)).map(Lines::Serial)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<Lines, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(sequence)).map(Lines::Udp)
            }
        }
        deserializer.deserialize_any(OneOrSeveral)
    }
}

impl JsonSchema for Lines {
    fn schema_name() -> Cow<'static, str> {
        "Lines".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let serial = generator.subschema_for::<LineSettings>();
        let several = generator.subschema_for::<Vec<Located<UdpLineSettings>>>();
        json_schema!({ "anyOf": [serial, several] })
    }
}

/// One line of several, over UDP: by an interface, or from an address.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct UdpLineSettings {
    /// The interface that its datagrams leave by, such as `wwan0`; it may come and go.
    pub interface: Option<String>,
    /// The address of this machine that they leave from: the system's routes have to lead from there by the line.
    pub address: Option<IpAddr>,
    /// How fast this end sends by it, where that is not the `rate` of its peer.
    pub rate: Option<Rate>,
    /// Whether packets go by it, both ways, only while no other line is there.
    #[serde(default)]
    pub spare: bool,
    /// How much may cross it in a calendar month, both ways, before it is spare until the next one.
    pub budget: Option<Located<Octets>>,
}

impl UdpLineSettings {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> String {
        let address = || self.address.map(|address| address.to_string());
        self.interface.clone().or_else(address).unwrap_or_default()
    }
}

/// A serial line, with one peer at its other end.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LineSettings {
    /// The device, such as `/dev/ttyUSB0`; under `/dev/serial/by-id` adapters keep their names.
    pub serial: PathBuf,
    /// Its rate in bits a second: eight bits, no parity and one stop bit to the octet.
    #[schemars(range(min = *BAUD.start(), max = *BAUD.end()))]
    pub baud: Located<u32>,
    /// Whether the device says when it has room; by default nobody does.
    #[serde(default)]
    pub flow_control: FlowControl,
    /// The largest frame, without stuffing.
    #[serde(default = "frame")]
    pub frame: Mtu,
}

/// Who says that a serial line has room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowControl {
    /// Nobody.
    #[default]
    None,
    /// The device, by the wires RTS and CTS.
    Hardware,
}

fn frame() -> Mtu {
    Mtu::ETHERNET
}

impl LineSettings {
    /// What it adds to a datagram.
    pub(super) fn overhead() -> Octets {
        Octets::of(FRAMING)
    }

    /// How fast octets cross it before they are stuffed, by its rate.
    pub(super) fn rate(&self) -> Option<BitRate> {
        let octets = u64::from(self.baud.value) * STUFFED_ONE_IN / u64::from(BITS_AN_OCTET) / (STUFFED_ONE_IN + 1);
        BitRate::from_bits_per_second(octets * 8)
    }

    pub(super) fn config(&self) -> SerialConfig {
        SerialConfig {
            path: self.serial.clone(),
            baud: self.baud.value,
            hardware_flow_control: self.flow_control == FlowControl::Hardware,
        }
    }
}
