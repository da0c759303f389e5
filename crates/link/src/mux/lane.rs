//! A service of the multiplexer with all that belongs to it alone.
//!
//! ```text
//!     packet -> [ queue of its class ] -> [ headers shortened, or TCP split ] -> service -> frame with its number
//!                                                                      \-> packet           octets of both are counted
//! ```

use super::queue::ClassQueue;
use super::short_headers::ShortHeaders;
use super::split::{Carried, Split};
use crate::metrics::{EndMetrics, Totals};
use crate::registry::ServiceConfig;
use alloc::boxed::Box;
use arqway_arq::earliest;
use arqway_contract::{Counters, Frame, Full, LinkService, LinkState, Packet, ServiceId, Start, Turn};
use arqway_units::{BitRate, Octets, Span, Time};

/// A service, and the queue in front of it.
#[derive(Debug)]
pub(super) struct Lane<S> {
    id: ServiceId,
    pub(super) service: S,
    /// Where packets wait until the service wants them.
    pub(super) queue: Option<ClassQueue>,
    stage: Stage,
    /// Whether its receiver knows what is lost.
    knows_losses: bool,
    /// What its frames that started had, tags and heads included.
    link_octets: u64,
    /// What the packets had that came out of it.
    delivered_octets: u64,
    /// By which line its frames go that are asked for now.
    turn: Turn,
    /// Whether they also go by a second one.
    pub(super) duplicates: bool,
    /// What it is, where that says how it recovers losses.
    config: Option<Box<ServiceConfig>>,
}

/// What stands between queue and service.
#[derive(Debug, Default)]
pub(super) enum Stage {
    #[default]
    Nothing,
    /// Headers of UDP are shortened.
    ShortHeaders(Box<ShortHeaders>),
    /// TCP ends here.
    Split(Box<Split>),
}

impl<S: LinkService> Lane<S> {
    /// Nothing waits, and nothing was sent.
    pub(super) fn new(id: ServiceId, service: S, queue: Option<ClassQueue>, knows_losses: bool) -> Self {
        Self {
            id,
            service,
            queue,
            stage: Stage::Nothing,
            knows_losses,
            link_octets: 0,
            delivered_octets: 0,
            turn: Turn::default(),
            duplicates: false,
            config: None,
        }
    }

    /// The same with something between queue and service.
    pub(super) fn with(self, stage: Stage) -> Self {
        Self { stage, ..self }
    }

    /// The same where its frames also go by a second line.
    pub(super) fn duplicating(self, duplicates: bool) -> Self {
        Self { duplicates, ..self }
    }

    /// The same as a service that recovers losses as these settings say.
    pub(super) fn recovering(self, config: &ServiceConfig) -> Self {
        Self { config: Some(Box::new(config.clone())), ..self }
    }

    /// The share of packets that it loses on a line that loses so much.
    pub(super) fn residual_loss(&self, loss: f64) -> f64 {
        self.config.as_ref().map_or(loss, |config| config.residual_loss(loss))
    }

    /// By which line its frames go from now on.
    pub(super) fn set_turn(&mut self, turn: Turn) {
        self.turn = turn;
        self.service.handle_turn(turn);
    }

    /// How much waits in its queue; where it has none, nobody knows.
    pub(super) fn waiting(&self) -> Option<Octets> {
        self.queue.as_ref().map(ClassQueue::waiting)
    }

    /// Whether much at once is worth more to it than little soon.
    pub(super) fn wants_rate(&self) -> bool {
        self.queue.as_ref().is_some_and(ClassQueue::is_held_back)
    }

    /// The packet whose turn it is; for a line that is slower than others one of the flow that has most of them.
    fn next_packet(&mut self, now: Time) -> Option<Packet> {
        let queue = self.queue.as_mut()?;
        if self.turn.is_soonest { queue.pop(now) } else { queue.pop_of_longest(now) }
    }

    /// Takes a packet of its class.
    pub(super) fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        let service = self.id;
        if let Stage::Split(split) = &mut self.stage {
            split.hear(&packet, now);
        }
        match &mut self.queue {
            // What has no octets the service counts, and nobody carries.
            Some(queue) if !packet.octets.is_empty() => {
                queue.push(packet, now).map_err(|packet| Full { packet, service })
            }
            _ => self.give(packet, now).map_err(|packet| Full { packet, service }),
        }
    }

    /// Gives the service a packet, its headers shortened where that is set, and its host answered where TCP ends here.
    ///
    /// # Errors
    /// The packet as it was.
    fn give(&mut self, packet: Packet, now: Time) -> Result<(), Packet> {
        match &mut self.stage {
            Stage::Nothing => self.service.handle_packet(packet, now).map_err(|full| full.packet),
            Stage::ShortHeaders(headers) => {
                let short = headers.shorten(&packet, now);
                self.service.handle_packet(short, now).map_err(|_| packet)
            }
            Stage::Split(split) => {
                let Carried::Packet(carried, seen) = split.carried(&packet, now) else { return Ok(()) };
                if self.service.handle_packet(carried, now).is_err() {
                    return Err(packet);
                }
                if let Some(seen) = seen {
                    split.given(&packet, &seen);
                }
                Ok(())
            }
        }
    }

    /// Takes what has come out of the service, and gives it what is of this end's own.
    fn restore(&mut self, now: Time, room: Octets) {
        if matches!(self.stage, Stage::Nothing) {
            return;
        }
        self.stage.set_now(now);
        while let Some(packet) = self.service.poll_packet() {
            self.stage.restore(packet);
        }
        while self.service.wants_packet(room)
            && let Some(own) = self.stage.own_packet()
        {
            if let Err(Full { packet, .. }) = self.service.handle_packet(own, now) {
                self.stage.take_back(packet);
                return;
            }
        }
    }

    /// Gives the service packets that wait, as many as its next frame takes.
    #[inline]
    pub(super) fn feed(&mut self, now: Time, room: Octets) {
        self.restore(now, room);
        while self.service.wants_packet(room)
            && self.turn.is_for_new
            && let Some(packet) = self.next_packet(now)
        {
            if let Err(packet) = self.give(packet, now) {
                self.queue.iter_mut().for_each(|queue| queue.put_back(packet.clone()));
                return;
            }
        }
    }

    /// The service's next frame, with its number.
    #[inline]
    pub(super) fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        let mut frame = self.service.poll_frame(now, room)?;
        frame.tag = frame.tag.with_service(self.id);
        Some(frame)
    }

    /// A frame of its service goes out.
    pub(super) fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        let start = self.service.start_frame(frame, now);
        if start == Start::Send {
            self.link_octets += frame.size().as_u64();
        }
        start
    }

    /// A packet that has come across.
    pub(super) fn poll_packet(&mut self) -> Option<Packet> {
        let packet = match &mut self.stage {
            Stage::Nothing => self.service.poll_packet()?,
            stage => {
                while let Some(packet) = self.service.poll_packet() {
                    stage.restore(packet);
                }
                stage.poll_packet()?
            }
        };
        self.delivered_octets += packet.octets.len() as u64;
        Some(packet)
    }

    /// A frame of its service has come.
    pub(super) fn handle_frame(&mut self, frame: Frame, now: Time) {
        self.stage.set_now(now);
        self.service.handle_frame(frame, now);
    }

    /// Acts on every deadline that is due.
    pub(super) fn handle_timeout(&mut self, now: Time) {
        if self.service.poll_timeout().is_some_and(|deadline| deadline <= now) {
            self.service.handle_timeout(now);
        }
        if let Stage::Split(split) = &mut self.stage {
            split.handle_timeout(now);
        }
    }

    /// When [`handle_timeout`](Self::handle_timeout) is next due.
    #[inline]
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        let of_service = self.service.poll_timeout();
        match &self.stage {
            Stage::Split(split) => earliest(of_service, split.poll_timeout()),
            Stage::Nothing | Stage::ShortHeaders(_) => of_service,
        }
    }

    /// Whether there is a packet for the network layer that the service does not know.
    #[inline]
    pub(super) fn has_packet(&self) -> bool {
        matches!(&self.stage, Stage::Split(split) if split.has_packet())
    }

    /// Whether TCP ends at both ends for the connection of a packet of this end's host.
    pub(super) fn is_split(&self, packet: &[u8]) -> bool {
        matches!(&self.stage, Stage::Split(split) if split.has(packet))
    }

    /// The other end has begun anew, and knows nothing of what was between both.
    pub(super) fn handle_restart(&mut self) {
        if let Stage::Split(split) = &mut self.stage {
            split.give_up();
        }
    }

    /// The link is down, or up.
    pub(super) fn handle_link(&mut self, state: LinkState, now: Time) {
        self.service.handle_link(state, now);
        if let Stage::Split(split) = &mut self.stage {
            split.set_down(state == LinkState::Down, now);
        }
        if let (LinkState::Up, Some(queue)) = (state, &mut self.queue) {
            queue.link_is_back(now);
        }
    }

    /// The link has this rate, and a round trip takes so long.
    pub(super) fn handle_capacity(&mut self, rate: BitRate, round_trip: Span) {
        if let Some(queue) = &mut self.queue {
            queue.set_capacity(rate, round_trip);
        }
        if let Stage::Split(split) = &mut self.stage {
            split.set_capacity(rate, round_trip);
        }
    }

    /// Lets the queue learn how long recovery takes, from what was sent since then.
    pub(super) fn learn_recovery(&mut self, then: &Totals) {
        if let (Some((frame, loss)), Some(queue)) = (self.totals().frames_since(then), &mut self.queue) {
            queue.set_recovery(frame, loss);
        }
    }

    /// What service and queue have counted.
    pub(super) fn counters(&self) -> Counters {
        let queued = self.queue.as_ref().map(ClassQueue::counters).unwrap_or_default();
        let of_service = self.service.counters();
        let of_both = match &self.stage {
            Stage::Nothing => of_service,
            Stage::ShortHeaders(headers) => headers.corrected(of_service),
            Stage::Split(split) => split.corrected(of_service),
        };
        of_both + queued
    }

    /// What it has done since it was made.
    pub(super) fn totals(&self) -> Totals {
        let Self { link_octets, delivered_octets, .. } = *self;
        Totals { counters: self.service.counters(), link_octets, delivered_octets }
    }

    /// What it has done since then.
    pub(super) fn metrics_since(&self, then: &Totals) -> EndMetrics {
        self.totals().since(then, self.knows_losses)
    }
}

impl Stage {
    fn set_now(&mut self, now: Time) {
        if let Self::Split(split) = self {
            split.set_now(now);
        }
    }

    /// Something came out of the service.
    fn restore(&mut self, packet: Packet) {
        match self {
            Self::Nothing => {}
            Self::ShortHeaders(headers) => headers.restore(packet),
            Self::Split(split) => split.restore(packet),
        }
    }

    /// The next packet for the network layer.
    fn poll_packet(&mut self) -> Option<Packet> {
        match self {
            Self::Nothing => None,
            Self::ShortHeaders(headers) => headers.poll_packet(),
            Self::Split(split) => split.poll_packet(),
        }
    }

    /// The next packet for the service that is not the network layer's.
    fn own_packet(&mut self) -> Option<Packet> {
        match self {
            Self::Nothing => None,
            Self::ShortHeaders(headers) => headers.confirmation(),
            Self::Split(split) => split.for_service(),
        }
    }

    /// The service has no room for it now.
    fn take_back(&mut self, packet: Packet) {
        match self {
            Self::Nothing => {}
            Self::ShortHeaders(headers) => headers.take_back(&packet),
            Self::Split(split) => split.take_back(packet),
        }
    }
}
