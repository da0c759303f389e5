//! Cutting super-packets, and completing checksums.

use super::headers::{Headers, Protocol, Version, headers};
use super::{Carries, Cutter, Joiner, Missing, Whole, complete};
use crate::checksum::{finish, read, sum};
use proptest::prelude::*;
use std::ops::Range;
use std::vec;
use std::vec::Vec;

const TCP_IPV4: u8 = 1;
const TCP_IPV6: u8 = 4;
const UDP: u8 = 5;
const FIN_PSH_ACK_CWR: u8 = 0x99;

/// With all flags that cutting treats on their own, and a time stamp.
#[rustfmt::skip]
const TCP_HEADER: [u8; 32] = [
    0, 7, 0, 9, 0xff, 0xff, 0xff, 0, 1, 2, 3, 4, 0x80, FIN_PSH_ACK_CWR, 1, 0, 0xab, 0xcd, 0, 0,
    1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8,
];

/// A super-packet with `data`, all of whose lengths and checksums are for others to write: the field of the latter has the sum of the
/// pseudo-header, as the system leaves it.
fn frame(kind: u8, version: Version, vlan: bool, data: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    frame.extend_from_slice(if vlan { &[0x81, 0, 0, 100] } else { &[] });
    let protocol = if kind == UDP { 17 } else { 6 };
    match version {
        Version::V4 => {
            frame.extend_from_slice(&[
                8, 0, 0x45, 0, 0, 0, 0xff, 0xff, 0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
            ]);
        }
        Version::V6 => {
            frame.extend_from_slice(&[0x86, 0xdd, 0x60, 0, 0, 0, 0, 0, 60, 64]);
            frame.extend((0..32).map(|octet| octet * 3));
            // Destination options of eight octets stand between.
            frame.extend_from_slice(&[protocol, 0, 1, 4, 0, 0, 0, 0]);
        }
    }
    match protocol {
        17 => frame.extend_from_slice(&[0, 7, 0, 9, 0, 0, 0xab, 0xcd]),
        _ => frame.extend_from_slice(&TCP_HEADER),
    }
    frame.extend_from_slice(data);
    let transport = headers(&frame, Carries::Frames).unwrap().transport;
    let addresses = if version == Version::V4 { transport - 8..transport } else { transport - 40..transport - 8 };
    let pseudo = pseudo_sum(&frame, transport, protocol, addresses);
    frame[transport + if protocol == 17 { 6 } else { 16 }..][..2].copy_from_slice(&pseudo.to_be_bytes());
    frame
}

/// The sum of the pseudo-header.
fn pseudo_sum(frame: &[u8], transport: usize, protocol: u8, addresses: Range<usize>) -> u16 {
    let length = u64::try_from(frame.len() - transport).unwrap();
    !finish(sum(length + u64::from(protocol), &frame[addresses]))
}

/// The note that goes with it.
fn note(flags: u8, kind: u8, size: u16, start: u16, offset: u16) -> Missing {
    let [size, start, offset] = [size, start, offset].map(u16::to_ne_bytes);
    Missing::parse(&[flags, kind, 0, 0, size[0], size[1], start[0], start[1], offset[0], offset[1]])
}

/// The packets of a frame.
fn all(mut cutter: Cutter, frame: &[u8]) -> Vec<Vec<u8>> {
    let next = || {
        let mut packet = Vec::new();
        cutter.next(frame, |length| {
            packet.resize(length, 0);
            &mut packet
        })?;
        Some(packet)
    };
    std::iter::from_fn(next).collect()
}

/// What a frame is cut into.
fn cut(frame: &mut [u8], missing: Missing) -> Option<Vec<Vec<u8>>> {
    match complete(frame, Carries::Frames, missing, 0) {
        Whole::Cut(cutter) => Some(all(cutter, frame)),
        _ => None,
    }
}

/// The headers of a packet whose lengths and checksums are right.
fn checked(packet: &[u8]) -> Headers {
    let found = headers(packet, Carries::Frames).unwrap();
    let Headers { network, version, transport, protocol, .. } = found;
    let addresses = match version {
        Version::V4 => {
            assert_eq!(usize::from(read(packet, network + 2).unwrap()), packet.len() - network);
            assert_eq!(finish(sum(0, &packet[network..transport])), 0, "the header's checksum");
            network + 12..network + 20
        }
        Version::V6 => {
            assert_eq!(usize::from(read(packet, network + 4).unwrap()), packet.len() - network - 40);
            network + 8..network + 40
        }
    };
    let length = u64::try_from(packet.len() - transport).unwrap();
    if protocol == Protocol::Udp {
        assert_eq!(u64::from(read(packet, transport + 4).unwrap()), length);
    }
    let pseudo = sum(length + u64::from(protocol.number()), &packet[addresses]);
    assert_eq!(finish(sum(pseudo, &packet[transport..])), 0, "the data's checksum");
    found
}

proptest! {
    #[test]
    fn a_super_packet_is_cut_into_whole_packets_with_all_its_data(
        data in proptest::collection::vec(any::<u8>(), 1..20_000),
        size in 100_u16..2_000,
        kind in prop_oneof![Just(TCP_IPV4), Just(TCP_IPV6), Just(UDP)],
        is_v6: bool,
        vlan: bool,
    ) {
        let version = if kind == TCP_IPV6 || kind == UDP && is_v6 { Version::V6 } else { Version::V4 };
        let mut whole = frame(kind, version, vlan, &data);
        let packets = cut(&mut whole, note(1, kind, size, 0, 0)).unwrap();
        prop_assert_eq!(packets.len(), data.len().div_ceil(size.into()));
        let mut carried = Vec::new();
        for (number, packet) in packets.iter().enumerate() {
            let Headers { network, transport, protocol, data, .. } = checked(packet);
            let is_last = number + 1 == packets.len();
            if protocol == Protocol::Tcp {
                let sequence = u32::from_be_bytes(*packet[transport + 4..].first_chunk().unwrap());
                prop_assert_eq!(sequence, 0xffff_ff00_u32.wrapping_add(u32::try_from(carried.len()).unwrap()));
                let kept = if number == 0 { 0x90 } else { 0x10 } | if is_last { 0x09 } else { 0 };
                prop_assert_eq!(packet[transport + 13], kept, "CWR with the first, FIN and PSH with the last");
            }
            if version == Version::V4 {
                let expected = u16::MAX.wrapping_add(u16::try_from(number).unwrap());
                prop_assert_eq!(read(packet, network + 4).unwrap(), expected);
            }
            prop_assert!(is_last || packet.len() == data + usize::from(size));
            carried.extend_from_slice(&packet[data..]);
        }
        prop_assert_eq!(carried, data);
    }

    #[test]
    fn odd_frames_and_odd_notes_never_panic(
        mut octets in proptest::collection::vec(any::<u8>(), 14..200),
        note: [u8; 10],
        shift in 0..8_usize,
    ) {
        let whole = complete(&mut octets, Carries::Frames, Missing::parse(&note), shift);
        if let Whole::Cut(cutter) = whole {
            prop_assert!(all(cutter, &octets).len() <= octets.len());
        }
    }

    #[test]
    fn a_super_packet_with_a_few_odd_octets_never_panics(
        kind in prop_oneof![Just(TCP_IPV4), Just(TCP_IPV6), Just(UDP)],
        vlan: bool,
        is_v6: bool,
        length in 0..300_usize,
        size in 0..200_u16,
        odd in proptest::collection::vec((0..150_usize, any::<u8>()), 0..4),
        left in 14..400_usize,
    ) {
        let mut whole = frame(kind, if is_v6 { Version::V6 } else { Version::V4 }, vlan, &vec![7; length]);
        for (at, octet) in odd {
            let at = at % whole.len();
            whole[at] = octet;
        }
        whole.truncate(left);
        let packets = cut(&mut whole, note(1, kind, size, 0, 0)).map_or(0, |packets| packets.len());
        prop_assert!(packets <= whole.len());
    }
}

#[test]
fn a_super_packet_with_a_routing_header_is_cut_into_packets_for_its_last_destination_or_not_at_all() {
    let data = [7; 3000];
    let mut whole = frame(TCP_IPV6, Version::V6, false, &data);
    // Behind the header of IP comes one that leads to another host at the end.
    let last_destination = [0x20; 16];
    let routing = [&[6, 2, 2, 1, 0, 0, 0, 0], &last_destination[..]].concat();
    whole[20] = 43;
    whole.splice(54..62, routing);
    let mut addresses = whole[22..38].to_vec();
    addresses.extend(last_destination);
    let pseudo = |length: usize| sum(u64::try_from(length).unwrap() + 6, &addresses);
    let left = !finish(pseudo(32 + data.len()));
    whole[78 + 16..][..2].copy_from_slice(&left.to_be_bytes());
    let packets = cut(&mut whole.clone(), note(1, TCP_IPV6, 1000, 78, 16)).unwrap();
    assert_eq!(packets.len(), 3);
    for packet in packets {
        assert_eq!((&packet[54..78], finish(sum(pseudo(packet.len() - 78), &packet[78..]))), (&whole[54..78], 0));
    }
    // Where nobody has written the sum, the addresses in the IP header say nothing of it.
    assert_eq!(complete(&mut whole, Carries::Frames, note(0, TCP_IPV6, 1000, 0, 0), 0), Whole::Broken);
}

#[test]
fn a_checksum_that_was_left_to_the_card_is_completed() {
    for vlan in [false, true] {
        let mut packet = frame(UDP, Version::V4, vlan, b"data");
        let network = if vlan { 18 } else { 14 };
        let transport = network + 20;
        // What the system writes: lengths, the header's checksum, and the sum of the pseudo-header.
        packet[network + 3] = 32;
        let header = finish(sum(0, &packet[network..transport])).to_be_bytes();
        packet[network + 10..network + 12].copy_from_slice(&header);
        packet[transport + 5] = 12;
        let pseudo = !finish(sum(12 + 17, &packet[network + 12..network + 20]));
        packet[transport + 6..transport + 8].copy_from_slice(&pseudo.to_be_bytes());
        // The note knows nothing of a tag that was put back.
        let shift = network - 14;
        assert_eq!(complete(&mut packet, Carries::Frames, note(1, 0, 0, 34, 6), shift), Whole::AsItIs);
        checked(&packet);
    }
}

#[test]
fn a_frame_of_which_nothing_is_missing_stays_as_it_is() {
    let mut octets = frame(TCP_IPV4, Version::V4, false, b"data");
    let before = octets.clone();
    assert_eq!(complete(&mut octets, Carries::Frames, note(0, 0, 0, 0, 0), 0), Whole::AsItIs);
    assert_eq!(octets, before);
}

#[test]
fn what_cannot_be_cut_is_broken() {
    let mut fragment = frame(UDP, Version::V4, false, &[0; 3000]);
    fragment[20] = 0x20;
    assert_eq!(complete(&mut fragment, Carries::Frames, note(1, UDP, 1000, 0, 0), 0), Whole::Broken);
    let mut tcp = frame(TCP_IPV4, Version::V4, false, &[0; 3000]);
    assert_eq!(complete(&mut tcp.clone(), Carries::Frames, note(1, UDP, 1000, 0, 0), 0), Whole::Broken, "not UDP");
    assert_eq!(
        complete(&mut tcp.clone(), Carries::Frames, note(1, TCP_IPV6, 1000, 0, 0), 0),
        Whole::Broken,
        "not IPv6"
    );
    assert_eq!(
        complete(&mut tcp, Carries::Frames, note(1, TCP_IPV4, 0, 0, 0), 0),
        Whole::Broken,
        "packets of no octets"
    );
    assert_eq!(complete(&mut tcp, Carries::Frames, note(1, 0, 0, 5000, 16), 0), Whole::Broken, "a checksum outside");
}

/// A packet of TCP as a system sends it, of which only what is told apart below matters.
fn segment(version: Version, number: u16, sequence: u32, flags: u8, data: &[u8]) -> Vec<u8> {
    let kind = if version == Version::V4 { TCP_IPV4 } else { TCP_IPV6 };
    let mut whole = frame(kind, version, false, data);
    whole.drain(..14);
    if version == Version::V6 {
        // Without the extension header.
        whole.drain(40..48);
        whole[6] = 6;
    }
    let transport = if version == Version::V4 { 20 } else { 40 };
    if version == Version::V4 {
        whole[4..6].copy_from_slice(&number.to_be_bytes());
    }
    whole[transport + 4..transport + 8].copy_from_slice(&sequence.to_be_bytes());
    whole[transport + 13] = flags;
    let mut frame = vec![0; 14];
    frame[12..].copy_from_slice(if version == Version::V4 { &[8, 0] } else { &[0x86, 0xdd] });
    frame.extend(whole);
    // The cutter writes lengths and checksums.
    let size = u16::try_from(data.len().max(1)).unwrap();
    let packets = cut(&mut frame, note(1, kind, size, 0, 0)).unwrap();
    packets[0][14..].to_vec()
}

/// What the system gets of packets that are handed over together: pieces, and what it makes of each.
fn joined(packets: &[Vec<u8>]) -> (usize, Vec<Vec<u8>>) {
    let (mut joiner, mut pieces, mut whole) = (Joiner::new(), 0, Vec::new());
    let mut flush = |joiner: &mut Joiner| {
        let Some((octets, count)) = joiner.take() else { return };
        let (note, packet) = octets.split_first_chunk().unwrap();
        let (mut packet, before) = (packet.to_vec(), whole.len());
        pieces += 1;
        match complete(&mut packet, Carries::Packets, Missing::parse(note), 0) {
            Whole::AsItIs => whole.push(packet),
            Whole::Broken => panic!("a piece of which nobody can make packets"),
            Whole::Cut(cutter) => whole.extend(all(cutter, &packet)),
        }
        assert_eq!(u64::try_from(whole.len() - before).unwrap(), count);
    };
    for packet in packets {
        if !joiner.append(packet) {
            flush(&mut joiner);
            assert!(joiner.begin(packet));
        }
    }
    flush(&mut joiner);
    (pieces, whole)
}

#[test]
fn packets_of_a_connection_in_sequence_are_one_piece() {
    for version in [Version::V4, Version::V6] {
        let packets: Vec<_> =
            (0..40).map(|at| segment(version, at, 7 + 1000 * u32::from(at), 0x10, &[9; 1000])).collect();
        let (pieces, whole) = joined(&packets);
        assert_eq!((pieces, whole == packets), (1, true), "{version:?}");
    }
}

#[test]
fn a_packet_that_does_not_follow_begins_another_piece() {
    let [first, second] = [0, 1].map(|at| segment(Version::V4, at, 1000 * u32::from(at), 0x10, &[9; 1000]));
    let checksum_of = |mut packet: Vec<u8>, at: usize| {
        packet[at] ^= 1;
        packet
    };
    let others = [
        ("a gap", segment(Version::V4, 1, 1001, 0x10, &[9; 1000])),
        ("more data", segment(Version::V4, 1, 1000, 0x10, &[9; 1001])),
        ("no data", segment(Version::V4, 1, 1000, 0x10, &[])),
        ("FIN", segment(Version::V4, 1, 1000, 0x11, &[9; 1000])),
        ("CWR", segment(Version::V4, 1, 1000, 0x90, &[9; 1000])),
        ("another number", segment(Version::V4, 2, 1000, 0x10, &[9; 1000])),
        ("another version", segment(Version::V6, 1, 1000, 0x10, &[9; 1000])),
        ("a congestion mark", checksum_of(second.clone(), 1)),
        ("another host", checksum_of(second.clone(), 15)),
        ("another port", checksum_of(second.clone(), 21)),
        ("another window", checksum_of(second.clone(), 35)),
        ("damaged data", checksum_of(second.clone(), 500)),
    ];
    for (what, other) in others {
        let packets = [first.clone(), other];
        assert_eq!(joined(&packets), (2, packets.to_vec()), "{what}");
    }
    assert_eq!(joined(&[first.clone(), second.clone()]).0, 1);
    let pushed = segment(Version::V4, 1, 1000, 0x18, &[9; 1000]);
    let packets = [first, pushed, segment(Version::V4, 2, 2000, 0x10, &[9; 1000])];
    assert_eq!(joined(&packets), (2, packets.to_vec()), "PSH ends a piece");
}

proptest! {
    #[test]
    fn whatever_is_joined_is_cut_into_the_same_packets_again(
        steps in proptest::collection::vec((0..6_u8, 0..3_u8, 0..2_u8, 0..4_usize), 1..150),
    ) {
        let (mut number, mut sequence) = (0xfff0_u16, 0xffff_0000_u32);
        let sizes = [0, 500, 1000, 1400];
        let packets: Vec<_> = steps.iter().map(|&(odd, flags, version, size)| {
            let version = if version == 0 { Version::V4 } else { Version::V6 };
            let flags = [0x10, 0x18, 0x11][usize::from(if odd == 0 { flags } else { 0 })];
            let size = if odd == 1 { sizes[size] } else { 1000 };
            let packet = segment(version, number, sequence, flags, &vec![number.to_be_bytes()[1]; size]);
            number = number.wrapping_add(1);
            sequence = sequence.wrapping_add(u32::try_from(size).unwrap());
            packet
        }).collect();
        prop_assert_eq!(joined(&packets).1, packets);
    }
}
