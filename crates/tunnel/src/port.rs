//! Where an endpoint's outputs go: frames to the line, packets to the network layer, the deadline to the loop.
//!
//! No queue stands in front of the line. Frames wait in their services, where they can still be overtaken by something
//! more urgent and be given a fresh acknowledgement; the socket's own buffer is queue enough.

use crate::network::NetworkLayer;
use crate::udp::{LARGEST_DATAGRAM, UdpLine};
use arqway_link::{Frame, Packet, Port};
use arqway_units::{Octets, Time};

/// The tunnel's port.
#[derive(Debug)]
pub(crate) struct TunnelPort<N> {
    pub(crate) line: UdpLine,
    pub(crate) network: N,
    /// Handed over, not started.
    ready: Option<Frame>,
    deadline: Option<Time>,
}

impl<N> TunnelPort<N> {
    pub(crate) fn new(line: UdpLine, network: N) -> Self {
        Self { line, network, ready: None, deadline: None }
    }

    /// When the service next wants `handle_timeout`.
    pub(crate) fn deadline(&self) -> Option<Time> {
        self.deadline
    }
}

impl<N: NetworkLayer> Port for TunnelPort<N> {
    fn room(&self) -> Option<Octets> {
        (self.ready.is_none() && self.line.is_free()).then_some(Octets::of(LARGEST_DATAGRAM))
    }

    fn hand_over(&mut self, frame: Frame, _now: Time) -> Result<(), Frame> {
        self.ready = Some(frame);
        Ok(())
    }

    fn take_ready(&mut self) -> Option<Frame> {
        if self.line.is_free() { self.ready.take() } else { None }
    }

    fn transmit(&mut self, frame: Frame, _now: Time) {
        self.line.start(&frame);
    }

    fn deliver(&mut self, packet: Packet, _now: Time) {
        self.network.deliver(packet);
    }

    fn wake_at(&mut self, deadline: Option<Time>) {
        self.deadline = deadline;
    }

    fn finish(&mut self, _now: Time) {}
}
