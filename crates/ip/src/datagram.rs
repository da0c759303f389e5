//! A packet of IP around a payload: without options, not to be cut (RFC 791, Section 3.1; RFC 8200, Section 3).

use super::fields::Protocol;
use alloc::vec::Vec;
use core::net::IpAddr;

/// So many routers may pass it on (RFC 1700's recommendation).
const HOPS: u8 = 64;

/// The packet; `None` where its ends are of two versions of IP, or it would be longer than a packet can be.
#[must_use]
pub fn datagram(source: IpAddr, destination: IpAddr, protocol: Protocol, payload: &[u8]) -> Option<Vec<u8>> {
    let protocol = protocol.number();
    let mut packet = match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let [high, low] = u16::try_from(20 + payload.len()).ok()?.to_be_bytes();
            let mut header = alloc::vec![0x45, 0, high, low, 0, 0, 0x40, 0, HOPS, protocol, 0, 0];
            header.extend(source.octets());
            header.extend(destination.octets());
            let sum = checksum(&[&header]);
            write(&mut header, 10, sum);
            header
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            let [high, low] = u16::try_from(payload.len()).ok()?.to_be_bytes();
            let mut header = alloc::vec![0x60, 0, 0, 0, high, low, protocol, HOPS];
            header.extend(source.octets());
            header.extend(destination.octets());
            header
        }
        _ => return None,
    };
    packet.extend_from_slice(payload);
    Some(packet)
}

pub(crate) fn write(octets: &mut [u8], at: usize, number: u16) {
    if let Some(place) = octets.get_mut(at..at + 2) {
        place.copy_from_slice(&number.to_be_bytes());
    }
}

/// RFC 1071, of parts of which only the last may have an odd length.
pub(crate) fn checksum(parts: &[&[u8]]) -> u16 {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let mut sum: u32 = words.map(|word| u32::from(word[0]) << 8 | word.get(1).map_or(0, |low| u32::from(*low))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    u16::try_from(sum).map_or(0, |sum| !sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Headers;
    use etherparse::SlicedPacket;

    #[test]
    fn both_versions_are_read_back_as_they_were_written() {
        for [source, destination] in [["10.0.0.1", "10.0.0.2"], ["fd00::1", "fd00::2"]] {
            let [source, destination]: [IpAddr; 2] =
                [source, destination].map(|address| address.parse().expect("an address"));
            let packet = datagram(source, destination, Protocol::of_number(253), b"hello").expect("of one version");
            SlicedPacket::from_ip(&packet).expect("its checksum and length are right");
            let (headers, payload) = Headers::read_all(&packet).expect("a packet");
            assert_eq!((headers.source, headers.destination), (source, destination));
            assert_eq!((headers.protocol.number(), &packet[payload.range]), (253, &b"hello"[..]));
            if source.is_ipv4() {
                assert_eq!(checksum(&[&packet[..20]]), 0, "the sum over a header with its checksum");
            }
            assert_eq!(datagram(source, destination, Protocol::UDP, &[0; 65_536]), None);
        }
        let (four, six) = ("10.0.0.1".parse().expect("IPv4"), "fd00::2".parse().expect("IPv6"));
        assert_eq!(datagram(four, six, Protocol::UDP, b""), None);
    }
}
