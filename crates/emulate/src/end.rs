//! One end of the emulated link: where packets come from and go to.

use arqway_net::{Interface, NetError};
use arqway_slab::Slab;
use arqway_units::Octets;
use bytes::Bytes;

/// What an emulation needs of an interface. A test has one in memory.
pub trait End {
    /// The next packet that this end sends; none if there is none now.
    ///
    /// # Errors
    /// The interface is gone or broken.
    fn receive(&mut self, slab: &mut Slab) -> Result<Option<Bytes>, NetError>;

    /// Hands a packet to this end; `false` if it takes none now.
    ///
    /// # Errors
    /// The interface is gone or broken.
    fn send(&mut self, packet: &[u8]) -> Result<bool, NetError>;

    /// Octets in front of each packet that take nothing of the link: an Ethernet header.
    fn header_octets(&self) -> usize;

    /// How many packets this end sent that were dropped before the emulator read them.
    fn overruns(&mut self) -> u64;

    /// What a packet takes of the link.
    fn size(&self, packet: &[u8]) -> Octets {
        Octets::of(packet.len().saturating_sub(self.header_octets()))
    }
}

impl End for Interface {
    fn receive(&mut self, slab: &mut Slab) -> Result<Option<Bytes>, NetError> {
        Self::receive(self, slab)
    }

    fn send(&mut self, packet: &[u8]) -> Result<bool, NetError> {
        Self::send(self, packet)
    }

    fn header_octets(&self) -> usize {
        Self::header_octets(self)
    }

    fn overruns(&mut self) -> u64 {
        Self::overruns(self)
    }
}
