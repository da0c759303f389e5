//! What a tunnel promises, in virtual time.

mod world;

use arqway_link::{LinkLayer, bearer};
use arqway_session as session;
use arqway_tunnel::{Event, LineHint};
use arqway_units::{Span, Time};
use bytes::Bytes;
use std::net::SocketAddr;
use world::{Path, TCP, UDP, UnderWay, World, calls, link_layer, outer_address, packet, pattern};

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
    world.ends[0].host.to_send.push_back(sent.clone());
    assert!(world.run_while(seconds(1), |world| world.ends[1].host.received.is_empty()));
    assert_eq!((world.ends[1].host.received[0].clone(), world.now), (sent, seconds(0) + Span::from_milliseconds(60)));
}

#[test]
fn reliable_packets_arrive_once_and_in_order_over_a_line_that_loses_doubles_and_corrupts() {
    for seed in 0..5 {
        let path = Path { loss: 0.1, duplicates: 0.05, corruption: 0.05, ..Path::default() };
        let mut world = World::new(path, seed);
        let [there, back] = [packets(0, TCP, 200), packets(1, TCP, 150)];
        world.ends[0].host.to_send.extend(there.iter().cloned());
        world.ends[1].host.to_send.extend(back.iter().cloned());
        let is_there = |world: &World| {
            world.ends[1].host.received.len() < there.len() || world.ends[0].host.received.len() < back.len()
        };
        assert!(world.run_while(seconds(60), is_there), "not all has arrived");
        world.run(world.after(5000));
        assert_eq!((&world.ends[1].host.received, &world.ends[0].host.received), (&there, &back));
    }
}

#[test]
fn nobody_on_the_way_sees_what_packets_hold() {
    let mut world = World::new(Path::default(), 1);
    let secret = b"nobody else may read these words";
    let mut octets = packet(0, TCP, 1, 400).to_vec();
    octets[100..100 + secret.len()].copy_from_slice(secret);
    world.ends[0].host.to_send.push_back(octets.into());
    assert!(world.run_while(seconds(1), |world| world.ends[1].host.received.is_empty()));
    let wires = world.wires.borrow();
    let shows = |datagram: &UnderWay| datagram.octets.windows(secret.len()).any(|window| window == secret);
    assert!(!wires.sent.iter().any(|(_, datagram)| shows(datagram)));
}

#[test]
fn whatever_was_sent_once_and_comes_again_is_let_in_nowhere() {
    let mut world = World::new(Path::default(), 1);
    world.ends[0].host.to_send.extend(packets(0, UDP, 20));
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
    world.ends[0].host.to_send.extend([Bytes::from(forged), packet(0, TCP, 2, 100)]);
    world.run(seconds(1));
    assert_eq!(world.ends[1].host.received, [packet(0, TCP, 2, 100)]);
    assert_eq!(world.ends[1].tunnel.counters().sources_not_allowed, 1);
}

#[test]
fn a_packet_to_an_address_that_no_peer_has_is_dropped_and_counted() {
    let mut world = World::new(Path::default(), 1);
    let mut lost = packet(0, TCP, 1, 100).to_vec();
    lost[16..20].copy_from_slice(&[10, 0, 0, 77]);
    world.ends[0].host.to_send.extend([Bytes::from(lost), Bytes::from_static(b"\x00no packet")]);
    world.run(seconds(1));
    let counters = world.ends[0].tunnel.counters();
    assert_eq!((counters.packets_without_peer, counters.not_packets_sent, counters.packets_taken), (1, 1, 0));
}

#[test]
fn a_packet_too_large_for_the_link_is_answered_with_what_fits() {
    let mut world = World::new(Path::default(), 1);
    world.run(seconds(1));
    world.ends[0].host.to_send.push_back(packet(0, UDP, 1, 9000));
    world.run(seconds(2));
    let [answer] = &world.ends[0].host.received[..] else { panic!("{:?}", world.ends[0].host.received) };
    assert_eq!((answer[9], answer[20], answer[21]), (1, 3, 4), "ICMP: fragmentation needed");
    let mtu = usize::from(u16::from_be_bytes([answer[26], answer[27]]));
    assert!((1280..1472).contains(&mtu), "{mtu}");
    assert_eq!(world.ends[0].tunnel.counters().packets_too_large, 1);
    world.ends[0].host.to_send.push_back(packet(0, UDP, 2, mtu));
    world.run(seconds(3));
    assert_eq!(world.ends[1].host.received, [packet(0, UDP, 2, mtu)]);
}

#[test]
fn tally_cuts_packets_to_a_path_that_carries_hardly_300_octets() {
    let mut world = World::new(Path { most: 300, ..Path::default() }, 2);
    let sent: Vec<Bytes> = (0..20).map(|number| packet(0, TCP, number, 1500)).collect();
    world.ends[0].host.to_send.extend(sent.iter().cloned());
    world.run(seconds(10));
    assert_eq!(world.ends[1].host.received, sent);
    assert!(
        world.wires.borrow().sent.iter().any(|(_, datagram)| datagram.octets.len() > 250),
        "datagrams are as large as fit"
    );
}

#[test]
fn packets_flow_again_within_two_seconds_after_either_end_has_restarted() {
    for restarted in [0, 1] {
        let mut world = World::new(Path::default(), 3);
        world.ends[0].host.to_send.push_back(packet(0, TCP, 1, 500));
        world.ends[1].host.to_send.push_back(packet(1, TCP, 1, 500));
        world.run(seconds(200));
        world.restart(restarted);
        let from = world.now;
        let mut number = 100;
        while world.ends.iter().any(|end| !end.host.received.iter().any(|packet| packet[27] >= 100)) {
            for (index, end) in world.ends.iter_mut().enumerate() {
                end.host.to_send.push_back(packet(index, TCP, number, 500));
            }
            number += 1;
            world.run(world.after(50));
            assert!(world.now < from + Span::from_milliseconds(2000), "end {restarted}: nothing crosses");
        }
    }
}

#[test]
fn a_dead_line_is_noticed_and_traffic_goes_on_when_it_is_back() {
    let mut world = World::new(Path::default(), 4);
    world.ends[0].host.to_send.extend(packets(0, TCP, 10));
    world.run(seconds(1));
    world.wires.borrow_mut().path.is_open = false;
    let sent: Vec<Bytes> = (100..110).map(|number| packet(0, TCP, number, 500)).collect();
    world.ends[0].host.to_send.extend(sent.iter().cloned());
    world.run(seconds(121));
    let events: Vec<Event> = std::iter::from_fn(|| world.ends[0].tunnel.poll_event()).collect();
    assert!(events.iter().any(|event| matches!(event, Event::Link(_, bearer::Event::Down))), "{events:?}");
    world.wires.borrow_mut().path.is_open = true;
    let opened = world.now;
    // One second and two round trips of 40 ms until a packet gets through at all.
    let has_unreliable = |world: &World| world.ends[1].host.received.iter().any(|packet| packet[9] == UDP);
    while !has_unreliable(&world) {
        world.ends[0].host.to_send.push_back(packet(0, UDP, 7, 100));
        world.run(world.after(10));
        assert!(world.now <= opened + Span::from_milliseconds(1080), "nothing crosses");
    }
    // One more until what was lost is there again.
    world.run(opened + Span::from_milliseconds(1120));
    let reliable: Vec<_> = world.ends[1].host.received.iter().filter(|packet| packet[9] == TCP).collect();
    assert_eq!(reliable[10..], sent.iter().collect::<Vec<_>>());
}

#[test]
fn two_ends_at_rest_send_nothing() {
    let mut world = World::new(Path::default(), 5);
    world.ends[0].host.to_send.extend(packets(0, TCP, 10));
    world.run(seconds(60));
    let before = world.wires.borrow().sent.len();
    world.run(seconds(4000));
    assert_eq!(world.wires.borrow().sent.len(), before);
}

#[test]
fn datagrams_wait_for_a_line_that_is_full_and_none_is_lost() {
    let mut world = World::new(Path::default(), 6);
    world.run(seconds(1));
    world.ends[0].line.has_room = full_for(500);
    let sent = packets(0, UDP, 100);
    world.ends[0].host.to_send.extend(sent.iter().cloned());
    world.run(seconds(3));
    assert_eq!(world.ends[1].host.received, sent);
}

#[test]
fn what_found_no_room_goes_as_soon_as_there_is_some() {
    let mut world = World::new(Path::default(), 6);
    world.run(seconds(1));
    // More than one turn sends wait; then the line takes what waited longest, refuses the next, and has room at once again.
    world.ends[0].line.has_room = calls(0);
    world.ends[0].host.to_send.extend(packets(0, UDP, 380));
    world.run(world.after(10));
    world.ends[0].line.has_room = pattern([true, true, true, true, true, false, true]);
    world.run(world.after(21));
    assert_eq!(world.ends[1].host.received.len(), 380);
}

#[test]
fn a_peer_that_is_somewhere_else_is_found_there() {
    let mut world = World::new(Path::default(), 7);
    world.ends[0].host.to_send.extend(packets(0, TCP, 10));
    world.run(seconds(1));
    world.ends[0].line.address = "198.51.100.7:4242".parse().expect("an address");
    world.ends[0].host.to_send.push_back(packet(0, TCP, 100, 500));
    world.run(seconds(3));
    world.ends[1].host.to_send.push_back(packet(1, TCP, 101, 500));
    world.run(seconds(4));
    assert_eq!(world.ends[0].host.received, [packet(1, TCP, 101, 500)]);
    assert_eq!(world.ends[1].host.received.last(), Some(&packet(0, TCP, 100, 500)));
}

#[test]
fn a_packet_that_may_fit_once_the_mtu_is_known_is_not_answered_as_too_large_before() {
    let mut world = World::new(Path::default(), 8);
    // Too large for what is known at the beginning, and not for the path.
    world.ends[0].host.to_send.push_back(packet(0, UDP, 1, 1400));
    world.run(seconds(1));
    world.ends[0].host.to_send.push_back(packet(0, UDP, 2, 1400));
    world.run(seconds(2));
    assert_eq!(
        (world.ends[0].host.received.len(), &world.ends[1].host.received[..]),
        (0, &[packet(0, UDP, 2, 1400)][..])
    );
    // Where the path is smaller it is answered after three tries of two seconds, since the round trip is not known.
    let mut world = World::new(Path { most: 1350, ..Path::default() }, 8);
    for number in 0..100 {
        world.ends[0].host.to_send.push_back(packet(0, UDP, number, 1400));
        world.run(world.after(100));
    }
    assert_eq!(world.ends[1].host.received.len(), 0);
    assert!((35..45).contains(&world.ends[0].host.received.len()), "{} answers", world.ends[0].host.received.len());
}

#[test]
fn a_link_that_rested_until_its_keys_expired_is_not_down_and_loses_nothing() {
    let mut world = World::new(Path::default(), 9);
    world.ends[0].host.to_send.push_back(packet(0, UDP, 1, 100));
    world.run(seconds(1));
    while world.ends[0].tunnel.poll_event().is_some() {}
    world.run(seconds(400));
    world.ends[0].host.to_send.push_back(packet(0, UDP, 2, 100));
    assert!(world.run_while(seconds(500), |world| world.ends[1].host.received.len() < 2));
    assert_eq!(world.now, seconds(400) + Span::from_milliseconds(60), "a handshake and half a round trip");
    let events: Vec<Event> = std::iter::from_fn(|| world.ends[0].tunnel.poll_event()).collect();
    assert!(!events.iter().any(|event| matches!(event, Event::Link(..))), "{events:?}");
}

#[test]
fn a_peer_that_does_not_answer_with_new_keys_is_down_within_its_patience() {
    let mut world = World::new(Path::default(), 10);
    world.ends[0].host.to_send.push_back(packet(0, UDP, 1, 100));
    world.run(seconds(400));
    world.wires.borrow_mut().path.is_open = false;
    world.ends[0].host.to_send.push_back(packet(0, UDP, 2, 100));
    world.run(seconds(400) + Span::from_milliseconds(999));
    assert!(world.ends[0].is_up());
    world.run(seconds(401));
    assert!(!world.ends[0].is_up());
    world.wires.borrow_mut().path.is_open = true;
    world.run(seconds(430));
    assert!(world.ends[0].is_up(), "a handshake is tried again and succeeds");
}

#[test]
fn an_end_whose_clock_was_slow_when_it_began_is_let_in_once_that_is_set() {
    let mut world = World::new(Path::default(), 11);
    world.run(seconds(1));
    world.restart(1);
    world.ends[1].tunnel.set_wall(Span::from_seconds(1e9));
    world.ends[1].host.to_send.push_back(packet(1, UDP, 1, 100));
    world.run(seconds(2));
    world.restart(1);
    world.ends[1].host.to_send.push_back(packet(1, UDP, 2, 100));
    world.run(seconds(6));
    assert_eq!(world.ends[0].host.received.len(), 1, "its time stamps are those of the past");
    world.ends[1].tunnel.set_wall(Span::from_seconds(1e9));
    world.ends[1].host.to_send.push_back(packet(1, UDP, 3, 100));
    world.run(seconds(12));
    assert_eq!(world.ends[0].host.received.last(), Some(&packet(1, UDP, 3, 100)));
}

#[test]
fn keys_are_renewed_over_a_line_that_is_always_full() {
    let mut world = World::new(Path::default(), 12);
    world.run(seconds(1));
    while world.now < seconds(400) {
        // One call a second, and more packets than that takes.
        world.ends[0].line.has_room = calls(1);
        world.ends[0].host.to_send.extend(packets(0, UDP, 300));
        world.run(world.after(1000));
    }
    let events: Vec<Event> = std::iter::from_fn(|| world.ends[0].tunnel.poll_event()).collect();
    let renewed = events.iter().filter(|event| matches!(event, Event::Session(session::Event::Established { .. })));
    assert!(renewed.count() >= 3, "{events:?}");
}

#[test]
fn a_peer_whose_name_has_another_address_is_found_there() {
    let mut world = World::new(Path::default(), 14);
    world.ends[0].host.to_send.push_back(packet(0, UDP, 1, 100));
    world.run(seconds(1));
    // It has moved, and what it says of that is lost: it says so again after five seconds.
    let moved: SocketAddr = "198.51.100.7:51820".parse().expect("an address");
    world.wires.borrow_mut().path.is_open = false;
    world.restart(1);
    world.ends[1].line.address = moved;
    world.run(seconds(2));
    world.wires.borrow_mut().path.is_open = true;
    world.run(seconds(3));
    assert_eq!(world.ends[1].host.received.len(), 0);
    let peer = world.ends[0].ids[0];
    world.ends[0].tunnel.set_address(peer, moved, world.now);
    world.ends[0].host.to_send.push_back(packet(0, UDP, 2, 100));
    world.run(seconds(4));
    assert_eq!(world.ends[1].host.received, [packet(0, UDP, 2, 100)]);
}

#[test]
fn that_a_peer_has_restarted_is_told_once() {
    let mut world = World::new(Path::default(), 8);
    world.ends[0].host.to_send.push_back(packet(0, TCP, 1, 500));
    world.run(seconds(10));
    std::iter::from_fn(|| world.ends[0].tunnel.poll_event()).for_each(drop);
    world.restart(1);
    world.ends[1].host.to_send.push_back(packet(1, TCP, 2, 500));
    world.run(seconds(20));
    let events: Vec<Event> = std::iter::from_fn(|| world.ends[0].tunnel.poll_event()).collect();
    let tells = |event: &&Event| match event {
        Event::Session(session::Event::Established { restarted, .. }) => *restarted,
        Event::Link(_, event) => *event == bearer::Event::PeerRestarted,
        Event::Session(_) => false,
    };
    assert_eq!(events.iter().filter(tells).count(), 1, "{events:?}");
}

#[test]
fn what_was_counted_of_a_service_is_still_counted_after_the_peer_has_restarted() {
    let mut world = World::new(Path::default(), 9);
    world.run(seconds(1));
    world.ends[0].line.has_room = full_for(500);
    world.ends[0].host.to_send.extend(packets(0, UDP, 1000));
    world.run(seconds(3));
    let refused = |world: &World| {
        let end = &world.ends[0];
        end.tunnel.totals(end.ids[0]).iter().map(|service| service.packets_refused).sum::<u64>()
    };
    let before = refused(&world);
    assert_eq!(before, world.ends[0].tunnel.counters().packets_dropped);
    assert!(before > 100, "{before} packets found the queue full");
    for _ in 0..2 {
        world.restart(1);
        world.ends[1].host.to_send.push_back(packet(1, UDP, 2, 500));
        world.run(world.after(10_000));
        assert_eq!(refused(&world), before);
    }
    world.ends[0].line.has_room = full_for(500);
    world.ends[0].host.to_send.extend(packets(0, UDP, 1000));
    world.run(world.after(3000));
    assert!(refused(&world) > before, "it goes on counting");
}

#[test]
fn an_outage_that_is_announced_loses_nothing_and_ends_at_once() {
    for seed in 0..5 {
        let mut world = World::new(Path::default(), 20 + seed);
        world.run(seconds(1));
        let [busy, meanwhile] = [packets(0, TCP, 200), packets(0, UDP, 20)];
        let back: Vec<Bytes> = (0..60).map(|number| packet(1, TCP, number, 700)).collect();
        world.ends[0].host.to_send.extend(busy.iter().cloned());
        world.ends[1].host.to_send.extend(back.iter().cloned());
        // Some are on their way when it begins, which it is not for those who come back.
        world.run(world.after(5));
        world.hint(0, LineHint::Down);
        world.wires.borrow_mut().path.is_open = false;
        let before = world.wires.borrow().sent.len();
        world.ends[0].host.to_send.extend(meanwhile.iter().cloned());
        // But for the session's own, of which a handshake is the largest.
        let with_frames =
            |(_, datagram): &&(Time, UnderWay)| datagram.from == outer_address(0) && datagram.octets.len() > 148;
        world.run(seconds(60));
        assert_eq!(world.wires.borrow().sent[before..].iter().filter(with_frames).count(), 0, "it waits");
        world.wires.borrow_mut().path.is_open = true;
        world.hint(0, LineHint::Up);
        let is_missing = |world: &World| !world.ends[1].host.received.iter().any(|packet| packet[9] == UDP);
        assert!(world.run_while(world.after(21), is_missing), "it goes on at once");
        world.run(world.after(20_000));
        let received = |protocol| {
            let received = world.ends[1].host.received.iter().filter(move |packet| packet[9] == protocol);
            received.cloned().collect::<Vec<_>>()
        };
        assert_eq!(received(UDP), meanwhile, "what came meanwhile waited, without recovery too");
        assert!(received(TCP) == busy && world.ends[0].host.received == back, "what was under way is sent again");
    }
}

#[test]
fn new_keys_do_not_end_an_outage_that_is_announced() {
    let mut world = World::new(Path::default(), 30);
    world.run(seconds(1));
    world.hint(0, LineHint::Down);
    world.ends[0].host.to_send.push_back(packet(0, UDP, 1, 100));
    // The peer knows of nothing: it begins anew, and calls.
    world.restart(1);
    world.ends[1].host.to_send.push_back(packet(1, UDP, 2, 100));
    world.run(seconds(400));
    assert!(!world.ends[0].is_up() && world.ends[1].host.received.is_empty());
    world.hint(0, LineHint::Up);
    world.ends[0].host.to_send.push_back(packet(0, UDP, 3, 100));
    world.run(world.after(2000));
    assert!(world.ends[0].is_up());
    assert_eq!(world.ends[1].host.received.last(), Some(&packet(0, UDP, 3, 100)));
}

#[test]
fn after_a_handoff_the_peer_finds_this_end_at_its_new_address_before_this_end_has_anything_to_send() {
    for announced in [true, false] {
        let mut world = World::new(Path::default(), 31);
        world.ends[0].host.to_send.extend(packets(0, TCP, 10));
        world.run(seconds(1));
        world.ends[0].line.address = "198.51.100.7:4242".parse().expect("an address");
        if announced {
            world.hint(0, LineHint::Handoff);
        }
        // A handshake, and a challenge whether that is where it is.
        world.run(world.after(100));
        world.ends[1].host.to_send.push_back(packet(1, UDP, 1, 500));
        world.run(world.after(50));
        assert_eq!(world.ends[0].host.received.len(), usize::from(announced));
    }
}

#[test]
fn the_rate_counts_the_headers_of_the_version_of_ip_that_the_peer_is_at() {
    for (address, headers) in [("192.0.2.9:51820", 28), ("[2001:db8::9]:51820", 48)] {
        let bearer = bearer::Config {
            pace: Some("80 kbit/s".parse().expect("a rate")),
            ..link_layer().bearer.expect("a bearer")
        };
        let mut world = World::with(Path::default(), 15, LinkLayer { bearer: Some(bearer), ..link_layer() });
        world.run(seconds(1));
        // It has moved.
        world.ends[1].line.address = address.parse().expect("an address");
        world.ends[1].host.to_send.push_back(packet(1, UDP, 1, 100));
        world.run(seconds(5));
        let before = world.wires.borrow().sent.len();
        world.ends[0].host.to_send.extend(packets(0, UDP, 20));
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
fn what_is_lost_at_the_end_of_a_burst_is_recovered_also_after_a_link_went_down_for_want_of_keys() {
    let mut world = World::new(Path::default(), 16);
    world.ends[0].host.to_send.push_back(packet(0, TCP, 1, 500));
    world.run(seconds(400));
    // A packet waits for keys, in vain for longer than the link bears.
    world.wires.borrow_mut().path.is_open = false;
    world.ends[0].host.to_send.push_back(packet(0, TCP, 2, 500));
    world.run(seconds(403));
    assert!(!world.ends[0].is_up());
    world.wires.borrow_mut().path.is_open = true;
    world.run(seconds(420));
    assert_eq!(world.ends[1].host.received.len(), 2);
    // The last datagram of a burst is lost, and nothing follows it.
    world.wires.borrow_mut().path.is_open = false;
    world.ends[0].host.to_send.push_back(packet(0, TCP, 3, 500));
    world.run(world.after(30));
    world.wires.borrow_mut().path.is_open = true;
    world.run(world.after(3000));
    assert_eq!(world.ends[1].host.received.len(), 3);
}

#[test]
fn an_announced_outage_that_outlives_the_keys_ends_at_once_too() {
    let mut world = World::new(Path::default(), 17);
    world.ends[0].host.to_send.push_back(packet(0, TCP, 1, 500));
    world.run(seconds(10));
    world.wires.borrow_mut().path.is_open = false;
    world.hint(0, LineHint::Down);
    // So long that handshakes are tried, and wait longer and longer.
    for second in 11..400 {
        world.ends[0].host.to_send.extend((second % 100 == 0).then(|| packet(0, TCP, second, 500)));
        world.run(seconds(second.into()));
    }
    world.wires.borrow_mut().path.is_open = true;
    let opened = world.now;
    world.hint(0, LineHint::Up);
    assert!(world.run_while(seconds(500), |world| world.ends[1].host.received.len() < 4));
    // A handshake, and half a round trip for what waited.
    assert!(world.now <= opened + Span::from_milliseconds(100), "after {} s", world.now.since(opened).as_seconds());
}
