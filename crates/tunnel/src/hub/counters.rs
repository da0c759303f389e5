//! What a tunnel counts besides what its links and its session count.

use serde::{Deserialize, Serialize};

/// Events since the tunnel was made, over all peers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Packets of the network layer that the link to a peer took.
    pub packets_taken: u64,
    /// Packets that no peer has the destination of.
    pub packets_without_peer: u64,
    /// Packets to a peer that has not called yet and whose address nobody has said.
    pub packets_without_address: u64,
    /// Packets that found their queue full, or made room in it for later ones.
    pub packets_dropped: u64,
    /// Packets larger than the link to their peer carries: their senders were told so (ICMP), but while a larger MTU is tried.
    pub packets_too_large: u64,
    /// Octets of the network layer that are no IP packet.
    pub not_packets_sent: u64,
    /// Packets given to the network layer.
    pub packets_delivered: u64,
    /// Packets that the device did not take.
    pub packets_refused_here: u64,
    /// Packets of a peer whose source is none of its addresses.
    pub sources_not_allowed: u64,
    /// Octets of a peer that are no IP packet.
    pub not_packets_received: u64,
    /// Datagrams received that carried a frame.
    pub datagrams_received: u64,
    /// Datagrams that could not be sealed: the peer's address is new and not proven.
    pub datagrams_not_sealed: u64,
}
