//! The TUN device: the network layer of a tunnel that runs.

use crate::hub::NetworkLayer;
use arqway_net::{Interface, NetError};
use arqway_slab::Slab;
use arqway_units::Octets;
use bytes::Bytes;

/// A TUN device as network layer.
#[derive(Debug)]
pub(crate) struct TunDevice {
    interface: Interface,
    slab: Slab,
    mtu: Octets,
}

impl TunDevice {
    /// The network layer of a device that was made with this MTU.
    pub(crate) fn new(interface: Interface, mtu: Octets) -> Self {
        Self { interface, slab: Slab::new(), mtu }
    }

    /// The device, to wait for.
    pub(crate) fn interface(&self) -> &Interface {
        &self.interface
    }
}

impl NetworkLayer for TunDevice {
    fn poll_packet(&mut self) -> Result<Option<Bytes>, NetError> {
        let packet = self.interface.receive(&mut self.slab)?;
        // It is held until its peer has it, and others that came with it may be long gone.
        Ok(packet.map(|packet| if self.slab.is_crowded() { Bytes::copy_from_slice(&packet) } else { packet }))
    }

    fn deliver(&mut self, packet: &[u8]) -> Result<bool, NetError> {
        self.interface.send(packet)
    }

    fn mtu(&self) -> Octets {
        self.mtu
    }

    fn finish(&mut self) -> Result<u64, NetError> {
        self.interface.flush()
    }
}
