//! Where the packets of a class wait until their service wants them.
//!
//! ```text
//!     packet -> [ a queue a class ] -> service -> scheduler -> link
//!                 limit: packets, octets, age      holds what is in frames, and the next packet
//! ```
//!
//! A service whose window counts tens of thousands of frames would otherwise be a buffer of that size. Here packets are still
//! nobody's: a full queue drops what comes, or what has waited longest, an old packet is dropped when its turn comes, and the other
//! classes go on.
//!
//! To drop from the front is what Lakshman, Neidhardt and Ott propose ("The drop from front strategy in TCP and in TCP over ATM", INFOCOM
//! 1996): TCP hears of it as much sooner as a packet waits, and stops to fill the queue that is full.
//!
//! ```text
//!     full: 1 2 3 4    5 comes     from the tail: 1 2 3 4    TCP's receiver misses 5 when 1 to 4 have gone out, and 6 has
//!                                  from the front: 2 3 4 5   ... misses 1 when 2 has gone out, which is next
//! ```
//!
//! Where the limit follows from the round trip, a burst may have more: what the link carries in 200 ms, within 200 ms of the first packet to
//! wait. A video frame, a SIP or an NFS burst is no standing queue, and whoever sent it does not send more slowly for a loss. TCP does,
//! and keeps whatever queue it is given; its packets have none of this.
//!
//! ```text
//!     octets     200 ms at the rate    __
//!                                     |  \        packets come on: two go for one that comes
//!                a round trip  _______|___\_______________
//!                                     |     time |
//!                               empty |  200 ms  | standing
//! ```
//!
//! With `ack-filter` it does what RFC 3449 §5.2.1 calls ACK filtering, and the queue discipline CAKE of Linux does by that name: of
//! acknowledgements in a row only the last one is kept.
//!
//! ```text
//!     released at once behind a gap: 9 10 11 ... 80      TCP answers: 10 12 14 ... 80      on the line: 80
//! ```

use super::recovery;
use crate::contract::{Counters, Packet};
use crate::ip::{Headers, Protocol, supersedes};
use alloc::collections::VecDeque;
use arqway_units::{BitRate, Octets, Span, Time, ToFloat, optional_positive_span, truncate};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

/// Where the limit follows from the round trip, it is no less: what TCP begins with (RFC 6928).
const LEAST_PACKETS: usize = 10;
/// And no more, whatever a peer makes the round trip look like.
const MOST_OCTETS: usize = 16 * 1024 * 1024;
/// A packet counts as so many octets at least: as much as it takes of memory beside them.
const LEAST_OCTETS: usize = 64;
/// How much of what the link carries a burst may be, and how long it may wait.
const BURST: Span = Span::from_milliseconds(200);

/// How much may wait in a class's queue; where one of these is exceeded, a packet is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ClassQueue"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct QueueLimits {
    /// The number of packets that may wait.
    pub packets: NonZeroUsize,
    /// The octets that may wait; unlimited by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub octets: Option<NonZeroUsize>,
    /// How long a packet may wait, in the queue or in a service that discards by age; unlimited by default.
    #[serde(deserialize_with = "optional_positive_span", skip_serializing_if = "Option::is_none")]
    pub time: Option<Span>,
    /// As much as the link carries in so many halves of a round trip may wait, at least ten packets: under a bearer that has a
    /// pace and so knows how much that is, this is the limit instead of `packets`. Where the service sends frames again that
    /// are lost, a round trip is what it takes until all frames of one have arrived. A burst that is not TCP's, and finds the queue
    /// empty, may be as long as 200 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_round_trips: Option<NonZeroUsize>,
    /// Whether a full queue drops the packets that have waited longest, not the one that comes. The least queue of
    /// `half_round_trips`, of ten packets, drops the one that comes all the same.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub drop_from_front: bool,
    /// Whether an acknowledgement of TCP takes the place of one in front of it that says no more.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub ack_filter: bool,
}

impl Default for QueueLimits {
    /// As many packets as services may hold themselves.
    fn default() -> Self {
        Self {
            packets: const { NonZeroUsize::new(256).expect("not zero") },
            octets: None,
            time: None,
            half_round_trips: None,
            drop_from_front: false,
            ack_filter: false,
        }
    }
}

/// The queue of one class.
#[derive(Debug)]
pub(super) struct ClassQueue {
    limits: QueueLimits,
    /// What the link carries in a round trip, where that is known, and how many of its round trips recovery takes.
    round_trip: Option<Octets>,
    round_trips: f64,
    /// What it carries while a burst may wait.
    burst: usize,
    /// When a packet came last that found the queue empty.
    busy_since: Time,
    /// Whether packets wait for others in the service.
    is_held_back: bool,
    /// How many octets may wait, where that follows from the round trip.
    most_octets: Option<usize>,
    packets: VecDeque<Packet>,
    octets: usize,
    /// Those for which there was no room, or that made room for others.
    refused: u64,
    /// Too old, or made needless by an acknowledgement behind them.
    dropped: u64,
}

impl ClassQueue {
    pub(super) fn new(limits: QueueLimits, is_held_back: bool) -> Self {
        Self {
            limits,
            round_trip: None,
            round_trips: if is_held_back { recovery::MOST } else { 1.0 },
            is_held_back,
            burst: 0,
            busy_since: Time::ZERO,
            most_octets: None,
            packets: VecDeque::new(),
            octets: 0,
            refused: 0,
            dropped: 0,
        }
    }

    /// Appends a packet, which is as old from now on as it waits.
    ///
    /// # Errors
    /// Hands it back when there is no room for it, nor may be made.
    pub(super) fn push(&mut self, mut packet: Packet, now: Time) -> Result<(), Packet> {
        self.drop_expired(now);
        if self.packets.is_empty() {
            self.busy_since = now;
        }
        let size = packet.octets.len();
        let superseded = self.superseded(&packet);
        let others = self.packets.len() - usize::from(superseded.is_some());
        let most = self.most_with(&packet, now);
        if !self.makes_room(size, most) && self.is_full(others, self.octets - superseded.unwrap_or(0) + size, most) {
            self.refused += 1;
            return Err(packet);
        }
        if let Some(octets) = superseded {
            self.packets.pop_back();
            self.octets -= octets;
            self.dropped += 1;
        }
        while self.is_full(self.packets.len(), self.octets + size, most)
            && let Some(oldest) = self.packets.pop_front()
        {
            self.octets -= oldest.octets.len();
            self.refused += 1;
        }
        packet.arrived.get_or_insert(now);
        if let Some(time) = self.limits.time {
            let expiry = now + time;
            packet.deadline = Some(packet.deadline.map_or(expiry, |deadline| deadline.min(expiry)));
        }
        self.octets += size;
        self.packets.push_back(packet);
        Ok(())
    }

    /// Whether others go for a packet of so many octets. Not where ten packets are more than a round trip: there TCP's window is hardly
    /// larger, and what it sends again for the one that went is soon the first in a full queue itself.
    fn makes_room(&self, size: usize, most: Option<usize>) -> bool {
        let is_long = most.is_none() || self.packets.len() > LEAST_PACKETS;
        self.limits.drop_from_front && is_long && !self.is_full(0, size, most)
    }

    /// How many octets may wait when this packet comes, where that follows from the round trip. What is left of a burst goes two packets
    /// for one.
    fn most_with(&self, packet: &Packet, now: Time) -> Option<usize> {
        let most = self.most_octets?;
        let (size, waiting) = (packet.octets.len(), self.octets.max(self.packets.len() * LEAST_OCTETS));
        if waiting + size <= most {
            return Some(most);
        }
        let is_burst = now.since(self.busy_since) < BURST && !is_tcp(&packet.octets);
        Some(most.max(if is_burst { self.burst } else { waiting.saturating_sub(size.max(2 * LEAST_OCTETS)) }))
    }

    /// Whether a packet behind so many others, with which it has so many octets, is one too many.
    fn is_full(&self, others: usize, octets: usize, most: Option<usize>) -> bool {
        let is_full = match most {
            Some(most) => octets.max(others * LEAST_OCTETS) > most && others >= LEAST_PACKETS,
            None => others >= self.limits.packets.get(),
        };
        is_full || self.limits.octets.is_some_and(|most| octets > most.get())
    }

    /// The link has this rate, and a round trip takes so long.
    pub(super) fn set_capacity(&mut self, rate: BitRate, round_trip: Span) {
        self.round_trip = Some(rate.octets_in(round_trip));
        self.burst = rate.octets_in(BURST).as_usize().min(MOST_OCTETS);
        self.follow_round_trip();
    }

    /// With so many octets to a frame on average and this share of them lost, the service takes longer than a round trip.
    pub(super) fn set_recovery(&mut self, frame: f64, loss: f64) {
        if let Some(round_trip) = self.round_trip.filter(|_| self.is_held_back) {
            self.round_trips = recovery::round_trips(round_trip.as_u64().to_f64() / frame, loss);
            self.follow_round_trip();
        }
    }

    fn follow_round_trip(&mut self) {
        self.most_octets = self.limits.half_round_trips.zip(self.round_trip).map(|(halves, round_trip)| {
            let octets = round_trip.as_u64().to_f64() * self.round_trips / 2.0 * halves.get().to_f64();
            usize::try_from(truncate(octets)).unwrap_or(usize::MAX).min(MOST_OCTETS)
        });
    }

    /// Takes the packet that has waited longest and is still worth something.
    pub(super) fn pop(&mut self, now: Time) -> Option<Packet> {
        self.drop_expired(now);
        let packet = self.packets.pop_front()?;
        self.octets -= packet.octets.len();
        Some(packet)
    }

    /// Puts one back where it was taken from.
    pub(super) fn put_back(&mut self, packet: Packet) {
        self.octets += packet.octets.len();
        self.packets.push_front(packet);
    }

    fn drop_expired(&mut self, now: Time) {
        while let Some(packet) = self.packets.pop_front_if(|packet| packet.has_expired(now)) {
            self.octets -= packet.octets.len();
            self.dropped += 1;
        }
    }

    /// How many octets the acknowledgement has whose place a packet takes. Those of a burst stand one behind the other, so it is
    /// enough to look at the last.
    fn superseded(&self, by: &Packet) -> Option<usize> {
        let last = self.packets.back().filter(|_| self.limits.ack_filter)?;
        supersedes(&by.octets, &last.octets).then(|| last.octets.len())
    }

    /// What it adds to the numbers of its service: packets that were taken and are not there yet, or never will be.
    pub(super) fn counters(&self) -> Counters {
        Counters {
            packets_taken: self.packets.len() as u64 + self.dropped,
            packets_refused: self.refused,
            packets_discarded: self.dropped,
            ..Counters::default()
        }
    }
}

/// Whether its sender makes a window larger until a packet is lost.
fn is_tcp(packet: &[u8]) -> bool {
    Headers::read(packet).is_some_and(|headers| headers.protocol == Protocol::TCP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;
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
        let mut queue = ClassQueue::new(limits(3, Some(100), None), false);
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
        let mut queue = ClassQueue::new(from_front, false);
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
            let mut queue = ClassQueue::new(limits, false);
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
            let mut queue = ClassQueue::new(limits, false);
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
            ClassQueue::new(QueueLimits { half_round_trips: NonZeroUsize::new(3), ..limits(4, None, None) }, false);
        queue.carries(u64::MAX / 40);
        let mut takes = |octets| (0..1_000_000).take_while(|_| queue.push(packet(octets), at(0)).is_ok()).count();
        assert_eq!(takes(1), 16 * 1024 * 1024 / 64 + 1);
    }

    #[test]
    fn where_the_round_trip_is_known_the_limit_follows_it_and_is_ten_packets_at_least() {
        let mut queue =
            ClassQueue::new(QueueLimits { half_round_trips: NonZeroUsize::new(3), ..limits(4, None, None) }, false);
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
        let mut queue = ClassQueue::new(limits, false);
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
                queue.packets.len()
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
        assert_eq!(queue.packets.len(), 400);
        (0..400).for_each(|_| _ = queue.push(packet(50), at(200)));
        assert_eq!(queue.packets.len(), 5000 / LEAST_OCTETS + 1);
    }

    #[test]
    fn tcps_packets_have_a_round_trip_and_leave_a_burst_of_others_what_it_has() {
        let mut segment = Vec::new();
        let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(80, 4000, 7, 1000);
        builder.write(&mut segment, &[0; 1210]).expect("memory");
        let mut queue = of_a_round_trip("10 Mbit/s");
        (0..100).for_each(|_| _ = queue.push(Packet::new(segment.clone()), at(0)));
        assert_eq!(queue.packets.len(), 20);
        (0..100).for_each(|_| _ = queue.push(packet(1250), at(1)));
        assert_eq!(queue.packets.len(), 120);
        queue.push(Packet::new(segment), at(2)).expect("others go");
        assert_eq!(queue.packets.len(), 119);
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
            let mut queue = ClassQueue::new(QueueLimits { ack_filter, ..limits(5, None, None) }, false);
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
        let mut queue = ClassQueue::new(limits(2, None, Some(10)), false);
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
}
