//! The network layer, which has the packets: a TUN device, or a test's memory.

use arqway_net::{Interface, NetError, Slab};
use bytes::Bytes;

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
