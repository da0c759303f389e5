//! File Transfer: files go from the server to the client as fast as TCP lets them (monet08 §III), each over a connection of
//! its own; one, unless several are asked for.

use super::{ConnectionCount, Downloads, Owner};
use crate::packet::{Headers, PacketLength, PacketSize, TCP_HEADERS};
use crate::tcp::{Connections, Message, Sender, SlotId, TcpConfig};
use arqway_link::mux::Ds;
use arqway_units::{Octets, Span, Time};
use serde::{Deserialize, Serialize};

/// Settings of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FileTransferConfig {
    /// Whether to transfer a file.
    pub enabled: bool,
    /// The size of the file; a partial last packet counts as a full one.
    #[serde(deserialize_with = "not_empty")]
    pub size: Octets,
    /// The length of a packet; the scenario's `headers` says whether it includes the headers.
    pub packet: PacketLength,
    /// The number of files transferred in parallel, each over its own connection.
    pub connections: ConnectionCount,
    /// The Differentiated Services field of its packets and their acknowledgements.
    pub ds: Ds,
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
        Self {
            enabled: true,
            size: Octets::new(10_000_000),
            packet: PacketLength::SHORT,
            connections: ConnectionCount::ONE,
            ds: Ds::default(),
        }
    }
}

/// FTP's data come from here.
const SERVER_PORT: u16 = 20;

/// All transfers.
#[derive(Debug)]
pub(crate) struct FileTransfer {
    downloads: Downloads,
    file: Message,
    unfinished: u16,
}

impl FileTransfer {
    /// Transfers that have not begun.
    pub(crate) fn new(config: &FileTransferConfig, headers: Headers) -> Self {
        let size = PacketSize::new(config.packet, headers, TCP_HEADERS);
        let FileTransferConfig { connections, ds, .. } = *config;
        Self {
            downloads: Downloads { size, connections, server_port: SERVER_PORT, ds },
            file: Message::padded(config.size.as_u64(), size),
            unfinished: connections.get(),
        }
    }

    /// Opens the connections; where each clock stands in its tick is asked anew.
    pub(crate) fn open<'a>(
        &'a self,
        tcp: &'a TcpConfig,
        connections: &'a mut Connections,
        clock_phase: impl FnMut() -> Span + 'a,
    ) -> impl Iterator<Item = SlotId> + 'a {
        self.downloads.open(self.file, |_| Owner::File, tcp, connections, clock_phase)
    }

    /// The last packet of a file was acknowledged.
    pub(crate) fn finish_one(&mut self) {
        self.unfinished = self.unfinished.saturating_sub(1);
    }

    /// Whether all files are there.
    pub(crate) fn is_finished(&self) -> bool {
        self.unfinished == 0
    }

    /// Application data acknowledged in all files together, per second since the start.
    pub(crate) fn throughput_bps(&self, connections: &Connections, now: Time) -> f64 {
        self.downloads.throughput_bps(of_files(connections), now)
    }

    /// How often a retransmission timer expired, for each connection.
    pub(crate) fn timeouts(&self, connections: &Connections) -> f64 {
        self.downloads.timeouts(of_files(connections))
    }
}

fn of_files(connections: &Connections) -> impl Iterator<Item = &Sender> {
    connections.iter().filter(|connection| connection.owner == Owner::File).map(|connection| &connection.sender)
}
