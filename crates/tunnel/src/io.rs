//! What is around a tunnel: the line that carries its datagrams, and the network layer that has the packets.
//!
//! Both have an implementation over the system, and tests have them in memory.

use arqway_net::{Datagrams, Interface, NetError, Sent, Slab, UdpSocket};
use bytes::Bytes;
use std::net::SocketAddr;

/// Carries datagrams to addresses and from there.
pub trait Line {
    /// Datagrams that have arrived; none if there are none now.
    ///
    /// # Errors
    /// The line is broken.
    fn receive(&mut self) -> Result<Option<Datagrams>, NetError>;

    /// Sends datagrams of `each` octets, the last of which may be shorter, to one address.
    ///
    /// # Errors
    /// The line is broken. That nobody is there, or no way, is not an error of the line.
    fn send(&mut self, to: SocketAddr, octets: &[u8], each: usize) -> Result<Sent, NetError>;
}

/// Has the packets at this end.
pub trait NetworkLayer {
    /// The next packet to carry; none if there is none now.
    ///
    /// # Errors
    /// The device is gone.
    fn poll_packet(&mut self) -> Result<Option<Bytes>, NetError>;

    /// Takes a packet that has arrived; `false` if it could not.
    ///
    /// # Errors
    /// The device is gone.
    fn deliver(&mut self, packet: &[u8]) -> Result<bool, NetError>;

    /// No other packet comes in this turn: what waits for that goes. How many packets it could not take of which `deliver` said
    /// that it had them.
    ///
    /// # Errors
    /// The device is gone.
    fn finish(&mut self) -> Result<u64, NetError> {
        Ok(0)
    }
}

/// A line over UDP.
#[derive(Debug)]
pub struct UdpLine {
    socket: UdpSocket,
    slab: Slab,
}

impl UdpLine {
    /// A line over a socket.
    #[must_use]
    pub fn new(socket: UdpSocket) -> Self {
        Self { socket, slab: Slab::new() }
    }

    /// The socket, to wait for.
    #[must_use]
    pub fn socket(&self) -> &UdpSocket {
        &self.socket
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

/// A TUN device as network layer.
#[derive(Debug)]
pub struct TunDevice {
    interface: Interface,
    slab: Slab,
}

impl TunDevice {
    /// The network layer of a device.
    #[must_use]
    pub fn new(interface: Interface) -> Self {
        Self { interface, slab: Slab::new() }
    }

    /// The device, to wait for.
    #[must_use]
    pub fn interface(&self) -> &Interface {
        &self.interface
    }
}

impl NetworkLayer for TunDevice {
    fn poll_packet(&mut self) -> Result<Option<Bytes>, NetError> {
        self.interface.receive(&mut self.slab)
    }

    fn deliver(&mut self, packet: &[u8]) -> Result<bool, NetError> {
        self.interface.send(packet)
    }

    fn finish(&mut self) -> Result<u64, NetError> {
        self.interface.flush()
    }
}
