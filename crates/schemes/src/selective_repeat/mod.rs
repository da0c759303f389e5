//! Selective Repeat with multireject, delayed and piggybacked acknowledgements, and a retransmission timer a frame, fixed
//! (monet08 §IV; multireject after Brady 1987) or adaptive (§V).
//!
//! ```text
//!     sender                          receiver
//!       | data 0 ------------------->   | deliver 0, start the delayed acknowledgement
//!       | data 1 -----x                 |
//!       | data 2 ------------------->   | keep 2; 1 is missing
//!       |   <----------- reject 1, N(R)=1
//!       | data 1 ------------------->   | deliver 1, 2
//!       |   <----- acknowledgement N(R)=3 (when 0.5 s are over, or on a data frame that goes that way)
//! ```
//!
//! - A frame whose timer expires is sent again, and no other.
//! - When a frame that was rejected arrives, everything rejected before it and still missing is rejected again; two simpler
//!   ways to reject are settings.
//! - Packets leave in the order that is set ([`arqway_arq::Resequencing`]); what is asked for and acknowledged is the same in all.
//! - Every frame carries N(R), written when the frame starts, not when it is handed over.
//! - The window reaches half the modulus, so frames may be lost or doubled but must not overtake one another: an old
//!   copy that arrived a whole window late could pass for a new frame.
//! - A drop-tail queue below should hold twice the window, and the timeout should outlast it. In a smaller one copies of
//!   frames that the peer keeps, but cannot acknowledge past a gap, may crowd out the one frame that fills the gap. A
//!   back-pressured queue has no such limit.

mod config;
#[cfg(feature = "fuzz")]
mod fuzz;
mod receiver;
mod samples;
mod sender;
#[cfg(test)]
mod tests;
mod timeout;
mod wire;

pub use config::{Config, Rejects, TimerStarts, WindowSize, WindowSizeError};
pub use samples::Samples;
pub use timeout::{EstimatorConfig, Policy, PolicyError, Timeout};

use arqway_arq::{Resequencing, earliest};
use arqway_contract::{Clock, Counters, Deadlines, Departure, Entity, Frame, Packet, Start, Tag, Ticket};
use arqway_units::Octets;
use bytes::Bytes;
use receiver::Receiver;
use sender::Sender;
use wire::Number;
pub use wire::{Pdu, parse};

/// Its two halves, and what concerns both.
#[derive(Debug)]
pub struct SelectiveRepeat {
    sender: Sender,
    receiver: Receiver,
    timer_starts: TimerStarts,
    drop_stale_copies: bool,
    resequencing: Resequencing,
}

impl SelectiveRepeat {
    fn new(config: &Config) -> Self {
        Self {
            sender: Sender::new(config),
            receiver: Receiver::new(config),
            timer_starts: config.timer_starts,
            drop_stale_copies: config.drop_stale_copies,
            resequencing: config.resequencing.clone(),
        }
    }

    /// The data frame that a ticket was given to.
    fn number_of(ticket: Ticket) -> Number {
        Number::new(ticket.number())
    }
}

impl Entity for SelectiveRepeat {
    fn has_room(&self) -> bool {
        !self.sender.is_full()
    }

    fn wants_packet(&self, _room: Octets) -> bool {
        !self.sender.has_new()
    }

    fn push(&mut self, packet: Packet, _now: Clock, _counters: &mut Counters) {
        self.sender.push(packet);
    }

    fn receive(&mut self, frame: Frame, Clock { now, timers }: Clock, counters: &mut Counters) -> Option<()> {
        match wire::parse(frame)? {
            Pdu::Data { next, number, link, packet } => {
                let link = self.resequencing.link_of(link.map(u32::from))?;
                self.sender.acknowledge(next, Some(timers));
                if let Some(number) = self.receiver.note(number, timers, counters) {
                    self.receiver.receive(number, link, packet, now, counters);
                }
            }
            Pdu::Acknowledgement { next } => self.sender.acknowledge(next, Some(timers)),
            Pdu::Reject { next, missing } => {
                // A reject tells nothing of when the frames that it acknowledges arrived: no sample.
                self.sender.acknowledge(next, None);
                self.sender.reject(missing);
            }
        }
        Some(())
    }

    fn expire(&mut self, Clock { timers, .. }: Clock, counters: &mut Counters) {
        self.receiver.handle_timeout(timers);
        self.sender.handle_timeout(timers, counters);
    }

    fn poll(&mut self, Clock { timers, .. }: Clock, _room: Octets, counters: &mut Counters) -> Option<Frame> {
        if let Some(missing) = self.receiver.poll_reject() {
            counters.rejects_sent += 1;
            return Some(wire::reject(missing));
        }
        if self.receiver.poll_acknowledgement() {
            counters.acknowledgements_sent += 1;
            return Some(wire::acknowledgement());
        }
        let (number, link, packet) = self.sender.poll(counters)?;
        if self.timer_starts == TimerStarts::HandOver {
            self.sender.start_timer(number, timers);
        }
        let mut frame = wire::data(number, link, packet);
        frame.ticket = Some(Ticket::new(number.as_u64()));
        Some(frame)
    }

    fn start(&mut self, frame: &mut Frame, Clock { timers, .. }: Clock, counters: &mut Counters) -> Start {
        if let Some(number) = frame.ticket.map(Self::number_of) {
            if self.drop_stale_copies && !self.sender.is_outstanding(number) {
                counters.frames_withdrawn += 1;
                return Start::Withdraw;
            }
            if self.timer_starts == TimerStarts::Start {
                self.sender.start_timer(number, timers);
            }
        }
        wire::write_next(frame, self.receiver.acknowledge());
        Start::Send
    }

    fn departed(&mut self, _tag: Tag, ticket: Ticket, departure: Departure, Clock { timers, .. }: Clock) {
        if self.timer_starts.at(departure) {
            self.sender.start_timer(Self::number_of(ticket), timers);
        }
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        room - Frame::TAG - wire::head_of_data(self.sender.buffer.bears_links())
    }

    fn release(&mut self, counters: &mut Counters) -> Option<Bytes> {
        let Self { sender, receiver, .. } = self;
        sender.buffer.release(|| receiver.poll_packet(), counters)
    }

    fn deadlines(&self) -> Deadlines {
        Deadlines::of_timers(earliest(self.sender.deadline(), self.receiver.deadline()))
    }
}
