//! A peer that has restarted, moved, or does not answer; an end that rests; a line that is dead.

use super::*;

#[test]
fn packets_flow_again_within_two_seconds_after_either_end_has_restarted() {
    for restarted in [0, 1] {
        let mut world = World::new(Path::default(), 3);
        world.send(0, [packet(0, TCP, 1, 500)]);
        world.send(1, [packet(1, TCP, 1, 500)]);
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
fn packets_flow_again_within_a_second_after_both_ends_have_restarted() {
    let mut world = World::new(Path::default(), 18);
    let say = |world: &mut World, number| {
        (0..2).for_each(|end| world.ends[end].host.to_send.push_back(packet(end, TCP, number, 500)));
    };
    say(&mut world, 1);
    world.run(seconds(200));
    // What the incarnations before have sent arrives after that.
    world.ends[0].host.to_send.extend(packets(0, UDP, 20));
    world.run(world.after(5));
    (0..2).for_each(|end| world.restart(end));
    say(&mut world, 2);
    world.run(world.after(1000));
    for end in [0, 1] {
        assert_eq!(world.ends[end].host.received, [packet(1 - end, TCP, 2, 500)]);
    }
}

#[test]
fn a_dead_line_is_noticed_and_traffic_goes_on_when_it_is_back() {
    let mut world = World::new(Path::default(), 4);
    world.send(0, packets(0, TCP, 10));
    world.run(seconds(1));
    world.open(false);
    let sent: Vec<Bytes> = (100..110).map(|number| packet(0, TCP, number, 500)).collect();
    world.send(0, sent.iter().cloned());
    world.run(seconds(121));
    let events = world.ends[0].events();
    assert!(events.iter().any(|event| matches!(event, Event::Link(_, _, bearer::Event::Down))), "{events:?}");
    world.open(true);
    let opened = world.now;
    // One second and two round trips of 40 ms until a packet gets through at all.
    let has_unreliable = |world: &World| world.ends[1].host.received.iter().any(|packet| packet[9] == UDP);
    while !has_unreliable(&world) {
        world.send(0, [packet(0, UDP, 7, 100)]);
        world.run(world.after(10));
        assert!(world.now <= opened + Span::from_milliseconds(1080), "nothing crosses");
    }
    // One more until what was lost is there again.
    world.run(opened + Span::from_milliseconds(1120));
    let reliable: Vec<_> = world.ends[1].host.received.iter().filter(|packet| packet[9] == TCP).collect();
    assert_eq!(reliable[10..], sent.iter().collect::<Vec<_>>());
}

/// Pings the second end's host, which answers, for so many milliseconds; when the first answer came.
fn ping(world: &mut World, interval: u64, milliseconds: u64) -> Option<Time> {
    let (until, mut first) = (world.after(milliseconds), None);
    while world.now < until {
        world.ends.iter_mut().for_each(|end| end.host.received.clear());
        world.ends[0].host.to_send.push_back(packet(0, UDP, 7, 84));
        let next = world.after(interval).min(until);
        while world.run_while(next, |world| world.ends[1].host.received.is_empty()) {
            let asked = world.ends[1].host.received.drain(..).count();
            world.ends[1].host.to_send.extend((0..asked).map(|_| packet(1, UDP, 8, 84)));
        }
        if !world.ends[0].host.received.is_empty() {
            first.get_or_insert(world.now);
        }
    }
    first
}

#[test]
fn after_two_minutes_without_a_line_a_ping_crosses_within_a_second_and_two_round_trips_however_old_the_keys_were() {
    for age in 0..40 {
        let mut world = World::new(Path::default(), 40 + age);
        // Keys are renewed after 120 s and thrown away after 180 s: before, during or after the outage.
        ping(&mut world, 1000, 5000 + 6137 * age);
        world.wires.borrow_mut().path.is_open = false;
        assert_eq!(ping(&mut world, 200, 120_000), None);
        world.wires.borrow_mut().path.is_open = true;
        let opened = world.now;
        let came = ping(&mut world, 20, 10_000).expect("an answer");
        let (took, at_most) = (came.since(opened).as_seconds(), 1.0 + 2.0 * 0.04);
        // A ping each 20 ms.
        assert!(took <= at_most + 0.02, "keys of {} s: {took} s", (5000 + 6137 * age) / 1000);
    }
}

#[test]
fn two_ends_at_rest_send_nothing() {
    let mut world = World::new(Path::default(), 5);
    world.send(0, packets(0, TCP, 10));
    world.run(seconds(60));
    let before = world.wires.borrow().sent.len();
    world.run(seconds(4000));
    assert_eq!(world.wires.borrow().sent.len(), before);
}

#[test]
fn a_peer_that_is_somewhere_else_is_found_there() {
    let mut world = World::new(Path::default(), 7);
    world.send(0, packets(0, TCP, 10));
    world.run(seconds(1));
    world.ends[0].line.address = "198.51.100.7:4242".parse().expect("an address");
    world.send(0, [packet(0, TCP, 100, 500)]);
    world.run(seconds(3));
    world.send(1, [packet(1, TCP, 101, 500)]);
    world.run(seconds(4));
    assert_eq!(world.ends[0].host.received, [packet(1, TCP, 101, 500)]);
    assert_eq!(world.ends[1].host.received.last(), Some(&packet(0, TCP, 100, 500)));
}

#[test]
fn a_link_that_rested_until_its_keys_expired_is_not_down_and_loses_nothing() {
    let mut world = World::new(Path::default(), 9);
    world.send(0, [packet(0, UDP, 1, 100)]);
    world.run(seconds(1));
    world.ends[0].events();
    world.run(seconds(400));
    world.send(0, [packet(0, UDP, 2, 100)]);
    assert!(world.run_while(seconds(500), |world| world.ends[1].host.received.len() < 2));
    assert_eq!(world.now, seconds(400) + Span::from_milliseconds(60), "a handshake and half a round trip");
    let events = world.ends[0].events();
    assert!(!events.iter().any(|event| matches!(event, Event::Link(..))), "{events:?}");
}

#[test]
fn a_peer_that_does_not_answer_with_new_keys_is_down_within_its_patience() {
    let mut world = World::new(Path::default(), 10);
    world.send(0, [packet(0, UDP, 1, 100)]);
    world.run(seconds(400));
    world.open(false);
    world.send(0, [packet(0, UDP, 2, 100)]);
    world.run(seconds(400) + Span::from_milliseconds(999));
    assert!(world.ends[0].is_up());
    world.run(seconds(401));
    assert!(!world.ends[0].is_up());
    world.open(true);
    world.run(seconds(430));
    assert!(world.ends[0].is_up(), "a handshake is tried again and succeeds");
}

#[test]
fn an_end_whose_clock_is_behind_its_time_of_before_is_let_in_without_waiting_for_it_to_be_set() {
    let mut world = World::new(Path::default(), 11);
    world.run(seconds(1));
    world.restart(1);
    world.ends[1].tunnel.set_wall(Span::from_seconds(1e9));
    world.send(1, [packet(1, UDP, 1, 100)]);
    world.run(seconds(2));
    // Its clock begins in 1970 again.
    world.restart(1);
    world.send(1, [packet(1, UDP, 2, 100)]);
    world.run(seconds(6));
    assert_eq!(world.ends[0].host.received, [1, 2].map(|number| packet(1, UDP, number, 100)));
}

#[test]
fn a_peer_whose_name_has_another_address_is_found_there() {
    let mut world = World::new(Path::default(), 14);
    world.send(0, [packet(0, UDP, 1, 100)]);
    world.run(seconds(1));
    // It has moved, and what it says of that is lost: it says so again after five seconds.
    let moved: SocketAddr = "198.51.100.7:51820".parse().expect("an address");
    world.open(false);
    world.restart(1);
    world.ends[1].line.address = moved;
    world.run(seconds(2));
    world.open(true);
    world.run(seconds(3));
    assert_eq!(world.ends[1].host.received.len(), 0);
    let peer = world.ends[0].ids[0];
    world.ends[0].tunnel.set_address(peer, moved, world.now);
    world.send(0, [packet(0, UDP, 2, 100)]);
    world.run(seconds(4));
    assert_eq!(world.ends[1].host.received, [packet(0, UDP, 2, 100)]);
}

#[test]
fn that_a_peer_has_restarted_is_told_once() {
    let mut world = World::new(Path::default(), 8);
    world.send(0, [packet(0, TCP, 1, 500)]);
    world.run(seconds(10));
    world.ends[0].events();
    world.restart(1);
    world.send(1, [packet(1, TCP, 2, 500)]);
    world.run(seconds(20));
    let events = world.ends[0].events();
    let tells = |event: &&Event| match event {
        Event::Session(session::Event::Established { restarted, .. }) => *restarted,
        Event::Link(_, _, event) => *event == bearer::Event::PeerRestarted,
        Event::Session(_) => false,
    };
    assert_eq!(events.iter().filter(tells).count(), 1, "{events:?}");
}

#[test]
fn what_was_counted_of_a_service_is_still_counted_after_the_peer_has_restarted() {
    let mut world = World::new(Path::default(), 9);
    world.run(seconds(1));
    world.ends[0].line.has_room = full_for(500);
    world.send(0, packets(0, UDP, 1000));
    world.run(seconds(3));
    let refused = |world: &World| {
        let end = &world.ends[0];
        end.tunnel.totals(end.ids[0]).iter().map(|service| service.packets_refused).sum::<u64>()
    };
    let before = refused(&world);
    let counted = world.ends[0].tunnel.counters();
    assert_eq!((counted.packets_dropped, counted.packets_taken), (before, 1000 - before), "each packet is one of them");
    assert!(before > 100, "{before} packets found the queue full");
    for _ in 0..2 {
        world.restart(1);
        world.send(1, [packet(1, UDP, 2, 500)]);
        world.run(world.after(10_000));
        assert_eq!(refused(&world), before);
    }
    world.ends[0].line.has_room = full_for(500);
    world.send(0, packets(0, UDP, 1000));
    world.run(world.after(3000));
    assert!(refused(&world) > before, "it goes on counting");
}

#[test]
fn packets_for_a_peer_whose_address_nobody_knows_are_answered_until_it_calls() {
    let mut world = World::new(Path::default(), 3);
    world.open(false);
    world.run(seconds(1));
    world.restart_as(0, Addressed::No);
    world.send(0, [packet(0, UDP, 1, 100)]);
    world.run(seconds(2));
    let [answer] = &world.ends[0].host.received[..] else { panic!("{:?}", world.ends[0].host.received) };
    assert_eq!((answer[9], answer[20], answer[21]), (1, 3, 1), "ICMP: host unreachable");
    assert_eq!(world.ends[0].tunnel.counters().packets_without_address, 1);
    // While a handshake is under way, they wait.
    world.open(true);
    world.send(1, [packet(1, UDP, 2, 100)]);
    assert!(world.run_while(seconds(9), |world| !world.ends[0].tunnel.session().has_address(world.ends[0].ids[0])));
    assert!(!world.ends[0].is_up());
    world.send(0, [packet(0, UDP, 3, 100)]);
    world.run(seconds(12));
    assert_eq!(world.ends[0].host.received[1..], [packet(1, UDP, 2, 100)]);
    assert_eq!(world.ends[1].host.received, [packet(0, UDP, 3, 100)]);
}
