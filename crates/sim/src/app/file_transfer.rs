//! File Transfer: a file goes from the server to the client as fast as TCP lets it (monet08 §III).

use crate::packet::{Headers, Memory, PacketLength, PacketSize};
use crate::tcp::{Receiver, SegmentFactory, Sender, TcpConfig, Transmission};
use arqway_link::Packet;
use arqway_units::{Octets, Span, Time};
use serde::{Deserialize, Serialize};

/// Settings of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FileTransferConfig {
    /// Whether there is a file to transfer.
    pub enabled: bool,
    /// How much data the file is; a last packet that is not full counts as a whole one.
    #[serde(deserialize_with = "not_empty")]
    pub size: Octets,
    /// How long a packet is; the scenario's `headers` says whether headers are inside.
    pub packet: PacketLength,
}

fn not_empty<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Octets, D::Error> {
    let size = Octets::deserialize(deserializer)?;
    if size == Octets::ZERO {
        return Err(serde::de::Error::custom("a file has at least 1 octet; without one, set `enabled = false`"));
    }
    Ok(size)
}

impl Default for FileTransferConfig {
    /// The papers' file of 10 MB in packets of 250 octets.
    fn default() -> Self {
        Self { enabled: true, size: Octets::new(10_000_000), packet: PacketLength::SHORT }
    }
}

/// Both ends of the transfer: the sender at the server, the receiver at the client.
#[derive(Debug)]
pub(crate) struct FileTransfer {
    /// The sending half.
    pub(crate) sender: Sender,
    receiver: Receiver,
    segments: SegmentFactory,
    size: PacketSize,
}

impl FileTransfer {
    /// A transfer that has not begun.
    pub(crate) fn new(config: &FileTransferConfig, tcp: &TcpConfig, headers: Headers, clock_phase: Span) -> Self {
        let size = PacketSize::new(config.packet, headers, crate::tcp::HEADERS);
        let packets = config.size.as_u64().div_ceil(size.counted.max(1));
        let settings = tcp.settings();
        Self {
            sender: Sender::new(settings, packets, clock_phase),
            receiver: Receiver::default(),
            segments: SegmentFactory::new(size, settings.handshake),
            size,
        }
    }

    /// The packet for a transmission of the sender.
    pub(crate) fn packet(&self, transmission: Transmission, memory: &mut Memory) -> Packet {
        self.segments.data(transmission, memory)
    }

    /// The client receives a packet and answers with an acknowledgement.
    pub(crate) fn receive(&mut self, packet: &Packet, memory: &mut Memory) -> Option<Packet> {
        let number = self.segments.read_data(packet, self.receiver.in_order())?;
        Some(self.segments.acknowledgement(self.receiver.receive(number), memory))
    }

    /// The server receives an acknowledgement: the highest packet it acknowledges.
    pub(crate) fn acknowledgement(&self, packet: &Packet) -> Option<i64> {
        self.segments.read_acknowledgement(packet, self.sender.acknowledged())
    }

    /// Application data acknowledged so far.
    pub(crate) fn acknowledged(&self) -> Octets {
        Octets::new(self.sender.packets_acknowledged() * self.size.counted)
    }

    /// Application data acknowledged, per second since the start.
    pub(crate) fn throughput_bps(&self, now: Time) -> f64 {
        let seconds = now.as_seconds();
        if seconds > 0.0 { self.acknowledged().as_bits() as f64 / seconds } else { 0.0 }
    }
}
