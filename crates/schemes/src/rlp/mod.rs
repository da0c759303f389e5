//! Karn's radio link protocol: negative acknowledgements only, a few retransmissions, then the frame is given up
//! (P. Karn 1993; multiservice §III). A second variant releases packets as they arrive.
//!
//! ```text
//!     sender                          receiver
//!       | data 0 ------------------->   | deliver 0
//!       | data 1 -----x                 |
//!       | data 2 ------------------->   | in sequence: keep 2;   as received: deliver 2
//!       |   <----------------- NACK 1   |
//!       | repair 1 ---x                 |
//!       |   <----------------- NACK 1   | (0.1 s later, up to 3 times)
//!       | repair 1 ------------------>  | in sequence: deliver 1, 2;   as received: deliver 1
//!       |                               |
//!       | keepalive 3 --------------->  | (when the line has been idle for 0.02 s) 0, 1, 2 were all
//! ```
//!
//! - Nothing is acknowledged, so the sender never stalls: it keeps its last frames, and what was asked for goes out before
//!   what is new.
//! - The receiver counts. It asks for each missing frame at once, again whenever the timeout is over, `retransmissions` times
//!   in all, and then gives it up: what waits behind it is released.
//! - A keepalive says how many frames there were, so that a loss at the end of a burst shows. Karn's keepalives go on for as
//!   long as the line is idle; these stop after a number that is set, so that an idle end comes to rest.
//! - A packet that stands alone, a ping, a question, may be sent a second time a while later: who waits for it need not wait for a
//!   request as well.
//! - On a link of several lines each frame may go a second time, by another line (`duplicate`): what one of them loses is there at once,
//!   and nothing is missed where one of them dies. Numbers are long there.
//! - In sequence, packets come out in order and at most once, whatever is lost, as long as frames do not overtake one another.
//! - A gap is left only where as many requests went out as are set, and each was lost or answered by a frame that was; or
//!   where no later frame and no keepalive arrived. Both hold while at most 223 data frames in a row are lost, which is as
//!   far as one octet counts, and the queue below holds less than the window.

mod config;
mod copies;
#[cfg(feature = "fuzz")]
mod fuzz;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;
mod wire;

pub use config::Config;
pub use wire::{Form, Missing, Pdu, parse};

use arqway_arq::earliest;
use arqway_contract::{
    Clock, Counters, Deadlines, Departure, Entity, Frame, LineId, LineState, Packet, Start, Tag, Ticket,
};
use arqway_units::Octets;
use bytes::Bytes;
use receiver::{Received, Receiver};
use sender::Sender;

/// Its two halves.
#[derive(Debug)]
pub struct Rlp {
    sender: Sender,
    receiver: Receiver,
}

impl Rlp {
    fn new(config: &Config) -> Self {
        Self { sender: Sender::new(config), receiver: Receiver::new(config) }
    }
}

impl Entity for Rlp {
    fn has_room(&self) -> bool {
        !self.sender.is_full()
    }

    fn wants_packet(&self, _room: Octets) -> bool {
        self.sender.waiting.is_empty()
    }

    fn push(&mut self, packet: Packet, _now: Clock, _counters: &mut Counters) {
        self.sender.push(packet);
    }

    fn receive(&mut self, frame: Frame, Clock { now, .. }: Clock, counters: &mut Counters) -> Option<()> {
        match wire::parse(frame)? {
            Pdu::Data { number, form, packet } => {
                self.receiver.receive(Received { is_repair: false, number, form, packet }, now, counters)?;
            }
            Pdu::Repair { number, form, packet } => {
                self.receiver.receive(Received { is_repair: true, number, form, packet }, now, counters)?;
            }
            Pdu::Nack(missing) => self.sender.request(&missing),
            Pdu::Keepalive { next } => self.receiver.keepalive(next, now, counters),
        }
        Some(())
    }

    fn expire(&mut self, now: Clock, counters: &mut Counters) {
        self.receiver.handle_timeout(now, counters);
        self.sender.handle_timeout(now.timers);
    }

    fn poll(&mut self, _now: Clock, _room: Octets, counters: &mut Counters) -> Option<Frame> {
        if let Some(nack) = self.receiver.poll_nack() {
            counters.rejects_sent += 1;
            return Some(nack);
        }
        self.sender.poll(counters)
    }

    fn line_is(&mut self, _line: LineId, _state: LineState, _now: Clock) {
        self.sender.learn_lines();
    }

    fn start(&mut self, frame: &mut Frame, Clock { timers, .. }: Clock, _counters: &mut Counters) -> Start {
        if let Some(ticket) = frame.ticket
            && wire::is_nack(frame.tag)
        {
            self.receiver.nack_gone(ticket.number(), timers);
        }
        Start::Send
    }

    fn departed(&mut self, tag: Tag, ticket: Ticket, departure: Departure, Clock { timers, .. }: Clock) {
        match (wire::is_nack(tag), departure) {
            (true, Departure::Dropped) => self.receiver.nack_gone(ticket.number(), timers),
            (true, Departure::Sent) => {}
            (false, _) => self.sender.departed(ticket, timers),
        }
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        room - Frame::TAG - self.sender.head_of_data()
    }

    fn release(&mut self, counters: &mut Counters) -> Option<Bytes> {
        let Self { sender, receiver } = self;
        sender.buffer.release(|| receiver.poll_packet(), counters)
    }

    fn deadlines(&self) -> Deadlines {
        Deadlines::of_timers(earliest(self.sender.deadline(), self.receiver.deadline()))
    }
}
