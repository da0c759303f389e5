//! One peer: the link layer between it and us, and what of it waits in this turn.

use super::allowed::AllowedAddresses;
use super::congestion::Congestion;
use super::counters::Counters;
use super::flow_book::FlowBook;
use super::hint::LineHint;
use super::network::{NetworkLayer, deliver};
use super::outbox::Outboxes;
use super::path_query::may_be_message;
use arqway_link::bearer::Reason;
use arqway_link::mux::{Ds, Plan};
use arqway_link::{self as link, bearer, clamp_mss, may_say_mss, pump};
use arqway_link::{
    Bearer, Departure, Frame, Holds, LineId, LinkContext, LinkService, LinkState, Marks, Mux, Packet, PerLine, Port,
    Side, Tag, Ticket,
};
use arqway_net::NetError;
use arqway_session::{Endpoint, PeerId, SHORT_HEAD};
use arqway_units::{Octets, Span, Time};
use std::net::SocketAddr;

/// What the link to a new peer is made of.
#[derive(Debug, Clone)]
pub struct NewLink {
    /// The services.
    pub plan: Plan,
    /// The bearer, with the overhead that a path of IPv6 has.
    pub bearer: bearer::Config,
    /// How long a datagram takes one way, where that is known before it is measured.
    pub delay: Option<Span>,
    /// The codepoint of datagrams whose first frame is of a service, by its number; the default one for what is not here.
    pub dscp: Vec<Ds>,
}

/// A peer and the link to it.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) id: PeerId,
    pub(crate) bearer: Bearer<Mux>,
    /// A datagram for each line that was handed over and has not started.
    ready: PerLine<Option<Frame>>,
    /// Datagrams that the line has been given since their departure was last reported.
    departed: Vec<(Tag, Ticket)>,
    /// Until when datagrams wait for new keys, where these have expired, as they do when nothing is sent for minutes.
    keys_awaited: Option<Time>,
    /// What services counted that were built before these, by their numbers.
    counted_before: Vec<link::Counters>,
    /// What a path of IPv6 adds to each datagram, and a session whose counters are short.
    overhead: Octets,
    /// The lines on which it is known where it is, a bit each, and those of them that go by IPv6.
    known_by: u8,
    ipv6_by: u8,
    /// The octets of head that the next datagram has.
    head: usize,
    dscp: Vec<Ds>,
    pub(crate) congestion: Congestion,
}

/// A header of IPv4 is shorter than one of IPv6 by so much (RFC 791, section 3.1; RFC 8200, section 3).
const SHORTER: Octets = Octets::new(20);

/// How long datagrams wait for new keys at least: as long as the bearer bears silence.
const PATIENCE: Span = Span::from_milliseconds(1000);

impl Peer {
    pub(crate) fn new(id: PeerId, link: NewLink, side: Side, boot: u64, seed: u64, now: Time) -> Self {
        let NewLink { plan, bearer, delay, dscp } = link;
        let builder = move |context: &LinkContext| plan.build(context);
        let overhead = bearer.overhead;
        let context = LinkContext { delay, rate: bearer.rate_of(side).fixed(), seed, ..side.into() };
        let mut bearer = Bearer::new(bearer, builder, context, boot, now);
        bearer.set_outage(Reason::NoKeys, true, now);
        Self {
            id,
            bearer,
            ready: PerLine::default(),
            departed: Vec::new(),
            keys_awaited: None,
            counted_before: Vec::new(),
            overhead,
            known_by: 0,
            ipv6_by: 0,
            head: SHORT_HEAD,
            dscp,
            congestion: Congestion::default(),
        }
    }

    /// Its datagrams go to an address by a line.
    pub(crate) fn is_at(&mut self, line: LineId, address: SocketAddr) {
        let bit = 1 << line.number();
        self.known_by |= bit;
        self.ipv6_by = if address.is_ipv4() { self.ipv6_by & !bit } else { self.ipv6_by | bit };
        self.set_overhead();
    }

    /// The next datagram has a head of so many octets: there are more where the peer has not reported long enough.
    fn has_head(&mut self, octets: usize) {
        if octets != self.head {
            self.head = octets;
            self.set_overhead();
        }
    }

    fn set_overhead(&mut self) {
        let is_at_ipv4 = self.known_by != 0 && self.ipv6_by == 0;
        let overhead = if is_at_ipv4 { self.overhead - SHORTER } else { self.overhead };
        self.bearer.set_overhead(overhead + Octets::of(self.head - SHORT_HEAD));
    }

    /// There are new keys, for this incarnation of the peer.
    pub(crate) fn meet(&mut self, boot: u64, now: Time) {
        let (totals, restarts) = (self.totals(), self.bearer.bearer_counters().peer_restarts);
        self.bearer.meet(boot, now);
        if self.bearer.bearer_counters().peer_restarts > restarts {
            self.counted_before = totals;
        }
        self.keys_awaited = None;
        if self.bearer.outage().has(Reason::NoKeys) {
            self.bearer.set_outage(Reason::NoKeys, false, now);
        }
    }

    /// Somebody outside knows what happens to the line.
    pub(crate) fn handle_hint(&mut self, line: Option<LineId>, hint: LineHint, now: Time) {
        if let Some(line) = line {
            self.bearer.set_line_outage(line, Reason::Announced, hint != LineHint::Up, now);
            if hint == LineHint::Handoff {
                self.bearer.change_path_of(line, now);
                self.bearer.set_line_outage(line, Reason::Announced, false, now);
            }
            return;
        }
        self.bearer.set_outage(Reason::Announced, hint != LineHint::Up, now);
        // What was measured of a line does not hold for another one: to the bearer it was away.
        if hint == LineHint::Handoff {
            self.bearer.change_path(now);
            self.bearer.set_outage(Reason::Announced, false, now);
        }
    }

    /// The device of the line is gone, or there again.
    pub(crate) fn handle_line(&mut self, line: Option<LineId>, state: LinkState, now: Time) {
        let is_gone = state == LinkState::Down;
        match line {
            None => self.bearer.set_outage(Reason::NoDevice, is_gone, now),
            Some(line) => self.bearer.set_line_outage(line, Reason::NoDevice, is_gone, now),
        }
    }

    /// What each service has counted, whenever it was built.
    pub(crate) fn totals(&self) -> Vec<link::Counters> {
        let now = (0..).map_while(|service| self.bearer.inner().counters_of(service));
        let before = self.counted_before.iter().copied().chain(std::iter::repeat(link::Counters::default()));
        now.zip(before).map(|(now, before)| now + before).collect()
    }

    /// Acts on what is due.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        if self.bearer.poll_timeout().is_some_and(|due| due <= now) {
            self.bearer.handle_timeout(now);
        }
        if self.keys_awaited.take_if(|until| *until <= now).is_some() {
            // What is in it has started, and whoever sent it waits to hear what becomes of it.
            for ready in self.ready.iter_mut() {
                if let Some(Frame { tag, ticket: Some(ticket), .. }) = ready.take() {
                    self.bearer.handle_departure(tag, ticket, Departure::Dropped, now);
                }
            }
            self.bearer.set_outage(Reason::NoKeys, true, now);
        }
    }

    /// A packet, with an MSS that its link carries, and the network layer, if it is the first one of a TCP connection.
    pub(crate) fn clamp(&self, packet: Packet, mtu: Octets) -> Packet {
        if !may_say_mss(&packet.octets) {
            return packet;
        }
        let largest = mtu.min(self.bearer.largest_of_kind(&packet));
        match clamp_mss(&packet.octets, packet.headers, largest) {
            Some(clamped) => Packet { octets: clamped.into(), ..packet },
            None => packet,
        }
    }

    /// A datagram waits for new keys.
    fn await_keys(&mut self, session: &mut Endpoint, now: Time) {
        if self.keys_awaited.is_none() && !self.bearer.outage().has(Reason::NoKeys) {
            let round_trip = self.bearer.path().round_trip.unwrap_or_default();
            self.keys_awaited = Some(now + PATIENCE.max(round_trip * 4));
        }
        session.begin(self.id, now);
    }

    /// When it is to be looked after, if the bearer is so at a time.
    fn deadline(&self, of_bearer: Option<Time>) -> Option<Time> {
        of_bearer.into_iter().chain(self.keys_awaited).min()
    }
}

/// Whether a peer has sent all that it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Served {
    /// It has.
    Wholly,
    /// There was no room for more, so there may be more.
    HasMore,
}

/// What all peers share: the session, the outbox, the network layer.
#[derive(Debug)]
pub(crate) struct Shared<'t, N> {
    pub(crate) session: &'t mut Endpoint,
    pub(crate) outboxes: &'t mut Outboxes,
    pub(crate) allowed: &'t AllowedAddresses,
    pub(crate) network: &'t mut N,
    pub(crate) counters: &'t mut Counters,
    pub(crate) flows: &'t mut Option<FlowBook>,
    /// Questions and answers about paths, which the hub looks at.
    pub(crate) queries: &'t mut Vec<(usize, Packet)>,
}

impl<N: NetworkLayer> Shared<'_, N> {
    fn deliver(&mut self, packet: &[u8]) -> Result<(), NetError> {
        deliver(packet, self.network, self.counters)
    }
}

impl Peer {
    /// Pumps until quiet, or until its share of the outbox is full: a departure may make room for a packet, and that a frame. Returns
    /// whether it has more, and when it is to be looked after.
    pub(crate) fn serve<N: NetworkLayer>(
        &mut self,
        index: usize,
        shared: &mut Shared<'_, N>,
        now: Time,
    ) -> Result<(Served, Option<Time>), NetError> {
        shared.outboxes.begin_share();
        loop {
            self.has_head(shared.session.head_length(self.id));
            let Self { id, bearer, ready, departed, dscp, congestion, .. } = self;
            let lines = bearer.lines();
            ready.reach(LineId::first(lines).next_back().unwrap_or_default(), |_| None);
            let mut port = PeerPort {
                id: *id,
                index,
                shared: Shared {
                    session: shared.session,
                    outboxes: shared.outboxes,
                    allowed: shared.allowed,
                    network: shared.network,
                    counters: shared.counters,
                    flows: shared.flows,
                    queries: shared.queries,
                },
                lines,
                line: LineId::FIRST,
                ready,
                departed,
                dscp,
                congestion,
                is_held: bearer.outage().is_known(),
                now,
                deadline: None,
                wants_keys: false,
                first: Vec::new(),
                failed: Ok(()),
            };
            pump(bearer, &mut port, now);
            let PeerPort { deadline, wants_keys, failed, first, .. } = port;
            failed?;
            for packet in first {
                let packet = self.clamp(packet, shared.network.mtu());
                shared.deliver(&packet.octets)?;
            }
            if wants_keys {
                self.await_keys(shared.session, now);
            }
            if self.departed.is_empty() || shared.outboxes.are_blocked() {
                let served = if shared.outboxes.have_share() { Served::Wholly } else { Served::HasMore };
                return Ok((served, self.deadline(deadline)));
            }
            for (tag, ticket) in self.departed.drain(..) {
                self.bearer.handle_departure(tag, ticket, Departure::Sent, now);
            }
        }
    }
}

/// The octet of DSCP and ECN for a datagram: by its first frame, and by all its packets.
fn traffic_class(dscp: &[Ds], marks: Marks) -> u8 {
    let ecn = if let Holds::Packets(ecn) = marks.ecn { ecn.bits() } else { 0 };
    dscp.get(marks.service().index()).map_or(0, |ds| ds.octet()) | ecn
}

/// Where the outputs of a peer's link go.
struct PeerPort<'p, N> {
    id: PeerId,
    index: usize,
    shared: Shared<'p, N>,
    lines: usize,
    /// The line that it is turned to.
    line: LineId,
    ready: &'p mut PerLine<Option<Frame>>,
    departed: &'p mut Vec<(Tag, Ticket)>,
    dscp: &'p [Ds],
    congestion: &'p mut Congestion,
    /// What is ready waits until the line is back.
    is_held: bool,
    now: Time,
    deadline: Option<Time>,
    wants_keys: bool,
    /// Packets that begin a TCP connection, which are delivered when the link can be asked what it carries.
    first: Vec<Packet>,
    failed: Result<(), NetError>,
}

impl<N: NetworkLayer> Port for PeerPort<'_, N> {
    fn lines(&self) -> usize {
        self.lines
    }

    fn turn_to(&mut self, line: LineId) {
        self.line = line;
    }

    fn room(&self) -> Option<Octets> {
        let is_free = self.ready.get(self.line).is_none() && self.shared.outboxes.of(self.line).has_share();
        is_free.then_some(Octets::MAX)
    }

    fn hand_over(&mut self, frame: Frame, _: Time) -> Result<(), Frame> {
        *self.ready.get_mut(self.line) = Some(frame);
        Ok(())
    }

    fn take_ready(&mut self) -> Option<Frame> {
        let ready = self.ready.get_mut(self.line);
        if ready.is_none() || self.is_held || !self.shared.outboxes.of(self.line).has_share() {
            return None;
        }
        self.wants_keys = !self.shared.session.can_seal(self.id, self.now);
        if self.wants_keys { None } else { ready.take() }
    }

    fn transmit(&mut self, datagram: Frame, now: Time) {
        let Shared { session, outboxes, counters, .. } = &mut self.shared;
        // A peer that may have moved is sent little until it has shown that it has: the rest is lost, as on any link.
        let traffic_class = traffic_class(self.dscp, datagram.marks);
        let outbox = outboxes.of_mut(datagram.line());
        if outbox.seal(session, self.id, &datagram, traffic_class, now).is_err() {
            counters.datagrams_not_sealed += 1;
        }
        self.departed.extend(datagram.ticket.map(|ticket| (datagram.tag, ticket)));
    }

    fn deliver(&mut self, packet: Packet, now: Time) {
        let Shared { allowed, counters, flows, .. } = &mut self.shared;
        let Some((packet, headers)) = Packet::read(packet.octets) else {
            counters.not_packets_received += 1;
            return;
        };
        if allowed.find(headers.source) != Some(self.index) {
            counters.sources_not_allowed += 1;
            return;
        }
        if let Some(flows) = flows {
            flows.receives(self.index, &packet, headers);
        }
        if may_be_message(&packet.octets) {
            self.shared.queries.push((self.index, packet));
            return;
        }
        let packet = self.congestion.pass_on(packet, now);
        if may_say_mss(&packet.octets) {
            self.first.push(packet);
        } else if let Err(error) = self.shared.deliver(&packet.octets) {
            self.failed = Err(error);
        }
    }

    fn wake_at(&mut self, deadline: Option<Time>) {
        self.deadline = deadline;
    }

    fn finish(&mut self, _: Time) {}
}
