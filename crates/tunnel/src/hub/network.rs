//! The network layer, which has the packets: a TUN device (`host/device.rs`), or a test's memory.

use super::counters::Counters;
use arqway_net::NetError;
use arqway_units::Octets;
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

    /// The largest packet that it sends and takes.
    fn mtu(&self) -> Octets {
        Octets::MAX
    }

    /// No other packet comes in this turn: what waits for that goes. How many packets it could not take of which `deliver` said
    /// that it had them.
    ///
    /// # Errors
    /// The device is gone.
    fn finish(&mut self) -> Result<u64, NetError> {
        Ok(0)
    }
}

/// Delivers a packet, and counts it.
pub(super) fn deliver(packet: &[u8], network: &mut impl NetworkLayer, counters: &mut Counters) -> Result<(), NetError> {
    match network.deliver(packet)? {
        true => counters.packets_delivered += 1,
        false => counters.packets_refused_here += 1,
    }
    Ok(())
}
