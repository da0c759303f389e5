//! Cutting super-packets, and completing checksums.

use super::checksum::{finish, read, sum};
use super::headers::{Headers, Protocol, Version, headers};
use super::segment::{Missing, Whole, complete};
use crate::slab::Slab;
use bytes::Bytes;
use proptest::prelude::*;

const TCP_IPV4: u8 = 1;
const TCP_IPV6: u8 = 4;
const UDP: u8 = 5;
const FIN_PSH_ACK_CWR: u8 = 0x99;

/// A frame with `data`, all of whose lengths and checksums are for others to write.
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
        _ => frame.extend_from_slice(&[
            0,
            7,
            0,
            9,
            0xff,
            0xff,
            0xff,
            0,
            1,
            2,
            3,
            4,
            0x80,
            FIN_PSH_ACK_CWR,
            1,
            0,
            0xab,
            0xcd,
            0,
            0,
            1,
            1,
            8,
            10,
            1,
            2,
            3,
            4,
            5,
            6,
            7,
            8,
        ]),
    }
    frame.extend_from_slice(data);
    frame
}

/// The note that goes with it.
fn note(flags: u8, kind: u8, size: u16, start: u16, offset: u16) -> Missing {
    let [size, start, offset] = [size, start, offset].map(u16::to_ne_bytes);
    Missing::parse(&[flags, kind, 0, 0, size[0], size[1], start[0], start[1], offset[0], offset[1]])
}

/// What a frame is cut into.
fn cut(frame: &mut [u8], missing: Missing) -> Option<Vec<Bytes>> {
    match complete(frame, missing, 0) {
        Whole::Cut(mut cutter) => {
            let mut slab = Slab::new();
            Some(std::iter::from_fn(|| cutter.next(frame, &mut slab)).collect())
        }
        _ => None,
    }
}

/// The headers of a packet whose lengths and checksums are right.
fn checked(packet: &[u8]) -> Headers {
    let found = headers(packet).unwrap();
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
        let whole = complete(&mut octets, Missing::parse(&note), shift);
        if let Whole::Cut(mut cutter) = whole {
            let mut slab = Slab::new();
            prop_assert!(std::iter::from_fn(|| cutter.next(&octets, &mut slab)).count() <= octets.len());
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
        assert_eq!(complete(&mut packet, note(1, 0, 0, 34, 6), shift), Whole::AsItIs);
        checked(&packet);
    }
}

#[test]
fn a_frame_of_which_nothing_is_missing_stays_as_it_is() {
    let mut octets = frame(TCP_IPV4, Version::V4, false, b"data");
    let before = octets.clone();
    assert_eq!(complete(&mut octets, note(0, 0, 0, 0, 0), 0), Whole::AsItIs);
    assert_eq!(octets, before);
}

#[test]
fn what_cannot_be_cut_is_broken() {
    let mut fragment = frame(UDP, Version::V4, false, &[0; 3000]);
    fragment[20] = 0x20;
    assert_eq!(complete(&mut fragment, note(1, UDP, 1000, 0, 0), 0), Whole::Broken);
    let mut tcp = frame(TCP_IPV4, Version::V4, false, &[0; 3000]);
    assert_eq!(complete(&mut tcp.clone(), note(1, UDP, 1000, 0, 0), 0), Whole::Broken, "not UDP");
    assert_eq!(complete(&mut tcp.clone(), note(1, TCP_IPV6, 1000, 0, 0), 0), Whole::Broken, "not IPv6");
    assert_eq!(complete(&mut tcp, note(1, TCP_IPV4, 0, 0, 0), 0), Whole::Broken, "packets of no octets");
    assert_eq!(complete(&mut tcp, note(1, 0, 0, 5000, 16), 0), Whole::Broken, "a checksum outside");
}
