//! Datagrams over UDP, in batches.

use super::{Line, SystemLine};
use arqway_net::{Datagrams, NetError, Sent, Slab, UdpSocket};
use std::net::SocketAddr;
use std::os::fd::{AsFd as _, BorrowedFd};

#[derive(Debug)]
pub(super) struct UdpLine {
    socket: UdpSocket,
    slab: Slab,
}

impl UdpLine {
    pub(super) fn bind(address: SocketAddr) -> Result<Self, NetError> {
        Ok(Self { socket: UdpSocket::bind(address)?, slab: Slab::new() })
    }
}

impl Line for UdpLine {
    fn receive(&mut self) -> Result<Option<Datagrams>, NetError> {
        self.socket.receive(&mut self.slab)
    }

    fn send(&mut self, to: SocketAddr, octets: &[u8], each: usize) -> Result<Sent, NetError> {
        self.socket.send(to, octets, each)
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
}
