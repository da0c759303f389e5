//! Flows that no rule knows.

use super::super::*;
use crate::registry::ServiceConfig;
use alloc::vec;
use alloc::vec::Vec;
use arqway_contract::{Packet, Side};
use arqway_schemes::{raw, rlp};
use arqway_tally as tally;
use etherparse::PacketBuilder;

fn mux(watch: bool) -> Mux {
    let raw = || ServiceConfig::Raw(raw::Config::default());
    let table = Table::BestEffort(BestEffort { reliable: Some(raw()), low_delay: Some(raw()), watch, split: false });
    Mux::new(&Config { table, ..Config::new(raw()) }, &Side::Client.into()).expect("three services")
}

const DEFAULT: usize = 0;
const LOW_DELAY: usize = 2;

fn udp(port: u16, payload: &[u8]) -> Packet {
    let mut octets = Vec::new();
    PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 1, 2], 64)
        .udp(port, 40_000)
        .write(&mut octets, payload)
        .expect("memory");
    Packet::new(octets)
}

/// A packet of RTP: its type, number and source.
fn rtp(port: u16, kind: u8, number: u16, source: u8) -> Packet {
    let [high, low] = number.to_be_bytes();
    udp(port, &[&[0x80, kind, high, low, 0, 0, 0, 0, 1, 2, 3, source][..], &[7; 1000]].concat())
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

/// Which service carries it.
fn carrier(mux: &mut Mux, packet: Packet, now: Time) -> usize {
    let told = packet.octets.clone();
    mux.handle_packet(packet, now).expect("room");
    let carrier = mux.poll_frame(now, Octets::MAX).expect("its frame").tag.service().index();
    assert_eq!(mux.service_of(&told).index(), carrier, "also for whoever asks");
    carrier
}

#[test]
fn errors_and_pings_go_with_low_delay() {
    let icmp = |version: bool| {
        let mut octets = Vec::new();
        if version {
            let ping = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 1, 2], 64).icmpv4_echo_request(1, 2);
            ping.write(&mut octets, &[0; 56]).expect("memory");
        } else {
            let ping = PacketBuilder::ipv6([1; 16], [2; 16], 64).icmpv6_echo_request(1, 2);
            ping.write(&mut octets, &[0; 56]).expect("memory");
        }
        Packet::new(octets)
    };
    for version in [true, false] {
        assert_eq!([true, false].map(|watch| carrier(&mut mux(watch), icmp(version), at(0))), [LOW_DELAY, DEFAULT]);
    }
}

/// Which service carries a first segment, a question of DNS, a later segment and an answer of another kind.
fn carriers_of_those_alone(low_delay: ServiceConfig, split: bool) -> [usize; 4] {
    let tcp = |syn: bool, data: &[u8]| {
        let mut octets = Vec::new();
        let packet = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 1, 2], 64).tcp(40_000, 443, 7, 1000);
        let packet = if syn { packet.syn() } else { packet.ack(1) };
        packet.write(&mut octets, data).expect("memory");
        Packet::new(octets)
    };
    let reliable = ServiceConfig::Tally(tally::Config::default());
    let table =
        Table::BestEffort(BestEffort { reliable: Some(reliable), low_delay: Some(low_delay), watch: true, split });
    let config = Config { table, ..Config::new(ServiceConfig::Raw(raw::Config::default())) };
    let mux = Mux::new(&config, &Side::Client.into()).expect("three services");
    let packets = [tcp(true, b""), udp(53, &[1; 40]), tcp(false, &[1; 40]), udp(161, &[1; 40])];
    packets.map(|packet| mux.service_of(&packet.octets).index())
}

#[test]
fn packets_that_stand_alone_go_where_they_are_sent_twice_unless_both_ends_have_to_see_them() {
    const RELIABLE: usize = 1;
    let twice =
        || ServiceConfig::Rlp(rlp::Config { copy_after: Some(Span::from_milliseconds(20)), ..rlp::Config::default() });
    assert_eq!(carriers_of_those_alone(twice(), false), [LOW_DELAY, LOW_DELAY, RELIABLE, RELIABLE]);
    assert_eq!(carriers_of_those_alone(twice(), true), [RELIABLE, LOW_DELAY, RELIABLE, RELIABLE]);
    let once = ServiceConfig::Rlp(rlp::Config::default());
    assert_eq!(carriers_of_those_alone(once, false), [RELIABLE; 4]);
}

#[test]
fn rtp_on_any_port_goes_with_low_delay_from_its_third_packet_on_also_with_losses() {
    let mut mux = mux(true);
    let carriers = [65_534, 65_535, 3, 4].map(|number| carrier(&mut mux, rtp(50_000, 96, number, 1), at(0)));
    assert_eq!(carriers, [DEFAULT, DEFAULT, LOW_DELAY, LOW_DELAY]);
    assert_eq!(mux.traffic_of(&rtp(50_000, 96, 5, 1).octets), Traffic::Rtp);
    // Video of another source beside it, reports, and what no RTP is, in the same flow.
    let others = [rtp(50_000, 97, 700, 2), rtp(50_000, 72, 1, 2), udp(50_000, &[22; 300]), udp(50_000, b"")];
    assert!(others.into_iter().all(|packet| carrier(&mut mux, packet, at(1)) == LOW_DELAY));
    assert_eq!(carrier(&mut mux, udp(50_001, &[22; 300]), at(2)), DEFAULT, "another flow");
}

#[test]
fn what_only_looks_like_rtp_stays_with_the_default_service() {
    let sources = |number: u16| rtp(1000, 96, number, number.to_be_bytes()[1]);
    let numbers = |number: u16| rtp(1000, 96, number.wrapping_mul(997), 1);
    let kinds = |number: u16| rtp(1000, 72, number, 1);
    let version = |number: u16| {
        let mut packet = rtp(1000, 96, number, 1).octets.to_vec();
        packet[28] = 0x40;
        Packet::new(packet)
    };
    for packet in [&sources as &dyn Fn(u16) -> Packet, &numbers, &kinds, &version] {
        let mut mux = mux(true);
        assert!((0..40).all(|number| carrier(&mut mux, packet(number), at(0)) == DEFAULT));
    }
}

/// The first packet that goes with low delay of so many octets, so many milliseconds apart.
fn first_of(octets: usize, milliseconds: u64) -> Option<u64> {
    let mut mux = mux(true);
    (0..200).find(|number| carrier(&mut mux, udp(9999, &vec![0; octets - 28]), at(milliseconds * number)) == LOW_DELAY)
}

#[test]
fn small_packets_that_come_steadily_go_with_low_delay_from_the_fiftieth_on_and_no_others() {
    assert_eq!([first_of(100, 20), first_of(400, 2), first_of(28, 200)], [Some(50), Some(50), Some(50)]);
    assert_eq!([first_of(401, 20), first_of(100, 1), first_of(100, 201)], [None, None, None]);
}

#[test]
fn a_flow_that_becomes_a_transfer_or_is_silent_for_ten_seconds_is_told_anew() {
    let mut mux = mux(true);
    let mut time = 0;
    let mut sends = |octets: usize, packets: usize, after: u64| {
        let mut last = DEFAULT;
        for _ in 0..packets {
            time += after;
            last = carrier(&mut mux, udp(9999, &vec![0; octets - 28]), at(time));
        }
        last
    };
    assert_eq!(sends(100, 60, 20), LOW_DELAY);
    assert_eq!(sends(1400, 7, 20), LOW_DELAY, "a picture in between");
    assert_eq!(sends(100, 1, 20), LOW_DELAY);
    assert_eq!(sends(1400, 8, 20), DEFAULT);
    assert_eq!([sends(100, 49, 20), sends(100, 1, 20)], [DEFAULT, LOW_DELAY]);
    assert_eq!(sends(100, 1, 10_000), DEFAULT);
}

#[test]
fn codepoints_for_conversations_say_it_at_once_and_without_watch_nothing_is_told() {
    for (watch, expected) in [(true, LOW_DELAY), (false, DEFAULT)] {
        let mut mux = mux(watch);
        let mut octets = udp(9999, &[0; 100]).octets.to_vec();
        octets[1] = 46 << 2;
        assert_eq!(carrier(&mut mux, Packet::new(octets), at(0)), expected);
        let last = (0..10).map(|number| carrier(&mut mux, rtp(50_000, 96, number, 1), at(0))).last();
        assert_eq!(last, Some(expected));
    }
}

#[test]
fn more_flows_than_are_watched_are_left_as_they_are_and_those_that_are_watched_stay_what_they_are() {
    let mut mux = mux(true);
    (0..3).for_each(|number| _ = carrier(&mut mux, rtp(50_000, 96, number, 1), at(0)));
    for port in 1..=20_000 {
        if mux.service_of(&udp(port, b"x").octets).index() == DEFAULT {
            carrier(&mut mux, udp(port, b"x"), at(1));
        }
    }
    assert_eq!(carrier(&mut mux, rtp(50_000, 96, 3, 1), at(2)), LOW_DELAY);
    // Once these are forgotten there is room for others: of a hundred that come at once for each.
    let is_told = |mux: &mut Mux, port: u16, time: u64| {
        (0..3).map(|number| carrier(mux, rtp(port, 96, number, 1), at(time))).last() == Some(LOW_DELAY)
    };
    let told =
        |mux: &mut Mux, ports: core::ops::Range<u16>, time| ports.filter(|port| is_told(mux, *port, time)).count();
    assert_eq!([told(&mut mux, 40_000..40_100, 3), told(&mut mux, 40_000..40_100, 10_003)], [0, 100]);
}
