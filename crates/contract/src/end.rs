//! What every service does alike: it admits packets, lets a frame wait that does not fit, stops its clock while the link is
//! down, and counts what passes.
//!
//! ```text
//!              End<E>                                           E: Entity
//!     packet -> admitted or handed back  --------------------->  push
//!     frame  -> malformed? counted       --------------------->  receive
//!     time   -> two clocks, one of which stands still in an outage  ->  all; expire, deadlines
//!     frame  <- none while the link is down  <-----------------  poll
//!               waits if it does not fit
//!     packet <- counted  <--------------------------------------  release
//! ```
//!
//! A service is therefore only its [`Entity`]: both halves of its protocol at one end.

use super::clock::LinkClock;
use super::{
    Clock, Counters, Deadlines, Departure, Frame, Full, LineId, LineState, LinkService, LinkState, Packet, Start, Tag,
    Ticket, Turn,
};
use arqway_units::{Octets, Time};
use bytes::Bytes;

/// A protocol entity: what one end of a service does that other services do not.
pub trait Entity {
    /// Whether it takes another packet.
    fn has_room(&self) -> bool;
    /// Whether its next frame takes another packet, as in [`LinkService::wants_packet`]; there is room for one.
    fn wants_packet(&self, room: Octets) -> bool;
    /// Takes a packet to carry. It has octets, has not expired, and there is room for it.
    fn push(&mut self, packet: Packet, now: Clock, counters: &mut Counters);
    /// Takes a frame of the peer; `None` if it cannot be decoded.
    fn receive(&mut self, frame: Frame, now: Clock, counters: &mut Counters) -> Option<()>;
    /// Hands the next frame over to the queue below. The link is up. Whoever cuts packets does so for this room; what others
    /// have to send may be larger, and then waits for one.
    fn poll(&mut self, now: Clock, room: Octets, counters: &mut Counters) -> Option<Frame>;
    /// How large a packet it carries in frames of this room, as in [`LinkService::largest_packet`].
    fn largest_packet(&self, room: Octets) -> Octets;
    /// Releases the next packet to the network layer.
    fn release(&mut self, counters: &mut Counters) -> Option<Bytes>;

    /// The room of a whole transmission, as in [`LinkService::handle_room`].
    fn room_is(&mut self, _whole: Octets) {}
    /// Frames go by this line from now on, as in [`LinkService::handle_turn`].
    fn turn_is(&mut self, _turn: Turn) {}
    /// What is known of a line, as in [`LinkService::handle_line`].
    fn line_is(&mut self, _line: LineId, _state: LineState, _now: Clock) {}
    /// Whether its frames may go by several lines, as in [`LinkService::spans_lines`].
    fn spans_lines(&self) -> bool {
        false
    }
    /// A frame handed over earlier is about to be sent, as in [`LinkService::start_frame`].
    fn start(&mut self, _frame: &mut Frame, _now: Clock, _counters: &mut Counters) -> Start {
        Start::Send
    }
    /// A frame handed over earlier with a ticket was sent or dropped.
    fn departed(&mut self, _tag: Tag, _ticket: Ticket, _departure: Departure, _now: Clock) {}
    /// Acts on every deadline at or before `now`, each by its own clock. The link is up.
    fn expire(&mut self, _now: Clock, _counters: &mut Counters) {}
    /// When `expire` is next due.
    fn deadlines(&self) -> Deadlines {
        Deadlines::default()
    }
    /// The link is back: for what is to be said then. No timer needs anything.
    fn link_is_back(&mut self) {}
    /// What it has counted elsewhere is added.
    fn counters(&self, counted: Counters) -> Counters {
        counted
    }
}

/// One end of a service.
#[derive(Debug, Default)]
pub struct End<E> {
    entity: E,
    /// A frame that did not fit into the room that it was asked for.
    waiting: Option<Frame>,
    clock: LinkClock,
    counters: Counters,
}

impl<E: Entity> End<E> {
    /// An end with nothing sent and nothing received.
    #[must_use]
    pub fn new(entity: E) -> Self {
        Self { entity, waiting: None, clock: LinkClock::default(), counters: Counters::default() }
    }

    /// The entity inside.
    pub fn entity(&self) -> &E {
        &self.entity
    }
}

impl<E: Entity> LinkService for End<E> {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        if packet.octets.is_empty() {
            // Its frame would look cut short to the peer, who would never acknowledge it, and a window would wait for that
            // for ever.
            self.counters.packets_empty += 1;
            return Ok(());
        }
        if !self.entity.has_room() {
            self.counters.packets_refused += 1;
            return Err(Full::of(packet));
        }
        self.counters.packets_taken += 1;
        if packet.has_expired(now) {
            self.counters.packets_discarded += 1;
        } else {
            self.entity.push(packet, self.clock.read(now), &mut self.counters);
        }
        Ok(())
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        let read = self.entity.receive(frame, self.clock.read(now), &mut self.counters);
        self.counters.malformed_received += u64::from(read.is_none());
    }

    fn handle_timeout(&mut self, now: Time) {
        if !self.clock.stands() {
            self.entity.expire(self.clock.read(now), &mut self.counters);
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        match state {
            LinkState::Down => self.clock.stop(now),
            LinkState::Up => {
                if self.clock.go_on(now) {
                    self.entity.link_is_back();
                    // What became too old in the outage must not be the first thing to be sent.
                    self.handle_timeout(now);
                }
            }
        }
    }

    fn handle_room(&mut self, whole: Octets) {
        self.entity.room_is(whole);
    }

    fn handle_turn(&mut self, turn: Turn) {
        self.entity.turn_is(turn);
    }

    fn handle_line(&mut self, line: LineId, state: LineState, now: Time) {
        self.entity.line_is(line, state, self.clock.read(now));
    }

    fn spans_lines(&self) -> bool {
        self.entity.spans_lines()
    }

    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        if self.clock.stands() {
            return None;
        }
        if self.waiting.is_some() {
            return self.waiting.take_if(|next| next.size() <= room);
        }
        let next = self.entity.poll(self.clock.read(now), room, &mut self.counters)?;
        if next.size() <= room {
            return Some(next);
        }
        self.waiting = Some(next);
        None
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        self.entity.start(frame, self.clock.read(now), &mut self.counters)
    }

    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        self.entity.departed(tag, ticket, departure, self.clock.read(now));
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        let octets = self.entity.release(&mut self.counters)?;
        self.counters.packets_delivered += 1;
        Some(Packet::new(octets))
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.clock.true_time(self.entity.deadlines())
    }

    fn wants_packet(&self, room: Octets) -> bool {
        self.waiting.is_none() && self.entity.has_room() && self.entity.wants_packet(room)
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        self.entity.largest_packet(room)
    }

    fn counters(&self) -> Counters {
        self.entity.counters(self.counters)
    }
}
