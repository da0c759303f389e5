//! What File Transfer and greedy sources share: connections that all begin at time zero and carry data from the server to
//! the client, counted in whole packets.

use super::{ConnectionCount, Hosts, Owner};
use crate::host::Host;
use crate::packet::PacketSize;
use crate::tcp::{ConnectionId, Message, Opening, Sender};
use alloc::vec::Vec;
use arqway_link::mux::Ds;
use arqway_units::{Octets, Time, ToFloat};

/// Some connections of one application.
#[derive(Debug, Clone)]
pub(crate) struct Downloads {
    /// How long each packet is.
    pub(crate) size: PacketSize,
    /// How many connections.
    pub(crate) connections: ConnectionCount,
    /// The port at the server, by which others know the application.
    pub(crate) server_port: u16,
    /// Of its packets, acknowledgements too.
    pub(crate) ds: Ds,
}

impl Downloads {
    /// Opens the connections, each with the same message, and lets them begin once all are open.
    pub(crate) fn start(
        &self,
        message: Message,
        owner: impl Fn(u16) -> Owner,
        hosts: &mut Hosts<'_>,
    ) -> Vec<ConnectionId> {
        let mut open = |index| {
            let clock_phase = hosts.clock_phase();
            hosts.connections.open(&Opening {
                owner: owner(index),
                sender: Host::Server,
                server_port: self.server_port,
                ds: self.ds,
                settings: hosts.tcp.settings(),
                clock_phase,
                message,
            })
        };
        let connections: Vec<ConnectionId> = (0..self.connections.get()).filter_map(&mut open).collect();
        connections.iter().for_each(|id| hosts.start_sender(*id));
        connections
    }

    /// Application data acknowledged on all connections together, per second since the start.
    pub(crate) fn throughput_bps<'a>(&self, senders: impl Iterator<Item = &'a Sender>, now: Time) -> f64 {
        let seconds = now.as_seconds();
        let packets: u64 = senders.map(Sender::packets_acknowledged).sum();
        let acknowledged = Octets::new(packets * self.size.counted);
        if seconds > 0.0 { acknowledged.as_bits().to_f64() / seconds } else { 0.0 }
    }

    /// How often a retransmission timer expired, for each connection.
    pub(crate) fn timeouts<'a>(&self, senders: impl Iterator<Item = &'a Sender>) -> f64 {
        let timeouts: u64 = senders.map(Sender::timeouts).sum();
        timeouts.to_f64() / f64::from(self.connections.get())
    }
}
