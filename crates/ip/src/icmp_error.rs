//! The answer to a packet that cannot go on: an error of ICMP (RFC 792; RFC 1191, Section 4) or ICMPv6 (RFC 4443, Section 3). It comes
//! from where the packet was going, since a link has no address.
//!
//! ```text
//!     IP, back to the source | type, code, checksum, MTU or 0 | the packet, its beginning
//! ```

use super::datagram::{checksum, datagram, write};
use super::{Outline, Protocol};
use alloc::vec::Vec;
use arqway_units::Octets;
use core::net::IpAddr;

/// The longest answer of IPv4 (RFC 1812, Section 4.3.2.3) and of IPv6 (RFC 4443, Section 3.2).
const LONGEST: [usize; 2] = [576, 1280];
const ICMP: u8 = 1;
const ICMPV6: u8 = 58;

/// Why a packet cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IcmpError {
    /// It is larger than this, which the link carries.
    TooBig(Octets),
    /// No way leads to its destination: "net unreachable", "no route to destination".
    NoRoute,
    /// Nobody knows where the next host is on that way: "host unreachable", "address unreachable".
    NoHost,
}

impl IcmpError {
    /// Type and code, and the number behind the checksum.
    fn head(self, is_ipv4: bool) -> ([u8; 2], u32) {
        match (self, is_ipv4) {
            (Self::TooBig(mtu), true) => ([3, 4], u32::from(u16::try_from(mtu.as_u64()).unwrap_or(u16::MAX))),
            (Self::TooBig(mtu), false) => ([2, 0], u32::try_from(mtu.as_u64()).unwrap_or(u32::MAX)),
            (Self::NoRoute, true) => ([3, 0], 0),
            (Self::NoRoute, false) => ([1, 0], 0),
            (Self::NoHost, true) => ([3, 1], 0),
            (Self::NoHost, false) => ([1, 3], 0),
        }
    }
}

/// The answer to a packet; `None` where there must be none: to what is no packet, to later fragments, to errors of ICMP, to many at once
/// or to nobody (RFC 1122, Section 3.2.2; RFC 4443, Section 2.4, of which (e.3) lets a packet to many be too big).
/// The outline is the packet's, where it has been read.
#[must_use]
pub fn icmp_error(packet: &[u8], outline: Option<Outline>, why: IcmpError) -> Option<Vec<u8>> {
    let (headers, payload) = Outline::all(outline, packet)?;
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
            if destination.is_multicast() && !matches!(why, IcmpError::TooBig(_)) {
                return None;
            }
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
    let is_ipv4 = headers.source.is_ipv4();
    let before = if is_ipv4 { 28 } else { 48 };
    let begins = packet.get(..packet.len().min(longest - before))?;
    let ([kind, code], number) = why.head(is_ipv4);
    let mut message = alloc::vec![kind, code, 0, 0];
    message.extend_from_slice(&number.to_be_bytes());
    message.extend_from_slice(begins);
    let sum = if is_ipv4 {
        checksum(&[&message])
    } else {
        // RFC 8200, Section 8.1: of the pseudo-header, too.
        let [high, low] = u16::try_from(message.len()).unwrap_or(u16::MAX).to_be_bytes();
        checksum(&[&ends[0], &ends[1], &[0, 0, high, low, 0, 0, 0, ICMPV6], &message])
    };
    write(&mut message, 2, sum);
    let protocol = Protocol::of_number(if is_ipv4 { ICMP } else { ICMPV6 });
    datagram(headers.destination, headers.source, protocol, &message)
}

#[cfg(test)]
mod tests {
    use super::IcmpError::{NoHost, NoRoute, TooBig};
    use super::*;
    use etherparse::icmpv4::DestUnreachableHeader;
    use etherparse::icmpv6::DestUnreachableCode;
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
            let answer = icmp_error(&packet, None, TooBig(Octets::new(1400))).expect("an answer");
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
        let answer = icmp_error(&packet, None, TooBig(Octets::new(1300))).expect("an answer");
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
    fn who_sends_to_where_no_way_leads_or_nobody_is_known_learns_which() {
        let types = |packet: &[u8]| {
            [NoRoute, NoHost].map(|why| {
                let answer = icmp_error(packet, None, why).expect("an answer");
                match SlicedPacket::from_ip(&answer).expect("a packet").transport {
                    Some(TransportSlice::Icmpv4(icmp)) => {
                        assert_eq!((icmp.payload(), checksum(&[icmp.slice()])), (packet, 0));
                        (Some(icmp.icmp_type()), None)
                    }
                    Some(TransportSlice::Icmpv6(icmp)) => {
                        assert_eq!(icmp.payload(), packet);
                        (None, Some(icmp.icmp_type()))
                    }
                    other => panic!("{other:?}"),
                }
            })
        };
        let v4 = [DestUnreachableHeader::Network, DestUnreachableHeader::Host];
        assert_eq!(types(&udp4(100)), v4.map(|code| (Some(Icmpv4Type::DestinationUnreachable(code)), None)));
        let v6 = [DestUnreachableCode::NoRoute, DestUnreachableCode::Address];
        assert_eq!(types(&udp6(100)), v6.map(|code| (None, Some(Icmpv6Type::DestinationUnreachable(code)))));
        let mut to_many = udp6(1500);
        to_many[24] = 0xff;
        assert_eq!(icmp_error(&to_many, None, NoRoute), None);
        assert!(icmp_error(&to_many, None, TooBig(Octets::new(1300))).is_some());
    }

    #[test]
    fn errors_fragments_and_what_is_for_many_or_from_nobody_are_not_answered() {
        let none = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut packet = udp4(1500);
            change(&mut packet);
            icmp_error(&packet, None, TooBig(Octets::new(1400)))
        };
        assert!(none(&|_| ()).is_some());
        assert_eq!(none(&|packet| packet[7] = 9), None, "a later fragment");
        assert_eq!(none(&|packet| packet[16] = 224), None, "multicast");
        assert_eq!(none(&|packet| packet[12..16].fill(0)), None, "from nobody");
        assert_eq!(none(&|packet| (packet[9], packet[20]) = (ICMP, 3)), None, "an error");
        assert!(none(&|packet| (packet[9], packet[20]) = (ICMP, 8)).is_some(), "a ping is none");
        assert_eq!(none(&|packet| packet.truncate(19)), None, "no packet");
        let answer = icmp_error(&udp6(1500), None, TooBig(Octets::new(1300))).expect("an answer");
        assert_eq!(icmp_error(&answer, None, TooBig(Octets::new(100))), None, "an answer to an answer");
    }
}
