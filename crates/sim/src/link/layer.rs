//! What an end of the wireless link has for its link layer: the services alone, on a line that tells when it is free, or under
//! a bearer, on a path that carries datagrams.

use arqway_link::bearer::{self, Bearer};
use arqway_link::mux::{self, ConfigError};
use arqway_link::{
    Counters, Departure, Frame, Full, LineId, LineState, LinkContext, LinkService, LinkState, Mux, Packet, Start, Tag,
    Ticket, Turn,
};
use arqway_units::{BitRate, Octets, Span, Time};

/// The link layer of one end.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there are two in a world, most often without a bearer")]
pub(crate) enum Layer {
    /// Frames go onto the line themselves.
    Services(Mux),
    /// They go in datagrams.
    Bearer(alloc::boxed::Box<Bearer<Mux>>),
}

impl Layer {
    /// The link layer of an end; a bearer has a boot number.
    ///
    /// # Errors
    /// Services that cannot be set up so.
    pub(crate) fn new(
        services: &mux::Config,
        bearer: Option<(&bearer::Config, u64)>,
        context: &LinkContext,
    ) -> Result<Self, ConfigError> {
        let Some((bearer, boot)) = bearer else { return Mux::new(services, context).map(Self::Services) };
        let plan = services.plan()?;
        let build = move |context: &LinkContext| plan.build(context);
        Ok(Self::Bearer(alloc::boxed::Box::new(Bearer::new(bearer.clone(), build, *context, boot, Time::ZERO))))
    }

    /// A session below, which the simulator does not have, has met the peer's incarnation of this boot number.
    pub(crate) fn meet(&mut self, boot: u64) {
        if let Self::Bearer(bearer) = self {
            bearer.meet(boot, Time::ZERO);
        }
    }

    /// The services, to set which flow has which, and their shares.
    pub(crate) fn mux_mut(&mut self) -> &mut Mux {
        match self {
            Self::Services(mux) => mux,
            Self::Bearer(bearer) => bearer.inner_mut(),
        }
    }

    /// The services.
    pub(crate) fn mux(&self) -> &Mux {
        match self {
            Self::Services(mux) => mux,
            Self::Bearer(bearer) => bearer.inner(),
        }
    }
}

/// Passes a call on.
macro_rules! either {
    ($self:ident, $layer:ident => $call:expr) => {
        match $self {
            Layer::Services($layer) => $call,
            Layer::Bearer($layer) => $call,
        }
    };
}

impl LinkService for Layer {
    #[inline]
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        either!(self, layer => layer.handle_packet(packet, now))
    }

    #[inline]
    fn handle_frame(&mut self, frame: Frame, now: Time) {
        either!(self, layer => layer.handle_frame(frame, now));
    }

    #[inline]
    fn handle_timeout(&mut self, now: Time) {
        either!(self, layer => layer.handle_timeout(now));
    }

    #[inline]
    fn handle_link(&mut self, state: LinkState, now: Time) {
        either!(self, layer => layer.handle_link(state, now));
    }

    #[inline]
    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        either!(self, layer => layer.poll_frame(now, room))
    }

    #[inline]
    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        either!(self, layer => layer.start_frame(frame, now))
    }

    #[inline]
    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        either!(self, layer => layer.handle_departure(tag, ticket, departure, now));
    }

    #[inline]
    fn handle_capacity(&mut self, rate: BitRate, round_trip: Span) {
        either!(self, layer => layer.handle_capacity(rate, round_trip));
    }

    fn handle_restart(&mut self) {
        either!(self, layer => layer.handle_restart());
    }

    fn handle_room(&mut self, whole: Octets) {
        either!(self, layer => layer.handle_room(whole));
    }

    fn handle_turn(&mut self, turn: Turn) {
        either!(self, layer => layer.handle_turn(turn));
    }

    fn handle_line(&mut self, line: LineId, state: LineState, now: Time) {
        either!(self, layer => layer.handle_line(line, state, now));
    }

    fn spans_lines(&self) -> bool {
        either!(self, layer => layer.spans_lines())
    }

    #[inline]
    fn poll_packet(&mut self) -> Option<Packet> {
        either!(self, layer => layer.poll_packet())
    }

    #[inline]
    fn poll_timeout(&self) -> Option<Time> {
        either!(self, layer => layer.poll_timeout())
    }

    #[inline]
    fn wants_packet(&self, room: Octets) -> bool {
        either!(self, layer => layer.wants_packet(room))
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        either!(self, layer => layer.largest_packet(room))
    }

    fn largest_packet_like(&self, packet: &Packet, room: Octets) -> Octets {
        either!(self, layer => layer.largest_packet_like(packet, room))
    }

    fn counters(&self) -> Counters {
        either!(self, layer => layer.counters())
    }
}
