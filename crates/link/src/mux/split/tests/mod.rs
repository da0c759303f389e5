//! Two hosts with a link between them, at both ends of which TCP ends.

mod host;

use super::super::*;
use super::{Carried, Connection, Split};
use crate::registry::ServiceConfig;
use crate::tally;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use arqway_contract::{Checked, Departure, Packet, Side, Start};
use host::{Host, Manner};
use proptest::prelude::*;

const PLAIN: Manner =
    Manner { data: 100_000, first: 7, buffer: 60_000, reads: 60_000, scale: Some(3), has_times: true, is_odd: false };

fn config(is_split: bool) -> Config {
    let service = ServiceConfig::Tally(tally::Config { compress_headers: true, ..tally::Config::default() });
    let class = Class { split: is_split, ..Class::of_protocol(Protocol::TCP, service) };
    let queue = QueueLimits { fair: Some(Fair::default()), ack_filter: true, ..QueueLimits::default() };
    Config {
        classes: vec![class],
        queue: Some(queue),
        ..Config::new(ServiceConfig::Raw(crate::raw::Config::default()))
    }
}

/// A link of 50 ms each way, on which a frame takes a tenth of a millisecond, and what is lost on it and beside it.
struct World {
    hosts: [Host; 2],
    ends: [Checked<Mux>; 2],
    /// What is on its way to each end.
    frames: [VecDeque<(Time, Frame)>; 2],
    now: Time,
    /// Of a thousand, what the link loses, and what each host's own network does.
    losses: (u32, [u32; 2]),
    random: u32,
    delivered: [u32; 2],
}

impl World {
    fn new(left: Manner, right: Manner, is_split: [bool; 2], losses: (u32, [u32; 2]), seed: u32) -> Self {
        let end = |side: Side, is_split| Checked::new(Mux::new(&config(is_split), &side.into()).expect("two services"));
        Self {
            hosts: [Host::new(true, left), Host::new(false, right)],
            ends: [end(Side::Client, is_split[0]), end(Side::AccessPoint, is_split[1])],
            frames: [VecDeque::new(), VecDeque::new()],
            now: Time::ZERO,
            losses,
            random: seed | 1,
            delivered: [0, 0],
        }
    }

    fn is_lost(&mut self, of_thousand: u32) -> bool {
        // Xorshift: any stream will do.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.random % 1000 < of_thousand
    }

    /// A millisecond goes by.
    fn step(&mut self) {
        self.now += Span::from_milliseconds(1);
        for end in [0, 1] {
            while self.frames[end].front().is_some_and(|(due, _)| *due <= self.now) {
                let (_, frame) = self.frames[end].pop_front().expect("one is there");
                self.ends[end].handle_frame(frame, self.now);
            }
            if self.ends[end].poll_timeout().is_some_and(|due| due <= self.now) {
                self.ends[end].handle_timeout(self.now);
            }
            for packet in self.hosts[end].poll(self.now) {
                if !self.is_lost(self.losses.1[end]) {
                    // What a full queue refuses is lost.
                    let _ = self.ends[end].handle_packet(Packet::new(packet), self.now);
                }
            }
            self.transmit(end);
            while let Some(packet) = self.ends[end].poll_packet() {
                self.delivered[end] += 1;
                if !self.is_lost(self.losses.1[end]) {
                    self.hosts[end].take(&packet.octets, self.now);
                }
            }
        }
    }

    fn transmit(&mut self, end: usize) {
        for _ in 0..10 {
            let Some(mut frame) = self.ends[end].poll_frame(self.now, Octets::new(1400)) else { break };
            let ticket = frame.ticket;
            let starts = self.ends[end].start_frame(&mut frame, self.now) == Start::Send;
            if let Some(ticket) = ticket.filter(|_| starts) {
                self.ends[end].handle_departure(frame.tag, ticket, Departure::Sent, self.now);
            }
            if starts && !self.is_lost(self.losses.0) {
                let octets = frame.parts().concat();
                let due = self.now + Span::from_milliseconds(50);
                self.frames[1 - end].push_back((due, Frame::from_wire(frame.tag, octets.into())));
            }
        }
    }

    fn run(&mut self, seconds: u64) -> bool {
        for _ in 0..seconds * 1000 {
            self.step();
            if self.hosts.iter().all(Host::is_done) {
                return true;
            }
        }
        false
    }
}

#[test]
fn a_host_is_heard_by_the_near_end_long_before_the_far_host_has_it_all() {
    let heard = |is_split| {
        let mut world = World::new(PLAIN, Manner { data: 0, ..PLAIN }, [is_split; 2], (0, [0; 2]), 1);
        assert!(world.run(20));
        world.hosts[0].was_heard.expect("all was heard").since(Time::ZERO)
    };
    let (split, whole) = (heard(true), heard(false));
    assert!(split < Span::from_milliseconds(130), "{split}: the first segments' round trip, and 100 packets' time");
    assert!(whole > Span::from_milliseconds(290), "{whole}: a window of 60,000 octets each 100 ms");
}

/// Without a scale a window is 64 KiB, and the host would wait for 100 ms after each.
#[test]
fn a_small_window_is_no_limit_over_a_long_link() {
    let took = |is_split| {
        let manner = Manner { data: 2_000_000, scale: None, ..PLAIN };
        let mut world = World::new(manner, Manner { data: 0, ..manner }, [is_split; 2], (0, [0; 2]), 1);
        assert!(world.run(20));
        world.now.since(Time::ZERO)
    };
    let (split, whole) = (took(true), took(false));
    assert!(split * 4 < whole, "{split}, {whole}");
}

#[test]
fn an_end_alone_splits_nothing_nor_does_one_where_a_host_has_an_unknown_option() {
    let odd = Manner { is_odd: true, ..PLAIN };
    for (left, right, is_split) in
        [(PLAIN, PLAIN, [true, false]), (PLAIN, PLAIN, [false, true]), (odd, PLAIN, [true; 2]), (PLAIN, odd, [true; 2])]
    {
        let mut world = World::new(left, right, is_split, (0, [0; 2]), 1);
        assert!(world.run(20));
        let counters = world.ends.each_ref().map(|end| end.counters().acknowledgements_regenerated);
        assert_eq!(counters, [0, 0], "{is_split:?}");
    }
}

#[test]
fn what_both_ends_count_is_what_the_hosts_gave_and_got() {
    let mut world = World::new(PLAIN, PLAIN, [true; 2], (0, [0; 2]), 1);
    assert!(world.run(20));
    for end in [0, 1] {
        let counters = world.ends[end].counters();
        assert_eq!(counters.packets_delivered, u64::from(world.delivered[end]));
        assert!(counters.acknowledgements_regenerated > 0);
    }
}

#[test]
fn a_host_that_reads_nothing_stops_the_other_and_not_for_ever() {
    let slow = Manner { data: 0, buffer: 3000, reads: 0, ..PLAIN };
    let mut world = World::new(Manner { data: 3_000_000, ..PLAIN }, slow, [true; 2], (0, [0; 2]), 1);
    for _ in 0..20_000 {
        world.step();
    }
    assert_eq!(world.hosts[0].was_heard, None, "3 MB are more than both ends may keep");
    assert!(!world.hosts[0].is_reset && !world.hosts[1].is_reset, "it answers, so it is there");
}

#[test]
fn a_host_that_answers_no_more_is_given_up_and_the_other_hears_of_it() {
    let mut world = World::new(PLAIN, PLAIN, [true; 2], (0, [0; 2]), 1);
    for _ in 0..130 {
        world.step();
    }
    world.losses.1 = [0, 1000];
    while !world.hosts[0].is_reset {
        world.step();
        assert!(world.now < Time::ZERO + Span::from_milliseconds(1_000_000), "it waits for ever");
    }
    assert!(world.now > Time::ZERO + Span::from_milliseconds(100_000), "{:?}: RFC 9293, Section 3.8.3", world.now);
}

#[test]
fn an_end_whose_peer_has_begun_anew_resets_the_connections_that_it_had() {
    let mut world = World::new(Manner { data: 9_000_000, ..PLAIN }, PLAIN, [true; 2], (0, [0; 2]), 1);
    for _ in 0..500 {
        world.step();
    }
    world.ends[0].handle_restart();
    let reset = world.ends[0].poll_packet().expect("a reset");
    world.hosts[0].take(&reset.octets, world.now);
    assert!(world.hosts[0].is_reset);
    assert_eq!(world.ends[0].poll_packet(), None);
}

/// A segment of the host at this end, numbered from 100, or of the far one, numbered from 500.
fn segment(
    is_far: bool,
    [sequence, acknowledgement]: [u32; 2],
    data: usize,
    change: impl FnOnce(&mut etherparse::TcpHeader),
) -> Packet {
    let (from, to) = if is_far { ([10, 0, 0, 2], [10, 0, 0, 1]) } else { ([10, 0, 0, 1], [10, 0, 0, 2]) };
    let (source, destination) = if is_far { (80, 4000) } else { (4000, 80) };
    let mut tcp = etherparse::TcpHeader::new(source, destination, sequence, 60_000);
    (tcp.ack, tcp.acknowledgment_number) = (acknowledgement > 0, acknowledgement);
    change(&mut tcp);
    let mut octets = Vec::new();
    let builder = etherparse::PacketBuilder::ipv4(from, to, 64).tcp_header(tcp);
    builder.write(&mut octets, &vec![0; data]).expect("memory");
    Packet::new(octets)
}

/// An end at whose host a connection has begun.
fn begun() -> Split {
    let mut split = Split::default();
    let permit = [etherparse::TcpOptionElement::SelectiveAcknowledgementPermitted];
    let first = segment(false, [100, 0], 0, |tcp| {
        tcp.syn = true;
        tcp.set_options(&permit).expect("room");
    });
    gives(&mut split, &first);
    let mut answer = segment(true, [500, 101], 0, |tcp| {
        tcp.syn = true;
        tcp.set_options(&permit).expect("room");
    });
    answer = {
        let mut octets = answer.octets.to_vec();
        octets[32] |= 8;
        Packet::new(octets)
    };
    split.restore(answer);
    assert!(split.poll_packet().is_some() && split.poll_packet().is_none());
    split
}

/// The host's packet goes to the service.
fn gives(split: &mut Split, packet: &Packet) {
    split.hear(packet, Time::ZERO);
    if let Carried::Packet(_, Some(seen)) = split.carried(packet, Time::ZERO) {
        split.given(packet, &seen);
    }
}

/// What the host is told next.
fn told(split: &mut Split) -> etherparse::TcpHeader {
    let packet = split.poll_packet().expect("something");
    let headers = etherparse::PacketHeaders::from_ip_slice(&packet.octets).expect("a packet");
    let Some(etherparse::TransportHeader::Tcp(tcp)) = headers.transport else { panic!("no segment") };
    tcp
}

#[test]
fn what_was_not_given_to_the_service_is_not_acknowledged_whatever_the_far_host_says() {
    let mut split = begun();
    gives(&mut split, &segment(false, [101, 501], 1000, |_| ()));
    assert_eq!(told(&mut split).acknowledgment_number, 1101);
    split.restore(segment(true, [501, 9000], 10, |_| ()));
    assert_eq!(told(&mut split).acknowledgment_number, 1101);
    // A piece is missing, and those beyond it are told as blocks, the newest first.
    gives(&mut split, &segment(false, [2101, 501], 1000, |_| ()));
    gives(&mut split, &segment(false, [4101, 501], 500, |_| ()));
    let told = told(&mut split);
    assert_eq!(told.acknowledgment_number, 1101);
    let blocks = etherparse::TcpOptionElement::SelectiveAcknowledgement((4101, 4601), [Some((2101, 3101)), None, None]);
    assert_eq!(told.options_iterator().flatten().last(), Some(blocks));
}

#[test]
fn a_mark_of_our_queue_is_told_to_the_host_until_it_says_that_it_sends_less() {
    let mut split = begun();
    let mut marked = segment(false, [101, 501], 1000, |_| ());
    marked = {
        let mut octets = marked.octets.to_vec();
        octets[1] |= 3;
        Packet::new(octets)
    };
    gives(&mut split, &marked);
    assert!(told(&mut split).ece);
    gives(&mut split, &segment(false, [1101, 501], 1000, |_| ()));
    assert!(told(&mut split).ece);
    gives(&mut split, &segment(false, [2101, 501], 1000, |tcp| tcp.cwr = true));
    assert!(!told(&mut split).ece);
    // What the far host says of congestion is not the host's: our own queue follows the rate of the link.
    split.restore(segment(true, [501, 3101], 10, |tcp| tcp.ece = true));
    assert!(!told(&mut split).ece);
}

#[test]
fn the_third_duplicate_shows_that_the_host_has_missed_what_it_was_sent_first() {
    let mut split = begun();
    for number in 0..5 {
        split.restore(segment(true, [501 + 1000 * number, 101], 1000, |_| ()));
        assert_eq!(told(&mut split).sequence_number, 501 + 1000 * number);
    }
    for number in 1..=3 {
        assert!(split.poll_packet().is_none(), "{number}");
        gives(&mut split, &segment(false, [101, 501], 0, |_| ()));
    }
    assert_eq!(told(&mut split).sequence_number, 501);
    assert!(split.poll_packet().is_none(), "once");
}

#[test]
fn what_the_service_has_is_not_given_again_but_acknowledged_again_whose_acknowledgement_may_be_lost() {
    let mut split = begun();
    let data = segment(false, [101, 501], 1000, |_| ());
    gives(&mut split, &data);
    assert_eq!(told(&mut split).acknowledgment_number, 1101);
    assert!(matches!(split.carried(&data, Time::ZERO), Carried::Nothing));
    assert_eq!(told(&mut split).acknowledgment_number, 1101);
    // Nor is one who asks whether anyone is there left without an answer while the far host is still being told.
    assert!(matches!(split.carried(&segment(false, [1100, 501], 0, |_| ()), Time::ZERO), Carried::Nothing));
    assert_eq!(told(&mut split).acknowledgment_number, 1101);
    // Once that has it all, it is asked itself.
    split.restore(segment(true, [501, 1101], 0, |_| ()));
    assert_eq!(told(&mut split).acknowledgment_number, 1101);
    assert!(matches!(split.carried(&segment(false, [1100, 501], 0, |_| ()), Time::ZERO), Carried::Packet(..)));
}

#[test]
fn a_host_hears_of_no_number_beyond_what_it_has_been_sent() {
    let mut split = begun();
    for number in 0..20 {
        split.restore(segment(true, [501 + 1000 * number, 101], 1000, |_| ()));
    }
    let sent = core::iter::from_fn(|| split.poll_packet()).count();
    assert_eq!(sent, 14, "ten segments of 1,448 octets at first");
    split.restore(segment(true, [20_501, 101], 0, |_| ()));
    assert_eq!(told(&mut split).sequence_number, 501 + 14_000);
}

#[test]
fn a_host_that_was_stopped_is_told_when_it_may_go_on() {
    let mut split = begun();
    let (mut next, mut window) = (101, 60_000);
    while window >= 1000 {
        gives(&mut split, &segment(false, [next, 501], 1000, |_| ()));
        next += 1000;
        window = told(&mut split).window_size;
    }
    assert!(next > 200_000, "{next}: no more than 256 KiB are between both ends");
    // The far host has some of it by now, which the host knows for a long time.
    split.restore(segment(true, [501, 10_101], 0, |_| ()));
    assert!(split.poll_packet().is_none(), "not for a little");
    split.restore(segment(true, [501, 100_101], 0, |_| ()));
    let told = told(&mut split);
    assert_eq!((told.acknowledgment_number, told.window_size), (next, u16::MAX));
}

/// A segment whose fields are anything, between the same two hosts, in one direction or the other.
fn any_segment() -> impl Strategy<Value = (bool, Packet)> {
    let numbers = (0u32..6, 0u32..6, any::<(bool, bool)>()).prop_map(|(sequence, acknowledgement, (far, wild))| {
        let at = |number: u32| if wild { number.wrapping_mul(0x3fff_ffff) } else { number * 700 };
        (far, at(sequence), at(acknowledgement))
    });
    (numbers, any::<u8>(), any::<u16>(), 0usize..1500, proptest::collection::vec(any::<u8>(), 0..40)).prop_map(
        |((far, sequence, acknowledgement), flags, window, data, mut options)| {
            options.resize(options.len().div_ceil(4) * 4, 0);
            let (from, to) = if far { ([10, 0, 0, 2], [10, 0, 0, 1]) } else { ([10, 0, 0, 1], [10, 0, 0, 2]) };
            let (source, destination) = if far { (80, 4000) } else { (4000, 80) };
            let mut tcp = etherparse::TcpHeader::new(source, destination, sequence, window);
            (tcp.acknowledgment_number, tcp.ece, tcp.cwr) = (acknowledgement, flags & 1 != 0, flags & 2 != 0);
            // Most are what both hosts say all the time.
            (tcp.syn, tcp.fin, tcp.rst, tcp.ack) =
                (flags & 0x70 == 0x70, flags & 0x0c == 0x0c, flags == 9, flags & 0x80 == 0);
            tcp.set_options_raw(&options).expect("room");
            let mut octets = Vec::new();
            let builder = etherparse::PacketBuilder::ipv4(from, to, 64).tcp_header(tcp);
            builder.write(&mut octets, &vec![0; data]).expect("memory");
            // Offers.
            octets[32] |= flags & 8;
            (far, Packet::new(octets))
        },
    )
}

proptest! {
    /// Peers and hosts may say anything: it is no reason to panic, nor to hold more than is allowed.
    #[test]
    fn nothing_that_hosts_or_the_peer_say_does_any_harm(segments in proptest::collection::vec((any_segment(), 0u64..400), 1..60)) {
        let (mut split, mut now) = (Split::default(), Time::ZERO);
        for ((far, packet), later) in segments {
            now += Span::from_milliseconds(later);
            split.set_now(now);
            if split.poll_timeout().is_some_and(|due| due <= now) {
                split.handle_timeout(now);
                prop_assert!(split.poll_timeout().is_none_or(|due| due > now));
            }
            if far {
                split.restore(packet);
            } else {
                split.hear(&packet, now);
                if let Carried::Packet(_, Some(seen)) = split.carried(&packet, now) {
                    split.given(&packet, &seen);
                }
            }
            prop_assert_eq!(split.held, split.connections.values().map(Connection::held).sum::<u64>());
            while split.poll_packet().is_some() {}
            while split.for_service().is_some() {}
        }
        split.give_up();
        prop_assert_eq!((split.held, split.connections.len()), (0, 0));
    }

    #[test]
    fn whatever_is_lost_on_the_link_and_beside_it_each_host_gets_all_that_the_other_said(
        seed: u32, data: [u32; 2], first: [u32; 2], link in 0u32..300, beside in 0u32..60,
        buffer in 2000u32..60_000, reads in 100u32..5000, scales: [Option<bool>; 2], times: [bool; 2],
    ) {
        let manner = |index: usize| Manner {
            data: data[index] % 120_000,
            first: first[index],
            buffer,
            reads,
            scale: scales[index].map(|large| if large { 7 } else { 0 }),
            has_times: times[index],
            is_odd: false,
        };
        let mut world = World::new(manner(0), manner(1), [true; 2], (link, [beside; 2]), seed);
        prop_assert!(world.run(900), "{:?}", world.hosts);
        prop_assert!(world.hosts.iter().all(|host| !host.is_reset && !host.offers_seen));
    }
}
