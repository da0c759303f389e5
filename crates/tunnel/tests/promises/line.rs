//! A line without room, and one that loses what nothing follows.

use super::*;

#[test]
fn datagrams_wait_for_a_line_that_is_full_and_none_is_lost() {
    let mut world = World::new(Path::default(), 6);
    world.run(seconds(1));
    world.ends[0].line.has_room = full_for(500);
    let sent = packets(0, UDP, 100);
    world.send(0, sent.iter().cloned());
    world.run(seconds(3));
    assert_eq!(world.ends[1].host.received, sent);
}

#[test]
fn what_found_no_room_goes_as_soon_as_there_is_some() {
    let mut world = World::new(Path::default(), 6);
    world.run(seconds(1));
    // More than one turn sends wait; then the line takes what waited longest, refuses the next, and has room at once again.
    world.ends[0].line.has_room = calls(0);
    world.send(0, packets(0, UDP, 380));
    world.run(world.after(10));
    world.ends[0].line.has_room = pattern([true, true, true, true, true, false, true]);
    world.run(world.after(21));
    assert_eq!(world.ends[1].host.received.len(), 380);
}

#[test]
fn keys_are_renewed_over_a_line_that_is_always_full() {
    let mut world = World::new(Path::default(), 12);
    world.run(seconds(1));
    while world.now < seconds(400) {
        // One call a second, and more packets than that takes.
        world.ends[0].line.has_room = calls(1);
        world.send(0, packets(0, UDP, 300));
        world.run(world.after(1000));
    }
    let events = world.ends[0].events();
    let renewed = events.iter().filter(|event| matches!(event, Event::Session(session::Event::Established { .. })));
    assert!(renewed.count() >= 3, "{events:?}");
}

#[test]
fn what_is_lost_at_the_end_of_a_burst_is_recovered_also_after_a_link_went_down_for_want_of_keys() {
    let mut world = World::new(Path::default(), 16);
    world.send(0, [packet(0, TCP, 1, 500)]);
    world.run(seconds(400));
    // A packet waits for keys, in vain for longer than the link bears.
    world.open(false);
    world.send(0, [packet(0, TCP, 2, 500)]);
    world.run(seconds(403));
    assert!(!world.ends[0].is_up());
    world.open(true);
    world.run(seconds(420));
    assert_eq!(world.ends[1].host.received.len(), 2);
    // The last datagram of a burst is lost, and nothing follows it.
    world.open(false);
    world.send(0, [packet(0, TCP, 3, 500)]);
    world.run(world.after(30));
    world.open(true);
    world.run(world.after(3000));
    assert_eq!(world.ends[1].host.received.len(), 3);
}
