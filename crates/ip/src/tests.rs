//! What is read off real packets. Etherparse builds them, and is the second opinion.

use super::{Ds, Ecn, FlowKey, FlowLabel, Headers, Outline, Protocol, mark_congestion};
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use etherparse::PacketBuilder;
use proptest::prelude::*;

const HERE: Ipv6Addr = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1);
const THERE: Ipv6Addr = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 2);

fn udp_over_ipv4() -> Vec<u8> {
    let mut packet = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 1, 2], 64).udp(5004, 53);
    builder.write(&mut packet, &[0; 12]).expect("memory");
    packet
}

/// An IPv6 packet with these octets behind its header, the first of them of this kind.
fn ipv6(next: u8, behind: &[u8]) -> Vec<u8> {
    let mut packet = alloc::vec![0x6b, 0x81, 0x23, 0x45, 0, 0, next, 64];
    packet[4..6].copy_from_slice(&u16::try_from(behind.len()).expect("short").to_be_bytes());
    packet.extend(HERE.octets());
    packet.extend(THERE.octets());
    packet.extend(behind);
    packet
}

const UDP: [u8; 8] = [0x13, 0x8c, 0, 53, 0, 8, 0, 0];

#[test]
fn the_fields_of_ipv4_are_read() {
    let mut packet = udp_over_ipv4();
    packet[1] = 46 << 2 | 3; // EF, and both bits of congestion notification
    let headers = Headers::read(&packet).expect("a packet");
    assert_eq!(headers.source, IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)));
    assert_eq!(headers.destination, IpAddr::V4(Ipv4Addr::new(10, 0, 1, 2)));
    assert_eq!((headers.ds, headers.protocol, headers.flow_label), (Ds::EF, Protocol::UDP, None));
    assert_eq!(headers.ports, Some((5004, 53)));
}

#[test]
fn the_fields_of_ipv6_are_read() {
    let headers = Headers::read(&ipv6(17, &UDP)).expect("a packet");
    assert_eq!((headers.source, headers.destination), (HERE.into(), THERE.into()));
    assert_eq!((headers.ds, headers.flow_label), (Ds::EF, FlowLabel::new(0x1_2345)));
    assert_eq!((headers.protocol, headers.ports), (Protocol::UDP, Some((5004, 53))));
}

#[test]
fn options_and_extension_headers_are_walked_past() {
    let mut with_options = udp_over_ipv4();
    with_options[0] = 0x47;
    with_options[3] += 8;
    with_options.splice(20..20, [1; 8]);
    assert_eq!(Headers::read(&with_options).and_then(|headers| headers.ports), Some((5004, 53)));

    let hop_by_hop = [43, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let routing = [60, 0, 0, 0, 0, 0, 0, 0];
    let destination_options = [44, 0, 0, 0, 0, 0, 0, 0];
    let first_fragment = [51, 0, 0, 1, 0, 0, 0, 9];
    let authentication = [17, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7];
    let chain = [&hop_by_hop[..], &routing, &destination_options, &first_fragment, &authentication, &UDP].concat();
    let headers = Headers::read(&ipv6(0, &chain)).expect("a packet");
    assert_eq!((headers.protocol, headers.ports), (Protocol::UDP, Some((5004, 53))));
}

#[test]
fn an_authentication_header_hides_nothing_and_encrypted_payload_all() {
    let mut packet = udp_over_ipv4();
    packet[9] = 51;
    packet[3] += 12;
    packet.splice(20..20, [17, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
    let headers = Headers::read(&packet).expect("a packet");
    assert_eq!((headers.protocol, headers.ports), (Protocol::UDP, Some((5004, 53))));
    let mut packet = udp_over_ipv4();
    packet[9] = 50;
    let headers = Headers::read(&packet).expect("a packet");
    assert_eq!((headers.protocol, headers.ports), (Protocol::ESP, None));
}

#[test]
fn only_the_first_fragment_has_ports() {
    let mut packet = udp_over_ipv4();
    packet[6] = 0x20; // more fragments follow
    assert_eq!(Headers::read(&packet).and_then(|headers| headers.ports), Some((5004, 53)));
    packet[7] = 5;
    let later = Headers::read(&packet).expect("a packet");
    assert_eq!((later.protocol, later.ports), (Protocol::UDP, None));
    // Its data is not taken for a header, even where the number is that of one.
    let fragment = [60, 0, 0, 8, 0, 0, 0, 9];
    let later = Headers::read(&ipv6(44, &[&fragment[..], &[17, 200]].concat())).expect("a packet");
    assert_eq!((later.protocol.number(), later.ports), (60, None));
}

#[test]
fn what_is_cut_short_or_contradicts_itself_is_no_packet() {
    for packet in [udp_over_ipv4(), ipv6(17, &UDP), ipv6(0, &[&[17, 0, 0, 0, 0, 0, 0, 0], &UDP[..]].concat())] {
        assert!(Headers::read(&packet).is_some());
        for length in 0..packet.len() {
            assert_eq!(Headers::read(&packet[..length]), None, "{length} of {} octets", packet.len());
        }
    }
    let mut short_header = udp_over_ipv4();
    short_header[0] = 0x44;
    let mut length_inside_header = udp_over_ipv4();
    length_inside_header[3] = 19;
    let mut no_room_for_ports = udp_over_ipv4();
    no_room_for_ports[3] = 23;
    let mut another_version = udp_over_ipv4();
    another_version[0] = 0x55;
    let extension_beyond_the_end = ipv6(0, &[17, 1, 0, 0, 0, 0, 0, 0]);
    // An authentication header with the length of eight octets, four less than its fixed part (RFC 4302, Section 2).
    let short_authentication = ipv6(51, &[&[17, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2], &UDP[..]].concat());
    for packet in [
        short_header,
        length_inside_header,
        no_room_for_ports,
        another_version,
        extension_beyond_the_end,
        short_authentication,
    ] {
        assert_eq!(Headers::read(&packet), None);
    }
}

#[test]
fn octets_that_stand_for_a_packet_have_its_flow_and_marks_and_no_payload() {
    let mut packet = udp_over_ipv4();
    packet[1] = Ecn::Ect0.bits();
    let outline = Outline::read(&packet).expect("a packet").of_shortened();
    assert_eq!((outline.flow(), outline.ecn()), (FlowKey::of_packet(&packet), Ecn::Ect0));
    assert_eq!(outline.payload().range, 0..0);
}

/// Packets of both versions, with and without extension headers, fragments and authentication among them, and what is none.
fn any_octets() -> impl Strategy<Value = Vec<u8>> {
    let next = prop_oneof![Just(0u8), Just(6), Just(17), Just(43), Just(44), Just(51), Just(60), any::<u8>()];
    let behind =
        proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(6), Just(17), Just(44), any::<u8>()], 0..60);
    (next, behind, any::<(bool, bool)>(), any::<[u8; 2]>()).prop_map(
        |(next, behind, (is_ipv4, is_whole), [ds, flags])| {
            let mut packet = ipv6(next, &behind);
            packet[1] ^= ds;
            if is_ipv4 {
                let fixed = [
                    0x45,
                    ds,
                    0,
                    0,
                    0,
                    0,
                    if is_whole { 0 } else { flags },
                    0,
                    64,
                    next,
                    0,
                    0,
                    10,
                    0,
                    0,
                    1,
                    10,
                    0,
                    0,
                    2,
                ];
                packet = [&fixed[..], &behind].concat();
                packet[3] = u8::try_from(packet.len()).expect("short");
            }
            packet
        },
    )
}

proptest! {
    #[test]
    fn what_goes_with_a_packet_says_what_reading_it_again_would(packet in any_octets()) {
        let outline = Outline::read(&packet);
        prop_assert_eq!(Outline::all(outline, &packet), Headers::read_all(&packet));
        if let Some(outline) = outline {
            prop_assert_eq!((outline.flow(), outline.ecn()), (FlowKey::of_packet(&packet), Ecn::of_packet(&packet)));
            if let Some(marked) = mark_congestion(&packet) {
                prop_assert_eq!(Outline::read(&marked), Some(outline.marked()));
            }
        }
    }

    #[test]
    fn no_octets_make_the_reader_panic(mut octets in proptest::collection::vec(any::<u8>(), 0..120), version in prop_oneof![Just(0x45u8), Just(0x60)]) {
        let _ = Headers::read(&octets);
        if let Some(first) = octets.first_mut() {
            *first = version;
        }
        let _ = Headers::read(&octets);
    }

    #[test]
    fn etherparse_reads_the_same(source: [u8; 4], destination: [u8; 4], ports: (u16, u16), ds in 0u8..64, tcp: bool, payload in 0usize..40) {
        let builder = PacketBuilder::ip(etherparse::IpHeaders::Ipv4(
            etherparse::Ipv4Header {
                source, destination, time_to_live: 9,
                dscp: etherparse::IpDscp::try_new(ds).expect("six bits"),
                ..Default::default()
            },
            etherparse::Ipv4Extensions::default(),
        ));
        let mut packet = Vec::new();
        let data = alloc::vec![7; payload];
        if tcp {
            builder.tcp(ports.0, ports.1, 1, 2).write(&mut packet, &data).expect("memory");
        } else {
            builder.udp(ports.0, ports.1).write(&mut packet, &data).expect("memory");
        }
        let headers = Headers::read(&packet).expect("a packet");
        prop_assert_eq!((headers.source, headers.destination), (IpAddr::from(source), IpAddr::from(destination)));
        prop_assert_eq!((headers.ds.number(), headers.ports), (ds, Some(ports)));
        prop_assert_eq!(headers.protocol, if tcp { Protocol::TCP } else { Protocol::UDP });
    }
}
