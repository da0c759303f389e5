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

use super::{Settings, is_name};
use arqway_config::{Located, Mistakes};
use arqway_hdlc::{FRAMING, STUFFED_ONE_IN};
use arqway_link::bearer::{Mtu, Rate};
use arqway_net::{BITS_AN_OCTET, SerialConfig};
use arqway_units::{BitRate, LineId, Octets};
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

impl Settings {
    /// What each line with a budget is called, and what it may carry in a month.
    pub(crate) fn budgets(&self) -> impl Iterator<Item = (LineId, String, Octets)> {
        let budget = |(line, settings): (LineId, &Located<UdpLineSettings>)| {
            Some((line, settings.value.name(), settings.value.budget.as_ref()?.value))
        };
        LineId::first(LineId::COUNT).zip(self.udp_lines()).filter_map(budget)
    }

    /// Whether a line is spare whatever it has carried.
    pub(crate) fn is_spare(&self, line: LineId) -> bool {
        self.udp_lines().get(line.index()).is_some_and(|line| line.value.spare)
    }

    /// Two to eight lines, each by an interface or from an address, and no two alike.
    pub(super) fn check_udp_lines(&self, mistakes: &mut Mistakes) {
        let lines = self.udp_lines();
        if let Some(line) = self.line.as_ref().filter(|line| matches!(line.value, Lines::Udp(_)))
            && !(2..=LineId::COUNT).contains(&lines.len())
        {
            let message = format!("{} lines; expected 2 to {}", lines.len(), LineId::COUNT);
            mistakes.push(line.mistake(message).help("without `line` datagrams go as the system's routes lead them"));
        }
        for (index, line) in lines.iter().enumerate() {
            let UdpLineSettings { interface, address, budget, .. } = &line.value;
            if let Some(budget) = budget.as_ref().filter(|budget| budget.value == Octets::ZERO) {
                let help = "`spare = true` uses a line only where there is no other";
                mistakes.push(budget.mistake("a budget of nothing; expected a size such as \"10 GB\"").help(help));
            }
            if interface.is_some() == address.is_some() {
                mistakes.push(line.mistake("a line is by an `interface` or from an `address`; expected one of both"));
            } else if lines[..index].iter().any(|before| before.value.name() == line.value.name()) {
                let message = format!("a second line by `{}`; expected one of its own for each", line.value.name());
                mistakes.push(line.mistake(message));
            }
            if interface.as_ref().is_some_and(|name| !is_name(name)) {
                mistakes.push(line.mistake(format!("`{}` cannot be the name of an interface", line.value.name())));
            }
        }
        if let Some(listen) = self.listen.as_ref().filter(|_| !lines.is_empty())
            && !listen.value.0.ip().is_unspecified()
        {
            let mistake =
                listen.mistake("each line has its own address; expected a port alone, at which the first one listens");
            mistakes.push(mistake);
        }
    }
}
