//! The channel by itself: whenever the link toward the client has nothing else to send, a frame goes out that nobody
//! wants, and it is counted which frames with data are lost, and how many in a row.
//!
//! ```text
//!     sent      |==|==|==|==|==|==|==|==|==|==|
//!     lost             x  x        x                loss 3 of 10, mean run 1.5
//! ```
//!
//! There is no recovery of its own and nobody answers, so over the raw service this is what the error model does to frames
//! that are sent back to back.

use crate::host::Host;
use crate::packet::{Memory, PacketLength, ipv4, write_total_length};
use arqway_link::Packet;
use arqway_link::mux::Ds;
use arqway_units::{Span, positive_span};
use etherparse::IpNumber;
use serde::{Deserialize, Serialize};

/// Settings of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChannelConfig {
    /// Whether to measure the channel.
    pub enabled: bool,
    /// The length of a packet; a frame adds the header of its service.
    pub packet: PacketLength,
    /// The duration.
    #[serde(deserialize_with = "positive_span")]
    pub duration: Span,
}

impl Default for ChannelConfig {
    /// 320,000 of the papers' packets at 64 kbit/s.
    fn default() -> Self {
        Self { enabled: false, packet: PacketLength::SHORT, duration: Span::from_milliseconds(10_000_000) }
    }
}

/// A protocol for experiments (RFC 3692): no class takes these packets for those of another application.
const PROTOCOL: IpNumber = IpNumber::EXPERIMENTAL_AND_TESTING_0;

/// What fills the link at the access point.
#[derive(Debug)]
pub(crate) struct Filler {
    packet: Packet,
    is_over: bool,
}

impl Filler {
    pub(crate) fn new(config: &ChannelConfig, memory: &mut Memory) -> Self {
        let size = config.packet.octets().as_usize();
        let mut header = ipv4(PROTOCOL, Host::Server, Ds::default());
        write_total_length(&mut header, size);
        Self { packet: memory.packet(&header, size), is_over: false }
    }

    /// The next packet: all are the same one.
    pub(crate) fn packet(&self) -> Option<Packet> {
        (!self.is_over).then(|| self.packet.clone())
    }

    /// Enough was sent.
    pub(crate) fn stop(&mut self) {
        self.is_over = true;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether a packet is one of these.
    pub(crate) fn is_of(packet: &Packet) -> bool {
        packet.octets.get(9) == Some(&PROTOCOL.0)
    }
}
