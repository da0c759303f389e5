//! An acknowledgement of less, made out of one of more.

use arqway_ip::Payload;
use bytes::Bytes;

/// Where the fields are in a TCP header (RFC 9293 §3.1).
const ACKNOWLEDGEMENT: usize = 8;
const CHECKSUM: usize = 16;

/// The same packet with another acknowledgement number. Its checksum, of whatever else, stays as right as it was: it is
/// changed by what has changed (RFC 1624).
pub(super) fn with_acknowledgement(packet: &[u8], payload: &Payload, number: u32) -> Option<Bytes> {
    let mut octets = packet.to_vec();
    let tcp = octets.get_mut(payload.range.clone())?;
    let field: &mut [u8; 4] = tcp.get_mut(ACKNOWLEDGEMENT..)?.first_chunk_mut()?;
    let old = core::mem::replace(field, number.to_be_bytes());
    let new = *field;
    let checksum: &mut [u8; 2] = tcp.get_mut(CHECKSUM..)?.first_chunk_mut()?;
    *checksum = changed(u16::from_be_bytes(*checksum), old, new).to_be_bytes();
    Some(octets.into())
}

/// RFC 1624, equation 3: HC' = ~(~HC + ~m + m').
fn changed(checksum: u16, old: [u8; 4], new: [u8; 4]) -> u16 {
    let words = |[a, b, c, d]: [u8; 4]| [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])];
    let less = words(old).map(|word| !word);
    let sum: u32 = [!checksum].into_iter().chain(less).chain(words(new)).map(u32::from).sum();
    let folded = (sum >> 16) + (sum & 0xffff);
    let folded = (folded >> 16) + (folded & 0xffff);
    let [_, _, high, low] = folded.to_be_bytes();
    !u16::from_be_bytes([high, low])
}
