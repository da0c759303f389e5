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

use super::{AppConfig, End, Hosts, Model, Quantity, Setup};
use crate::host::Host;
use crate::packet::{Memory, PacketLength, ipv4, write_total_length};
use arqway_link::mux::Ds;
use arqway_units::{Span, Time, positive_span};
use bytes::Bytes;
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

/// A protocol number for experiments (RFC 3692), so that no class takes these packets for those of another application.
const PROTOCOL: IpNumber = IpNumber::EXPERIMENTAL_AND_TESTING_0;

impl AppConfig for ChannelConfig {
    const FINISHES: bool = true;
}

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelOutcome {
    /// The share of the frames that were lost, if any was sent.
    pub loss: Option<f64>,
    /// How many frames in a row were lost, on average, if any were.
    pub mean_run: Option<f64>,
}

/// What fills the link at the access point.
#[derive(Debug)]
pub(crate) struct ChannelMeasurement {
    /// All packets are the same one.
    packet: Bytes,
    duration: Span,
    is_finished: bool,
}

impl ChannelMeasurement {
    fn new(config: &ChannelConfig, memory: &mut Memory) -> Self {
        let size = config.packet.octets().as_usize();
        let mut header = ipv4(PROTOCOL, Host::Server, Ds::default());
        write_total_length(&mut header, size);
        Self { packet: memory.packet(&header, size), duration: config.duration, is_finished: false }
    }
}

impl Model for ChannelMeasurement {
    type Config = ChannelConfig;
    type Outcome = ChannelOutcome;
    type Connection = ();

    const QUANTITIES: &'static [Quantity] = &[
        Quantity::once("channel.loss", "Frames lost (%)", 100.0, |run| run.applications.channel.as_ref()?.loss),
        Quantity::once("channel.burst", "Mean run of lost frames", 1.0, |run| {
            run.applications.channel.as_ref()?.mean_run
        }),
    ];
    const FILLS_LINK: bool = true;

    fn build(config: &ChannelConfig, setup: &mut Setup<'_>) -> Self {
        Self::new(config, setup.memory)
    }

    fn start(&mut self, hosts: &mut Hosts<'_>) {
        hosts.wake_at(Time::ZERO + self.duration, 0);
        self.handle_idle_link(hosts);
    }

    fn handle_timer(&mut self, _timer: u8, _hosts: &mut Hosts<'_>) {
        self.is_finished = true;
    }

    /// The client takes the packets, and does nothing with them.
    fn handle_packet(&mut self, _at: Host, packet: &[u8], _hosts: &mut Hosts<'_>) -> bool {
        packet.get(9) == Some(&PROTOCOL.0)
    }

    fn handle_idle_link(&mut self, hosts: &mut Hosts<'_>) {
        if !self.is_finished {
            hosts.fill_link(self.packet.clone());
        }
    }

    fn is_finished(&self) -> bool {
        self.is_finished
    }

    fn outcome(&self, end: &End<'_>) -> ChannelOutcome {
        ChannelOutcome { loss: end.frame_loss.rate(), mean_run: end.frame_loss.mean_run() }
    }
}
