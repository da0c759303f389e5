//! What a packet is in a sum: its length, and its octets.
//!
//! ```text
//!     length, 16 bits | octets ... | zeros, as far as the longest packet of the sum goes
//! ```

use arqway_arq::linear::field::add_scaled;
use bytes::{Bytes, BytesMut};

/// What stands in front of the octets.
pub(super) const LENGTH: usize = 2;
/// A packet with more octets is in no sum.
const MOST_OCTETS: usize = 0xffff;
/// How much memory is taken at once.
const SLAB: usize = 16 * 1024;

/// Adds a packet so many times to a sum that is as long; `None` where that is shorter.
pub(super) fn add(sum: &mut [u8], times: u8, packet: &[u8]) -> Option<()> {
    let length = u16::try_from(packet.len()).ok()?.to_be_bytes();
    let (head, octets) = sum.split_at_mut_checked(LENGTH)?;
    let octets = octets.get_mut(..packet.len())?;
    add_scaled(head, times, &length);
    add_scaled(octets, times, packet);
    Some(())
}

/// Whether a packet can be in a sum.
pub(super) fn fits(packet: &[u8]) -> bool {
    packet.len() <= MOST_OCTETS
}

/// The packet that a sum is which has no other; `None` where it cannot be one.
pub(super) fn read(sum: &[u8], slab: &mut BytesMut) -> Option<Bytes> {
    let (length, octets) = sum.split_first_chunk::<LENGTH>()?;
    let (packet, rest) = octets.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    let is_padded = !packet.is_empty() && rest.iter().all(|octet| *octet == 0);
    is_padded.then(|| copied(packet, slab))
}

/// The same octets in memory of their own: what they came in has others in it, and would be kept with them.
pub(super) fn copied(octets: &[u8], slab: &mut BytesMut) -> Bytes {
    room(slab, octets.len());
    slab.extend_from_slice(octets);
    slab.split().freeze()
}

/// Memory for so many octets, which are zeros.
pub(super) fn zeros(length: usize, slab: &mut BytesMut) -> BytesMut {
    room(slab, length);
    slab.resize(length, 0);
    slab.split()
}

fn room(slab: &mut BytesMut, octets: usize) {
    if slab.capacity() < octets {
        slab.reserve(SLAB.max(octets));
    }
}
