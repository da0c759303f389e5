//! What waits, and what is dropped for it.

mod codel;
mod coupled;
mod fair;

use super::*;
use alloc::vec;
use alloc::vec::Vec;
use core::num::NonZeroUsize;
use etherparse::PacketBuilder;

fn packet(length: usize) -> Packet {
    Packet::new(vec![0; length])
}

impl ClassQueue {
    /// The link carries so many octets in a round trip of 200 ms.
    fn carries(&mut self, octets: u64) {
        let rate = BitRate::from_bits_per_second(octets * 40).expect("not zero");
        self.set_capacity(rate, Span::from_milliseconds(200));
    }
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

fn limits(packets: usize, octets: Option<usize>, milliseconds: Option<u64>) -> QueueLimits {
    QueueLimits {
        packets: NonZeroUsize::new(packets).expect("not zero"),
        octets: octets.and_then(NonZeroUsize::new),
        time: milliseconds.map(Span::from_milliseconds),
        ..QueueLimits::default()
    }
}

#[test]
fn a_packet_too_many_or_an_octet_too_many_is_handed_back_and_counted() {
    let mut queue = ClassQueue::new(limits(3, Some(100), None), false, 0);
    for (length, fits) in [(60, true), (41, false), (40, true), (1, false)] {
        assert_eq!(queue.push(packet(length), at(0)).is_ok(), fits, "{length}");
    }
    assert_eq!(queue.pop(at(0)).map(|packet| packet.octets.len()), Some(60));
    assert!(queue.push(packet(1), at(0)).is_ok() && queue.push(packet(1), at(0)).is_ok());
    assert!(queue.push(packet(1), at(0)).is_err(), "three packets wait");
    let Counters { packets_taken, packets_refused, packets_discarded, .. } = queue.counters();
    assert_eq!((packets_taken, packets_refused, packets_discarded), (3, 3, 0));
}

#[test]
fn a_queue_that_drops_from_the_front_makes_room_for_what_comes() {
    let from_front = QueueLimits { drop_from_front: true, ..limits(3, Some(100), None) };
    let mut queue = ClassQueue::new(from_front, false, 0);
    for length in [20, 30, 40, 10, 70] {
        queue.push(packet(length), at(0)).expect("others make room");
    }
    // The fourth is one packet too many for the first, the fifth 50 octets for the next two.
    let counters = queue.counters();
    assert_eq!((counters.packets_taken, counters.packets_refused, counters.packets_discarded), (2, 3, 0));
    assert!(queue.push(packet(101), at(0)).is_err(), "more than there is room at all: nothing else goes for it");
    let waits: Vec<_> = core::iter::from_fn(|| queue.pop(at(0))).map(|packet| packet.octets.len()).collect();
    assert_eq!((waits, queue.counters().packets_refused), (vec![10, 70], 4));
}

#[test]
fn ten_packets_that_are_more_than_a_round_trip_make_no_room() {
    let half_round_trips = NonZeroUsize::new(2);
    let limits = QueueLimits { drop_from_front: true, half_round_trips, ..QueueLimits::default() };
    for (round_trip, makes_room) in [(999, false), (1099, false), (1100, true), (2000, true)] {
        let mut queue = ClassQueue::new(limits, false, 0);
        queue.carries(round_trip);
        let taken = (0..100).filter(|_| queue.push(packet(100), at(0)).is_ok()).count();
        assert_eq!((taken == 100, queue.counters().packets_refused > 0), (makes_room, true), "{round_trip}");
    }
}

#[test]
fn an_acknowledgement_that_finds_no_room_leaves_the_one_before_it() {
    let acknowledge = |number, options: usize| {
        let mut octets = Vec::new();
        let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(80, 4000, 7, 1000).ack(number);
        let builder = builder.options_raw(&vec![1; options]).expect("options");
        builder.write(&mut octets, &[]).expect("memory");
        Packet::new(octets)
    };
    for drop_from_front in [false, true] {
        let limits = QueueLimits { ack_filter: true, drop_from_front, ..limits(9, Some(50), None) };
        let mut queue = ClassQueue::new(limits, false, 0);
        assert!(queue.push(acknowledge(5, 0), at(0)).is_ok());
        assert!(queue.push(acknowledge(6, 12), at(0)).is_err(), "52 octets");
        assert!(queue.push(acknowledge(7, 8), at(0)).is_ok(), "48 octets, in place of the 40 that wait");
        assert_eq!((queue.counters().packets_refused, queue.counters().packets_discarded), (1, 1));
        let waits = queue.pop(at(0)).expect("an acknowledgement");
        assert_eq!((waits, queue.pop(at(0))), (Packet { arrived: Some(at(0)), ..acknowledge(7, 8) }, None));
    }
}

#[test]
fn a_round_trip_that_seems_endless_makes_no_endless_queue() {
    let mut queue =
        ClassQueue::new(QueueLimits { half_round_trips: NonZeroUsize::new(3), ..limits(4, None, None) }, false, 0);
    queue.carries(u64::MAX / 40);
    let mut takes = |octets| (0..1_000_000).take_while(|_| queue.push(packet(octets), at(0)).is_ok()).count();
    assert_eq!(takes(1), 16 * 1024 * 1024 / 64 + 1);
}

#[test]
fn where_the_round_trip_is_known_the_limit_follows_it_and_is_ten_packets_at_least() {
    let mut queue =
        ClassQueue::new(QueueLimits { half_round_trips: NonZeroUsize::new(3), ..limits(4, None, None) }, false, 0);
    let mut takes = |packets| (0..packets).take_while(|_| queue.push(packet(100), at(0)).is_ok()).count();
    assert_eq!(takes(100), 4, "nothing is known yet");
    queue.carries(1400);
    let mut takes = |packets| (0..packets).take_while(|_| queue.push(packet(100), at(0)).is_ok()).count();
    assert_eq!(takes(100), 17, "three halves of 1,400 octets are 21 packets");
    queue.carries(10);
    while queue.pop(at(0)).is_some() {}
    let mut takes = |packets| (0..packets).take_while(|_| queue.push(packet(100), at(0)).is_ok()).count();
    assert_eq!(takes(100), 10);
}

/// A queue of one round trip of 20 ms at a rate.
fn of_a_round_trip(rate: &str) -> ClassQueue {
    let limits =
        QueueLimits { half_round_trips: NonZeroUsize::new(2), drop_from_front: true, ..QueueLimits::default() };
    let mut queue = ClassQueue::new(limits, false, 0);
    queue.set_capacity(rate.parse().expect("a rate"), Span::from_milliseconds(20));
    queue
}

#[test]
fn a_burst_that_finds_the_queue_empty_may_be_as_long_as_200_ms() {
    // 2 and 10 Mbit/s carry 45 and 227 packets of 1,100 octets in 200 ms, 40 kbit/s no packet; 50 Mbit/s carries more than 200 small ones.
    for (rate, octets, packets, wait) in [
        ("2 Mbit/s", 1100, 30, 30),
        ("2 Mbit/s", 1100, 60, 45),
        ("10 Mbit/s", 1100, 60, 60),
        ("10 Mbit/s", 1100, 300, 227),
        ("40 kbit/s", 1100, 60, 10),
        ("50 Mbit/s", 50, 200, 200),
    ] {
        let mut queue = of_a_round_trip(rate);
        (0..packets).for_each(|_| _ = queue.push(packet(octets), at(1000)));
        assert_eq!(core::iter::from_fn(|| queue.pop(at(1000))).count(), wait, "{packets} at {rate}");
    }
}

#[test]
fn a_queue_that_stands_longer_than_a_burst_holds_a_round_trip_until_it_was_empty() {
    // A packet of 1,250 octets goes each millisecond, and two come.
    let mut queue = of_a_round_trip("10 Mbit/s");
    let mut longest = |milliseconds: core::ops::Range<u64>, come: usize| {
        let waiting = milliseconds.map(|millisecond| {
            (0..come).for_each(|_| _ = queue.push(packet(1250), at(millisecond)));
            queue.pop(at(millisecond));
            queue.flows.len()
        });
        waiting.max()
    };
    assert_eq!(longest(0..200, 2), Some(199));
    longest(200..400, 2);
    assert_eq!([longest(400..2000, 2), longest(2000..2010, 100)], [Some(19), Some(19)], "a packet of 20 has gone");
    longest(2010..2100, 0);
    assert_eq!(longest(2100..2101, 150), Some(149));
}

#[test]
fn small_packets_of_a_burst_go_too_when_it_stands() {
    let mut queue = of_a_round_trip("2 Mbit/s");
    (0..400).for_each(|_| _ = queue.push(packet(50), at(0)));
    assert_eq!(queue.flows.len(), 400);
    (0..400).for_each(|_| _ = queue.push(packet(50), at(200)));
    assert_eq!(queue.flows.len(), 5000 / LEAST_OCTETS + 1);
}

#[test]
fn tcps_packets_have_a_round_trip_and_leave_a_burst_of_others_what_it_has() {
    let mut segment = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(80, 4000, 7, 1000);
    builder.write(&mut segment, &[0; 1210]).expect("memory");
    let mut queue = of_a_round_trip("10 Mbit/s");
    (0..100).for_each(|_| _ = queue.push(Packet::new(segment.clone()), at(0)));
    assert_eq!(queue.flows.len(), 20);
    (0..100).for_each(|_| _ = queue.push(packet(1250), at(1)));
    assert_eq!(queue.flows.len(), 120);
    queue.push(Packet::new(segment), at(2)).expect("others go");
    assert_eq!(queue.flows.len(), 119);
}

#[test]
fn of_acknowledgements_in_a_row_only_the_last_one_is_kept_where_that_is_set() {
    let acknowledgement = |number: u32| {
        let mut octets = Vec::new();
        let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(80, 4000, 7, 1000).ack(number);
        builder.write(&mut octets, &[]).expect("memory");
        Packet::new(octets)
    };
    let kept = |ack_filter| {
        let mut queue = ClassQueue::new(QueueLimits { ack_filter, ..limits(5, None, None) }, false, 0);
        for waits in [acknowledgement(1), acknowledgement(2), acknowledgement(3), packet(1), acknowledgement(4)] {
            queue.push(waits, at(0)).expect("room for five");
        }
        let kept: Vec<_> = core::iter::from_fn(|| queue.pop(at(0))).map(|packet| packet.octets).collect();
        (kept, queue.counters().packets_discarded)
    };
    assert_eq!(
        kept(true),
        ([acknowledgement(3), packet(1), acknowledgement(4)].map(|packet| packet.octets).to_vec(), 2)
    );
    assert_eq!((kept(false).0.len(), kept(false).1), (5, 0));
}

#[test]
fn a_packet_that_has_waited_too_long_makes_room_and_is_counted() {
    let mut queue = ClassQueue::new(limits(2, None, Some(10)), false, 0);
    queue.push(packet(1), at(0)).expect("room");
    queue.push(packet(2), at(4)).expect("room");
    queue.push(packet(3), at(9)).expect_err("two wait");
    queue.push(packet(4), at(10)).expect("the first one is too old");
    let next = queue.pop(at(13)).expect("the second");
    assert_eq!((next.octets.len(), next.age(at(13)), next.deadline), (2, Span::from_milliseconds(9), Some(at(14))));
    queue.put_back(next);
    assert_eq!(queue.pop(at(14)).map(|packet| packet.octets.len()), Some(4));
    assert_eq!((queue.counters().packets_discarded, queue.counters().packets_taken), (2, 2));
}
