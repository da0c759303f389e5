//! Flows in queues of their own.

use super::*;

use arqway_ip::{Ecn, Outline};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A datagram of so many octets from one host to another, with the number of its flow as its port; what it carries begins with `number`.
fn of_flow(hosts: [u8; 2], flow: u16, number: u32, octets: usize, ecn: u8) -> Packet {
    let mut packet = Vec::new();
    let [from, to] = hosts.map(|host| [10, 0, 0, host]);
    let mut payload = number.to_be_bytes().to_vec();
    payload.resize(octets - 28, 0);
    PacketBuilder::ipv4(from, to, 64).udp(flow, 9).write(&mut packet, &payload).expect("memory");
    packet[1] = ecn;
    Packet::new(packet)
}

/// The hosts, the flow and the number of one.
fn read(packet: &Packet) -> ([u8; 2], u16, u32) {
    let octets = &packet.octets;
    let number = u32::from_be_bytes(octets[28..32].try_into().expect("four"));
    ([octets[15], octets[19]], u16::from_be_bytes([octets[20], octets[21]]), number)
}

fn fair(between: Between, limits: QueueLimits) -> ClassQueue {
    ClassQueue::new(QueueLimits { fair: Some(Fair { between, ..Fair::default() }), ..limits }, false, 7)
}

/// How many octets of each go when so many of them, of these sizes, always have packets waiting.
fn shares(queue: &mut ClassQueue, flows: &[([u8; 2], u16, usize)], packets: usize) -> BTreeMap<([u8; 2], u16), usize> {
    let mut sent = BTreeMap::new();
    for (hosts, flow, octets) in flows {
        (0..4).for_each(|number| queue.push(of_flow(*hosts, *flow, number, *octets, 0), at(0)).expect("room"));
    }
    for number in 0..packets {
        let packet = queue.pop(at(0)).expect("all have some");
        let (hosts, flow, _) = read(&packet);
        *sent.entry((hosts, flow)).or_default() += packet.octets.len();
        let again = of_flow(hosts, flow, u32::try_from(number).expect("small"), packet.octets.len(), 0);
        queue.push(again, at(0)).expect("room");
    }
    sent
}

proptest! {
    #[test]
    fn flows_that_always_have_something_share_within_5_percent_whatever_the_size_of_their_packets(
        sizes in proptest::collection::vec(64_usize..1500, 2..40),
    ) {
        let mut queue = fair(Between::Flows, limits(1000, None, None));
        let flows: Vec<_> = sizes.iter().zip(1..).map(|(octets, flow)| ([1, 2], flow, *octets)).collect();
        // In octets: a hundred quanta of each.
        let sent = shares(&mut queue, &flows, sizes.iter().map(|octets| 100 * 1514 / octets).sum());
        let mean = sent.values().sum::<usize>() / sizes.len();
        for (flow, octets) in &sent {
            prop_assert!(octets.abs_diff(mean) * 20 <= mean, "{flow:?} has {octets}, all {mean} on average");
        }
        prop_assert_eq!(sent.len(), sizes.len());
    }

    #[test]
    fn whatever_comes_and_goes_no_flow_changes_its_order_and_every_packet_is_counted_once(
        steps in proptest::collection::vec((0_u8..3, 0_u16..400, 64_usize..1500), 1..2000),
        drop_from_front: bool, codel: bool, put_back: bool, between in 0..3, halves in 0_usize..3,
    ) {
        let between = [Between::Flows, Between::Sources, Between::Destinations][usize::try_from(between).expect("few")];
        let some = Queues::new(64);
        let fair = Fair { between, queues: some.expect("64"), ..Fair::default() };
        let limits = QueueLimits {
            drop_from_front,
            fair: Some(fair),
            codel: codel.then(Codel::default),
            half_round_trips: NonZeroUsize::new(halves),
            ..limits(200, Some(200_000), Some(900))
        };
        let mut queue = ClassQueue::new(limits, false, 7);
        queue.carries(60_000);
        let mut heard = BTreeMap::new();
        let (mut pushed, mut refused, mut went) = (0_u64, 0_u64, 0_u64);
        for (time, (what, flow, octets)) in (0..).zip(steps) {
            if what < 2 {
                pushed += 1;
                let hosts = [u8::try_from(flow % 5).expect("few"), u8::try_from(flow % 7).expect("few")];
                let ecn = u8::from(flow % 3 == 0) * 2;
                let packet = of_flow(hosts, flow, u32::try_from(time).expect("small"), octets, ecn);
                refused += u64::from(queue.push(packet, at(time)).is_err());
                continue;
            }
            let Some(packet) = queue.pop(at(time)) else { continue };
            if put_back && flow % 2 == 0 {
                queue.put_back(packet);
                continue;
            }
            went += 1;
            let (_, flow, number) = read(&packet);
            let before = heard.insert(flow, number);
            prop_assert!(before < Some(number), "{flow}: {number} behind {before:?}");
        }
        let Counters { packets_taken, packets_refused, packets_discarded, .. } = queue.counters();
        let waiting = queue.flows.len() as u64;
        prop_assert_eq!(packets_taken, waiting + packets_discarded);
        prop_assert_eq!(pushed, went + packets_taken + packets_refused);
        prop_assert!(refused <= packets_refused);
        // What waits comes out, and then the queue is as new.
        while queue.pop(at(0)).is_some() {}
        prop_assert_eq!((queue.flows.len(), queue.flows.octets()), (0, 0));
    }
}

#[test]
fn a_flow_that_comes_anew_waits_for_no_more_than_a_quantum_of_each_other_new_one() {
    let mut queue = fair(Between::Flows, limits(1000, None, None));
    for flow in 1..=20 {
        (0..20).for_each(|number| queue.push(of_flow([1, 2], flow, number, 1400, 0), at(0)).expect("room"));
    }
    // Each has had its turn as a new one.
    (0..200).for_each(|_| _ = queue.pop(at(0)));
    for number in 0..10 {
        queue.push(of_flow([1, 2], 99, number, 100, 0), at(0)).expect("room");
        assert_eq!(queue.pop(at(0)).map(|packet| read(&packet).1), Some(99));
        assert_eq!((0..45).filter(|_| queue.pop(at(0)).is_some_and(|packet| read(&packet).1 == 99)).count(), 0);
        for flow in 1..=20 {
            (0..3).for_each(|_| queue.push(of_flow([1, 2], flow, 20, 1400, 0), at(0)).expect("room"));
        }
    }
    // Once it has used up its quantum it is one of them: a burst of 16 packets, of which a quantum goes.
    (0..16).for_each(|number| queue.push(of_flow([1, 2], 99, 10 + number, 1000, 0), at(0)).expect("room"));
    let first: Vec<_> = (0..22).filter_map(|_| queue.pop(at(0))).map(|packet| read(&packet).1).collect();
    assert_eq!((first[..2].to_vec(), first[2..].iter().filter(|flow| **flow == 99).count()), ([99, 99].to_vec(), 1));
}

#[test]
fn a_flow_that_keeps_coming_anew_does_not_starve_the_others() {
    let mut queue = fair(Between::Flows, limits(1000, None, None));
    (0..100).for_each(|number| queue.push(of_flow([1, 2], 1, number, 1000, 0), at(0)).expect("room"));
    let went = (0..100).map(|number| {
        queue.push(of_flow([1, 2], 2, number, 1000, 0), at(0)).expect("room");
        queue.pop(at(0)).map(|packet| read(&packet).1)
    });
    let of_first = went.filter(|flow| *flow == Some(1)).count();
    assert!((40..=60).contains(&of_first), "{of_first} of 100");
    // Two of them, of whom one is always new.
    let went = (0..100).map(|number| {
        (4..6).for_each(|flow| queue.push(of_flow([1, 2], flow, number, 100, 0), at(0)).expect("room"));
        (0..2).filter(|_| queue.pop(at(0)).is_some_and(|packet| read(&packet).1 < 4)).count()
    });
    let of_first: usize = went.sum();
    assert!((10..=60).contains(&of_first), "{of_first} of 200");
}

#[test]
fn which_flows_share_a_queue_depends_on_the_seed() {
    let shared = |seed: u64| {
        let fair = Some(Fair { queues: Queues::new(8).expect("a set"), ..Fair::default() });
        let mut queue = ClassQueue::new(QueueLimits { fair, ..limits(1000, None, None) }, false, seed);
        (1..=20).for_each(|flow| queue.push(of_flow([1, 2], flow, 0, 100, 0), at(0)).expect("room"));
        // Those that share a queue leave one behind the other.
        core::iter::from_fn(|| queue.pop(at(0))).map(|packet| read(&packet).1).collect::<Vec<_>>()
    };
    assert_eq!(shared(1), shared(1));
    assert_ne!(shared(1), shared(2));
}

#[test]
fn hosts_share_first_and_flows_then() {
    let hosts = |between| {
        let mut queue = fair(between, limits(1000, None, None));
        // One host sends four flows to two others, another one a single flow.
        let flows = [([1, 8], 1), ([1, 8], 2), ([1, 9], 3), ([1, 9], 4), ([2, 9], 5)];
        let sent = shares(&mut queue, &flows.map(|(hosts, flow)| (hosts, flow, 1000)), 4000);
        flows.map(|flow| (sent[&flow] + 5_000) / 10_000)
    };
    assert_eq!(hosts(Between::Flows), [80, 80, 80, 80, 80]);
    assert_eq!(hosts(Between::Sources), [50, 50, 50, 50, 200]);
    assert_eq!(hosts(Between::Destinations), [100, 100, 67, 67, 67]);
}

#[test]
fn in_a_full_class_a_large_queue_gives_way_and_what_is_small_stays() {
    for drop_from_front in [true, false] {
        let mut queue = fair(Between::Flows, QueueLimits { drop_from_front, ..limits(100, None, None) });
        (0..5).for_each(|number| queue.push(of_flow([1, 2], 1, number, 200, 0), at(0)).expect("room"));
        let taken = (0..1000).filter(|n| queue.push(of_flow([1, 2], 2, *n, 1000, 0), at(0)).is_ok()).count();
        assert_eq!((taken, queue.counters().packets_refused), if drop_from_front { (1000, 905) } else { (95, 905) });
        (5..10).for_each(|number| queue.push(of_flow([1, 2], 1, number, 200, 0), at(0)).expect("another gives way"));
        let mut went = BTreeMap::<u16, Vec<u32>>::new();
        while let Some(packet) = queue.pop(at(0)) {
            let (_, flow, number) = read(&packet);
            went.entry(flow).or_default().push(number);
        }
        assert_eq!(went[&1], (0..10).collect::<Vec<_>>());
        let large = if drop_from_front { 910..1000 } else { 0..90 };
        assert_eq!(went[&2], large.collect::<Vec<_>>());
    }
}

#[test]
fn ten_thousand_flows_have_bounded_memory_and_cost_the_same_for_each_packet() {
    let mut queue = fair(Between::Sources, limits(500, None, None));
    let turn = |queue: &mut ClassQueue, flow: u16| {
        let [host, _] = flow.to_be_bytes();
        _ = queue.push(of_flow([host, 2], flow, 0, 100, 0), at(0));
        if flow.is_multiple_of(2) {
            queue.pop(at(0));
        }
    };
    (0..10_000).for_each(|flow| turn(&mut queue, flow));
    let packets: Vec<_> = (0..10_000).map(|flow| of_flow([1, 2], flow, 0, 100, 0)).collect();
    let allocated = allocation_counter::measure(|| {
        for packet in packets {
            _ = queue.push(packet, at(0));
            queue.pop(at(0));
        }
    });
    assert_eq!(allocated.count_total, 0);
}

#[test]
fn packets_that_may_be_marked_are_marked_and_not_dropped_also_where_the_class_is_full() {
    let waiting = |ecn| {
        let mut queue = fair(Between::Flows, QueueLimits { drop_from_front: true, ..limits(100, None, None) });
        (0..150).for_each(|number| queue.push(of_flow([1, 2], 1, number, 100, ecn), at(0)).expect("room"));
        let Counters { packets_marked, packets_refused, .. } = queue.counters();
        let first = queue.pop(at(0)).expect("a packet");
        assert_eq!(first.headers.or_else(|| Outline::read(&first.octets)), Outline::read(&first.octets));
        (queue.flows.len() + 1, packets_marked, packets_refused, first.ecn())
    };
    assert_eq!(waiting(0), (100, 0, 50, Ecn::NotEct));
    assert_eq!(waiting(2), (150, 1, 0, Ecn::Ce));
    // Who does not heed marks is dropped at twice the limit.
    let mut queue = fair(Between::Flows, limits(100, None, None));
    assert_eq!((0..1000).filter(|n| queue.push(of_flow([1, 2], 1, *n, 100, 2), at(0)).is_ok()).count(), 200);
}

#[test]
fn as_many_packets_count_as_marked_as_leave_with_a_mark_whoever_marked_them() {
    let limits = QueueLimits { drop_from_front: true, codel: Some(Codel::default()), ..limits(100, None, None) };
    let mut queue = fair(Between::Flows, limits);
    let mut marked = 0;
    for round in 0..95_u64 {
        // A full queue marks the first packet, and CoDel those that have waited long. Nothing is dropped below twice the limit.
        (0..12).for_each(|number| _ = queue.push(of_flow([1, 2], 1, number, 100, 2), at(20 * round)));
        for _ in 0..10 {
            marked += u64::from(queue.pop(at(20 * round)).is_some_and(|packet| packet.ecn() == Ecn::Ce));
        }
    }
    while let Some(packet) = queue.pop(at(4000)) {
        marked += u64::from(packet.ecn() == Ecn::Ce);
    }
    assert!(marked > 100, "{marked}");
    assert_eq!((queue.counters().packets_marked, queue.counters().packets_refused), (marked, 0));
}

#[test]
fn codels_interval_is_the_round_trip_with_recovery_and_its_target_a_part_of_it_or_one_and_a_half_packets() {
    let limits = QueueLimits { codel: Some(Codel::default()), ..limits(1000, None, None) };
    let bounds = |is_held_back, rate: &str, milliseconds| {
        let mut queue = ClassQueue::new(limits, is_held_back, 7);
        queue.push(packet(1000), at(0)).expect("room");
        queue.set_capacity(rate.parse().expect("a rate"), Span::from_milliseconds(milliseconds));
        let bounds = queue.bounds.expect("set");
        [bounds.target, bounds.interval].map(|span| span.as_nanoseconds() / 1_000_000)
    };
    assert_eq!(bounds(false, "10 Mbit/s", 40), [5, 100]);
    assert_eq!(bounds(false, "10 Mbit/s", 500), [25, 500]);
    assert_eq!(bounds(true, "10 Mbit/s", 500), [100, 2000], "four round trips as long as nothing is known");
    assert_eq!(bounds(false, "120 kbit/s", 40), [100, 100]);
}

#[test]
fn an_outage_drops_nothing_of_a_queue_that_stood_before_it() {
    let limits = QueueLimits { codel: Some(Codel::default()), ..limits(1000, None, None) };
    let mut queue = ClassQueue::new(limits, false, 7);
    (0..900).for_each(|_| queue.push(packet(100), at(0)).expect("room"));
    let mut dropped_in = |times: core::ops::Range<u64>| {
        let before = queue.counters().packets_refused;
        times.clone().for_each(|time| _ = queue.pop(at(time)));
        let dropped = queue.counters().packets_refused - before;
        queue.link_is_back(at(times.end + 5000));
        dropped
    };
    assert!(dropped_in(0..300) > 0, "it stands");
    assert_eq!(dropped_in(5300..5400), 0);
}

/// What a connection begins with, and what it goes on with: only for the latter its sender is told that there is a queue.
#[test]
fn connections_that_begin_have_room_for_their_first_ten_packets_while_all_goes_in_half_a_second() {
    let tcp = |flow: u16, number: u32| {
        let mut octets = of_flow([1, 2], flow, number, 1000, 0).octets.to_vec();
        octets[9] = 6;
        Packet::new(octets)
    };
    let half_round_trips = NonZeroUsize::new(2);
    let mut queue = fair(Between::Flows, QueueLimits { half_round_trips, ..QueueLimits::default() });
    // 10,000 octets in a round trip, 25,000 in half a second.
    queue.carries(10_000);
    let mut pushed = |flow: u16, packets: std::ops::Range<u32>| {
        packets.filter(|number| queue.push(tcp(flow, *number), at(0)).is_ok()).count()
    };
    assert_eq!([pushed(1, 0..10), pushed(2, 0..10)], [10, 10]);
    assert_eq!(pushed(2, 10..12), 0, "of a flow that has begun");
    assert!(pushed(3, 0..10) > 5, "others give way");
    assert!(queue.flows.octets() <= 25_000, "{}", queue.flows.octets());
}
