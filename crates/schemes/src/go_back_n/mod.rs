//! Go-back-n: cumulative acknowledgements, one timer, and after a timeout everything outstanding again (multiservice §III).
//!
//! ```text
//!     sender                          receiver
//!       | data 0 ------------------->   | deliver 0, start the delayed acknowledgement
//!       | data 1 -----x                 |
//!       | data 2 ------------------->   | not the next: dropped
//!       |   <----- acknowledgement N(R)=1 (when 0.05 s are over, or on a data frame that goes that way)
//!       |                               |
//!       | data 1 ------------------->   | deliver 1          (0.1 s after data 1 has left)
//!       | data 2 ------------------->   | deliver 2
//! ```
//!
//! - The receiver takes frames in sequence only and keeps none, so its memory is one number; nothing is rejected.
//! - The timer is that of the oldest unacknowledged frame. When it expires all unacknowledged frames go out again, in order.
//! - Every frame carries N(R), written when the frame starts, not when it is handed over.
//! - With all of the window unacknowledged the sender stalls, and pushes back.
//! - The window reaches the modulus less one, so frames may be lost or doubled but must not overtake one another: an old
//!   copy that arrived a whole turn of the numbers late could pass for a new frame.

mod config;
#[cfg(feature = "fuzz")]
mod fuzz;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;
mod wire;

pub use config::Config;
pub use wire::{Pdu, parse};

use arqway_arq::{TimerStarts, earliest};
use arqway_contract::{Clock, Counters, Deadlines, Departure, Entity, Frame, Packet, Start, Tag, Ticket};
use arqway_units::Octets;
use bytes::Bytes;
use receiver::Receiver;
use sender::{FrameCopy, Sender};

/// Its two halves, and what concerns both.
#[derive(Debug)]
pub struct GoBackN {
    sender: Sender,
    receiver: Receiver,
    timer_starts: TimerStarts,
    drop_stale_copies: bool,
}

impl GoBackN {
    fn new(config: &Config) -> Self {
        Self {
            sender: Sender::new(config),
            receiver: Receiver::new(config),
            timer_starts: config.timer_starts,
            drop_stale_copies: config.drop_stale_copies,
        }
    }
}

impl Entity for GoBackN {
    fn has_room(&self) -> bool {
        !self.sender.is_full()
    }

    fn wants_packet(&self, _room: Octets) -> bool {
        !self.sender.has_new()
    }

    fn push(&mut self, packet: Packet, _now: Clock, _counters: &mut Counters) {
        self.sender.push(packet);
    }

    fn receive(&mut self, frame: Frame, Clock { timers, .. }: Clock, counters: &mut Counters) -> Option<()> {
        match wire::parse(frame)? {
            Pdu::Data { next, number, packet } => {
                self.sender.acknowledge(next, timers, counters);
                self.receiver.receive(number, packet, timers, counters);
            }
            Pdu::Acknowledgement { next } => self.sender.acknowledge(next, timers, counters),
        }
        Some(())
    }

    fn expire(&mut self, Clock { timers, .. }: Clock, counters: &mut Counters) {
        self.receiver.acknowledgement.handle_timeout(timers);
        self.sender.handle_timeout(timers, counters);
    }

    fn poll(&mut self, Clock { timers, .. }: Clock, _room: Octets, counters: &mut Counters) -> Option<Frame> {
        if self.receiver.acknowledgement.poll() {
            counters.acknowledgements_sent += 1;
            return Some(wire::acknowledgement());
        }
        let (copy, packet) = self.sender.poll(counters)?;
        if self.timer_starts == TimerStarts::HandOver {
            self.sender.start_timer(copy, timers);
        }
        let mut frame = wire::data(copy.number, packet);
        frame.ticket = Some(copy.into());
        Some(frame)
    }

    fn start(&mut self, frame: &mut Frame, Clock { timers, .. }: Clock, counters: &mut Counters) -> Start {
        if let Some(copy) = frame.ticket.map(FrameCopy::from) {
            if self.drop_stale_copies && !self.sender.is_outstanding(copy.number) {
                counters.frames_withdrawn += 1;
                return Start::Withdraw;
            }
            if self.timer_starts == TimerStarts::Start {
                self.sender.start_timer(copy, timers);
            }
        }
        wire::write_next(frame, self.receiver.acknowledge());
        Start::Send
    }

    fn departed(&mut self, _tag: Tag, ticket: Ticket, departure: Departure, Clock { timers, .. }: Clock) {
        if self.timer_starts.at(departure) {
            self.sender.start_timer(ticket.into(), timers);
        }
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        room - Frame::TAG - wire::HEAD_OF_DATA
    }

    fn release(&mut self, _counters: &mut Counters) -> Option<Bytes> {
        self.receiver.poll_packet()
    }

    fn deadlines(&self) -> Deadlines {
        Deadlines::of_timers(earliest(self.sender.deadline(), self.receiver.acknowledgement.deadline()))
    }
}
