//! What the owner of a bearer learns, by [`Bearer::poll_event`](super::Bearer::poll_event).

use arqway_units::{BitRate, Octets};

/// Something that happened to the link, or to one of its lines where it has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It carries packets from now on: the peer is there, or is back.
    Up,
    /// It is silent: services stand still. Of a line of several: what had been given to it goes by another.
    Down,
    /// The search for the size of the largest datagram has come to this one, with the overhead. What is too large for
    /// [`largest_packet`](arqway_contract::LinkService::largest_packet) is to be answered, not sent.
    Mtu(Octets),
    /// Less than half of what was sent at its pace has arrived for ten round trips: datagrams leave at this rate from now on. It is raised again as more arrives.
    Slowed(BitRate),
    /// The rate that is found is half as much again as it was when it was told last, or half of it. A dip of less than a second or two is not
    /// told.
    Rate(BitRate),
    /// The line carries so much, and datagrams leave faster: what it does not carry is lost or waits in a queue on the way. Nothing is done
    /// about it.
    RateTooHigh(BitRate),
    /// Datagrams leave at the configured pace again.
    Restored,
    /// The peer has restarted: the services were built anew, and what was in them is gone.
    PeerRestarted,
}
