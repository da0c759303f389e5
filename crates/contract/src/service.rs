//! The contract between a service and whoever owns it: the joint on which everything else hangs.
//!
//! A service sends when its owner has a *transmission opportunity* for it: [`LinkService::poll_frame`] is told how large a
//! frame may be, and hands over one that fits. So segmentation, the packing of small frames and the path's MTU are one
//! argument, as in the schedulers of cellular networks (3GPP TS 25.321 §11.4: MAC says how much RLC may send).
//!
//! A frame of ours has three moments. It is *handed over* to the queue below ([`LinkService::poll_frame`]); it
//! *starts*, its first bit goes out ([`LinkService::start_frame`]); it has *departed*, its last bit is out, or the
//! queue had no room for it ([`LinkService::handle_departure`]). A retransmission timer may start at any of the three.
//!
//! Neither of the latter two has a default body: a wrapper that forgot to forward one would compile, and lose its timers. Both
//! carry the frame's tag, by which a multiplexer finds the service concerned.
//!
//! There are no output events. Services report by [`Counters`] what their owner needs to know, such as the frames that they
//! gave up; events come with the first service whose owner has to act at once.

use crate::{Counters, Frame, LineId, LineState, Packet, ServiceId, Tag, Ticket, Turn};
use arqway_units::{BitRate, Octets, Span, Time};

/// One end of a link: packets of the network layer on one side, frames on the other.
///
/// The owner has time and I/O. After one or more `handle_*` calls it drains the `poll_*` methods, as [`pump`] does; then
/// it waits for input or until [`poll_timeout`](Self::poll_timeout).
///
/// The contract, asserted by [`Checked`](crate::Checked) in every test:
/// - `now` never decreases;
/// - after `handle_timeout(now)` the next deadline lies after `now`: a timer that fired is no longer due, even where
///   its frame still waits for the line;
/// - once drained, nothing new appears before the next `handle_*` or `start_frame`, but for packets after a frame was asked for, so frames
///   are drained first; a service that had no frame for a room has none for a smaller one;
/// - a frame fits into the room that it was asked for;
/// - while the link is down no deadline is set and no frame is handed over.
pub trait LinkService {
    /// Takes a packet to carry. One without octets is dropped and counted: nothing is there to carry.
    ///
    /// # Errors
    /// Hands the packet back when the service holds all it may; it is the caller's to hold or to drop and count.
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full>;
    /// Takes a frame of the peer; one that cannot be decoded is counted, never an error.
    fn handle_frame(&mut self, frame: Frame, now: Time);
    /// Acts on every deadline at or before `now`.
    fn handle_timeout(&mut self, now: Time);
    /// Learns that the link below went down or came back: timers freeze, and go on where they were. A packet that became too
    /// old in the meantime is dropped when the link is back.
    fn handle_link(&mut self, state: LinkState, now: Time);
    /// Learns the rate of the link below and its round-trip time, where these are known: whoever keeps queues may size them by it.
    fn handle_capacity(&mut self, _rate: BitRate, _round_trip: Span) {}
    /// Learns the room of a whole transmission from now on, where its owner packs frames: it may ask for a frame in a smaller room, of what
    /// is left, and in a larger one, for what services cannot cut.
    fn handle_room(&mut self, _whole: Octets) {}
    /// Learns by which line the frames go that are asked for from now on, where there are several. Frames that it is given say by which line
    /// they have [come](Frame::line).
    fn handle_turn(&mut self, _turn: Turn) {}
    /// Learns what is known of a line, where there are several.
    fn handle_line(&mut self, _line: LineId, _state: LineState, _now: Time) {}
    /// Whether its frames may go by several lines, which do not keep their order among each other. Others are given one line at a time.
    fn spans_lines(&self) -> bool {
        false
    }

    /// The other end has begun anew, and knows nothing of what was before: this one carries nothing any more, and only its packets are still
    /// released. Whoever has promised something to a host says that it does not hold.
    fn handle_restart(&mut self) {}

    /// Hands the next frame over to the queue below: one that takes no more than `room` of the link, tag, head and body
    /// ([`Frame::size`]). A service that cuts packets makes it so; for others the next one waits for a larger room.
    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame>;
    /// A frame handed over earlier is about to be sent: the last chance to write a fresh acknowledgement into its
    /// head, or to withdraw it because its peer has it by now. It is asked once for each frame; what it says is done.
    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start;
    /// Learns what became of a frame handed over earlier with a ticket, unless it was withdrawn.
    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time);

    /// Releases the next packet to the network layer.
    fn poll_packet(&mut self) -> Option<Packet>;
    /// When `handle_timeout` is next due.
    fn poll_timeout(&self) -> Option<Time>;

    /// Whether its next frame of this room takes another packet: none waits in it that has not been in a frame, or, where
    /// packets share frames, too few to fill one. So whoever owns a queue keeps packets there until the service can use
    /// them, where they can still be dropped.
    fn wants_packet(&self, room: Octets) -> bool;

    /// How large a packet it carries in frames of this room, in octets; nothing where not even a head fits. What is larger
    /// the owner answers ("too big", RFC 792, RFC 4443) and never gives to the service.
    fn largest_packet(&self, room: Octets) -> Octets;

    /// How large a packet may be that goes where this one does: of several services side by side, the others may carry less.
    fn largest_packet_like(&self, packet: &Packet, room: Octets) -> Octets {
        let _ = packet;
        self.largest_packet(room)
    }

    /// What it has counted since it was made.
    fn counters(&self) -> Counters;
}

/// A packet handed back: the service holds all it may.
///
/// Until something else happens at that service, it takes no other packet either; packets for other services of the
/// same link may still find room. So an owner that holds packets keeps a queue a service, and those behind a full one
/// need not wait.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the service holds all the packets it may")]
pub struct Full {
    /// The packet, as it was given.
    pub packet: Packet,
    /// Which service of the link has no room; 0 where there is only one.
    pub service: ServiceId,
}

impl Full {
    /// What a service that knows of no other hands back.
    #[must_use]
    pub fn of(packet: Packet) -> Self {
        Self { packet, service: ServiceId::default() }
    }
}

/// Whether the link below carries frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    /// Frames cross it, or are lost by its errors.
    Up,
    /// It is known that nothing crosses it.
    Down,
}

/// Which end of the link: few services care, those that help one direction only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The end with the network behind it.
    AccessPoint,
    /// The end of the user.
    Client,
}

/// What a service knows of the link when it is built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkContext {
    /// Which end it is.
    pub side: Side,
    /// The largest frame that the link carries.
    pub room: Octets,
    /// How fast this end sends, where that is known.
    pub rate: Option<BitRate>,
    /// How long a frame takes one way besides the time that it takes to send, where that is known.
    pub delay: Option<Span>,
    /// What nobody else knows, drawn at each start: who would choose flows by their hash is to have no use of it.
    pub seed: u64,
}

/// An end of a link that carries frames of any size, and of which nothing else is known.
impl From<Side> for LinkContext {
    fn from(side: Side) -> Self {
        Self { side, room: Octets::MAX, rate: None, delay: None, seed: 0 }
    }
}

/// What to do with a frame whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Start {
    /// Send it.
    Send,
    /// Drop it: its peer has it by now.
    Withdraw,
}

/// How a frame left the queue below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Departure {
    /// Its last bit has gone out.
    Sent,
    /// The queue had no room for it: it will never start.
    Dropped,
}

/// Where one end's outputs go: the simulator has one implementation, the tunnel another.
pub trait Port {
    /// How many lines there are. What the port is asked and given is about the one that it was [turned to](Self::turn_to) last.
    fn lines(&self) -> usize {
        1
    }
    /// Whatever comes next is about this line, where there are several.
    fn turn_to(&mut self, _line: LineId) {}
    /// How large a frame may be handed over now; `None` while there is no room for any. A drop-tail queue has room without
    /// end ([`Octets::MAX`]), and counts what it drops.
    fn room(&self) -> Option<Octets>;
    /// Takes a frame into the queue, or hands it back when there is no room for it.
    ///
    /// # Errors
    /// The frame that a drop-tail queue drops.
    fn hand_over(&mut self, frame: Frame, now: Time) -> Result<(), Frame>;
    /// The head of the queue, if the line is free to send it now.
    fn take_ready(&mut self) -> Option<Frame>;
    /// Sends a frame that was ready. When it has left, the owner tells the service by
    /// [`handle_departure`](LinkService::handle_departure), if the frame has a ticket.
    fn transmit(&mut self, frame: Frame, now: Time);
    /// Takes a packet for the network layer.
    fn deliver(&mut self, packet: Packet, now: Time);
    /// Learns when [`LinkService::handle_timeout`] is next due.
    fn wake_at(&mut self, deadline: Option<Time>);
    /// The turn is over: what was transmitted or delivered in it may leave as a batch.
    fn finish(&mut self, now: Time);
}

/// Drains a service into a port: hand over, start or withdraw, until nothing more starts; deliver; then the deadline,
/// late, because a start may have moved it; and the end of the turn. The only place that knows this order.
pub fn pump(service: &mut (impl LinkService + ?Sized), port: &mut impl Port, now: Time) {
    match port.lines() {
        1 => {
            send_all(service, port, now);
        }
        lines => while LineId::first(lines).filter(|line| send_by(*line, service, port, now)).count() > 0 {},
    }
    while let Some(packet) = service.poll_packet() {
        port.deliver(packet, now);
    }
    port.wake_at(service.poll_timeout());
    port.finish(now);
}

/// Sends what is to go by one line of several. Whether anything has, or waits for its turn there: another line may have to send a copy.
fn send_by(line: LineId, service: &mut (impl LinkService + ?Sized), port: &mut impl Port, now: Time) -> bool {
    port.turn_to(line);
    service.handle_turn(Turn::of(line));
    send_all(service, port, now)
}

/// Hands over and starts frames until nothing more starts. Whether any were.
fn send_all(service: &mut (impl LinkService + ?Sized), port: &mut impl Port, now: Time) -> bool {
    let mut has_any = false;
    loop {
        has_any |= hand_over_all(service, port, now);
        let Some(mut frame) = port.take_ready() else { return has_any };
        has_any = true;
        if service.start_frame(&mut frame, now) == Start::Send {
            port.transmit(frame, now);
        }
    }
}

/// Fills the queue. Whether there was anything for it.
fn hand_over_all(service: &mut (impl LinkService + ?Sized), port: &mut impl Port, now: Time) -> bool {
    let mut has_any = false;
    while let Some(room) = port.room() {
        let Some(frame) = service.poll_frame(now, room) else { break };
        has_any = true;
        if let Err(dropped) = port.hand_over(frame, now)
            && let Some(ticket) = dropped.ticket
        {
            service.handle_departure(dropped.tag, ticket, Departure::Dropped, now);
        }
    }
    has_any
}
