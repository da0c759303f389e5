//! What somebody outside knows of the line: it is down, up, another one.

use super::*;

#[test]
fn an_outage_that_is_announced_loses_nothing_and_ends_at_once() {
    for seed in 0..5 {
        let mut world = World::new(Path::default(), 20 + seed);
        world.run(seconds(1));
        let [busy, meanwhile] = [packets(0, TCP, 200), packets(0, UDP, 20)];
        let back: Vec<Bytes> = (0..60).map(|number| packet(1, TCP, number, 700)).collect();
        world.send(0, busy.iter().cloned());
        world.send(1, back.iter().cloned());
        // Some are on their way when it begins, which it is not for those who come back.
        world.run(world.after(5));
        world.hint(0, LineHint::Down);
        world.open(false);
        let before = world.wires.borrow().sent.len();
        world.send(0, meanwhile.iter().cloned());
        // But for the session's own, of which a handshake is the largest.
        let with_frames =
            |(_, datagram): &&(Time, UnderWay)| datagram.from == outer_address(0) && datagram.octets.len() > 148;
        world.run(seconds(60));
        assert_eq!(world.wires.borrow().sent[before..].iter().filter(with_frames).count(), 0, "it waits");
        world.open(true);
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
fn a_line_is_up_again_once_its_device_is_back_and_no_outage_is_announced_in_either_order() {
    type Change = fn(&mut World);
    let [down, up]: [Change; 2] = [|world| world.hint(0, LineHint::Down), |world| world.hint(0, LineHint::Up)];
    let handoff: Change = |world| world.hint(0, LineHint::Handoff);
    let [gone, back]: [Change; 2] = [|world| world.line(0, LinkState::Down), |world| world.line(0, LinkState::Up)];
    for [first, second, third, last] in
        [[down, gone, back, up], [gone, down, up, back], [down, gone, up, back], [gone, down, back, handoff]]
    {
        let mut world = World::new(Path::default(), 32);
        world.send(0, [packet(0, UDP, 1, 500)]);
        world.run(seconds(1));
        for change in [first, second, third] {
            change(&mut world);
            let before = world.wires.borrow().sent.len();
            world.send(0, [packet(0, UDP, 2, 500)]);
            world.run(world.after(5000));
            assert!(!world.ends[0].is_up());
            let wires = world.wires.borrow();
            assert!(wires.sent[before..].iter().all(|(_, sent)| sent.octets.len() < 500), "a packet was sent");
        }
        let (tunnel, peer) = (&world.ends[0].tunnel, world.ends[0].ids[0]);
        assert_ne!(tunnel.is_announced_down(peer), tunnel.is_line_gone(peer));
        last(&mut world);
        world.run(world.after(1000));
        assert!(world.ends[0].is_up());
        assert_eq!(world.ends[1].host.received.len(), 4, "what waited is there");
    }
}

#[test]
fn new_keys_do_not_end_an_outage_that_is_announced() {
    let mut world = World::new(Path::default(), 30);
    world.run(seconds(1));
    world.hint(0, LineHint::Down);
    world.send(0, [packet(0, UDP, 1, 100)]);
    // The peer knows of nothing: it begins anew, and calls.
    world.restart(1);
    world.send(1, [packet(1, UDP, 2, 100)]);
    world.run(seconds(400));
    assert!(!world.ends[0].is_up() && world.ends[1].host.received.is_empty());
    world.hint(0, LineHint::Up);
    world.send(0, [packet(0, UDP, 3, 100)]);
    world.run(world.after(2000));
    assert!(world.ends[0].is_up());
    assert_eq!(world.ends[1].host.received.last(), Some(&packet(0, UDP, 3, 100)));
}

#[test]
fn after_a_handoff_the_peer_finds_this_end_at_its_new_address_before_this_end_has_anything_to_send() {
    for announced in [true, false] {
        let mut world = World::new(Path::default(), 31);
        world.send(0, packets(0, TCP, 10));
        world.run(seconds(1));
        world.ends[0].line.address = "198.51.100.7:4242".parse().expect("an address");
        if announced {
            world.hint(0, LineHint::Handoff);
        }
        // A handshake, and a challenge whether that is where it is.
        world.run(world.after(100));
        world.send(1, [packet(1, UDP, 1, 500)]);
        world.run(world.after(50));
        assert_eq!(world.ends[0].host.received.len(), usize::from(announced));
    }
}

#[test]
fn an_announced_outage_that_outlives_the_keys_ends_at_once_too() {
    let mut world = World::new(Path::default(), 17);
    world.send(0, [packet(0, TCP, 1, 500)]);
    world.run(seconds(10));
    world.open(false);
    world.hint(0, LineHint::Down);
    // So long that handshakes are tried, and wait longer and longer.
    for second in 11..400 {
        world.send(0, (second % 100 == 0).then(|| packet(0, TCP, second, 500)));
        world.run(seconds(second.into()));
    }
    world.open(true);
    let opened = world.now;
    world.hint(0, LineHint::Up);
    assert!(world.run_while(seconds(500), |world| world.ends[1].host.received.len() < 4));
    // A handshake, and half a round trip for what waited.
    assert!(world.now <= opened + Span::from_milliseconds(100), "after {} s", world.now.since(opened).as_seconds());
}
