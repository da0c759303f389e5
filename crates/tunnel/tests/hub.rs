//! A hub and three spokes, in virtual time: whose packets reach whom.
//!
//! ```text
//!     10.0.0.2 --- 10.0.0.1 --- 10.0.0.3
//!                     |
//!                  10.0.0.4
//! ```

#[expect(dead_code, reason = "other tests need the rest of it")]
mod world;

use arqway_link::mux::Addresses;
use arqway_units::{Span, Time};
use bytes::Bytes;
use proptest::prelude::*;
use world::{Path, TCP, UDP, World, calls, host_address, link_layer, outer_address, packet_between};

const HUB: usize = 0;
const SPOKES: [usize; 3] = [1, 2, 3];

fn seconds(seconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(seconds * 1000)
}

/// The spokes take these addresses for the hub's.
fn hub(behind_hub: &str) -> World {
    let of_hub = SPOKES.map(|spoke| (spoke, vec![Addresses::one(host_address(spoke))]));
    let behind: Addresses = behind_hub.parse().expect("a prefix");
    let mut peers = vec![of_hub.into()];
    peers.extend(SPOKES.map(|_| vec![(HUB, vec![behind])]));
    World::between(Path { loss: 0.02, ..Path::default() }, 1, link_layer(), peers)
}

/// The hub's kernel sends on what is for others.
fn forward(world: &mut World) {
    let host = &mut world.ends[HUB].host;
    let is_for_others = |packet: &mut Bytes| packet[16..20] != [10, 0, 0, 1];
    host.to_send.extend(host.received.extract_if(.., is_for_others));
}

#[test]
fn each_spoke_speaks_with_the_hub_and_hears_nothing_of_the_others() {
    let mut world = hub("10.0.0.1");
    let there = SPOKES.map(|spoke| (0..50).map(|number| packet_between([spoke, HUB], TCP, number, 700)).collect());
    let back = SPOKES.map(|spoke| (50..90).map(|number| packet_between([HUB, spoke], TCP, number, 700)).collect());
    let (there, back): ([Vec<Bytes>; 3], [Vec<Bytes>; 3]) = (there, back);
    for (spoke, (there, back)) in SPOKES.into_iter().zip(there.iter().zip(&back)) {
        world.send(spoke, there.iter().cloned());
        world.send(HUB, back.iter().cloned());
    }
    world.run(seconds(20));
    for (spoke, (there, back)) in SPOKES.into_iter().zip(there.iter().zip(&back)) {
        assert_eq!(&world.ends[spoke].host.received, back, "spoke {spoke}");
        let received = &world.ends[HUB].host.received;
        let of_spoke: Vec<&Bytes> = received.iter().filter(|packet| packet[12..16] == there[0][12..16]).collect();
        assert_eq!(of_spoke, there.iter().collect::<Vec<_>>(), "spoke {spoke}");
    }
}

#[test]
fn a_packet_for_one_spoke_goes_to_no_other_not_even_sealed() {
    let mut world = hub("10.0.0.1");
    world.run(seconds(5));
    let before = world.wires.borrow().sent.len();
    world.send(HUB, (0..20).map(|number| packet_between([HUB, 2], UDP, number, 900)));
    world.run(world.after(500));
    let wires = world.wires.borrow();
    // A packet of 900 octets with its heads and tag.
    let large = wires.sent[before..].iter().filter(|(_, datagram)| (915..935).contains(&datagram.octets.len()));
    let to: Vec<_> = large.map(|(_, datagram)| datagram.to).collect();
    assert!(to.len() == 20 && to.iter().all(|to| *to == outer_address(2)), "{to:?}");
}

#[test]
fn a_spoke_that_speaks_in_anothers_name_is_not_heard() {
    let mut world = hub("10.0.0.1");
    let mut forged = packet_between([2, HUB], UDP, 7, 100).to_vec();
    let own = packet_between([1, HUB], UDP, 8, 100);
    world.send(1, [Bytes::from(forged.clone()), own.clone()]);
    world.run(seconds(2));
    assert_eq!(world.ends[HUB].host.received, [own]);
    assert_eq!(world.ends[HUB].tunnel.counters().sources_not_allowed, 1);
    // Whose it is may say the same.
    forged[27] = 9;
    world.send(2, [forged.clone().into()]);
    world.run(seconds(4));
    assert_eq!(world.ends[HUB].host.received.last(), Some(&Bytes::from(forged)));
}

#[test]
fn spokes_reach_each_other_through_the_hub_where_both_take_that_for_the_hubs() {
    for (behind_hub, arrives) in [("10.0.0.0/24", true), ("10.0.0.1", false)] {
        let mut world = hub(behind_hub);
        let between = packet_between([1, 3], UDP, 7, 100);
        world.send(1, [between.clone()]);
        // As a spoke would have it that takes more for the hub's than the others do.
        let smuggled = packet_between([2, 3], UDP, 8, 100);
        world.send(HUB, [smuggled.clone()]);
        for _ in 0..40 {
            world.run(world.after(50));
            forward(&mut world);
        }
        let received = &world.ends[3].host.received;
        let refused = world.ends[3].tunnel.counters().sources_not_allowed;
        let without = world.ends[1].tunnel.counters().packets_without_peer;
        if arrives {
            assert!(received.contains(&between) && received.contains(&smuggled), "{received:?}");
        } else {
            // The one was not sent at all, the other not taken.
            assert_eq!((received.len(), refused, without), (0, 1, 1));
        }
    }
}

#[test]
fn a_spoke_that_restarts_or_falls_silent_is_nothing_to_the_others() {
    let mut world = hub("10.0.0.1");
    world.run(seconds(2));
    for number in 0..100 {
        if number == 30 {
            world.restart(1);
        }
        for spoke in SPOKES {
            world.send(spoke, [packet_between([spoke, HUB], TCP, number, 300)]);
        }
        world.run(world.after(50));
    }
    world.run(world.after(5000));
    for spoke in [2, 3] {
        let address = packet_between([spoke, HUB], TCP, 0, 300).slice(12..16);
        let numbers = world.ends[HUB].host.received.iter().filter(|packet| packet[12..16] == address);
        let numbers: Vec<u8> = numbers.map(|packet| packet[27]).collect();
        assert_eq!(numbers, (0..100).collect::<Vec<u8>>(), "spoke {spoke}");
    }
}

#[test]
fn a_spoke_with_much_to_receive_leaves_the_others_their_turn_on_a_full_line() {
    let mut world = hub("10.0.0.1");
    world.wires.borrow_mut().path.loss = 0.0;
    world.run(seconds(5));
    // One call of the system a millisecond, of at most 64 datagrams.
    for number in 0..300 {
        let much = (0..200).map(|number| packet_between([HUB, 1], UDP, number, 1000));
        let few = [2, 3].map(|spoke| packet_between([HUB, spoke], UDP, number, 1000));
        world.send(HUB, much.chain(few));
        world.ends[HUB].line.has_room = calls(1);
        world.run(world.after(1));
    }
    world.ends[HUB].line.has_room = Box::new(|| true);
    world.run(world.after(40));
    let received = SPOKES.map(|spoke| world.ends[spoke].host.received.len());
    assert!(received[0] > 3000 && received[1] > 270 && received[2] > 270, "{received:?}");
}

#[test]
fn a_hub_of_more_peers_than_its_outbox_has_room_for_calls_all_of_them_at_once() {
    let peers = (1..3001).map(|peer| (peer, vec![Addresses::one(host_address(peer))])).collect();
    let mut world = World::between(Path::default(), 1, link_layer(), vec![peers]);
    world.run(world.after(1));
    assert_eq!(world.wires.borrow().sent.len(), 3000);
    assert_eq!(world.ends[0].tunnel.datagrams_sent(), (3000, 0));
}

/// What the hub has for its spokes waits for a line that is full, which then answers as it likes for a while, and then has room.
fn all_are_served(counts: [u32; 3], answers: impl IntoIterator<Item = bool, IntoIter: 'static>) {
    let mut world = hub("10.0.0.1");
    world.wires.borrow_mut().path.loss = 0.0;
    world.run(seconds(2));
    let packets = |spoke: usize, count| (0..count).map(move |number| packet_between([HUB, spoke], UDP, number, 1000));
    world.ends[HUB].line.has_room = Box::new(|| false);
    world.send(HUB, packets(3, 1));
    world.run(world.after(1));
    for (spoke, count) in SPOKES.into_iter().zip(counts) {
        // One that is too large is nothing to send, and yet the link to its spoke is looked after.
        world.send(HUB, packets(spoke, count).chain([packet_between([HUB, spoke], UDP, 9, 40_000)]));
    }
    world.run(world.after(20));
    let mut answers = answers.into_iter();
    world.ends[HUB].line.has_room = Box::new(move || answers.next().unwrap_or(true));
    world.run(world.after(1000));
    for (spoke, count) in SPOKES.into_iter().zip(counts) {
        let received = &world.ends[spoke].host.received;
        let is_missing = |packet: &Bytes| !received.contains(packet);
        assert_eq!(packets(spoke, count).filter(is_missing).count(), 0, "spoke {spoke}, {count} packets");
    }
}

#[test]
fn a_peer_that_filled_the_line_is_served_again_when_another_fills_it_in_the_same_turn() {
    // What stood before the turn goes; the first one fills the line; it has room again when the second one has nothing to say; the
    // third one fills it, too.
    for (before, first) in (0..6).flat_map(|before| (0..6).map(move |first| (before, first))) {
        let answers = [vec![true; before], vec![false], vec![true; first], vec![false; 2]].concat();
        all_are_served([250, 0, 250], answers);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn nobody_starves_whatever_the_line_answers(counts in [0_u32..250, 0..250, 0..250], answers in prop::collection::vec((any::<bool>(), 1_usize..8), 0..12)) {
        all_are_served(counts, answers.into_iter().flat_map(|(answer, calls)| std::iter::repeat_n(answer, calls)));
    }
}
