//! File Transfer: files go from the server to the client as fast as TCP lets them (monet08 §III), each over a connection of
//! its own; one, unless several are asked for.

use super::downloads::Downloads;
use super::{AppConfig, ConnectionCount, Connections, End, Hosts, Model, Owner, Quantity, Setup};
use crate::packet::{PacketLength, PacketSize, TCP_HEADERS};
use crate::tcp::{Message, Sender};
use arqway_link::mux::Ds;
use arqway_units::Octets;
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

impl AppConfig for FileTransferConfig {
    const FINISHES: bool = true;

    fn disabled() -> Self {
        Self { enabled: false, ..Self::default() }
    }

    fn connections(&self) -> u32 {
        self.connections.get().into()
    }
}

/// What came of all transfers.
#[derive(Debug, Clone, PartialEq)]
pub struct FileTransferOutcome {
    /// Whether all of every file was acknowledged before the run ended.
    pub is_complete: bool,
    /// Application data of all files acknowledged, in bits per second until the last acknowledgement or the end of the run.
    pub throughput_bps: f64,
    /// How often a retransmission timer of TCP expired, for each connection.
    pub timeouts: f64,
}

/// All transfers.
#[derive(Debug)]
pub(crate) struct FileTransfer {
    downloads: Downloads,
    file: Message,
    unfinished: u16,
}

impl Model for FileTransfer {
    type Config = FileTransferConfig;
    type Outcome = FileTransferOutcome;
    type Connection = ();

    const QUANTITIES: &'static [Quantity] = &[
        Quantity::once("file-transfer.throughput", "File Transfer throughput (kbit/s)", 1e-3, |run| {
            Some(run.applications.file_transfer.as_ref()?.throughput_bps)
        }),
        Quantity::once("file-transfer.timeouts", "TCP timeouts", 1.0, |run| {
            Some(run.applications.file_transfer.as_ref()?.timeouts)
        }),
        Quantity::link_timeouts("file-transfer.link-timeouts"),
        Quantity::frame_loss("file-transfer.flr"),
        Quantity::once("file-transfer.left", "Left by the media (kbit/s)", 1e-3, |run| {
            run.applications.media.as_ref()?.left_bps
        })
        .needs("media.enabled = true", |world| world.applications.media.is_some()),
    ];

    fn build(config: &FileTransferConfig, setup: &mut Setup<'_>) -> Self {
        let size = PacketSize::new(config.packet, setup.headers, TCP_HEADERS);
        let FileTransferConfig { connections, ds, .. } = *config;
        Self {
            downloads: Downloads { size, connections, server_port: SERVER_PORT, ds },
            file: Message::padded(config.size.as_u64(), size),
            unfinished: connections.get(),
        }
    }

    fn start(&mut self, hosts: &mut Hosts<'_>) {
        self.downloads.start(self.file, |_| Owner::FileTransfer(()), hosts);
    }

    /// A file is complete when its last packet is acknowledged.
    fn handle_end_of_data(&mut self, (): (), by_receiver: bool, _hosts: &mut Hosts<'_>) {
        self.unfinished = self.unfinished.saturating_sub(u16::from(!by_receiver));
    }

    fn is_finished(&self) -> bool {
        self.unfinished == 0
    }

    fn outcome(&self, end: &End<'_>) -> FileTransferOutcome {
        FileTransferOutcome {
            is_complete: self.is_finished(),
            throughput_bps: self.downloads.throughput_bps(senders(end.connections), end.now),
            timeouts: self.downloads.timeouts(senders(end.connections)),
        }
    }
}

fn senders(connections: &Connections) -> impl Iterator<Item = &Sender> {
    let of_files = connections.iter().filter(|connection| connection.owner == Owner::FileTransfer(()));
    of_files.map(|connection| &connection.sender)
}
