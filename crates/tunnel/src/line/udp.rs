//! Datagrams over UDP, in batches.

use super::{Line, SystemLine};
use arqway_net::{Datagrams, NetError, Outer, Sent, Slab, UdpSocket, Underlay, Way};
use std::net::SocketAddr;
use std::os::fd::{AsFd as _, BorrowedFd};

#[derive(Debug)]
pub(super) struct UdpLine {
    socket: UdpSocket,
    slab: Slab,
    underlay: Option<Underlay>,
}

impl UdpLine {
    pub(super) fn bind(address: SocketAddr) -> Result<Self, NetError> {
        Ok(Self { socket: UdpSocket::bind(address)?, slab: Slab::new(), underlay: None })
    }
}

impl Line for UdpLine {
    fn receive(&mut self) -> Result<Option<Datagrams>, NetError> {
        self.socket.receive(&mut self.slab)
    }

    fn send(&mut self, to: SocketAddr, octets: &[u8], each: usize, traffic_class: u8) -> Result<Sent, NetError> {
        let interface = match self.underlay.as_mut().map(|underlay| underlay.way_to(to.ip())) {
            None | Some(Way::AsRouted) => None,
            Some(Way::By(interface)) => Some(interface),
            Some(Way::Nowhere) => return Ok(Sent::Lost(octets.len())),
        };
        self.socket.send(to, octets, each, Outer { traffic_class, interface })
    }

    fn is_crowded(&self) -> bool {
        self.slab.is_crowded()
    }
}

impl SystemLine for UdpLine {
    fn place(&self) -> String {
        self.address().to_string()
    }

    fn address(&self) -> SocketAddr {
        self.socket.address()
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }

    fn go_around(&mut self, underlay: Underlay) {
        self.underlay = Some(underlay);
    }

    fn changes(&self) -> Option<BorrowedFd<'_>> {
        self.underlay.as_ref().map(|underlay| underlay.as_fd())
    }

    fn changed(&mut self) {
        self.underlay.iter_mut().for_each(Underlay::changed);
    }
}
