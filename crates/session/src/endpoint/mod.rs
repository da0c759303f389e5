//! One end of sessions with many peers.
//!
//! | file | concept |
//! | --- | --- |
//! | `load.rs` | how much of a core strangers get |
//! | `receiving.rs` | a datagram comes |
//! | `agreeing.rs` | a handshake message comes |
//! | `complaints.rs` | who is told of wrong keys |

mod agreeing;
mod complaints;
mod load;
mod receiving;

pub use receiving::Received;

use crate::config::Config;
use crate::counters::Counters;
use crate::event::{Event, PeerId};
#[cfg(any(test, feature = "fuzz"))]
use crate::handshake::dialect::Dialect;
use crate::handshake::mac::Baker;
use crate::handshake::timestamp::Stamper;
use crate::handshake::wire::Message;
use crate::identity::Identity;
use crate::index::Indices;
use crate::introduction::Introduction;
use crate::key::{PrivateKey, PublicKey};
use crate::peer::attempt::Attempt;
use crate::peer::{Context, NotSealed, Peer, PeerConfig, Sealed};
use crate::random::Random;
use crate::transport::HEAD_ROOM;
use arqway_agenda::{Agenda, Events, Key};
use arqway_units::{LineId, Span, Time};
use complaints::Complaints;
use load::Load;
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::ops::Range;

/// One end of sessions with many peers. It has no socket, no clock and no source of randomness: see the crate's example.
pub struct Endpoint {
    identity: Identity,
    config: Config,
    /// By number.
    peers: Vec<Option<Box<Peer>>>,
    by_key: BTreeMap<PublicKey, PeerId>,
    indices: Indices,
    /// Which peers have something to send, and when each is looked after next.
    agenda: Agenda<PeerId>,
    load: Load,
    complaints: Complaints,
    baker: Baker,
    stamper: Stamper,
    counters: Counters,
    events: Events<Event>,
}

/// Why a peer cannot be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PeerError {
    /// It was added before.
    #[error("the peer {0} is there twice")]
    Twice(PublicKey),
    /// It is this end.
    #[error("{0} is the key of this end; expected that of a peer")]
    Ourselves(PublicKey),
    /// No key agreement with it is one.
    #[error("{0} is not a usable public key")]
    Unusable(PublicKey),
}

impl Endpoint {
    /// An end without peers. `wall` is how long after 1970 (UTC) the time was zero: peers take no handshake whose time stamp
    /// is not later than those before. Where a clock has gone back, a peer says so, which costs a round trip.
    #[must_use]
    pub fn new(private: PrivateKey, introduction: Introduction, config: Config, wall: Span) -> Self {
        Self {
            identity: Identity::new(private, introduction),
            config,
            peers: Vec::new(),
            by_key: BTreeMap::new(),
            indices: Indices::new(),
            agenda: Agenda::default(),
            load: Load::new(),
            complaints: Complaints::new(),
            baker: Baker::new(),
            stamper: Stamper::new(wall),
            counters: Counters::default(),
            events: Events::default(),
        }
    }

    /// The wall clock was set: the time was zero so long after 1970. Time stamps follow it, and never go back.
    pub fn set_wall(&mut self, wall: Span) {
        self.stamper.wall = wall;
    }

    /// By what peers know this end.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        self.identity.public
    }

    /// Adds a peer.
    ///
    /// # Errors
    /// If it cannot be one.
    pub fn add_peer(&mut self, peer: PeerConfig, now: Time) -> Result<PeerId, PeerError> {
        let public = peer.public;
        if public == self.identity.public {
            return Err(PeerError::Ourselves(public));
        }
        if self.by_key.contains_key(&public) {
            return Err(PeerError::Twice(public));
        }
        if !public.is_usable() {
            return Err(PeerError::Unusable(public));
        }
        let id = PeerId(u32::try_from(self.peers.len()).unwrap_or(u32::MAX));
        self.peers.push(Some(Box::new(Peer::new(peer))));
        self.by_key.insert(public, id);
        self.schedule(id, now);
        Ok(id)
    }

    /// A peer is said to be at another address than before, as where the name of its host has another now: a handshake begins, which
    /// looks for it there, too.
    pub fn set_address(&mut self, peer: PeerId, address: SocketAddr, now: Time) {
        if let Some(known) = get_mut(&mut self.peers, peer)
            && known.configure(address)
        {
            known.want_keys(now);
        }
        self.schedule(peer, now);
    }

    /// Removes a peer and its keys: nothing of it is opened any more.
    pub fn remove_peer(&mut self, peer: PeerId) {
        let Some(removed) = self.peers.get_mut(peer.index()).and_then(Option::take) else { return };
        removed.slots.iter().for_each(|keys| self.indices.free(keys.index));
        removed.attempt.iter().flat_map(Attempt::indices).for_each(|index| self.indices.free(index));
        self.by_key.remove(&removed.config.public);
        self.agenda.remove(peer);
    }

    /// Seals a packet in place that goes by a line: `payload` says where it stands in `buffer`, with [`head_length`](Self::head_length) octets
    /// before it, which are at most [`HEAD_ROOM`], and [`TAG`](crate::TAG) behind it. Without keys, a handshake begins.
    ///
    /// # Errors
    /// If it cannot be sealed yet, or never.
    pub fn seal(
        &mut self,
        peer: PeerId,
        line: LineId,
        buffer: &mut [u8],
        payload: Range<usize>,
        now: Time,
    ) -> Result<Sealed, NotSealed> {
        let config = &self.config;
        let sealed = get_mut(&mut self.peers, peer).ok_or(NotSealed::NoPeer)?.seal(line, config, buffer, payload, now);
        self.schedule(peer, now);
        sealed
    }

    /// How many octets of head the next datagram for a peer has: 5, or 7. So a driver can seal packets in one buffer one behind
    /// the other, without gaps between their datagrams, and hand them to the kernel as one.
    #[must_use]
    pub fn head_length(&self, peer: PeerId) -> usize {
        let peer = self.peers.get(peer.index()).and_then(Option::as_deref);
        let keys = peer.and_then(|peer| peer.slots.current());
        keys.map_or(HEAD_ROOM, |keys| keys.transport.head_length())
    }

    /// Whether there are keys for a peer that still may seal. Where there are none, [`begin`](Self::begin) asks for new ones.
    #[must_use]
    pub fn can_seal(&self, peer: PeerId, now: Time) -> bool {
        let peer = self.peers.get(peer.index()).and_then(Option::as_deref);
        peer.and_then(|peer| peer.slots.current()).is_some_and(|keys| keys.may_seal(&self.config, now))
    }

    /// Whether a message could reach a peer. Without an address it has to begin.
    #[must_use]
    pub fn has_address(&self, peer: PeerId) -> bool {
        self.peers.get(peer.index()).and_then(Option::as_deref).is_some_and(Peer::is_known)
    }

    /// The next datagram of the session's own, by which line it goes and where: a handshake, a keepalive, a challenge, a report.
    pub fn poll_datagram(&mut self, now: Time, random: &mut dyn Random) -> Option<(LineId, SocketAddr, Message)> {
        while let Some(id) = self.agenda.next_ready() {
            let Some(peer) = get_mut(&mut self.peers, id) else { continue };
            let Self { identity, config, indices, stamper, .. } = self;
            let mut context = Context { identity, config, indices, stamper, random, id, now };
            let polled = peer.poll(&mut context);
            self.schedule(id, now);
            if polled.is_some() {
                return polled;
            }
        }
        None
    }

    /// Acts on every deadline at or before `now`.
    pub fn handle_timeout(&mut self, now: Time) {
        while let Some(id) = self.agenda.next_due(now) {
            let Some(peer) = get_mut(&mut self.peers, id) else { continue };
            if let Some((to, unverified)) = peer.take_doubt(now) {
                self.events.push(Event::Unanswered { peer: id, to, unverified });
            }
            let over = peer.handle_timeout(&self.config, now, |index| self.indices.free(index));
            if let Some(unverified) = over {
                self.events.push(Event::Unreachable { peer: id, unverified });
            }
            self.schedule(id, now);
        }
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.agenda.deadline()
    }

    /// What happened since this was asked last. Asked before packets are sealed, it says in time that a peer has restarted.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    /// What was counted, over all peers.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The owner waits for something from a peer, or no more: meanwhile the way through a NAT is held open.
    pub fn awaits(&mut self, peer: PeerId, awaits: bool, now: Time) {
        if let Some(peer) = get_mut(&mut self.peers, peer) {
            peer.awaits = awaits;
        }
        self.schedule(peer, now);
    }

    /// Begins a handshake, although there is nothing to send yet.
    pub fn begin(&mut self, peer: PeerId, now: Time) {
        if let Some(peer) = get_mut(&mut self.peers, peer) {
            peer.want_keys(now);
        }
        self.schedule(peer, now);
    }

    /// The same, and one that is under way is tried again at once: the way to the peer is open again, or another one.
    pub fn hasten(&mut self, peer: PeerId, now: Time) {
        if let Some(known) = get_mut(&mut self.peers, peer) {
            known.want_keys(now);
            known.attempt.iter_mut().for_each(|attempt| attempt.hasten(now));
        }
        self.schedule(peer, now);
    }

    /// The public key of a peer.
    #[must_use]
    pub fn key_of(&self, peer: PeerId) -> Option<PublicKey> {
        self.peers.get(peer.index())?.as_deref().map(|peer| peer.config.public)
    }

    /// What is known of a peer.
    #[must_use]
    pub fn status(&self, id: PeerId, now: Time) -> Option<Status> {
        let peer = self.peers.get(id.index())?.as_deref()?;
        Some(Status {
            address: peer.paths.first.address(),
            has_keys: self.can_seal(id, now),
            boot: peer.boot,
            heard: peer.activity.heard_at(),
            unanswered_since: peer.activity.unanswered_since(),
        })
    }

    /// Where a peer is, by a line.
    #[must_use]
    pub fn address_by(&self, id: PeerId, line: LineId) -> Option<SocketAddr> {
        let paths = &self.peers.get(id.index())?.as_deref()?.paths;
        Some(paths).filter(|paths| line.index() < paths.count()).and_then(|paths| paths.get(line).address())
    }

    /// Speaks as others do.
    #[cfg(any(test, feature = "fuzz"))]
    pub(crate) fn speak(&mut self, dialect: &'static Dialect) {
        self.identity.dialect = dialect;
    }

    #[cfg(any(test, feature = "fuzz"))]
    pub(crate) fn peer_mut(&mut self, peer: PeerId) -> &mut Peer {
        get_mut(&mut self.peers, peer).expect("a peer")
    }

    /// How many indices are given.
    #[cfg(test)]
    pub(crate) fn indices(&self) -> usize {
        self.indices.taken()
    }

    /// After something happened to a peer: it is looked after in time, and asked for what it has to send.
    fn schedule(&mut self, id: PeerId, now: Time) {
        let Some(peer) = get_mut(&mut self.peers, id) else { return };
        if peer.has_something(&self.config, now) {
            self.agenda.make_ready(id);
        }
        // Later ones are found when it is looked after.
        let deadline = peer.deadline(&self.config, now);
        if deadline.is_some_and(|at| self.agenda.deadline_of(id).is_none_or(|scheduled| at < scheduled)) {
            self.agenda.set_deadline(id, deadline);
        }
    }
}

/// What is known of a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// Where it is.
    pub address: Option<SocketAddr>,
    /// Whether packets for it can be sealed.
    pub has_keys: bool,
    /// Its incarnation.
    pub boot: Option<u64>,
    /// When something of it last arrived.
    pub heard: Option<Time>,
    /// When the first packet was sealed that it has not answered.
    pub unanswered_since: Option<Time>,
}

fn get_mut(peers: &mut [Option<Box<Peer>>], peer: PeerId) -> Option<&mut Peer> {
    peers.get_mut(peer.index())?.as_deref_mut()
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Endpoint");
        out.field("public", &self.identity.public).field("peers", &self.by_key.len());
        out.field("counters", &self.counters).finish_non_exhaustive()
    }
}
