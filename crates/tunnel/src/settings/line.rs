//! A line other than UDP: `line = { serial = "/dev/ttyUSB0", baud = 57600 }`.

use arqway_config::Located;
use arqway_hdlc::{FRAMING, STUFFED_ONE_IN};
use arqway_link::bearer::Mtu;
use arqway_net::{BITS_AN_OCTET, SerialConfig};
use arqway_units::{BitRate, Octets};
use serde::Deserialize;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The rates of serial lines: teleprinters went slower, and no adapter goes faster.
pub const BAUD: RangeInclusive<u32> = 50..=12_000_000;

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
