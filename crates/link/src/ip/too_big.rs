//! The answer to a packet that is larger than a link carries: "fragmentation needed" of ICMP (RFC 792; RFC 1191, Section 4) and
//! "packet too big" of ICMPv6 (RFC 4443, Section 3.2). It comes from where the packet was going, since a link has no address.
//!
//! ```text
//!     IP, back to the source | type, code, checksum, MTU | the packet that was too big, its beginning
//! ```

use super::Headers;
use alloc::vec::Vec;
use arqway_units::Octets;
use core::net::IpAddr;

/// The longest answer of IPv4 (RFC 1812, Section 4.3.2.3) and of IPv6 (RFC 4443, Section 3.2).
const LONGEST: [usize; 2] = [576, 1280];
const ICMP: u8 = 1;
const ICMPV6: u8 = 58;

/// The answer to a packet on a link that carries so large ones; `None` where there must be none: to what is no packet, to later
/// fragments, to errors of ICMP, to many at once or to nobody (RFC 1122, Section 3.2.2).
#[must_use]
pub fn too_big(packet: &[u8], mtu: Octets) -> Option<Vec<u8>> {
    let (headers, payload) = Headers::read_all(packet)?;
    let (ends, longest) = match (headers.source, headers.destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let [high, low] = *packet.get(6..)?.first_chunk()?;
            let is_later_fragment = u16::from_be_bytes([high, low]) & 0x1fff != 0;
            if is_later_fragment || destination.is_multicast() || destination.is_broadcast() {
                return None;
            }
            ([destination.octets().to_vec(), source.octets().to_vec()], LONGEST[0])
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            ([destination.octets().to_vec(), source.octets().to_vec()], LONGEST[1])
        }
        _ => return None,
    };
    let kind = packet.get(payload.range.start);
    let is_error = match headers.protocol.number() {
        ICMP => kind.is_some_and(|kind| ![0, 8, 13, 14].contains(kind)),
        ICMPV6 => kind.is_some_and(|kind| *kind < 128),
        _ => false,
    };
    if is_error || headers.source.is_unspecified() || headers.source.is_multicast() {
        return None;
    }
    let mtu = u32::try_from(mtu.as_u64()).unwrap_or(u32::MAX);
    let is_ipv4 = headers.source.is_ipv4();
    let before = if is_ipv4 { 28 } else { 48 };
    let begins = packet.get(..packet.len().min(longest - before))?;
    Some(if is_ipv4 { ipv4(&ends, mtu, begins) } else { ipv6(&ends, mtu, begins) })
}

fn ipv4([source, destination]: &[Vec<u8>; 2], mtu: u32, begins: &[u8]) -> Vec<u8> {
    let [_, _, high, low] = mtu.min(u16::MAX.into()).to_be_bytes();
    let mut message = alloc::vec![3, 4, 0, 0, 0, 0, high, low];
    message.extend_from_slice(begins);
    let sum = checksum(&[&message]);
    write(&mut message, 2, sum);
    let mut packet = alloc::vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, ICMP, 0, 0];
    packet.extend_from_slice(source);
    packet.extend_from_slice(destination);
    write(&mut packet, 2, u16::try_from(20 + message.len()).unwrap_or(u16::MAX));
    let sum = checksum(&[&packet]);
    write(&mut packet, 10, sum);
    packet.extend_from_slice(&message);
    packet
}

fn ipv6([source, destination]: &[Vec<u8>; 2], mtu: u32, begins: &[u8]) -> Vec<u8> {
    let mut message = alloc::vec![2, 0, 0, 0];
    message.extend_from_slice(&mtu.to_be_bytes());
    message.extend_from_slice(begins);
    let length = u16::try_from(message.len()).unwrap_or(u16::MAX);
    // RFC 8200, Section 8.1: of the pseudo-header, too.
    let [high, low] = length.to_be_bytes();
    let sum = checksum(&[source, destination, &[0, 0, high, low, 0, 0, 0, ICMPV6], &message]);
    write(&mut message, 2, sum);
    let mut packet = alloc::vec![0x60, 0, 0, 0, high, low, ICMPV6, 64];
    packet.extend_from_slice(source);
    packet.extend_from_slice(destination);
    packet.extend_from_slice(&message);
    packet
}

fn write(octets: &mut [u8], at: usize, number: u16) {
    if let Some(place) = octets.get_mut(at..at + 2) {
        place.copy_from_slice(&number.to_be_bytes());
    }
}

/// RFC 1071, of parts of which only the last may have an odd length.
fn checksum(parts: &[&[u8]]) -> u16 {
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
    use etherparse::icmpv4::DestUnreachableHeader;
    use etherparse::{Icmpv4Type, Icmpv6Type, NetSlice, PacketBuilder, SlicedPacket, TransportSlice};
    use std::vec;

    fn udp4(length: usize) -> Vec<u8> {
        let mut packet = Vec::new();
        PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
            .udp(7, 9)
            .write(&mut packet, &vec![1; length])
            .expect("a packet");
        packet
    }

    fn udp6(length: usize) -> Vec<u8> {
        let (source, destination) = ([0xfd, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [0xfd; 16]);
        let mut packet = Vec::new();
        PacketBuilder::ipv6(source, destination, 64).udp(7, 9).write(&mut packet, &vec![1; length]).expect("a packet");
        packet
    }

    #[test]
    fn a_packet_of_ipv4_is_answered_with_the_mtu_and_its_own_beginning() {
        for length in [1473, 2000] {
            let packet = udp4(length);
            let answer = too_big(&packet, Octets::new(1400)).expect("an answer");
            let read = SlicedPacket::from_ip(&answer).expect("a packet");
            let (Some(NetSlice::Ipv4(ip)), Some(TransportSlice::Icmpv4(icmp))) = (read.net, read.transport) else {
                panic!("{answer:?}")
            };
            assert_eq!((ip.header().source(), ip.header().destination()), ([10, 0, 0, 2], [10, 0, 0, 1]));
            assert_eq!(ip.header().header_checksum(), ip.header().to_header().calc_header_checksum());
            assert_eq!((answer.len(), checksum(&[icmp.slice()])), (576, 0));
            let expected = DestUnreachableHeader::FragmentationNeeded { next_hop_mtu: 1400 };
            assert_eq!(icmp.icmp_type(), Icmpv4Type::DestinationUnreachable(expected));
            assert_eq!(icmp.payload(), &packet[..548]);
        }
    }

    #[test]
    fn a_packet_of_ipv6_is_answered_with_the_mtu_and_its_own_beginning() {
        let packet = udp6(1401);
        let answer = too_big(&packet, Octets::new(1300)).expect("an answer");
        let read = SlicedPacket::from_ip(&answer).expect("a packet");
        let (Some(NetSlice::Ipv6(ip)), Some(TransportSlice::Icmpv6(icmp))) = (read.net, read.transport) else {
            panic!("{answer:?}")
        };
        let header = ip.header();
        assert_eq!((&header.source()[..], &header.destination()[..]), (&packet[24..40], &packet[8..24]));
        assert!(icmp.is_checksum_valid(header.source(), header.destination()));
        assert_eq!(icmp.icmp_type(), Icmpv6Type::PacketTooBig { mtu: 1300 });
        assert_eq!((answer.len(), icmp.payload()), (1280, &packet[..1232]));
    }

    #[test]
    fn errors_fragments_and_what_is_for_many_or_from_nobody_are_not_answered() {
        let none = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut packet = udp4(1500);
            change(&mut packet);
            too_big(&packet, Octets::new(1400))
        };
        assert!(none(&|_| ()).is_some());
        assert_eq!(none(&|packet| packet[7] = 9), None, "a later fragment");
        assert_eq!(none(&|packet| packet[16] = 224), None, "multicast");
        assert_eq!(none(&|packet| packet[12..16].fill(0)), None, "from nobody");
        assert_eq!(none(&|packet| (packet[9], packet[20]) = (ICMP, 3)), None, "an error");
        assert!(none(&|packet| (packet[9], packet[20]) = (ICMP, 8)).is_some(), "a ping is none");
        assert_eq!(none(&|packet| packet.truncate(19)), None, "no packet");
        let answer = too_big(&udp6(1500), Octets::new(1300)).expect("an answer");
        assert_eq!(too_big(&answer, Octets::new(100)), None, "an answer to an answer");
    }
}
