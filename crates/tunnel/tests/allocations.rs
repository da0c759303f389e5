//! A tunnel in the steady state takes hardly any memory anew: buffers are used again and again.

use arqway_link::bearer::{self, Mtu};
use arqway_link::mux::Addresses;
use arqway_link::{LinkLayer, ServiceConfig, ShortForm, WorldDefaults};
use arqway_net::{Datagrams, NetError, Sent, Slab};
use arqway_session::{Config, Configuration, Endpoint, Introduction, Keepalive, PeerConfig, PresharedKey, PrivateKey};
use arqway_tunnel::{Line, NetworkLayer, NewLink, NewPeer, Tunnel};
use arqway_units::{Span, Time};
use bytes::{Bytes, BytesMut};
use std::collections::VecDeque;
use std::net::SocketAddr;

const PACKETS: usize = 10_000;
const SIZE: usize = 1388;

/// One end of a cable.
struct Cable {
    arriving: VecDeque<(usize, BytesMut)>,
    leaving: VecDeque<(usize, BytesMut)>,
    slab: Slab,
}

impl Line for Cable {
    fn receive(&mut self) -> Result<Option<Datagrams>, NetError> {
        let from = address();
        Ok(self.arriving.pop_front().map(|(each, octets)| Datagrams { octets, each, from }))
    }

    fn send(&mut self, _: SocketAddr, octets: &[u8], each: usize) -> Result<Sent, NetError> {
        self.slab.room(octets.len())[..octets.len()].copy_from_slice(octets);
        self.leaving.push_back((each, self.slab.cut_mut(octets.len())));
        Ok(Sent::Taken(octets.len()))
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

struct End {
    tunnel: Tunnel<fn(&mut [u8])>,
    cable: Cable,
    host: Host,
}

fn address() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], 51820))
}

fn end(index: u8, service: &str) -> End {
    let key = |number: u8| PrivateKey::generate(&mut |octets: &mut [u8]| octets.fill(number));
    let form: ShortForm = service.parse().expect("a scheme");
    let service: ServiceConfig = form.in_world(&WorldDefaults::default()).expect("a service");
    let link_layer = LinkLayer { service, ..LinkLayer::default() };
    let introduction = Introduction::new(u64::from(index), Configuration::of(&[]));
    let session = Endpoint::new(key(1 + index), introduction, Config::default(), Span::from_seconds(1e9));
    let mut tunnel = Tunnel::new(session, u64::from(index), (|octets: &mut [u8]| octets.fill(7)) as fn(&mut [u8]));
    let session = PeerConfig {
        public: key(2 - index).public(),
        preshared: PresharedKey::default(),
        address: Some(address()),
        keepalive: Keepalive::default(),
    };
    let plan = link_layer.mux(None).plan().expect("a link layer");
    let bearer = bearer::Config { hellos: false, mtu_least: Mtu::ETHERNET, ..bearer::Config::default() };
    let allowed: Vec<Addresses> = vec!["0.0.0.0/0".parse().expect("all")];
    let link = NewLink { plan, bearer, delay: None };
    tunnel.add_peer(NewPeer { session, link, allowed }, Time::ZERO).expect("a peer");
    let mut packet = vec![0; SIZE];
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&1388_u16.to_be_bytes());
    packet[9] = 17;
    let cable =
        Cable { arriving: VecDeque::with_capacity(256), leaving: VecDeque::with_capacity(256), slab: Slab::new() };
    End { tunnel, cable, host: Host { to_send: 0, packet, slab: Slab::new(), received: 0 } }
}

/// Sends packets from the first end to the second, 40 each millisecond.
fn send(ends: &mut [End; 2], now: &mut Time, packets: usize) {
    for _ in 0..packets / 40 {
        ends[0].host.to_send = 40;
        for _ in 0..4 {
            for End { tunnel, cable, host } in ends.iter_mut() {
                tunnel.turn(cable, host, *now).expect("nothing here breaks");
            }
            let [near, far] = ends;
            std::mem::swap(&mut near.cable.leaving, &mut far.cable.arriving);
            std::mem::swap(&mut far.cable.leaving, &mut near.cable.arriving);
        }
        *now += Span::from_milliseconds(1);
    }
}

fn allocations_a_packet(service: &str) -> f64 {
    let (mut ends, mut now) = ([end(0, service), end(1, service)], Time::ZERO);
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
