//! Tunnels joined in virtual time: lines that delay, lose, double and corrupt datagrams, and hosts with packets in memory.

mod wires;

use arqway_link::mux::{self, Addresses, BestEffort, Ds, Plan, Scfq, SchedulerConfig, Table};
use arqway_link::{LinkLayer, LinkState, ServiceConfig, ShortForm, WorldDefaults, bearer};
use arqway_net::{Again, Arrival, Datagrams, NetError, Sent};
use arqway_session::{
    Config, Configuration, Endpoint, Introduction, Keepalive, PeerConfig, PeerId, PresharedKey, PrivateKey,
};
use arqway_tunnel::{Event, Hub, Line, LineHint, NetworkLayer, NewLink, NewPeer, Next};
use arqway_units::{LineId, Octets, Span, Time};
use bytes::{Bytes, BytesMut};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;
pub(crate) use wires::{Path, UnderWay, Wires};

pub(crate) type Random = Box<dyn FnMut(&mut [u8])>;

/// One end's view of the wires.
pub(crate) struct FakeLine {
    wires: Rc<RefCell<Wires>>,
    pub(crate) address: SocketAddr,
    pub(crate) now: Time,
    /// Whether the next call finds room.
    pub(crate) has_room: Box<dyn FnMut() -> bool>,
}

impl Line for FakeLine {
    fn receive(&mut self) -> Result<Option<Datagrams>, NetError> {
        let mut wires = self.wires.borrow_mut();
        let found = wires
            .under_way
            .iter()
            .find(|((at, _), datagram)| *at <= self.now && datagram.to == self.address)
            .map(|(key, _)| *key);
        let Some(UnderWay { from, octets, traffic_class, .. }) = found.and_then(|key| wires.under_way.remove(&key))
        else {
            return Ok(None);
        };
        let each = octets.len().max(1);
        Ok(Some(Datagrams {
            octets: BytesMut::from(&octets[..]),
            each,
            from,
            at: None,
            is_congested: traffic_class & 3 == 3,
        }))
    }

    fn send(
        &mut self,
        to: SocketAddr,
        _: Option<Arrival>,
        octets: &[u8],
        each: usize,
        traffic_class: u8,
    ) -> Result<Sent, NetError> {
        if !(self.has_room)() {
            return Ok(Sent::NoRoom(Again::WhenWritable));
        }
        for datagram in octets.chunks(each) {
            let datagram = UnderWay { from: self.address, to, octets: datagram.to_vec(), traffic_class };
            self.wires.borrow_mut().carry(datagram, self.now);
        }
        Ok(Sent::Taken(octets.len()))
    }
}

/// Room for so many calls.
pub(crate) fn calls(mut count: usize) -> Box<dyn FnMut() -> bool> {
    Box::new(move || {
        let has_room = count > 0;
        count = count.saturating_sub(1);
        has_room
    })
}

/// Room for some calls and none for others, and for all that come later.
pub(crate) fn pattern<const N: usize>(mut pattern: [bool; N]) -> Box<dyn FnMut() -> bool> {
    Box::new(move || {
        let next = pattern.first().copied().unwrap_or(true);
        pattern.rotate_left(1);
        if let Some(last) = pattern.last_mut() {
            *last = true;
        }
        next
    })
}

/// A host with packets in memory.
#[derive(Debug, Default)]
pub(crate) struct Host {
    pub(crate) to_send: VecDeque<Bytes>,
    pub(crate) received: Vec<Bytes>,
    /// The largest packet that it sends and takes, if there is one.
    pub(crate) mtu: Option<Octets>,
}

impl NetworkLayer for Host {
    fn poll_packet(&mut self) -> Result<Option<Bytes>, NetError> {
        Ok(self.to_send.pop_front())
    }

    fn deliver(&mut self, packet: &[u8]) -> Result<bool, NetError> {
        self.received.push(Bytes::copy_from_slice(packet));
        Ok(true)
    }

    fn mtu(&self) -> Octets {
        self.mtu.unwrap_or(Octets::MAX)
    }
}

pub(crate) struct End {
    pub(crate) tunnel: Hub<Random>,
    pub(crate) line: FakeLine,
    pub(crate) host: Host,
    /// Its peers, in the order in which it was given them.
    pub(crate) ids: Vec<PeerId>,
    next: Next,
}

impl End {
    /// Whether the link to the first peer is up.
    pub(crate) fn is_up(&mut self) -> bool {
        self.tunnel.link(self.ids[0]).expect("a peer").path().is_up
    }

    /// What has happened there since this was asked last.
    pub(crate) fn events(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.tunnel.poll_event()).collect()
    }
}

/// Ends, 10.0.0.1 and so on.
pub(crate) struct World {
    pub(crate) ends: Vec<End>,
    peers: Vec<Peers>,
    pub(crate) wires: Rc<RefCell<Wires>>,
    pub(crate) now: Time,
    boots: u64,
    link_layer: LinkLayer,
}

pub(crate) fn service(short: &str) -> ServiceConfig {
    short.parse::<ShortForm>().expect("a scheme").in_world(&WorldDefaults::default()).expect("a service")
}

/// The link layer of the tunnel's tests: TCP by tally, the rest raw.
pub(crate) fn link_layer() -> LinkLayer {
    LinkLayer {
        table: Table::BestEffort(BestEffort { reliable: Some(service("tally")), ..BestEffort::default() }),
        scheduler: SchedulerConfig::Scfq(Scfq::default()),
        queue: Some(mux::QueueLimits::default()),
        bearer: Some(bearer::Config {
            overhead: arqway_units::Octets::new(69),
            hellos: false,
            ..bearer::Config::default()
        }),
        ..LinkLayer::default()
    }
}

fn key(end: usize) -> PrivateKey {
    PrivateKey::generate(&mut |octets: &mut [u8]| {
        octets.fill(1);
        octets[8..16].copy_from_slice(&end.to_le_bytes());
    })
}

/// Who the peers of an end are, by their numbers, and which addresses it takes for theirs.
pub(crate) type Peers = Vec<(usize, Vec<Addresses>)>;

/// Whether an end is told where its peers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Addressed {
    Yes,
    No,
}

fn end(
    index: usize,
    boot: u64,
    (peers, addressed): (&Peers, Addressed),
    link_layer: &LinkLayer,
    wires: &Rc<RefCell<Wires>>,
    now: Time,
) -> End {
    let introduction = Introduction::new(boot, Configuration::of(&[("link-layer", b"")]));
    let mut random = ChaCha8Rng::seed_from_u64(boot);
    let random: Random = Box::new(move |octets: &mut [u8]| random.fill_bytes(octets));
    let session = Endpoint::new(key(index), introduction, Config::default(), Span::from_seconds(boot as f64));
    let mut tunnel = Hub::new(session, boot, random);
    let mut ids = Vec::new();
    for (peer, allowed) in peers {
        let session = PeerConfig {
            public: key(*peer).public(),
            preshared: PresharedKey::default(),
            address: (addressed == Addressed::Yes).then(|| outer_address(*peer)),
            keepalive: Keepalive::default(),
            lines: 1,
        };
        let plan: Plan = link_layer.mux(None).plan().expect("a link layer");
        let link = NewLink {
            plan,
            bearer: link_layer.bearer.clone().unwrap_or_default(),
            delay: None,
            dscp: vec![Ds::default(), Ds::EF],
        };
        let peer = NewPeer { session, link, allowed: allowed.clone() };
        ids.push(tunnel.add_peer(peer, now).expect("a peer"));
    }
    let line = FakeLine { wires: Rc::clone(wires), address: outer_address(index), now, has_room: Box::new(|| true) };
    End { tunnel, line, host: Host::default(), ids, next: Next::Turn }
}

/// Where an end is on the wires.
pub(crate) fn outer_address(index: usize) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::from_bits(0xc000_0201 + index as u32), 51820))
}

pub(crate) fn host_address(index: usize) -> IpAddr {
    Ipv4Addr::from_bits(0x0a00_0001 + index as u32).into()
}

impl World {
    pub(crate) fn new(path: Path, seed: u64) -> Self {
        Self::with(path, seed, link_layer())
    }

    /// Two ends that are each other's peers.
    pub(crate) fn with(path: Path, seed: u64, link_layer: LinkLayer) -> Self {
        let peers = [1, 0].map(|peer| vec![(peer, vec![Addresses::one(host_address(peer))])]);
        Self::between(path, seed, link_layer, peers.into())
    }

    /// An end for each list of peers.
    pub(crate) fn between(path: Path, seed: u64, link_layer: LinkLayer, peers: Vec<Peers>) -> Self {
        let random = ChaCha8Rng::seed_from_u64(seed);
        let wires = Wires { path, random, under_way: BTreeMap::new(), count: 0, sent: Vec::new() };
        let wires = Rc::new(RefCell::new(wires));
        let ends = peers.iter().enumerate();
        let ends = ends.map(|(index, peers)| {
            end(index, 10 + index as u64, (peers, Addressed::Yes), &link_layer, &wires, Time::ZERO)
        });
        Self { ends: ends.collect(), peers, wires, now: Time::ZERO, boots: 20, link_layer }
    }

    /// An end's process begins anew.
    pub(crate) fn restart(&mut self, index: usize) {
        self.restart_as(index, Addressed::Yes);
    }

    pub(crate) fn restart_as(&mut self, index: usize, addressed: Addressed) {
        self.boots += 1;
        let peers = (&self.peers[index], addressed);
        self.ends[index] = end(index, self.boots, peers, &self.link_layer, &self.wires, self.now);
    }

    /// A host has packets to send.
    pub(crate) fn send(&mut self, from: usize, packets: impl IntoIterator<Item = Bytes>) {
        self.ends[from].host.to_send.extend(packets);
    }

    /// Whether datagrams arrive that are sent from now on.
    pub(crate) fn open(&mut self, is_open: bool) {
        self.wires.borrow_mut().path.is_open = is_open;
    }

    /// Whether something of an end is up to be done, and when the next thing is.
    fn due(&self) -> Option<Time> {
        let arrival = self.wires.borrow().under_way.keys().next().map(|(at, _)| *at);
        let of_ends = self.ends.iter().filter_map(|end| match end.next {
            Next::Turn => Some(self.now),
            // Nobody tells when this line has room: it is tried now and then.
            Next::Wait { until, for_room } if for_room.has(LineId::FIRST) => {
                let again = end.line.now + Span::from_milliseconds(1);
                Some(until.map_or(again, |until| until.min(again)))
            }
            Next::Wait { until, .. } => until,
        });
        let packets = self.ends.iter().any(|end| !end.host.to_send.is_empty()).then_some(self.now);
        of_ends.chain(arrival).chain(packets).min()
    }

    /// Runs until then.
    pub(crate) fn run(&mut self, until: Time) {
        self.run_while(until, |_| true);
    }

    /// Runs as long as a condition holds, at most until a time; whether the condition has ended it.
    pub(crate) fn run_while(&mut self, until: Time, goes_on: impl Fn(&Self) -> bool) -> bool {
        let mut turns = 0;
        while goes_on(self) {
            let Some(due) = self.due().filter(|due| *due <= until) else {
                self.now = until;
                return false;
            };
            turns = if due > self.now { 0 } else { turns + 1 };
            assert!(turns < 100_000, "something never comes to rest at {:?}", self.now);
            self.now = self.now.max(due);
            self.lose_strays();
            for end in &mut self.ends {
                end.line.now = self.now;
                end.next = end.tunnel.turn(&mut [&mut end.line], &mut end.host, self.now).expect("nothing here breaks");
            }
        }
        true
    }

    /// What has come where nobody is any more is lost.
    fn lose_strays(&mut self) {
        let Self { ends, wires, now, .. } = self;
        let is_there = |to: SocketAddr| ends.iter().any(|end| end.line.address == to);
        wires.borrow_mut().under_way.retain(|(at, _), datagram| at > now || is_there(datagram.to));
    }

    /// Somebody has told an end something, or asked it.
    pub(crate) fn wake(&mut self, end: usize) {
        self.ends[end].next = Next::Turn;
    }

    /// The device of an end's line is gone, or there again.
    pub(crate) fn line(&mut self, end: usize, state: LinkState) {
        let End { tunnel, next, .. } = &mut self.ends[end];
        tunnel.handle_line(None, state, self.now);
        *next = Next::Turn;
    }

    /// Announces to an end what happens to the line to its first peer.
    pub(crate) fn hint(&mut self, end: usize, hint: LineHint) {
        let End { tunnel, ids, next, .. } = &mut self.ends[end];
        tunnel.handle_hint(ids[0], None, hint, self.now);
        // As the loop in real time has it: whatever was done, a turn follows.
        *next = Next::Turn;
    }

    pub(crate) fn after(&self, milliseconds: u64) -> Time {
        self.now + Span::from_milliseconds(milliseconds)
    }
}

/// A packet of IPv4 from one end's host to the other's, of this protocol, with a number in it.
pub(crate) fn packet(from: usize, protocol: u8, number: u32, octets: usize) -> Bytes {
    packet_between([from, 1 - from], protocol, number, octets)
}

/// The same between any two hosts.
pub(crate) fn packet_between([from, to]: [usize; 2], protocol: u8, number: u32, octets: usize) -> Bytes {
    let mut packet = vec![0; octets.max(28)];
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&u16::try_from(octets.max(28)).expect("a length").to_be_bytes());
    packet[8] = 64;
    packet[9] = protocol;
    let [IpAddr::V4(source), IpAddr::V4(destination)] = [host_address(from), host_address(to)] else {
        unreachable!("hosts here have addresses of IPv4")
    };
    packet[12..16].copy_from_slice(&source.octets());
    packet[16..20].copy_from_slice(&destination.octets());
    packet[20..24].copy_from_slice(&[0x30, 0x39, 0x30, 0x39]);
    packet[24..28].copy_from_slice(&number.to_be_bytes());
    packet.into()
}

pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;
