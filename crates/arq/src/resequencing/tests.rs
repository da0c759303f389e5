//! Links, and the order that they make.

use super::*;
use alloc::vec::Vec;
use arqway_contract::{Counters, Packet};
use arqway_units::{Span, Time};
use etherparse::PacketBuilder;
use proptest::prelude::*;

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

fn udp(source_port: u16) -> Vec<u8> {
    let mut packet = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(source_port, 53);
    builder.write(&mut packet, &[0; 16]).expect("memory");
    packet
}

fn tcp(source_port: u16) -> Vec<u8> {
    let mut packet = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(source_port, 80, 1, 1);
    builder.write(&mut packet, &[0; 16]).expect("memory");
    packet
}

/// The `offset`-th fragment of a packet, more of which follow.
fn fragment(mut packet: Vec<u8>, offset: u8) -> Vec<u8> {
    (packet[6], packet[7]) = (0x20, offset);
    packet
}

fn none(others: Others) -> Resequencing {
    Resequencing::None(Unordered { others, ..Unordered::default() })
}

fn links<const N: usize>(chains: &mut Chains, packets: [Vec<u8>; N]) -> [u32; N] {
    let mut number = 0..;
    packets.map(|packet| chains.link(&Packet::new(packet), number.next().expect("a number")))
}

#[test]
fn each_frame_is_linked_to_the_one_before_it_of_its_flow() {
    let mut chains = Chains::new(&Resequencing::PerFlow);
    assert_eq!(links(&mut chains, [udp(1), udp(2), udp(1), tcp(1), udp(2), tcp(1), udp(1)]), [0, 0, 2, 0, 3, 2, 4]);
}

#[test]
fn a_flow_is_forgotten_when_its_last_frame_is_acknowledged() {
    let mut chains = Chains::new(&Resequencing::PerFlow);
    assert_eq!(links(&mut chains, [udp(1), udp(2), udp(1)]), [0, 0, 2]);
    chains.acknowledged(2);
    assert_eq!(chains.len(), 1);
    assert_eq!((chains.link(&Packet::new(udp(1)), 3), chains.link(&Packet::new(udp(2)), 4)), (1, 0));
    chains.acknowledged(5);
    assert_eq!(chains.len(), 0);
}

#[test]
fn all_fragments_between_two_addresses_are_of_one_flow_and_so_is_what_is_encrypted() {
    let esp = |port| {
        let mut packet = udp(port);
        packet[9] = 50;
        packet
    };
    let mut chains = Chains::new(&Resequencing::PerFlow);
    let packets = [udp(1), fragment(udp(1), 0), fragment(udp(1), 2), fragment(udp(2), 0), esp(1), esp(2), udp(1)];
    assert_eq!(links(&mut chains, packets), [0, 0, 1, 1, 0, 1, 6]);
}

#[test]
fn what_cannot_be_read_is_of_one_flow() {
    let mut chains = Chains::new(&Resequencing::PerFlow);
    assert_eq!(links(&mut chains, [Vec::from(b"ab"), udp(1), Vec::from(b"cd"), udp(1)]), [0, 0, 2, 2]);
}

#[test]
fn without_an_order_tcp_has_no_links_and_others_have_as_is_set() {
    let packets = || [tcp(1), udp(1), tcp(1), udp(2), udp(1), fragment(tcp(1), 0), fragment(tcp(1), 1)];
    assert_eq!(links(&mut Chains::new(&none(Others::PerFlow)), packets()), [0, 0, 0, 0, 3, 0, 1]);
    assert_eq!(links(&mut Chains::new(&none(Others::Full)), packets()), [0, 0, 0, 2, 1, 1, 1]);
    assert_eq!(links(&mut Chains::new(&none(Others::None)), packets()), [0; 7]);
    assert_eq!(links(&mut Chains::new(&Resequencing::Full), packets()), [1; 7]);
}

#[test]
fn frames_bear_links_only_where_these_are_not_the_same_for_all() {
    let written = [Resequencing::Full, Resequencing::PerFlow, none(Others::PerFlow), none(Others::None)];
    assert_eq!(written.map(|resequencing| resequencing.needs_link()), [false, true, true, false]);
    assert_eq!((Resequencing::Full.link_of(None), Resequencing::Full.link_of(Some(1))), (Some(1), None));
    assert_eq!((Resequencing::PerFlow.link_of(None), Resequencing::PerFlow.link_of(Some(3))), (None, Some(3)));
}

/// An order of letters.
struct Letters {
    order: Order<char>,
    counters: Counters,
}

impl Letters {
    fn new() -> Self {
        Self { order: Order::with_capacity(8), counters: Counters::default() }
    }

    fn arrive(&mut self, number: u64, link: u32, letter: char, milliseconds: u64) -> Vec<char> {
        self.order.arrive(number, link, letter, at(milliseconds), &mut self.counters);
        core::iter::from_fn(|| self.order.poll()).collect()
    }

    fn advance(&mut self, edge: u64, milliseconds: u64) -> Vec<char> {
        self.order.advance(edge, at(milliseconds), &mut self.counters);
        core::iter::from_fn(|| self.order.poll()).collect()
    }
}

#[test]
fn the_time_that_packets_are_held_adds_up() {
    let mut letters = Letters::new();
    assert_eq!(letters.arrive(1, 1, 'b', 10), []);
    assert_eq!(letters.arrive(2, 1, 'c', 15), []);
    assert_eq!(letters.arrive(0, 1, 'a', 30), ['a', 'b', 'c']);
    assert_eq!(letters.arrive(3, 1, 'd', 90), ['d'], "at once");
    assert_eq!((letters.counters.packets_held, letters.counters.held_nanoseconds), (2, 35_000_000));
}

#[test]
fn what_follows_a_frame_that_was_given_up_waits_for_all_before_that() {
    let mut letters = Letters::new();
    // 1 is lost for good, and nobody knows that it follows 0; 2 follows 1.
    assert_eq!(letters.arrive(2, 1, 'c', 0), []);
    assert_eq!(letters.arrive(0, 0, 'a', 1), ['a']);
    assert_eq!(letters.advance(1, 1), []);
    assert_eq!(letters.advance(2, 2), ['c']);
    assert!(!letters.order.arrive(1, 1, 'b', at(3), &mut letters.counters), "its place is over");
}

#[test]
fn a_frame_counts_once() {
    let mut letters = Letters::new();
    assert!(letters.order.arrive(1, 1, 'b', at(0), &mut letters.counters));
    assert!(!letters.order.arrive(1, 1, 'b', at(0), &mut letters.counters), "it is held");
    assert!(letters.order.arrive(0, 1, 'a', at(0), &mut letters.counters));
    assert!(!letters.order.arrive(1, 1, 'b', at(0), &mut letters.counters), "it has left");
}

#[test]
fn links_that_no_sender_of_ours_makes_cost_order_and_lose_nothing() {
    let mut letters = Letters::new();
    assert_eq!(letters.arrive(0, 7, 'a', 0), ['a'], "to before the beginning");
    assert_eq!(letters.arrive(2, 1, 'c', 0), []);
    assert_eq!(letters.arrive(3, 2, 'd', 0), [], "two follow 1");
    assert_eq!(letters.arrive(1, 1, 'b', 0), ['b', 'd']);
    assert_eq!(letters.advance(4, 0), ['c']);
}

#[derive(Debug, Clone)]
struct Story {
    /// Of each frame.
    flows: Vec<u8>,
    /// In which order frames come; one that is missing here is given up.
    arrivals: Vec<u64>,
}

fn stories() -> impl Strategy<Value = Story> {
    let flows = proptest::collection::vec(0u8..4, 1..60);
    flows.prop_flat_map(|flows| {
        let numbers: Vec<u64> = (0..flows.len() as u64).collect();
        let arrivals = proptest::sample::subsequence(numbers.clone(), 0..=numbers.len()).prop_shuffle();
        (Just(flows), arrivals).prop_map(|(flows, arrivals)| Story { flows, arrivals })
    })
}

proptest! {
    /// What leaves, and when, is what a slow look at all frames says: a frame leaves as soon as the one before it of its flow
    /// has left, or that one and all before it are settled.
    #[test]
    fn a_packet_leaves_as_soon_as_its_flow_allows(story in stories(), settle in proptest::collection::vec(0usize..4, 60)) {
        let Story { flows, arrivals } = story;
        let mut letters = Letters { order: Order::with_capacity(4), counters: Counters::default() };
        let before = |number: usize| (0..number).rev().find(|other| flows[*other] == flows[number]);
        let (mut here, mut gone) = (std::vec![false; flows.len()], std::vec![false; flows.len()]);
        let mut edge = 0;
        for (number, settles) in arrivals.iter().map(|number| *number as usize).zip(settle.iter().cycle()) {
            let link = before(number).map_or(0, |other| number - other) as u32;
            let mut left = letters.arrive(number as u64, link, char::from(number as u8), 0);
            here[number] |= number >= edge;
            // What never comes is given up at some time.
            while edge < flows.len() && (here[edge] || *settles == 0 && !arrivals.contains(&(edge as u64))) {
                edge += 1;
            }
            left.extend(letters.advance(edge as u64, 0));
            let mut expected = Vec::new();
            for other in 0..flows.len() {
                let may = before(other).is_none_or(|before| gone[before] || before < edge);
                if here[other] && !gone[other] && may {
                    gone[other] = true;
                    expected.push(other);
                }
            }
            let mut left: Vec<_> = left.into_iter().map(|letter| letter as usize).collect();
            for flow in 0..4 {
                let of_flow = left.iter().filter(|number| flows[**number] == flow);
                prop_assert!(of_flow.is_sorted(), "each flow in its order");
            }
            left.sort_unstable();
            prop_assert_eq!(left, expected);
        }
    }
}
