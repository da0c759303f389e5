//! How large datagrams and packets are, and what that counts at a rate.

use super::*;
use arqway_units::Octets;

#[test]
fn a_packet_too_large_for_the_link_is_answered_with_what_fits() {
    let mut world = World::new(Path::default(), 1);
    world.run(seconds(1));
    world.send(0, [packet(0, UDP, 1, 9000)]);
    world.run(seconds(2));
    let [answer] = &world.ends[0].host.received[..] else { panic!("{:?}", world.ends[0].host.received) };
    assert_eq!((answer[9], answer[20], answer[21]), (1, 3, 4), "ICMP: fragmentation needed");
    let mtu = usize::from(u16::from_be_bytes([answer[26], answer[27]]));
    assert!((1280..1472).contains(&mtu), "{mtu}");
    assert_eq!(world.ends[0].tunnel.counters().packets_too_large, 1);
    world.send(0, [packet(0, UDP, 2, mtu)]);
    world.run(seconds(3));
    assert_eq!(world.ends[1].host.received, [packet(0, UDP, 2, mtu)]);
}

#[test]
fn tally_cuts_packets_to_a_path_that_carries_hardly_300_octets() {
    let mut world = World::new(Path { most: 300, ..Path::default() }, 2);
    let sent: Vec<Bytes> = (0..20).map(|number| packet(0, TCP, number, 1500)).collect();
    world.send(0, sent.iter().cloned());
    world.run(seconds(10));
    assert_eq!(world.ends[1].host.received, sent);
    assert!(
        world.wires.borrow().sent.iter().any(|(_, datagram)| datagram.octets.len() > 250),
        "datagrams are as large as fit"
    );
}

#[test]
fn each_packet_that_is_dropped_for_its_size_is_answered_while_the_mtu_is_looked_for_too() {
    for most in [1472, 1350, 1252] {
        let mut world = World::new(Path { most, ..Path::default() }, 8);
        for number in 0..100 {
            world.send(0, [packet(0, UDP, number, 1400)]);
            world.run(world.after(100));
        }
        let [answered, arrived] = [0, 1].map(|end| world.ends[end].host.received.len());
        assert_eq!(answered + arrived, 100, "{most}");
        // An Ethernet's MTU is known after a round trip.
        assert_eq!(answered, if most == 1472 { 1 } else { 100 }, "{most}");
    }
}

#[test]
fn a_path_that_becomes_smaller_in_the_middle_of_a_transfer_loses_nothing_reliable() {
    for (seed, most) in [(1, 1200), (2, 600), (3, 272)] {
        let mut world = World::new(Path { loss: 0.01, ..Path::default() }, seed);
        let sent: Vec<Bytes> = (0..1500).map(|number| packet(0, TCP, number, 1380)).collect();
        for (number, packet) in (0..).zip(&sent) {
            world.ends[0].host.to_send.push_back(packet.clone());
            world.run(world.after(5));
            if number == 500 {
                assert!(world.wires.borrow().sent.iter().any(|(_, datagram)| datagram.octets.len() > 1300));
                world.wires.borrow_mut().path.most = most;
            }
        }
        world.run(world.after(20_000));
        assert!(world.ends[1].host.received == sent, "{} of {}", world.ends[1].host.received.len(), sent.len());
    }
}

/// The first segment of a connection, which takes segments of at most so many octets.
fn syn(from: usize, mss: u16) -> Bytes {
    let mut syn = packet(from, TCP, 0, 60).to_vec();
    // Ten words of header, a flag, and options: the MSS, and nothing else.
    (syn[32], syn[33]) = (0xa0, 2);
    let [high, low] = mss.to_be_bytes();
    syn[40..44].copy_from_slice(&[2, 4, high, low]);
    syn[44..].fill(1);
    syn.into()
}

#[test]
fn tcps_ends_are_told_of_segments_that_the_link_carries_both_ways() {
    let raw = || LinkLayer { table: arqway_link::mux::Table::default(), ..link_layer() };
    let said = |link_layer: LinkLayer, most: usize, mtus: [Option<u64>; 2], mss: u16| {
        let mut world = World::with(Path { most, ..Path::default() }, 3, link_layer);
        // Both find out how large datagrams may be.
        for second in 1..40 {
            for end in [0, 1] {
                world.send(end, [packet(end, UDP, 1, 1400)]);
            }
            world.run(seconds(second));
        }
        for (end, mtu) in world.ends.iter_mut().zip(mtus) {
            end.host.received.clear();
            end.host.mtu = mtu.map(Octets::new);
        }
        world.send(0, [syn(0, mss)]);
        world.run(world.after(1000));
        let [arrived] = &world.ends[1].host.received[..] else { panic!("{:?}", world.ends[1].host.received) };
        u16::from_be_bytes([arrived[42], arrived[43]])
    };
    // By tally any packet goes that the device takes, and each end knows its own.
    for mtus in [[Some(1400), None], [None, Some(1400)]] {
        assert_eq!(said(link_layer(), 1472, mtus, 1460), 1360);
    }
    assert_eq!(said(link_layer(), 300, [None, None], 1460), 1460);
    assert_eq!(said(link_layer(), 1472, [Some(1400), Some(1400)], 1000), 1000, "it is not raised");
    // By raw what fits into a datagram with the heads and tag of the session, a name in full, and the tag of the service.
    let by_raw = said(raw(), 1350, [Some(1500), None], 1460);
    assert!((1350 - 80..1350 - 60).contains(&by_raw), "{by_raw}");
}

#[test]
fn the_rate_counts_the_headers_of_the_version_of_ip_that_the_peer_is_at() {
    for (address, headers) in [("192.0.2.9:51820", 28), ("[2001:db8::9]:51820", 48)] {
        let bearer =
            bearer::Config { rate: "80 kbit/s".parse().expect("a rate"), ..link_layer().bearer.expect("a bearer") };
        let mut world = World::with(Path::default(), 15, LinkLayer { bearer: Some(bearer), ..link_layer() });
        world.run(seconds(1));
        // It has moved.
        world.ends[1].line.address = address.parse().expect("an address");
        world.send(1, [packet(1, UDP, 1, 100)]);
        // So slow a path has no large datagrams until it is known that these go.
        for second in 2..6 {
            world.send(0, [packet(0, UDP, 1, 100)]);
            world.run(seconds(second));
        }
        let before = world.wires.borrow().sent.len();
        world.send(0, packets(0, UDP, 20));
        world.run(seconds(12));
        let wires = world.wires.borrow();
        let of_end: Vec<_> =
            wires.sent[before..].iter().filter(|(_, datagram)| datagram.from == outer_address(0)).collect();
        // Among them a probe of the MTU, and reports; the last packet ends the time, and is not in it.
        let is_packet = |(_, datagram): &&(Time, UnderWay)| (900..1200).contains(&datagram.octets.len());
        let first = of_end.iter().position(is_packet).expect("a packet");
        let last = of_end.iter().rposition(is_packet).expect("a packet");
        let octets: usize = of_end[first..last].iter().map(|(_, datagram)| datagram.octets.len() + headers).sum();
        let took = of_end[last].0.since(of_end[first].0).as_seconds();
        assert!(
            last - first >= 19 && (took - octets as f64 / 10_000.0).abs() < 0.002,
            "{address}: {octets} octets in {took} s"
        );
    }
}

#[test]
fn heads_stay_short_however_much_is_sent() {
    let mut world = World::new(Path { loss: 0.03, ..Path::default() }, 4);
    world.run(seconds(1));
    for batch in 0..300 {
        world.send(0, (0..100).map(|number| packet(0, UDP, 100 * batch + number, 1000)));
        world.run(world.after(5));
    }
    let wires = world.wires.borrow();
    assert!(wires.sent.len() > 30_000, "{}", wires.sent.len());
    let long = wires.sent.iter().filter(|(_, datagram)| datagram.octets[0] & 0x11 == 0x11);
    assert_eq!(long.count(), 0);
}

#[test]
fn no_datagram_is_larger_than_the_path_where_no_report_says_what_arrives() {
    // The session's own messages have a bit in their first octet; a handshake has other octets.
    let loses = |datagram: &UnderWay| datagram.octets[0] & 0x12 == 0x12;
    let mut world = World::new(Path { loses, ..Path::default() }, 4);
    world.run(seconds(1));
    for batch in 0..200 {
        world.ends[0]
            .host
            .to_send
            .extend((0..100).map(|number| packet(0, TCP, 100 * batch + number, 1380 + number as usize)));
        world.run(world.after(10));
    }
    world.run(world.after(1000));
    assert_eq!(world.ends[1].host.received.len(), 20_000);
    let wires = world.wires.borrow();
    let largest = |kind| {
        // The first look for the MTU.
        let of_kind = wires.sent.iter().skip(2000).filter(|(_, datagram)| datagram.octets[0] & 0x11 == kind);
        of_kind.map(|(_, datagram)| datagram.octets.len()).max()
    };
    assert!(largest(0x11) > Some(1400), "heads of seven octets");
    // Ethernet's MTU without the headers of IPv4 and UDP.
    for kind in [0x10, 0x11] {
        assert!(largest(kind) <= Some(1500 - 28), "{:?} octets", largest(kind));
    }
}
