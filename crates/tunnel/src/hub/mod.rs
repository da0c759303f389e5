//! One end of links to any number of peers, without sockets and clock: packets in, datagrams out, and back.
//!
//! | file | what |
//! | --- | --- |
//! | `mod.rs` | [`Hub`]: its peers, what it is told and asked between turns |
//! | `turn.rs` | a turn: all that is to be done at a time |
//! | `peer.rs` | one peer: the link to it, and its [`Port`](arqway_link::Port) |
//! | `new_peer.rs` | [`NewPeer`]: what is told of a peer, and why it may not do |
//! | `outbox.rs` | datagrams sealed where they are sent from, in batches |
//! | `network.rs` | [`NetworkLayer`]: what has the packets |
//! | `allowed.rs` | whose an address is |
//! | `congestion.rs` | marks of congestion, from datagrams to packets |
//! | `icmp_errors.rs` | errors of ICMP to whoever sends what cannot go on |
//! | `flow_book.rs` | what each flow sends and receives, while somebody asks |
//! | `hint.rs` | [`LineHint`]: what somebody outside knows of a line |
//! | `path_query/` | questions about a path, and their answers |
//! | `paths.rs` | what the hub does with them |
//! | `counters.rs` | [`Counters`]: what is counted over all peers |

mod allowed;
mod congestion;
mod counters;
mod flow_book;
mod hint;
mod icmp_errors;
mod network;
mod new_peer;
mod outbox;
mod path_query;
mod paths;
mod peer;
mod turn;

pub use counters::Counters;
pub(crate) use flow_book::{Count, FlowBook, FlowCount};
pub use hint::LineHint;
pub use network::NetworkLayer;
pub use new_peer::{AddError, NewPeer};
pub use path_query::{Link as PathLink, LinkServiceMetrics, PathAnswer, PathNames};
pub use paths::{NoPath, PathEnd};
pub use peer::NewLink;

use allowed::AllowedAddresses;
use arqway_agenda::{Agenda, Events};
use arqway_link::{self as link, Bearer, LineId, LinkState, Mux, Packet, Side, bearer};
use arqway_session::{self as session, Endpoint, PeerId, Random};
use arqway_slab::Slab;
use arqway_units::{Octets, Span, Time};
use icmp_errors::IcmpErrors;
use outbox::Outboxes;
use peer::Peer;
use std::fmt;
use std::net::SocketAddr;

/// What is to come after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Another turn at once: there may be more to read.
    Turn,
    /// A turn at this time, if there is one, or when there is something to read; when a line can be written, too, that is
    /// in `for_room`.
    Wait {
        /// The next deadline.
        until: Option<Time>,
        /// The lines that datagrams wait for.
        for_room: ForRoom,
    },
}

/// Lines of this machine that datagrams wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ForRoom(u8);

impl ForRoom {
    /// Whether they do for this one.
    #[must_use]
    pub fn has(self, line: LineId) -> bool {
        self.0 & 1 << line.number() != 0
    }
}

/// Something that a user wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// What happened in the session.
    Session(session::Event),
    /// What happened to the link to a peer, or to one line of several.
    Link(PeerId, Option<LineId>, bearer::Event),
}

impl Event {
    /// To whom, if to a peer.
    #[must_use]
    pub fn peer(&self) -> Option<PeerId> {
        match self {
            Self::Session(event) => event.peer(),
            Self::Link(peer, ..) => Some(*peer),
        }
    }

    /// About which line of several.
    #[must_use]
    pub fn line(&self) -> Option<LineId> {
        match self {
            Self::Session(session::Event::Moved { line, .. }) => Some(*line).filter(|line| *line != LineId::FIRST),
            Self::Session(_) => None,
            Self::Link(_, line, _) => *line,
        }
    }
}

/// One end of links to any number of peers.
pub struct Hub<R> {
    session: Endpoint,
    random: R,
    boot: u64,
    /// In the order of their numbers in the session.
    peers: Vec<Peer>,
    allowed: AllowedAddresses,
    /// Links to peers to which something happened, or which have more to send; and when each is looked after next.
    agenda: Agenda<usize>,
    /// One for each line of this machine.
    outboxes: Outboxes,
    icmp_errors: IcmpErrors,
    small: Slab,
    counters: Counters,
    /// While somebody asks what flows do.
    flows: Option<FlowBook>,
    /// Packets given to the queues of the links: those that these took, and those that they had no room for.
    offered: u64,
    events: Events<Event>,
    /// What it says of itself where it is asked about a path.
    names: PathNames,
    /// Questions and answers about paths that have crossed a link, each with whose link that was.
    queries: Vec<(usize, Packet)>,
    /// Answers to questions of its own.
    answers: Vec<PathAnswer>,
}

impl<R: Random> Hub<R> {
    /// An end without peers. `boot` is the number in the session's introduction.
    #[must_use]
    pub fn new(session: Endpoint, boot: u64, random: R) -> Self {
        Self {
            session,
            random,
            boot,
            peers: Vec::new(),
            allowed: AllowedAddresses::default(),
            agenda: Agenda::default(),
            outboxes: Outboxes::new(),
            icmp_errors: IcmpErrors::default(),
            small: Slab::new(),
            counters: Counters::default(),
            flows: None,
            offered: 0,
            events: Events::default(),
            names: PathNames::default(),
            queries: Vec::new(),
            answers: Vec::new(),
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
        let mut seed = [0; 8];
        self.random.fill(&mut seed);
        let mut peer = Peer::new(id, peer.link, side, self.boot, u64::from_le_bytes(seed), now);
        address.into_iter().for_each(|address| peer.is_at(LineId::FIRST, address));
        self.peers.push(peer);
        self.session.begin(id, now);
        self.agenda.make_ready(index);
        Ok(id)
    }

    /// A peer is said to be at another address.
    pub fn set_address(&mut self, peer: PeerId, address: SocketAddr, now: Time) {
        self.session.set_address(peer, address, now);
    }

    /// The system's clock was set: the time was zero so long after 1970.
    pub fn set_wall(&mut self, wall: Span) {
        self.session.set_wall(wall);
    }

    /// What was counted over all peers.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let dropped = self.peers.iter().flat_map(Peer::totals).map(|service| service.packets_refused).sum();
        let packets_taken = self.offered.saturating_sub(dropped);
        Counters { packets_taken, packets_dropped: dropped, ..self.counters }
    }

    /// Datagrams that the line took, and that it refused for ever.
    #[must_use]
    pub fn datagrams_sent(&self) -> (u64, u64) {
        self.outboxes.sent_and_lost()
    }

    /// Counts from now on what flows do, or goes on with it.
    pub(crate) fn keep_flow_book(&mut self, now: Time) {
        FlowBook::keep(&mut self.flows, now);
    }

    /// What flows have done since then.
    pub(crate) fn flow_book(&self) -> Option<&FlowBook> {
        self.flows.as_ref()
    }

    /// The services on the link to a peer, by its place among the peers.
    pub(crate) fn mux_at(&self, index: usize) -> Option<(PeerId, &Mux)> {
        self.peers.get(index).map(|peer| (peer.id, peer.bearer.inner()))
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

    /// Somebody outside knows what happens to the line to a peer, or to one of several. While it is announced to be down nothing is sent there, and nothing
    /// that waits is lost.
    pub fn handle_hint(&mut self, peer: PeerId, line: Option<LineId>, hint: LineHint, now: Time) {
        let Some(index) = self.index(peer) else { return };
        self.peers[index].handle_hint(line, hint, now);
        self.line_changed(index, now);
    }

    /// The device of the line is gone, or there again, or of one of several: what that means for all peers is what an announced outage means
    /// for one, and neither ends the other.
    pub fn handle_line(&mut self, line: Option<LineId>, state: LinkState, now: Time) {
        for index in 0..self.peers.len() {
            self.peers[index].handle_line(line, state, now);
            self.line_changed(index, now);
        }
    }

    /// A line is spare from now on, or as any other.
    pub fn spare(&mut self, line: LineId, is_spare: bool, now: Time) {
        for index in 0..self.peers.len() {
            self.peers[index].bearer.spare(line, is_spare, now);
            self.agenda.make_ready(index);
        }
    }

    /// What has crossed a line, both ways and with all that it adds, since the tunnel began.
    #[must_use]
    pub fn crossed(&self, line: LineId) -> Octets {
        let paths = self.peers.iter().filter_map(|peer| peer.bearer.path_of(line));
        paths.fold(Octets::ZERO, |all, path| all + path.sent + path.received)
    }

    fn line_changed(&mut self, index: usize, now: Time) {
        let Peer { id, bearer, .. } = &self.peers[index];
        if !bearer.outage().is_known() {
            // A handshake shows the peer where this end is now; one that is tried already is not put off any more.
            self.session.hasten(*id, now);
        }
        self.agenda.make_ready(index);
    }

    /// How many lines there are to a peer, or from it.
    #[must_use]
    pub fn lines_to(&self, peer: PeerId) -> usize {
        self.index(peer).map_or(0, |index| self.peers[index].bearer.lines())
    }

    /// Whether the last hint about the line to a peer was that it is down.
    #[must_use]
    pub fn is_announced_down(&self, peer: PeerId) -> bool {
        self.index(peer).is_some_and(|index| self.peers[index].bearer.outage().has(bearer::Reason::Announced))
    }

    /// Whether the line to a peer has no device.
    #[must_use]
    pub fn is_line_gone(&self, peer: PeerId) -> bool {
        self.index(peer).is_some_and(|index| self.peers[index].bearer.outage().has(bearer::Reason::NoDevice))
    }

    /// What each service of the link to a peer has counted, those included that were built before the peer restarted.
    #[must_use]
    pub fn totals(&self, peer: PeerId) -> Vec<link::Counters> {
        self.peers.iter().find(|known| known.id == peer).map(Peer::totals).unwrap_or_default()
    }

    /// What happened since this was asked last.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    fn index(&self, peer: PeerId) -> Option<usize> {
        // Peers are added in the session's order and never removed.
        self.peers.binary_search_by_key(&peer, |known| known.id).ok()
    }
}

impl<R> fmt::Debug for Hub<R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Hub");
        out.field("session", &self.session).field("peers", &self.peers).field("counters", &self.counters);
        out.finish_non_exhaustive()
    }
}
