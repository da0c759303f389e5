//! Headers of UDP that are shortened on their way through a service.

use super::super::*;
use crate::registry::ServiceConfig;
use crate::{WorldDefaults, tally};
use alloc::vec;
use alloc::vec::Vec;
use arqway_contract::{Checked, Departure, Packet, Side, Start};
use etherparse::PacketBuilder;
use proptest::prelude::*;

fn service(name: &str) -> ServiceConfig {
    name.parse::<crate::ShortForm>().expect("a scheme").in_world(&WorldDefaults::default()).expect("its settings")
}

fn ends(name: &str, queue: bool) -> [Checked<Mux>; 2] {
    let queue = queue.then(QueueLimits::default);
    let config = Config { compress_headers: true, queue, ..Config::new(service(name)) };
    [Side::Client, Side::AccessPoint].map(|side| Checked::new(Mux::new(&config, &side.into()).expect("one service")))
}

/// A packet of a call, or of another one.
fn call(port: u16, number: u16) -> Packet {
    let [high, low] = number.to_be_bytes();
    let mut octets = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(port, 4000);
    builder.write(&mut octets, &[&[1; 12][..], &[high, low], &[7; 20]].concat()).expect("memory");
    Packet::new(octets)
}

/// What one end sends reaches the other, unless it is lost; how many octets that took.
fn exchange(ends: &mut [Checked<Mux>; 2], now: Time, mut is_lost: impl FnMut() -> bool) -> u64 {
    let mut octets = 0;
    loop {
        let mut any = false;
        for from in [0, 1] {
            while let Some(mut frame) = ends[from].poll_frame(now, Octets::MAX) {
                any = true;
                let ticket = frame.ticket;
                if ends[from].start_frame(&mut frame, now) == Start::Send && from == 0 {
                    octets += frame.size().as_u64();
                }
                if let Some(ticket) = ticket {
                    ends[from].handle_departure(frame.tag, ticket, Departure::Sent, now);
                }
                if !is_lost() {
                    let octets = frame.parts().concat();
                    ends[1 - from].handle_frame(Frame::from_wire(frame.tag, octets.into()), now);
                }
            }
        }
        if !any {
            return octets;
        }
    }
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

#[test]
fn a_call_takes_fewer_octets_by_any_service_and_comes_out_as_it_was() {
    for name in ["raw", "oos-rlp:1", "xor-fec:6", "sr", "go-back-n", "deadline", "sscop-none", "snoop"] {
        for queue in [true, false] {
            let mut ends = ends(name, queue);
            let mut octets = 0;
            for number in 0..100_u16 {
                let now = at(u64::from(number) * 20);
                ends[0].handle_packet(call(5000, number), now).expect("room");
                octets = exchange(&mut ends, now, || false);
                let received: Vec<_> = core::iter::from_fn(|| ends[1].poll_packet()).collect();
                assert!(received.iter().all(|packet| packet.octets == call(5000, number).octets), "{name}");
                assert_eq!((received.len(), ends[0].poll_packet()), (1, None), "{name}");
            }
            assert!(octets <= 22 + 1 + 3 + 2 * 16, "{octets} octets by {name} for {}", call(5000, 0).octets.len());
            let [near, far] = [&ends[0], &ends[1]].map(|end| end.inner().counters());
            assert_eq!((near.packets_taken, far.packets_delivered, far.packets_taken), (100, 100, 0), "{name}");
            assert_eq!((near.malformed_received, far.malformed_received), (0, 0), "{name}");
        }
    }
}

#[test]
fn tally_and_a_link_that_does_not_shorten_carry_packets_as_they_are() {
    let raw = Config::new(service("raw"));
    let tally = ServiceConfig::Tally(tally::Config::default());
    let tally = Config { compress_headers: true, ..Config::new(tally) };
    for config in [raw, tally] {
        let end = |side: Side| Checked::new(Mux::new(&config, &side.into()).expect("one service"));
        let mut ends = [Side::Client, Side::AccessPoint].map(end);
        for number in 0..20 {
            ends[0].handle_packet(call(5000, number), at(0)).expect("room");
            let octets = exchange(&mut ends, at(0), || false);
            assert!(octets > call(5000, number).octets.len() as u64, "{octets}");
        }
    }
}

#[test]
fn what_stands_for_nothing_is_counted_and_delivers_nothing() {
    let [mut end, _] = ends("raw", true);
    for octets in [&b"\x00\xc5abc"[..], b"\x00\x80abc", b"\x00\x02", b"\x00\x01"] {
        let tag = arqway_contract::Tag::from_octet(octets[0]);
        end.handle_frame(Frame::from_wire(tag, octets[1..].to_vec().into()), at(0));
    }
    assert_eq!((end.poll_packet(), end.poll_frame(at(0), Octets::MAX)), (None, None));
    let counters = end.inner().counters();
    assert_eq!((counters.malformed_received, counters.packets_delivered), (4, 0));
}

proptest! {
    #[test]
    fn whatever_is_lost_each_packet_that_comes_out_is_one_that_went_in(
        name in prop::sample::select(vec!["raw", "oos-rlp:1", "deadline", "xor-fec:6"]),
        lost in proptest::collection::vec(any::<bool>(), 1..300),
        each in 1_usize..5,
    ) {
        let mut ends = ends(name, true);
        let mut turn = 0;
        let mut received = Vec::new();
        let mut sent = Vec::new();
        for number in 0..200_u16 {
            let now = at(u64::from(number) * 20);
            let packet = call(5000 + number % 3, number);
            sent.push(packet.octets.clone());
            ends[0].handle_packet(packet, now).expect("room");
            for end in &mut ends {
                if end.poll_timeout().is_some_and(|deadline| deadline <= now) {
                    end.handle_timeout(now);
                }
            }
            exchange(&mut ends, now, || {
                turn += 1;
                turn % each == 0 && lost[turn % lost.len()]
            });
            received.extend(core::iter::from_fn(|| ends[1].poll_packet()).map(|packet| packet.octets));
        }
        prop_assert!(received.iter().all(|packet| sent.contains(packet)));
        prop_assert!(received.len() <= sent.len() && ends[1].inner().counters().malformed_received == 0);
        received.sort();
        received.dedup();
        prop_assert_eq!(ends[1].inner().counters().packets_delivered, received.len() as u64, "{}", name);
    }
}
