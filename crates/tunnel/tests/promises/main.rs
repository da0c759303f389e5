//! What a tunnel promises, in virtual time.

mod absence;
mod bursts;
mod hints;
mod line;
mod marks;
mod paths;
mod sizes;
#[path = "../world/mod.rs"]
mod world;

use arqway_link::{LinkLayer, LinkState, bearer};
use arqway_session as session;
use arqway_tunnel::{Event, LineHint};
use arqway_units::{Span, Time};
use bytes::Bytes;
use std::net::SocketAddr;
use world::{Addressed, Path, TCP, UDP, UnderWay, World, calls, link_layer, outer_address, packet, pattern};

fn seconds(seconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(seconds * 1000)
}

/// No room for so many calls.
fn full_for(mut count: usize) -> Box<dyn FnMut() -> bool> {
    Box::new(move || {
        let has_room = count == 0;
        count = count.saturating_sub(1);
        has_room
    })
}

fn packets(from: usize, protocol: u8, count: u32) -> Vec<Bytes> {
    (0..count).map(|number| packet(from, protocol, number, 1000)).collect()
}

#[test]
fn a_packet_crosses_after_one_round_trip_of_the_handshake() {
    let mut world = World::new(Path::default(), 1);
    let sent = packet(0, TCP, 7, 200);
    world.send(0, [sent.clone()]);
    assert!(world.run_while(seconds(1), |world| world.ends[1].host.received.is_empty()));
    assert_eq!((world.ends[1].host.received[0].clone(), world.now), (sent, seconds(0) + Span::from_milliseconds(60)));
}

#[test]
fn reliable_packets_arrive_once_and_in_order_over_a_line_that_loses_doubles_and_corrupts() {
    for seed in 0..5 {
        let path = Path { loss: 0.1, duplicates: 0.05, corruption: 0.05, ..Path::default() };
        let mut world = World::new(path, seed);
        let [there, back] = [packets(0, TCP, 200), packets(1, TCP, 150)];
        world.send(0, there.iter().cloned());
        world.send(1, back.iter().cloned());
        let is_there = |world: &World| {
            world.ends[1].host.received.len() < there.len() || world.ends[0].host.received.len() < back.len()
        };
        assert!(world.run_while(seconds(60), is_there), "not all has arrived");
        world.run(world.after(5000));
        assert_eq!((&world.ends[1].host.received, &world.ends[0].host.received), (&there, &back));
    }
}

#[test]
fn reliable_packets_arrive_once_and_in_order_whoever_delays_repeats_and_forges_datagrams() {
    for seed in 0..5 {
        let path = Path {
            jitter: Span::from_milliseconds(30),
            loss: 0.05,
            duplicates: 0.05,
            corruption: 0.05,
            intrusions: 5,
            ..Path::default()
        };
        let mut world = World::new(path, 100 + seed);
        let [there, back] = [packets(0, TCP, 200), packets(1, TCP, 150)];
        for (end, sent) in [(0, &there), (1, &back)] {
            world.ends[end].host.to_send.extend(sent.iter().cloned());
        }
        let is_missing = |world: &World| {
            world.ends[1].host.received.len() < there.len() || world.ends[0].host.received.len() < back.len()
        };
        assert!(world.run_while(seconds(60), is_missing), "not all has arrived");
        // What was recorded comes on, with something else to send.
        for (number, end) in (0..100).zip([0, 1].into_iter().cycle()) {
            world.ends[end].host.to_send.push_back(packet(end, UDP, number, 100));
            world.run(world.after(100));
        }
        world.wires.borrow_mut().path.intrusions = 0;
        world.run(world.after(5000));
        for (end, sent) in [(1, &there), (0, &back)] {
            let reliable = world.ends[end].host.received.iter().filter(|packet| packet[9] == TCP);
            assert!(reliable.eq(sent), "end {end}");
            let mut others: Vec<&Bytes> =
                world.ends[end].host.received.iter().filter(|packet| packet[9] == UDP).collect();
            let arrived = others.len();
            others.sort();
            others.dedup();
            assert!(others.len() == arrived && arrived <= 50, "{arrived} of 50, {} of them others", others.len());
            let counters = world.ends[end].tunnel.session().counters();
            assert!(counters.replayed > 200 && counters.forged > 200, "{counters:?}");
        }
    }
}

#[test]
fn reliable_packets_that_overtake_each_other_on_a_fast_line_arrive_whole_and_once_and_in_order() {
    for seed in 0..40 {
        let path = Path {
            delay: Span::from_milliseconds(1),
            jitter: Span::from_milliseconds(1 + seed % 20),
            loss: 0.01,
            duplicates: 0.04,
            corruption: 0.01,
            ..Path::default()
        };
        let mut world = World::new(path, 200 + seed);
        world.run(seconds(1));
        let mut sent = [Vec::new(), Vec::new()];
        for number in 0..2000 {
            let large = number % 3 > 0;
            sent[0].push(packet(0, TCP, number, if large { 1420 } else { 60 }));
            sent[1].push(packet(1, TCP, number, 60));
            for (end, sent) in world.ends.iter_mut().zip(&sent) {
                end.host.to_send.extend(sent.last().cloned());
            }
            if number % 10 == 9 {
                world.run(world.after(2));
            }
        }
        world.run(world.after(10_000));
        for end in [0, 1] {
            let counters = world.ends[end].tunnel.counters();
            let totals = world.ends[end].tunnel.totals(world.ends[end].ids[0]);
            assert_eq!((counters.packets_dropped, counters.not_packets_received), (0, 0), "seed {seed}");
            let (received, sent) = (&world.ends[end].host.received, &sent[1 - end]);
            assert!(received == sent, "seed {seed}: {} of {}, {totals:?}", received.len(), sent.len());
            assert!(totals.iter().all(|service| service.packets_missed == 0), "seed {seed}: {totals:?}");
        }
    }
}

#[test]
fn nobody_on_the_way_sees_what_packets_hold() {
    let mut world = World::new(Path::default(), 1);
    let secret = b"nobody else may read these words";
    let mut octets = packet(0, TCP, 1, 400).to_vec();
    octets[100..100 + secret.len()].copy_from_slice(secret);
    world.send(0, [octets.into()]);
    assert!(world.run_while(seconds(1), |world| world.ends[1].host.received.is_empty()));
    let wires = world.wires.borrow();
    let shows = |datagram: &UnderWay| datagram.octets.windows(secret.len()).any(|window| window == secret);
    assert!(!wires.sent.iter().any(|(_, datagram)| shows(datagram)));
}

#[test]
fn whatever_was_sent_once_and_comes_again_is_let_in_nowhere() {
    let mut world = World::new(Path::default(), 1);
    world.send(0, packets(0, UDP, 20));
    world.run(seconds(1));
    assert_eq!(world.ends[1].host.received.len(), 20);
    let copies: Vec<_> = world.wires.borrow().sent.iter().map(|(_, datagram)| datagram.clone()).collect();
    for (index, copy) in copies.into_iter().enumerate() {
        world.wires.borrow_mut().put(seconds(1) + Span::from_milliseconds(index as u64), copy);
    }
    world.run(seconds(3));
    assert_eq!(world.ends[1].host.received.len(), 20);
    assert!(world.ends[1].tunnel.session().counters().replayed >= 20);
}

#[test]
fn a_packet_from_an_address_that_its_peer_does_not_have_is_dropped_and_counted() {
    let mut world = World::new(Path::default(), 1);
    let mut forged = packet(0, TCP, 1, 100).to_vec();
    forged[12..16].copy_from_slice(&[10, 0, 0, 77]);
    world.send(0, [Bytes::from(forged), packet(0, TCP, 2, 100)]);
    world.run(seconds(1));
    assert_eq!(world.ends[1].host.received, [packet(0, TCP, 2, 100)]);
    assert_eq!(world.ends[1].tunnel.counters().sources_not_allowed, 1);
}

#[test]
fn a_packet_to_an_address_that_no_peer_has_is_answered_and_counted() {
    let mut world = World::new(Path::default(), 1);
    let mut lost = packet(0, TCP, 1, 100).to_vec();
    lost[16..20].copy_from_slice(&[10, 0, 0, 77]);
    world.send(0, [Bytes::from(lost), Bytes::from_static(b"\x00no packet")]);
    world.run(seconds(1));
    let counters = world.ends[0].tunnel.counters();
    assert_eq!((counters.packets_without_peer, counters.not_packets_sent, counters.packets_taken), (1, 1, 0));
    let [answer] = &world.ends[0].host.received[..] else { panic!("{:?}", world.ends[0].host.received) };
    assert_eq!((answer[9], answer[20], answer[21]), (1, 3, 0), "ICMP: net unreachable");
}

#[test]
fn who_scans_addresses_that_no_peer_has_is_not_answered_more_than_a_thousand_times_a_second() {
    let mut world = World::new(Path::default(), 1);
    let mut lost = packet(0, UDP, 1, 100).to_vec();
    lost[16..20].copy_from_slice(&[10, 0, 0, 77]);
    for _ in 0..100 {
        world.send(0, vec![Bytes::from(lost.clone()); 100]);
        world.run(world.after(10));
    }
    assert_eq!(world.ends[0].tunnel.counters().packets_without_peer, 10_000);
    let answers = world.ends[0].host.received.len();
    assert!((1000..=1100).contains(&answers), "{answers}");
}
