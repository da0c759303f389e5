//! Two ends of one multiplexer over two UDP sockets on the loopback device, with the real clock.

use arqway_link::bearer::{self, Bearer, Mtu};
use arqway_link::mux::{self, Class, Protocol, QueueLimits};
use arqway_link::selective_repeat::{self, Timeout, TimerStarts, WindowSize};
use arqway_link::{
    Checked, Counters, Departure, Frame, Full, LinkContext, LinkService, LinkState, Mux, Packet, ServiceConfig, Side,
    Start, Tag, Ticket, raw,
};
use arqway_tunnel::{Endpoint, NetworkLayer, TunnelError};
use arqway_units::{Octets, Span, Time};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::collections::VecDeque;
use std::net::{Ipv4Addr, UdpSocket};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const LOSS: f64 = 0.05;
/// By each end's own clock, for whatever should end but might not.
const LIMIT: Time = Time::from_nanoseconds(60_000_000_000);
/// How long a turn may wait, so that an end sees what the other has come to.
const TICK: Span = Span::from_milliseconds(5);

#[test]
fn packets_through_5_percent_loss_arrive_once_and_in_order() {
    let [near, far] = sockets();
    let (to_far, to_near) = (packets(10_000, Protocol::TCP), packets(1_000, Protocol::TCP));
    let mut ends = [
        Endpoint::new(Lossy::new(service(), 1), Host::sending(&to_far), near).expect("an endpoint"),
        Endpoint::new(Lossy::new(service(), 2), Host::sending(&to_near), far).expect("an endpoint"),
    ];
    let (at_rest, expected) = ([AtomicBool::new(false), AtomicBool::new(false)], [to_near, to_far]);
    thread::scope(|scope| {
        for (index, end) in ends.iter_mut().enumerate() {
            let (at_rest, expected) = (&at_rest, expected[index].len());
            scope.spawn(move || run_until_both_rest(end, expected, index, at_rest));
        }
    });
    for (end, expected) in ends.iter().zip(&expected) {
        assert_same(&end.network().received, expected);
        let counters = end.service().service.counters();
        assert!(end.service().lost > 0, "the link lost no frame");
        assert!(counters.frames_resent > 0, "nothing was sent again: {counters:?}");
        assert_eq!((counters.malformed_received, end.counters().frames_lost), (0, 0));
    }
}

#[test]
fn an_endpoint_comes_to_rest_once_all_is_acknowledged() {
    let sent = packets(300, Protocol::TCP);
    let mut ends = endpoints(&sent, &[]);
    exchange(&mut ends, |ends| ends[0].network().to_send.is_empty() && ends.iter().all(|end| end.deadline().is_none()));
    assert_same(&ends[1].network().received, &sent);
    for end in &mut ends {
        // Copies that still lie in the socket may end the first waits.
        let in_peace = (0..10).any(|_| {
            let latest = end.turn(Time::ZERO).expect("a turn") + Span::from_milliseconds(50);
            end.turn(latest).expect("a turn") >= latest
        });
        assert!(in_peace, "something keeps waking an end at rest");
        assert_eq!(end.deadline(), None);
    }
}

#[test]
fn each_class_travels_by_its_own_service() {
    let sent = [packets(20, Protocol::TCP), packets(20, Protocol::UDP)].concat();
    let mut ends = endpoints(&sent, &[]);
    exchange(&mut ends, |ends| ends[1].network().received.len() == sent.len());
    let taken = |index| ends[0].service().inner().counters_of(index).map(|counters| counters.packets_taken);
    assert_eq!((taken(0), taken(1)), (Some(20), Some(20)));
}

#[test]
fn a_datagram_that_is_no_frame_is_counted_and_dropped() {
    let [near, peer] = sockets();
    let mut end = Endpoint::new(service(), Host::default(), near).expect("an endpoint");
    let (no_service, no_kind, no_head) = (&[0xff, 1, 2, 3][..], &[0x07, 1, 2][..], &[0x00][..]);
    for datagram in [&[], no_service, no_kind, no_head] {
        peer.send(datagram).expect("room in the socket");
    }
    let good = packets(1, Protocol::UDP);
    let tag_of_the_raw_service = 1 << 3;
    peer.send(&[&[tag_of_the_raw_service], &good[0].octets[..]].concat()).expect("room in the socket");
    while end.network().received.is_empty() {
        assert!(end.turn(LIMIT).expect("a turn") < LIMIT, "the good frame did not arrive");
    }
    assert_same(&end.network().received, &good);
    assert_eq!((end.counters().datagrams_empty, end.counters().frames_received), (1, 4));
    assert_eq!(end.service().counters().malformed_received, 3);
}

#[test]
fn a_peer_that_is_not_there_costs_frames_and_nothing_else() {
    let [near, _] = sockets();
    near.connect((Ipv4Addr::new(127, 0, 0, 2), 9)).expect("an address of the loopback device");
    let mut end = Endpoint::new(service(), Host::sending(&packets(5, Protocol::UDP)), near).expect("an endpoint");
    let mut now = Time::ZERO;
    while end.counters().frames_lost + end.counters().errors_received == 0 {
        now = end.turn(now + TICK).expect("a closed port is no reason to stop");
        assert!(now < LIMIT, "the closed port was not noticed");
    }
}

#[test]
fn a_packet_that_fits_no_datagram_is_answered_and_holds_up_none_behind_it() {
    for protocol in [Protocol::TCP, Protocol::UDP] {
        let (mut large, good) = (packets(1, protocol)[0].octets.to_vec(), packets(1, protocol));
        large.resize(65_507, 0);
        large[2..4].copy_from_slice(&65_507u16.to_be_bytes());
        large[12..20].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
        let mut ends = endpoints(&[Packet::new(large), good[0].clone()], &[]);
        exchange(&mut ends, |ends| !ends[1].network().received.is_empty());
        assert_same(&ends[1].network().received, &good);
        assert_eq!((ends[0].packets_too_large(), ends[0].counters().frames_lost), (1, 0));
        // By ICMP, from where it was going.
        let [answer] = &ends[0].network().received[..] else { panic!("one answer") };
        assert_eq!((answer.octets[9], &answer.octets[12..22]), (1, &[10, 0, 0, 2, 10, 0, 0, 1, 3, 4][..]));
    }
}

/// Under a bearer, which is given this boot number.
fn over_datagrams(side: Side, boot: u64) -> Checked<Bearer<Mux>> {
    let plan = config().plan().expect("two services");
    let build = move |context: &LinkContext| plan.build(context);
    let config = bearer::Config { mtu_least: Mtu::ETHERNET, ..bearer::Config::default() };
    Checked::new(Bearer::new(config, build, side.into(), boot, Time::ZERO))
}

#[test]
fn under_a_bearer_all_packets_cross_and_after_a_restart_those_that_come_then() {
    let [near, far] = sockets();
    let again = far.try_clone().expect("the same socket");
    let (first, then) = (packets(2_000, Protocol::TCP), packets(50, Protocol::TCP));
    let endpoint = |side, boot, packets: &[Packet], socket| {
        Endpoint::new(over_datagrams(side, boot), Host::sending(packets), socket).expect("an endpoint")
    };
    let mut ends = [endpoint(Side::AccessPoint, 1, &first, near), endpoint(Side::Client, 2, &[], far)];
    exchange(&mut ends, |ends| ends[1].network().received.len() >= first.len() && ends[0].deadline().is_none());
    assert_same(&ends[1].network().received, &first);
    let bearer = |end: &Endpoint<Checked<Bearer<Mux>>, Host>| end.service().inner().bearer_counters();
    assert!(bearer(&ends[0]).frames_packed > 0, "{:?}", bearer(&ends[0]));

    // What is left in the socket is of the old epoch.
    let [near, _] = ends;
    let mut ends = [near, endpoint(Side::Client, 3, &then, again)];
    exchange(&mut ends, |ends| ends[0].network().received.len() >= then.len() && ends[1].deadline().is_none());
    assert_same(&ends[0].network().received, &then);
    assert_eq!((bearer(&ends[0]).peer_restarts, ends[1].network().received.len()), (1, 0));
}

#[test]
fn a_socket_without_a_peer_is_refused() {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let error = Endpoint::new(service(), Host::default(), socket).map(drop).expect_err("no peer");
    assert!(matches!(error, TunnelError::NotConnected(_)));
    assert_eq!(error.to_string(), "the UDP socket is not connected to the other end");
}

type End = Endpoint<Checked<Mux>, Host>;

fn run_until_both_rest(
    end: &mut Endpoint<Lossy<Checked<Mux>>, Host>,
    expected: usize,
    index: usize,
    at_rest: &[AtomicBool; 2],
) {
    let mut now = Time::ZERO;
    while !at_rest.iter().all(|rests| rests.load(Ordering::SeqCst)) {
        now = end.turn(now + TICK).expect("a turn");
        let (host, counters) = (end.network(), end.service().service.counters());
        let rests = host.to_send.is_empty() && host.received.len() >= expected && end.deadline().is_none();
        at_rest[index].store(rests, Ordering::SeqCst);
        assert!(now < LIMIT, "{} of {expected} packets arrived, {counters:?}", host.received.len());
    }
}

/// Gives the ends turns, one after the other, until `done`.
fn exchange<S: LinkService>(ends: &mut [Endpoint<S, Host>; 2], done: impl Fn(&[Endpoint<S, Host>; 2]) -> bool) {
    while !done(ends) {
        let mut now = Time::ZERO;
        for end in ends.iter_mut() {
            now = end.turn(Time::ZERO).expect("a turn");
        }
        let counters = ends.each_ref().map(|end| end.service().counters());
        assert!(now < LIMIT, "the exchange does not end: {counters:?}");
    }
}

fn endpoints(to_far: &[Packet], to_near: &[Packet]) -> [End; 2] {
    let [near, far] = sockets();
    [(near, to_far), (far, to_near)]
        .map(|(socket, packets)| Endpoint::new(service(), Host::sending(packets), socket).expect("an endpoint"))
}

fn sockets() -> [UdpSocket; 2] {
    let [near, far] = [(); 2].map(|()| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port"));
    near.connect(far.local_addr().expect("bound")).expect("a peer on the same host");
    far.connect(near.local_addr().expect("bound")).expect("a peer on the same host");
    [near, far]
}

/// One end: Selective Repeat for all but UDP, which goes raw.
fn service() -> Checked<Mux> {
    Checked::new(Mux::new(&config(), &Side::Client.into()).expect("two services"))
}

fn config() -> mux::Config {
    let selective_repeat = selective_repeat::Config {
        window: WindowSize::new(128).expect("half the modulus"),
        timeout: Timeout::Fixed(Span::from_milliseconds(30)),
        timer_starts: TimerStarts::Departure,
        delayed_acknowledgement: Span::from_milliseconds(2),
        drop_stale_copies: true,
        ..selective_repeat::Config::default()
    };
    mux::Config {
        classes: vec![Class::of_protocol(Protocol::UDP, ServiceConfig::Raw(raw::Config::default()))],
        // These hosts send all they have at once.
        queue: Some(QueueLimits { packets: NonZeroUsize::MAX, ..QueueLimits::default() }),
        ..mux::Config::new(ServiceConfig::SelectiveRepeat(selective_repeat))
    }
}

/// IPv4 packets of 28 to 1,400 octets; each names itself and shows where it was damaged.
fn packets(count: u32, protocol: Protocol) -> Vec<Packet> {
    (0..count).map(|number| packet(number, protocol)).collect()
}

fn packet(number: u32, protocol: Protocol) -> Packet {
    let length = 28 + (number * 7919 % 1373) as usize;
    let mut octets: Vec<u8> = (0..length).map(|place| (place as u32 + number) as u8).collect();
    octets[..20].fill(0);
    octets[0] = 0x45;
    octets[2..4].copy_from_slice(&(length as u16).to_be_bytes());
    octets[9] = protocol.number();
    octets[20..24].copy_from_slice(&number.to_be_bytes());
    Packet::new(octets)
}

/// Says where two long lists part, instead of printing both.
fn assert_same(received: &[Packet], sent: &[Packet]) {
    if let Some(place) = (0..sent.len().max(received.len())).find(|place| received.get(*place) != sent.get(*place)) {
        let number = |list: &[Packet]| list.get(place).map(|packet| packet.octets[20..24].to_vec());
        panic!("at {place}: received {:?}, sent {:?}", number(received), number(sent));
    }
}

/// A network layer in memory.
#[derive(Debug, Default)]
struct Host {
    to_send: VecDeque<Packet>,
    received: Vec<Packet>,
}

impl Host {
    fn sending(packets: &[Packet]) -> Self {
        Self { to_send: packets.iter().cloned().collect(), received: Vec::new() }
    }
}

impl NetworkLayer for Host {
    fn poll_packet(&mut self) -> Option<Packet> {
        self.to_send.pop_front()
    }

    fn deliver(&mut self, packet: Packet) {
        self.received.push(packet);
    }
}

/// A lossy link, at its receiving end: a service that never hears of some of the frames that reached its socket.
struct Lossy<S> {
    service: S,
    random: ChaCha8Rng,
    lost: u64,
}

impl<S> Lossy<S> {
    fn new(service: S, seed: u64) -> Self {
        Self { service, random: ChaCha8Rng::seed_from_u64(seed), lost: 0 }
    }
}

impl<S: LinkService> LinkService for Lossy<S> {
    fn handle_frame(&mut self, frame: Frame, now: Time) {
        if self.random.random_bool(LOSS) {
            self.lost += 1;
        } else {
            self.service.handle_frame(frame, now);
        }
    }

    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        self.service.handle_packet(packet, now)
    }

    fn handle_timeout(&mut self, now: Time) {
        self.service.handle_timeout(now);
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        self.service.handle_link(state, now);
    }

    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        self.service.poll_frame(now, room)
    }

    fn wants_packet(&self, room: Octets) -> bool {
        self.service.wants_packet(room)
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        self.service.largest_packet(room)
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        self.service.start_frame(frame, now)
    }

    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        self.service.handle_departure(tag, ticket, departure, now);
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        self.service.poll_packet()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.service.poll_timeout()
    }

    fn counters(&self) -> Counters {
        self.service.counters()
    }
}
