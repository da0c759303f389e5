//! What is above an endpoint.

use arqway_link::Packet;
use std::os::fd::BorrowedFd;

/// Whoever has the packets at this end: a TUN device, or a queue in memory.
pub trait NetworkLayer {
    /// The next packet to carry, or `None` when there is none now; it does not block.
    fn poll_packet(&mut self) -> Option<Packet>;
    /// Takes a packet that has arrived.
    fn deliver(&mut self, packet: Packet);
    /// What becomes readable when there is a packet. A layer without one is asked in every turn, but a packet that it
    /// gets between two turns ends no wait.
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}
