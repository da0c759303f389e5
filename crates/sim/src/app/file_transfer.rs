//! File Transfer: files go from the server to the client as fast as TCP lets them (monet08 §III), each over a connection of
//! its own; one, unless several are asked for.

use super::Owner;
use crate::packet::{Headers, PacketLength, PacketSize, TCP_HEADERS};
use crate::probe::Host;
use crate::tcp::{Connections, Message, Opening, SlotId, TcpConfig};
use arqway_link::mux::Ds;
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
    /// How many such files go at once, each over a connection of its own.
    pub connections: ConnectionCount,
    /// The differentiated services field of its packets, acknowledgements too.
    pub ds: Ds,
}

fn not_empty<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Octets, D::Error> {
    let size = Octets::deserialize(deserializer)?;
    if size == Octets::ZERO {
        return Err(serde::de::Error::custom("a file has at least 1 octet; without one, set `enabled = false`"));
    }
    Ok(size)
}

/// How many connections: at least one, and no more than have ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = Self::MAX)))]
#[serde(try_from = "i64", into = "i64")]
pub struct ConnectionCount(u16);

impl ConnectionCount {
    /// Far fewer than there are ports, so that connections of other applications have theirs.
    pub const MAX: u16 = 1000;
    /// One.
    pub const ONE: Self = Self(1);

    /// So many, or `None` outside 1 to [`MAX`](Self::MAX).
    #[must_use]
    pub fn new(connections: u16) -> Option<Self> {
        (1..=Self::MAX).contains(&connections).then_some(Self(connections))
    }

    /// How many.
    #[must_use]
    pub fn get(self) -> u16 {
        self.0
    }
}

/// A number of connections that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} connections: right would be 1 to {max}", max = ConnectionCount::MAX)]
pub struct ConnectionCountError(i64);

impl TryFrom<i64> for ConnectionCount {
    type Error = ConnectionCountError;
    fn try_from(connections: i64) -> Result<Self, ConnectionCountError> {
        u16::try_from(connections).ok().and_then(Self::new).ok_or(ConnectionCountError(connections))
    }
}

impl From<ConnectionCount> for i64 {
    fn from(count: ConnectionCount) -> Self {
        Self::from(count.0)
    }
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
    size: PacketSize,
    connections: u16,
    unfinished: u16,
}

impl FileTransfer {
    /// Transfers that have not begun.
    pub(crate) fn new(config: &FileTransferConfig, headers: Headers) -> Self {
        let connections = config.connections.get();
        Self { size: PacketSize::new(config.packet, headers, TCP_HEADERS), connections, unfinished: connections }
    }

    /// Opens the connections; where each clock stands in its tick is asked anew.
    pub(crate) fn open<'a>(
        &self,
        config: &'a FileTransferConfig,
        tcp: &'a TcpConfig,
        connections: &'a mut Connections,
        mut clock_phase: impl FnMut() -> Span + 'a,
    ) -> impl Iterator<Item = SlotId> + 'a {
        let message = Message::padded(config.size.as_u64(), self.size);
        let open = move |_| {
            connections.open(&Opening {
                owner: Owner::File,
                sender: Host::Server,
                server_port: SERVER_PORT,
                ds: config.ds,
                settings: tcp.settings(),
                clock_phase: clock_phase(),
                message,
            })
        };
        (0..config.connections.get()).filter_map(open)
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
        let seconds = now.as_seconds();
        let packets: u64 = of_files(connections).map(|sender| sender.packets_acknowledged()).sum();
        let acknowledged = Octets::new(packets * self.size.counted);
        if seconds > 0.0 { acknowledged.as_bits() as f64 / seconds } else { 0.0 }
    }

    /// How often a retransmission timer expired, for each connection.
    pub(crate) fn timeouts(&self, connections: &Connections) -> f64 {
        let timeouts: u64 = of_files(connections).map(crate::tcp::Sender::timeouts).sum();
        timeouts as f64 / f64::from(self.connections)
    }
}

fn of_files(connections: &Connections) -> impl Iterator<Item = &crate::tcp::Sender> {
    connections.iter().filter(|connection| connection.owner == Owner::File).map(|connection| &connection.sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_connections_that_cannot_be_is_refused() {
        assert_eq!(ConnectionCount::try_from(10).map(ConnectionCount::get), Ok(10));
        for number in [-1, 0, 1001, 70_000] {
            assert_eq!(ConnectionCount::try_from(number), Err(ConnectionCountError(number)));
        }
    }
}
