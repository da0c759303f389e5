//! What was simulated is what is deployed: a tunnel that is given the packets and datagrams that an end of the simulator's link was
//! given, at the same times, sends the same datagrams at the same times, octet by octet.
//!
//! ```text
//!     simulator:  packets, datagrams of the peer  ->  LinkEnd  ->  datagrams          recorded by a probe
//!     tunnel:     the same, sealed by a session   ->  turn(now) -> sealed datagrams, opened and compared
//! ```

use arqway_link::bearer::{self, Mtu};
use arqway_link::mux::{Addresses, Class, Ports, Protocol, QueueLimits, Rule, Scfq, SchedulerConfig};
use arqway_link::{Frame, LinkLayer, ServiceConfig, ShortForm, Side, WorldDefaults};
use arqway_net::{Arrival, Datagrams, NetError, Sent};
use arqway_session::{
    Config, Configuration, Endpoint, HEAD_ROOM, Introduction, Keepalive, PeerConfig, PeerId, PresharedKey, PrivateKey,
    Received, TAG,
};
use arqway_sim::app::ConnectionCount;
use arqway_sim::channel::{Direction, ErrorModel, Jitter, Uniform, UniformJitter};
use arqway_sim::{Probe, Queue, Room, Scenario, Streams, World};
use arqway_tunnel::{Hub, Line, NetworkLayer, NewLink, NewPeer, Next};
use arqway_units::{LineId, Octets, Span, Time};
use bytes::{Bytes, BytesMut};
use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;

const SEED: u64 = 11;
/// Of the simulator's clients.
const FIRST_PORT: u16 = 49_152;

/// What an end of the simulator's link was given, and what it sent.
struct Recorded {
    direction: Direction,
    given: Vec<(Time, Given)>,
    sent: Vec<(Time, Vec<u8>)>,
}

#[derive(Debug, Clone)]
enum Given {
    Packet(Bytes),
    Datagram(Vec<u8>),
}

fn octets(frame: &Frame) -> Vec<u8> {
    [&[frame.tag.as_octet()][..], &frame.parts().concat()].concat()
}

impl Probe for &mut Recorded {
    fn packet_offered(&mut self, direction: Direction, packet: &[u8], now: Time) {
        if direction == self.direction {
            self.given.push((now, Given::Packet(Bytes::copy_from_slice(packet))));
        }
    }

    fn frame_received(&mut self, direction: Direction, frame: &Frame, now: Time) {
        if direction == self.direction.opposite() {
            self.given.push((now, Given::Datagram(octets(frame))));
        }
    }

    fn frame_queued(&mut self, direction: Direction, frame: &Frame, now: Time) {
        if direction == self.direction {
            self.sent.push((now, octets(frame)));
        }
    }
}

/// A file and a call over a satellite's modem that loses 3 % each way.
fn scenario(link_layer: LinkLayer) -> Scenario {
    let mut scenario = Scenario { duration: Span::from_seconds(20.0), link_layer, ..Scenario::default() };
    scenario.wired.rate = "100 Mbit/s".parse().expect("a rate");
    scenario.wireless.rate = "3 Mbit/s".parse::<arqway_units::BitRate>().expect("a rate").into();
    scenario.wireless.delay = Span::from_milliseconds(120).into();
    scenario.wireless.queue = Queue::DropTail(Room::of(1000));
    scenario.wireless.jitter = Jitter::Uniform(UniformJitter { longest: Span::from_milliseconds(2), keep_order: true });
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: "3 %".parse().expect("a share") });
    scenario.file_transfer.size = Octets::new(600_000);
    scenario.file_transfer.packet = Octets::new(1000).try_into().expect("a length");
    scenario.media.enabled = true;
    scenario
}

fn bearer() -> bearer::Config {
    let [rate, rate_up] = ["2 Mbit/s", "256 kbit/s"].map(|rate| rate.parse().expect("a rate"));
    let overhead = Octets::new(49);
    bearer::Config {
        rate,
        rate_up: Some(rate_up),
        overhead,
        hellos: false,
        mtu_most: Mtu::ETHERNET,
        ..bearer::Config::default()
    }
}

fn service(short: &str) -> ServiceConfig {
    let form = short.parse::<ShortForm>().expect("a scheme");
    form.in_world(&WorldDefaults::default()).expect("a service")
}

fn by(default: &str, classes: Vec<Class>) -> LinkLayer {
    LinkLayer {
        service: service(default),
        classes,
        scheduler: SchedulerConfig::Scfq(Scfq::default()),
        queue: Some(QueueLimits::default()),
        bearer: Some(bearer()),
        ..LinkLayer::default()
    }
}

/// The boot number of the simulator's end that sends this way.
fn boot(direction: Direction) -> u64 {
    let mut stream = Streams::new(SEED, 0).stream(&format!("bearer.{}.boot", direction.name()));
    arqway_units::truncate(stream.uniform() * 4_503_599_627_370_496.0)
}

/// The tunnel in the place of one end, and a session in the place of the other.
struct Replay {
    tunnel: Hub<fn(&mut [u8])>,
    peer: Endpoint,
    id: PeerId,
    line: FakeLine,
    host: Host,
    sent: Vec<(Time, Vec<u8>)>,
}

#[derive(Default)]
struct FakeLine {
    arriving: VecDeque<Vec<u8>>,
    sent: Vec<Vec<u8>>,
}

#[derive(Default)]
struct Host(VecDeque<Bytes>);

impl Line for FakeLine {
    fn receive(&mut self) -> Result<Option<Datagrams>, NetError> {
        let octets = self.arriving.pop_front();
        let from = address(1);
        Ok(octets.map(|octets| Datagrams {
            each: octets.len(),
            octets: BytesMut::from(&octets[..]),
            from,
            at: None,
            is_congested: false,
        }))
    }

    fn send(&mut self, _: SocketAddr, _: Option<Arrival>, octets: &[u8], each: usize, _: u8) -> Result<Sent, NetError> {
        self.sent.extend(octets.chunks(each).map(<[u8]>::to_vec));
        Ok(Sent::Taken(octets.len()))
    }
}

impl NetworkLayer for Host {
    fn poll_packet(&mut self) -> Result<Option<Bytes>, NetError> {
        Ok(self.0.pop_front())
    }

    fn deliver(&mut self, _: &[u8]) -> Result<bool, NetError> {
        Ok(true)
    }
}

fn address(end: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, end], 51820))
}

fn chance(octets: &mut [u8]) {
    octets.fill(0x5A);
}

/// Two keys, the first of which has the lesser public key: the client's.
fn keys() -> [PrivateKey; 2] {
    let mut keys = [1, 2].map(|number| PrivateKey::generate(&mut |octets: &mut [u8]| octets.fill(number)));
    keys.sort_by_key(PrivateKey::public);
    keys
}

impl Replay {
    fn new(link_layer: &LinkLayer, delay: Option<Span>, direction: Direction) -> Self {
        let [client, access_point] = keys();
        let is_client = direction.sender() == Side::Client;
        let (own, other) = if is_client { (client, access_point) } else { (access_point, client) };
        let introduction = |direction| Introduction::new(boot(direction), Configuration::of(&[]));
        let session = |key: &PrivateKey, direction| {
            Endpoint::new(key.clone(), introduction(direction), Config::default(), Span::from_seconds(1e9))
        };
        let to = |key: &PrivateKey, end| PeerConfig {
            public: key.public(),
            preshared: PresharedKey::default(),
            address: Some(address(end)),
            keepalive: Keepalive::default(),
            lines: 1,
        };
        let mut tunnel = Hub::new(session(&own, direction), boot(direction), chance as fn(&mut [u8]));
        let bearer = link_layer.bearer.clone().expect("a bearer");
        // A tunnel's is said as over IPv6, and its peer here is at an address of IPv4.
        let overhead = bearer.overhead + Octets::new(20);
        let bearer = bearer::Config { rate: bearer.rate_of(direction.sender()), rate_up: None, overhead, ..bearer };
        let plan = link_layer.mux(bearer.rate.fixed()).plan().expect("a link layer");
        let allowed: Vec<Addresses> = vec!["0.0.0.0/0".parse().expect("all"), "::/0".parse().expect("all")];
        let new = NewPeer { session: to(&other, 1), link: NewLink { plan, bearer, delay, dscp: Vec::new() }, allowed };
        tunnel.add_peer(new, Time::ZERO).expect("a peer");
        let mut peer = session(&other, direction.opposite());
        let id = peer.add_peer(to(&own, 2), Time::ZERO).expect("a peer");
        let (line, host) = (FakeLine::default(), Host::default());
        let mut replay = Self { tunnel, peer, id, line, host, sent: Vec::new() };
        // All of the handshake takes no time.
        (0..3).for_each(|_| _ = replay.turn(Time::ZERO));
        replay
    }

    fn turn(&mut self, now: Time) -> Option<Time> {
        loop {
            let next = self.tunnel.turn(&mut [&mut self.line], &mut self.host, now).expect("nothing here breaks");
            for mut datagram in std::mem::take(&mut self.line.sent) {
                match self.peer.handle_datagram(&mut datagram, address(2), now, &mut chance) {
                    Received::Packet { payload, .. } => self.sent.push((now, datagram[payload].to_vec())),
                    Received::Answer(message) => self.line.arriving.push_back(message.to_vec()),
                    Received::Nothing => {}
                }
            }
            while let Some((_, _, message)) = self.peer.poll_datagram(now, &mut chance) {
                self.line.arriving.push_back(message.to_vec());
            }
            match next {
                Next::Turn => {}
                Next::Wait { .. } if !self.line.arriving.is_empty() => {}
                Next::Wait { until, .. } => return until,
            }
        }
    }

    fn give(&mut self, given: &Given, now: Time) {
        match given {
            Given::Packet(packet) => self.host.0.push_back(packet.clone()),
            Given::Datagram(datagram) => {
                let mut buffer = [&[0; HEAD_ROOM][..], datagram, &[0; TAG]].concat();
                let payload = HEAD_ROOM..HEAD_ROOM + datagram.len();
                let sealed = self.peer.seal(self.id, LineId::FIRST, &mut buffer, payload, now).expect("keys");
                self.line.arriving.push_back(buffer[sealed.datagram].to_vec());
            }
        }
    }

    /// Gives it all that the simulator's end was given; what it sent until `end`.
    fn run(mut self, given: &[(Time, Given)], end: Time) -> Vec<(Time, Vec<u8>)> {
        let mut given = given.iter().peekable();
        let mut due = self.turn(Time::ZERO);
        loop {
            let next = given.peek().map(|(at, _)| *at);
            let Some(now) = [due, next].into_iter().flatten().min().filter(|now| *now < end) else { return self.sent };
            // The simulator takes one event after the other, a turn all that is there. Jitter keeps them apart.
            assert!(due != next || now == Time::ZERO, "a timer and an input at {now:?}");
            // Packets that a host sends together are one event.
            let mut has_packet = false;
            while let Some((_, what)) =
                given.next_if(|(at, what)| *at == now && (matches!(what, Given::Packet(_)) || !has_packet))
            {
                self.give(what, now);
                has_packet = true;
                if matches!(what, Given::Datagram(_)) {
                    break;
                }
            }
            due = self.turn(now).map(|due| due.max(now));
        }
    }
}

/// The service whose frame is alone in a datagram: its tag stands behind nine octets of the bearer's.
fn service_of(datagram: &[u8]) -> Option<u8> {
    let is_alone = datagram.first() == Some(&0b1000_0000);
    datagram.get(9).filter(|_| is_alone).map(|tag| tag >> 3)
}

/// Compares both ends of the link; all that they sent.
fn send_the_same(scenario: &Scenario) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for direction in [Direction::Down, Direction::Up] {
        let mut recorded = Recorded { direction, given: Vec::new(), sent: Vec::new() };
        World::new(scenario, &Streams::new(SEED, 0), &mut recorded).expect("a link layer").run();
        let Recorded { given, sent, .. } = recorded;
        let end = given.last().map(|(at, _)| *at).expect("something");
        let delay = scenario.context(direction).delay;
        let ours = Replay::new(&scenario.link_layer, delay, direction).run(&given, end);
        let sent: Vec<_> = sent.into_iter().filter(|(at, _)| *at < end).collect();
        assert!(sent.len() > 100, "{} datagrams {}", sent.len(), direction.name());
        for (number, (simulated, ours)) in sent.iter().zip(&ours).enumerate() {
            assert_eq!(ours, simulated, "datagram {number} of {} {}", sent.len(), direction.name());
        }
        assert_eq!(ours.len(), sent.len(), "{}", direction.name());
        all.extend(ours.into_iter().map(|(_, datagram)| datagram));
    }
    all
}

macro_rules! sends_the_same {
    ($($name:ident: $service:literal;)*) => {
        $(#[test]
        fn $name() {
            send_the_same(&scenario(by($service, Vec::new())));
        })*
    };
}

sends_the_same! {
    a_tunnel_by_raw_sends_what_the_simulator_sends: "raw";
    a_tunnel_by_selective_repeat_sends_what_the_simulator_sends: "asr:3+2";
    a_tunnel_by_tally_sends_what_the_simulator_sends: "tally";
    a_tunnel_by_rlc_sends_what_the_simulator_sends: "rlc";
    a_tunnel_by_sscop_sends_what_the_simulator_sends: "sscop-pfrs";
    a_tunnel_by_parity_sends_what_the_simulator_sends: "xor-fec";
}

#[test]
fn a_tunnel_with_all_of_them_sends_what_the_simulator_sends() {
    // Each of the file's connections has a client's port of its own, one after the other.
    let class = |port: u16, short: &str| {
        let rule = Rule { port: Some(Ports::one(port)), ..Rule::of_protocol(Protocol::TCP) };
        Class::new(rule, service(short))
    };
    let mut classes: Vec<Class> =
        [(FIRST_PORT, "tally"), (FIRST_PORT + 1, "asr:3+2"), (FIRST_PORT + 2, "rlc"), (FIRST_PORT + 3, "sscop-pfrs")]
            .map(|(port, short)| class(port, short))
            .into();
    classes.push(Class::of_protocol(Protocol::UDP, service("xor-fec")));
    let mut scenario = scenario(by("raw", classes));
    scenario.file_transfer.connections = ConnectionCount::new(5).expect("a few");
    let sent = send_the_same(&scenario);
    let services: BTreeSet<u8> = sent.iter().filter_map(|datagram| service_of(datagram)).collect();
    assert_eq!(services, (0..6).collect(), "each service has sent something by itself");
}
