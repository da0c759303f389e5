//! One peer: the link layer between it and us, and what of it waits in this turn.

use crate::allowed::AllowedAddresses;
use crate::counters::Counters;
use crate::io::NetworkLayer;
use crate::outbox::Outbox;
use arqway_link::mux::{Headers, Plan};
use arqway_link::{
    Bearer, Departure, Frame, LinkContext, LinkService, LinkState, Mux, Packet, Port, Side, Tag, Ticket,
};
use arqway_link::{bearer, pump};
use arqway_net::NetError;
use arqway_session::{Endpoint, NotSealed, PeerId};
use arqway_units::{Octets, Span, Time};

/// What the link to a new peer is made of.
#[derive(Debug, Clone)]
pub struct NewLink {
    /// The services.
    pub plan: Plan,
    /// The bearer.
    pub bearer: bearer::Config,
    /// How long a datagram takes one way, where that is known before it is measured.
    pub delay: Option<Span>,
}

/// A peer and the link to it.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) id: PeerId,
    pub(crate) bearer: Bearer<Mux>,
    /// When its link is looked after next: what stands in the tunnel's schedule.
    pub(crate) scheduled: Option<Time>,
    /// It is in the list of those to which something happened in this turn.
    pub(crate) is_touched: bool,
    /// A datagram that was handed over and has not started.
    ready: Option<Frame>,
    /// Datagrams that the line has been given since their departure was last reported.
    departed: Vec<(Tag, Ticket)>,
    /// There are keys, so datagrams can be sealed.
    has_keys: bool,
}

impl Peer {
    pub(crate) fn new(id: PeerId, link: NewLink, side: Side, boot: u64, now: Time) -> Self {
        let NewLink { plan, bearer, delay } = link;
        let builder = move |context: &LinkContext| plan.build(context);
        let context = LinkContext { delay, rate: bearer.pace_of(side), ..side.into() };
        let mut bearer = Bearer::new(bearer, builder, context, boot, now);
        bearer.handle_link(LinkState::Down, now);
        Self { id, bearer, scheduled: None, is_touched: false, ready: None, departed: Vec::new(), has_keys: false }
    }

    /// There are new keys, for this incarnation of the peer.
    pub(crate) fn meet(&mut self, boot: u64, now: Time) {
        self.bearer.meet(boot, now);
        if !self.has_keys {
            self.has_keys = true;
            self.bearer.handle_link(LinkState::Up, now);
        }
    }

    /// Nothing can be sealed until there are new keys.
    fn lose_keys(&mut self, now: Time) {
        self.has_keys = false;
        self.ready = None;
        self.bearer.handle_link(LinkState::Down, now);
    }
}

/// What a peer's datagrams and packets need of the rest of the tunnel.
#[derive(Debug)]
pub(crate) struct Around<'t, N> {
    pub(crate) session: &'t mut Endpoint,
    pub(crate) outbox: &'t mut Outbox,
    pub(crate) allowed: &'t AllowedAddresses,
    pub(crate) network: &'t mut N,
    pub(crate) counters: &'t mut Counters,
}

impl Peer {
    /// Pumps until quiet: a departure may make room for a packet, and that a frame. Returns when it is to be looked after.
    pub(crate) fn settle<N: NetworkLayer>(
        &mut self,
        index: usize,
        around: &mut Around<'_, N>,
        now: Time,
    ) -> Result<Option<Time>, NetError> {
        loop {
            let Self { id, bearer, ready, departed, .. } = self;
            let mut port = PeerPort {
                id: *id,
                index,
                around: Around {
                    session: around.session,
                    outbox: around.outbox,
                    allowed: around.allowed,
                    network: around.network,
                    counters: around.counters,
                },
                ready,
                departed,
                deadline: None,
                has_lost_keys: false,
                failed: Ok(()),
            };
            pump(bearer, &mut port, now);
            let PeerPort { deadline, has_lost_keys, failed, .. } = port;
            failed?;
            if has_lost_keys {
                self.lose_keys(now);
            }
            if self.departed.is_empty() || around.outbox.is_blocked() {
                return Ok(deadline.filter(|_| !has_lost_keys));
            }
            for (tag, ticket) in self.departed.drain(..) {
                self.bearer.handle_departure(tag, ticket, Departure::Sent, now);
            }
        }
    }
}

/// Where the outputs of a peer's link go.
struct PeerPort<'p, N> {
    id: PeerId,
    index: usize,
    around: Around<'p, N>,
    ready: &'p mut Option<Frame>,
    departed: &'p mut Vec<(Tag, Ticket)>,
    deadline: Option<Time>,
    has_lost_keys: bool,
    failed: Result<(), NetError>,
}

impl<N: NetworkLayer> Port for PeerPort<'_, N> {
    fn room(&self) -> Option<Octets> {
        let is_free = self.ready.is_none() && self.around.outbox.has_room() && !self.has_lost_keys;
        is_free.then_some(Octets::MAX)
    }

    fn hand_over(&mut self, frame: Frame, _: Time) -> Result<(), Frame> {
        *self.ready = Some(frame);
        Ok(())
    }

    fn take_ready(&mut self) -> Option<Frame> {
        if self.around.outbox.has_room() { self.ready.take() } else { None }
    }

    fn transmit(&mut self, datagram: Frame, now: Time) {
        let Around { session, outbox, counters, .. } = &mut self.around;
        match outbox.seal(session, self.id, &datagram, now) {
            Ok(()) => {}
            Err(NotSealed::NoKeys | NotSealed::Refused(_) | NotSealed::NoAddress | NotSealed::NoPeer) => {
                self.has_lost_keys = true;
                counters.datagrams_not_sealed += 1;
            }
            Err(NotSealed::NoRoom) => counters.datagrams_not_sealed += 1,
        }
        self.departed.extend(datagram.ticket.map(|ticket| (datagram.tag, ticket)));
    }

    fn deliver(&mut self, packet: Packet, _: Time) {
        let Around { allowed, network, counters, .. } = &mut self.around;
        let Some(headers) = Headers::read(&packet.octets) else {
            counters.not_packets_received += 1;
            return;
        };
        if allowed.find(headers.source) != Some(self.index) {
            counters.sources_not_allowed += 1;
            return;
        }
        match network.deliver(&packet.octets) {
            Ok(true) => counters.packets_delivered += 1,
            Ok(false) => counters.packets_refused_here += 1,
            Err(error) => self.failed = Err(error),
        }
    }

    fn wake_at(&mut self, deadline: Option<Time>) {
        self.deadline = deadline;
    }

    fn finish(&mut self, _: Time) {}
}
