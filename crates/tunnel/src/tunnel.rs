//! A tunnel without its sockets and clock: packets in, datagrams out, and back.
//!
//! ```text
//!     turn(now):  what the line has         -> opened -> the link of the peer that sealed it
//!                 what the session has to say of peers
//!                 timers that are due       -> session, links
//!                 packets of the network    -> the link of the peer that has their destination
//!                 the session's own datagrams
//!                 links that were touched   -> pumped: datagrams sealed, packets delivered
//!                 all of it to the line, in batches
//! ```
//!
//! What has arrived is read before a timer fires: where this process was kept from running, the acknowledgement that the timer
//! waits for is likely among it. Each kind of input has a budget, so that none starves the others.

use crate::allowed::AllowedAddresses;
use crate::answers::Answers;
use crate::counters::Counters;
use crate::hint::LineHint;
use crate::line::Line;
use crate::network::NetworkLayer;
use crate::new_peer::{AddError, NewPeer};
use crate::outbox::Outbox;
use crate::peer::{Around, Peer};
use arqway_link::mux::Headers;
use arqway_link::{self as link, Bearer, Frame, IcmpError, LinkService, Mux, Packet, Side, Tag, bearer};
use arqway_net::{Datagrams, NetError, Slab};
use arqway_session::{self as session, Endpoint, PeerId, Random, Received};
use arqway_units::{Octets, Span, Time};
use bytes::{Bytes, BytesMut};
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::net::SocketAddr;

/// How often a turn reads the line, each time up to 64 datagrams, and how many packets it takes.
const READS: usize = 16;
const PACKETS: usize = 128;
/// A payload that is so small is copied out of what was read with it, which it would keep alive.
const SMALL: usize = 256;
/// So many events are kept for an owner that does not ask.
const MOST_EVENTS: usize = 1024;

/// What is to come after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Another turn at once: there may be more to read.
    Turn,
    /// A turn at this time, if there is one, or when there is something to read; when the line has room again, if
    /// `for_room`.
    Wait {
        /// The next deadline.
        until: Option<Time>,
        /// Datagrams wait for the line.
        for_room: bool,
    },
}

/// Something that a user wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// What happened in the session.
    Session(session::Event),
    /// What happened to the link to a peer.
    Link(PeerId, bearer::Event),
}

impl Event {
    /// To whom.
    #[must_use]
    pub fn peer(&self) -> PeerId {
        match self {
            Self::Session(event) => event.peer(),
            Self::Link(peer, _) => *peer,
        }
    }
}

/// One end of links to any number of peers.
pub struct Tunnel<R> {
    session: Endpoint,
    random: R,
    boot: u64,
    /// In the order of their numbers in the session.
    peers: Vec<Peer>,
    allowed: AllowedAddresses,
    /// When the link to each peer is looked after next.
    schedule: BTreeSet<(Time, usize)>,
    /// Peers to which something happened.
    touched: VecDeque<usize>,
    outbox: Outbox,
    answers: Answers,
    small: Slab,
    counters: Counters,
    events: VecDeque<Event>,
}

impl<R: Random> Tunnel<R> {
    /// An end without peers. `boot` is the number in the session's introduction.
    #[must_use]
    pub fn new(session: Endpoint, boot: u64, random: R) -> Self {
        Self {
            session,
            random,
            boot,
            peers: Vec::new(),
            allowed: AllowedAddresses::default(),
            schedule: BTreeSet::new(),
            touched: VecDeque::new(),
            outbox: Outbox::new(),
            answers: Answers::default(),
            small: Slab::new(),
            counters: Counters::default(),
            events: VecDeque::new(),
        }
    }

    /// Adds a peer, and begins a session with it if its address is known.
    ///
    /// # Errors
    /// The session does not take it, or one of its addresses is another's.
    pub fn add_peer(&mut self, peer: NewPeer, now: Time) -> Result<PeerId, AddError> {
        let index = self.peers.len();
        for prefix in &peer.allowed {
            self.allowed.insert(*prefix, index).map_err(|_| AddError::Taken { prefix: *prefix })?;
        }
        // One end of each pair has to be the client, and both know which: it only tells the two apart.
        let side = if self.session.public() < peer.session.public { Side::Client } else { Side::AccessPoint };
        let address = peer.session.address;
        let id = self.session.add_peer(peer.session, now)?;
        let mut peer = Peer::new(id, peer.link, side, self.boot, now);
        address.into_iter().for_each(|address| peer.is_at(address));
        self.peers.push(peer);
        self.session.begin(id, now);
        self.touch(index);
        Ok(id)
    }

    /// A peer is said to be at another address.
    pub fn set_address(&mut self, peer: PeerId, address: SocketAddr, now: Time) {
        self.session.set_address(peer, address, now);
    }

    /// The system's clock was set: the time was zero so long after 1970. Peers take no handshake that looks older than one before.
    pub fn set_wall(&mut self, wall: Span) {
        self.session.set_wall(wall);
    }

    /// What was counted over all peers.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Datagrams that the line took, and that it refused for ever.
    #[must_use]
    pub fn datagrams_sent(&self) -> (u64, u64) {
        (self.outbox.sent, self.outbox.lost)
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &Endpoint {
        &self.session
    }

    /// The link to a peer.
    #[must_use]
    pub fn link(&mut self, peer: PeerId) -> Option<&mut Bearer<Mux>> {
        self.peers.iter_mut().find(|known| known.id == peer).map(|known| &mut known.bearer)
    }

    /// Somebody outside knows what happens to the line to a peer. While it is announced to be down nothing is sent there, and nothing
    /// that waits is lost.
    pub fn handle_hint(&mut self, peer: PeerId, hint: LineHint, now: Time) {
        let Some(index) = self.index(peer) else { return };
        self.peers[index].handle_hint(hint, now);
        if hint != LineHint::Down {
            // A handshake shows the peer where this end is now; one that is tried already is not put off any more.
            self.session.hasten(peer, now);
        }
        self.touch(index);
    }

    /// Whether the last hint about the line to a peer was that it is down.
    #[must_use]
    pub fn is_announced_down(&self, peer: PeerId) -> bool {
        self.index(peer).is_some_and(|index| self.peers[index].is_announced_down)
    }

    /// What each service of the link to a peer has counted, those included that were built before the peer restarted.
    #[must_use]
    pub fn totals(&self, peer: PeerId) -> Vec<link::Counters> {
        self.peers.iter().find(|known| known.id == peer).map(Peer::totals).unwrap_or_default()
    }

    /// What happened since this was asked last.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Does all that is to be done at this time.
    ///
    /// # Errors
    /// The line or the network layer is gone.
    pub fn turn(
        &mut self,
        line: &mut (impl Line + ?Sized),
        network: &mut impl NetworkLayer,
        now: Time,
    ) -> Result<Next, NetError> {
        self.outbox.flush(line)?;
        let mut more = self.read_line(line, now)?;
        self.act(now);
        more |= self.read_packets(network, now)?;
        // Twice: on a line that is full, what keeps the keys alive goes before packets; and these may want keys.
        self.send_own(line, now)?;
        self.settle(line, network, now)?;
        let not_taken = network.finish()?;
        self.counters.packets_delivered = self.counters.packets_delivered.saturating_sub(not_taken);
        self.counters.packets_refused_here += not_taken;
        self.send_own(line, now)?;
        self.outbox.flush(line)?;
        let for_room = self.outbox.is_blocked();
        // There is room again for peers that found none.
        more |= !for_room && !self.touched.is_empty();
        let until = [self.session.poll_timeout(), self.schedule.first().map(|(at, _)| *at)];
        let until = until.into_iter().flatten().min();
        Ok(if more { Next::Turn } else { Next::Wait { until, for_room } })
    }

    /// The session's own datagrams.
    fn send_own(&mut self, line: &mut (impl Line + ?Sized), now: Time) -> Result<(), NetError> {
        loop {
            while self.outbox.has_room_for_own() {
                let Some((to, message)) = self.session.poll_datagram(now, &mut self.random) else { return Ok(()) };
                self.outbox.push(to, &message);
            }
            if !self.outbox.flush(line)? {
                return Ok(());
            }
        }
    }

    /// Opens what has arrived. Whether there may be more.
    fn read_line(&mut self, line: &mut (impl Line + ?Sized), now: Time) -> Result<bool, NetError> {
        for _ in 0..READS {
            let Some(Datagrams { mut octets, each, from, is_congested }) = line.receive()? else { return Ok(false) };
            while !octets.is_empty() {
                let datagram = octets.split_to(each.min(octets.len()));
                self.open(datagram, from, is_congested, now);
            }
        }
        Ok(true)
    }

    fn open(&mut self, mut datagram: BytesMut, from: SocketAddr, is_congested: bool, now: Time) {
        match self.session.handle_datagram(&mut datagram, from, now, &mut self.random) {
            Received::Packet { peer, payload } => {
                // New keys say which incarnation of the peer this comes from.
                self.hear_session(now);
                let octets = if payload.len() < SMALL {
                    self.small.copy(&datagram[payload])
                } else {
                    datagram.freeze().slice(payload)
                };
                self.receive(peer, octets, is_congested, now);
            }
            Received::Answer(message) => {
                self.outbox.push(from, &message);
                self.hear_session(now);
            }
            Received::Nothing => self.hear_session(now),
        }
    }

    fn receive(&mut self, peer: PeerId, octets: Bytes, is_congested: bool, now: Time) {
        let (Some(index), Some(tag)) = (self.index(peer), octets.first().copied()) else { return };
        self.counters.datagrams_received += 1;
        if is_congested {
            self.peers[index].congestion.met(octets.len(), now);
        }
        let frame = Frame::from_wire(Tag::from_octet(tag), octets.slice(1..));
        self.peers[index].bearer.handle_frame(frame, now);
        self.touch(index);
    }

    /// What the session has to say of peers.
    fn hear_session(&mut self, now: Time) {
        while let Some(event) = self.session.poll_event() {
            if let Some(index) = self.index(event.peer()) {
                match event {
                    session::Event::Established { peer, boot, .. } => {
                        let address = self.session.status(peer, now).and_then(|status| status.address);
                        address.into_iter().for_each(|address| self.peers[index].is_at(address));
                        self.peers[index].meet(boot, now);
                        self.touch(index);
                    }
                    session::Event::Moved { to, .. } => self.peers[index].is_at(to),
                    session::Event::Refused { .. } | session::Event::Unreachable { .. } => {}
                }
            }
            self.happened(Event::Session(event));
        }
    }

    /// Acts on timers that are due.
    fn act(&mut self, now: Time) {
        if self.session.poll_timeout().is_some_and(|due| due <= now) {
            self.session.handle_timeout(now);
            self.hear_session(now);
        }
        while let Some((_, index)) = self.schedule.first().copied().filter(|(due, _)| *due <= now) {
            self.schedule.pop_first();
            let Some(peer) = self.peers.get_mut(index) else { continue };
            peer.scheduled = None;
            peer.handle_timeout(now);
            self.touch(index);
        }
    }

    /// Takes packets of the network layer. Whether there may be more.
    fn read_packets(&mut self, network: &mut impl NetworkLayer, now: Time) -> Result<bool, NetError> {
        for _ in 0..PACKETS {
            let Some(packet) = network.poll_packet()? else { return Ok(false) };
            self.take(packet, network, now)?;
        }
        Ok(true)
    }

    fn take(&mut self, packet: Bytes, network: &mut impl NetworkLayer, now: Time) -> Result<(), NetError> {
        let Some(headers) = Headers::read(&packet) else {
            self.counters.not_packets_sent += 1;
            return Ok(());
        };
        let Some(index) = self.allowed.find(headers.destination) else {
            self.counters.packets_without_peer += 1;
            return self.answers.give(&packet, IcmpError::NoRoute, network, now);
        };
        let Some(peer) = self.peers.get_mut(index) else { return Ok(()) };
        if !peer.bearer.path().is_up && !peer.is_announced_down {
            if !self.session.has_address(peer.id) {
                self.counters.packets_without_address += 1;
                return self.answers.give(&packet, IcmpError::NoHost, network, now);
            }
            // Whoever sends while the peer does not answer wants it to be asked again.
            self.session.begin(peer.id, now);
        }
        let packet = Packet::new(peer.clamp(packet, network.mtu()));
        let largest = peer.bearer.largest_packet_like(&packet, Octets::MAX);
        let is_too_large = packet.size() > largest;
        if is_too_large && !peer.bearer.may_fit_soon(&packet) {
            self.answers.give(&packet.octets, IcmpError::TooBig(largest), network, now)?;
        }
        match peer.bearer.handle_packet(packet, now) {
            Ok(()) => self.counters.packets_taken += 1,
            Err(_) if is_too_large => self.counters.packets_too_large += 1,
            Err(_) => self.counters.packets_dropped += 1,
        }
        self.touch(index);
        Ok(())
    }

    /// Pumps every link to which something happened.
    fn settle(
        &mut self,
        line: &mut (impl Line + ?Sized),
        network: &mut impl NetworkLayer,
        now: Time,
    ) -> Result<(), NetError> {
        let Self { session, peers, allowed, schedule, touched, outbox, counters, events, .. } = self;
        // Whose datagrams filled the line is the last to send when it has room again.
        let mut filled = None;
        for _ in 0..touched.len() {
            let was_blocked = outbox.is_blocked();
            let Some(index) = touched.pop_front() else { break };
            let Some(peer) = peers.get_mut(index) else { continue };
            peer.is_touched = false;
            let mut deadline;
            loop {
                let mut around = Around { session, outbox, allowed, network, counters };
                deadline = peer.settle(index, &mut around, now)?;
                // A full outbox is not the end of it.
                if outbox.has_room() || !outbox.flush(line)? {
                    break;
                }
            }
            while let Some(event) = peer.bearer.poll_event() {
                if event == bearer::Event::Down && !peer.is_announced_down {
                    session.begin(peer.id, now);
                }
                // Of that the session has told.
                if event != bearer::Event::PeerRestarted {
                    keep(events, Event::Link(peer.id, event));
                }
            }
            if outbox.is_blocked() {
                peer.is_touched = true;
                if was_blocked { touched.push_back(index) } else { filled = Some(index) }
            }
            if let Some(before) = std::mem::replace(&mut peer.scheduled, deadline) {
                schedule.remove(&(before, index));
            }
            schedule.extend(deadline.map(|at| (at, index)));
        }
        touched.extend(filled);
        Ok(())
    }

    fn index(&self, peer: PeerId) -> Option<usize> {
        // Peers are added in the session's order and never removed.
        self.peers.binary_search_by_key(&peer, |known| known.id).ok()
    }

    fn touch(&mut self, index: usize) {
        let Some(peer) = self.peers.get_mut(index) else { return };
        if !std::mem::replace(&mut peer.is_touched, true) {
            self.touched.push_back(index);
        }
    }

    fn happened(&mut self, event: Event) {
        keep(&mut self.events, event);
    }
}

/// One that does not ask learns of the latest only.
fn keep(events: &mut VecDeque<Event>, event: Event) {
    if events.len() == MOST_EVENTS {
        events.pop_front();
    }
    events.push_back(event);
}

impl<R> fmt::Debug for Tunnel<R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Tunnel");
        out.field("session", &self.session).field("peers", &self.peers).field("counters", &self.counters);
        out.finish_non_exhaustive()
    }
}
