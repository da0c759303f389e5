//! A tunnel in the steady state takes hardly any memory anew, and never more: buffers are used again and again.

use arqway_link::bearer::{self, Mtu};
use arqway_link::{LinkLayer, ServiceConfig, ShortForm, WorldDefaults};
use arqway_net::{Arrival, Datagrams, NetError, Sent};
use arqway_session::{Config, Configuration, Endpoint, Introduction, Keepalive, PeerConfig, PresharedKey, PrivateKey};
use arqway_slab::Slab;
use arqway_tunnel::{Hub, Line, NetworkLayer, NewLink, NewPeer};
use arqway_units::{Span, Time};
use bytes::{Bytes, BytesMut};
use std::collections::VecDeque;
use std::net::SocketAddr;

const PACKETS: usize = 10_000;
const SIZE: usize = 1388;

/// One end of cables to all others.
struct Cable {
    arriving: VecDeque<(SocketAddr, usize, BytesMut)>,
    leaving: VecDeque<(SocketAddr, usize, BytesMut)>,
    slab: Slab,
    /// Octets of strangers that arrive beside each batch.
    noise: usize,
}

impl Line for Cable {
    fn receive(&mut self) -> Result<Option<Datagrams>, NetError> {
        let Some((from, each, mut octets)) = self.arriving.pop_front() else { return Ok(None) };
        if self.noise > 0 {
            self.slab.room(self.noise);
            drop(self.slab.cut_mut(self.noise));
            self.slab.room(octets.len())[..octets.len()].copy_from_slice(&octets);
            octets = self.slab.cut_mut(octets.len());
        }
        Ok(Some(Datagrams { octets, each, from, at: None, is_congested: false }))
    }

    fn send(
        &mut self,
        to: SocketAddr,
        _: Option<Arrival>,
        octets: &[u8],
        each: usize,
        _: u8,
    ) -> Result<Sent, NetError> {
        self.slab.room(octets.len())[..octets.len()].copy_from_slice(octets);
        self.leaving.push_back((to, each, self.slab.cut_mut(octets.len())));
        Ok(Sent::Taken(octets.len()))
    }

    fn is_crowded(&self) -> bool {
        self.slab.is_crowded()
    }
}

/// Sends packets as often as it is asked to, and counts those that come.
struct Host {
    to_send: usize,
    packet: Vec<u8>,
    slab: Slab,
    received: usize,
}

impl NetworkLayer for Host {
    fn poll_packet(&mut self) -> Result<Option<Bytes>, NetError> {
        self.to_send = match self.to_send {
            0 => return Ok(None),
            left => left - 1,
        };
        Ok(Some(self.slab.copy(&self.packet)))
    }

    fn deliver(&mut self, packet: &[u8]) -> Result<bool, NetError> {
        assert_eq!(packet.len(), SIZE);
        self.received += 1;
        Ok(true)
    }
}

type Random = Box<dyn FnMut(&mut [u8])>;

struct End {
    tunnel: Hub<Random>,
    cable: Cable,
    host: Host,
}

fn address(number: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, number], 51820))
}

/// One end with these others, all of which have the addresses 10.0.0.NUMBER, or a single one all that there are.
fn end(number: u8, others: &[u8], service: &str) -> End {
    let key = |number: u8| PrivateKey::generate(&mut |octets: &mut [u8]| octets.fill(number + 1));
    let form: ShortForm = service.parse().expect("a scheme");
    let service: ServiceConfig = form.in_world(&WorldDefaults::default()).expect("a service");
    let link_layer = LinkLayer { service, ..LinkLayer::default() };
    let introduction = Introduction::new(u64::from(number), Configuration::of(&[]));
    let session = Endpoint::new(key(number), introduction, Config::default(), Span::from_seconds(1e9));
    // The same number twice would be the same index for two peers.
    let mut count = u64::from(number);
    let random = Box::new(move |octets: &mut [u8]| {
        for octet in octets {
            count = count.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *octet = count.to_be_bytes()[0];
        }
    });
    let mut tunnel = Hub::new(session, u64::from(number), random as Random);
    for other in others {
        let session = PeerConfig {
            public: key(*other).public(),
            preshared: PresharedKey::default(),
            address: Some(address(*other)),
            keepalive: Keepalive::default(),
            lines: 1,
        };
        let plan = link_layer.mux(None).plan().expect("a link layer");
        let bearer = bearer::Config { hellos: false, mtu_least: Mtu::ETHERNET, ..bearer::Config::default() };
        let allowed = if others.len() == 1 { "0.0.0.0/0".to_owned() } else { format!("10.0.0.{other}") };
        let link = NewLink { plan, bearer, delay: None, dscp: Vec::new() };
        let new = NewPeer { session, link, allowed: vec![allowed.parse().expect("a prefix")] };
        tunnel.add_peer(new, Time::ZERO).expect("a peer");
    }
    let mut packet = vec![0; SIZE];
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&1388_u16.to_be_bytes());
    packet[9] = 17;
    packet[12..16].copy_from_slice(&[10, 0, 0, number]);
    packet[16..20].copy_from_slice(&[10, 0, 0, others[0]]);
    let cable = Cable {
        arriving: VecDeque::with_capacity(256),
        leaving: VecDeque::with_capacity(256),
        slab: Slab::new(),
        noise: 0,
    };
    End { tunnel, cable, host: Host { to_send: 0, packet, slab: Slab::new(), received: 0 } }
}

fn turn(end: &mut End, now: Time) {
    let End { tunnel, cable, host } = end;
    tunnel.turn(&mut [cable], host, now).expect("nothing here breaks");
}

/// Carries what waits at the ends, which are in the order of their numbers, to where it goes.
fn carry(ends: &mut [End]) {
    for number in 0..ends.len() {
        let from = address(u8::try_from(number).expect("at most 256 ends"));
        while let Some((to, each, octets)) = ends[number].cable.leaving.pop_front() {
            let to = (0..ends.len()).find(|number| address(u8::try_from(*number).unwrap_or(u8::MAX)) == to);
            ends[to.expect("an end")].cable.arriving.push_back((from, each, octets));
        }
    }
}

/// Sends packets from the first end to the second, 40 each millisecond.
fn send(ends: &mut [End; 2], now: &mut Time, packets: usize) {
    for _ in 0..packets / 40 {
        ends[0].host.to_send = 40;
        for _ in 0..4 {
            ends.iter_mut().for_each(|end| turn(end, *now));
            carry(ends);
        }
        *now += Span::from_milliseconds(1);
    }
}

fn allocations_a_packet(service: &str) -> f64 {
    let (mut ends, mut now) = ([end(0, &[1], service), end(1, &[0], service)], Time::ZERO);
    send(&mut ends, &mut now, 4 * PACKETS);
    let before = ends[1].host.received;
    let counted = allocation_counter::measure(|| send(&mut ends, &mut now, PACKETS)).count_total;
    assert_eq!(ends[1].host.received - before, PACKETS, "{service}: not all arrived");
    counted as f64 / PACKETS as f64
}

#[test]
fn fewer_than_one_packet_in_ten_takes_memory_anew() {
    for service in ["raw", "tally"] {
        let taken = allocations_a_packet(service);
        println!("{service}: {taken:.4} allocations a packet, both ends together");
        assert!(taken < 0.1, "{service}: {taken} allocations a packet");
    }
}

#[test]
fn memory_does_not_grow_in_a_minute_at_full_rate() {
    for service in ["raw", "tally"] {
        let (mut ends, mut now) = ([end(0, &[1], service), end(1, &[0], service)], Time::ZERO);
        // Twelve times five seconds, half of them after new keys.
        let mut kept = 0;
        let grown: Vec<i64> = (0..12)
            .map(|window| {
                let counted = allocation_counter::measure(|| send(&mut ends, &mut now, 40 * 1000));
                now += Span::from_milliseconds(if window == 5 { 130_000 } else { 4_000 });
                kept += counted.bytes_current;
                kept
            })
            .collect();
        println!("{service}: octets kept after each window: {grown:?}");
        // A slab more or less is on its way.
        let [begun, ended] = [&grown[2..6], &grown[8..]].map(|part| part.iter().max().copied().unwrap_or(0));
        assert!(ended <= begun + 256 * 1024, "{service}: {begun} octets, then {ended}");
    }
}

#[test]
fn a_peer_that_withholds_a_packet_while_strangers_send_much_keeps_no_more_than_it_has_sent() {
    let (mut ends, mut now) = ([end(0, &[1], "tally"), end(1, &[0], "tally")], Time::ZERO);
    send(&mut ends, &mut now, 400);
    // What the first one sends next is lost, and it learns of nothing: all that follows waits for that.
    ends[0].host.to_send = 1;
    turn(&mut ends[0], now);
    ends[0].cable.leaving.clear();
    let before = ends[1].host.received;
    ends[1].cable.noise = 100_000;
    let mut kept = 0;
    for _ in 0..500 {
        now += Span::from_milliseconds(1);
        // One at a time, each in a batch of its own.
        for _ in 0..4 {
            ends[0].host.to_send = 1;
            kept += allocation_counter::measure(|| turn(&mut ends[0], now)).bytes_current;
            carry(&mut ends);
            kept += allocation_counter::measure(|| turn(&mut ends[1], now)).bytes_current;
            ends[1].cable.leaving.clear();
        }
    }
    println!("{kept} octets for 2000 packets that wait");
    assert_eq!(ends[1].host.received, before);
    assert!(kept < 40_000_000, "{kept} octets");
}

#[test]
fn a_hub_of_a_hundred_peers_at_rest_takes_less_than_32_megabytes() {
    let numbers: Vec<u8> = (1..=100).collect();
    let mut ends: Vec<End> = Vec::new();
    let mut taken = allocation_counter::measure(|| ends.push(end(0, &numbers, "tally"))).bytes_current;
    ends.extend(numbers.iter().map(|number| end(*number, &[0], "tally")));
    let mut now = Time::ZERO;
    // Each speaks with the hub, and then rests.
    for millisecond in 0..200 {
        if millisecond == 100 {
            ends[1..].iter_mut().for_each(|end| end.host.to_send = 1);
        }
        taken += allocation_counter::measure(|| turn(&mut ends[0], now)).bytes_current;
        ends[1..].iter_mut().for_each(|end| turn(end, now));
        carry(&mut ends);
        now += Span::from_milliseconds(1);
    }
    assert_eq!(ends[0].host.received, 100);
    println!("{taken} octets for a hub of 100 peers");
    assert!(taken < 32_000_000, "{taken} octets");
}
