//! Forward error correction: data frames go out as they are, and after every block of them one parity frame, from which a
//! single lost one is worked out (multiservice §III). The code is XOR; what a block is and what XOR does stand apart, so
//! that other codes can join.
//!
//! ```text
//!     sender                          receiver
//!       | data 0 ------------------->   | deliver 0
//!       | data 1 -----x                 |
//!       | data 2 ------------------->   | deliver 2
//!       | parity 0+1+2 ------------->   | 1 = parity - 0 - 2: deliver 1
//! ```
//!
//! - Nothing comes back from the receiver, and nothing waits in it: a frame is released when it arrives, a recovered one
//!   when it is recovered.
//! - When the line has been idle for a while the parity of what there is of a block goes out early.
//! - A packet comes back with its exact length: lengths are XORed too.
//! - Of a block of N data frames and their parity any one may be lost and nothing is. The numbers are one octet and the
//!   receiver looks back 2 N data frames; a frame from a turn of the numbers ago can stand in for a lost one only if of 256
//!   in a row at most 2 N arrived. Then nothing may be recovered, but never something wrong: every parity carries a check of
//!   32 bits that the recovered packet must meet.
//! - Duplicates are dropped where they follow within 2 N frames; frames should not overtake one another by a block.

mod block;
mod config;
#[cfg(feature = "fuzz")]
mod fuzz;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;
mod wire;
mod xor;

pub use block::Parity;
pub use config::Config;
pub use wire::{Pdu, parse};

use arqway_contract::{Clock, Counters, Deadlines, Departure, Entity, Frame, Packet, Tag, Ticket};
use arqway_units::Octets;
use bytes::Bytes;
use receiver::Receiver;
use sender::Sender;

/// Its two halves.
#[derive(Debug)]
pub struct Fec {
    sender: Sender,
    receiver: Receiver,
}

impl Fec {
    fn new(config: &Config) -> Self {
        Self { sender: Sender::new(config), receiver: Receiver::new(config) }
    }
}

impl Entity for Fec {
    fn has_room(&self) -> bool {
        !self.sender.is_full()
    }

    fn wants_packet(&self, _room: Octets) -> bool {
        self.sender.waiting.is_empty()
    }

    fn push(&mut self, packet: Packet, _now: Clock, _counters: &mut Counters) {
        self.sender.push(packet);
    }

    fn receive(&mut self, frame: Frame, _now: Clock, counters: &mut Counters) -> Option<()> {
        match wire::parse(frame)? {
            Pdu::Data { number, packet } => self.receiver.data(number, packet, counters),
            Pdu::Parity(parity) => self.receiver.parity(&parity, counters),
        }
        Some(())
    }

    fn expire(&mut self, Clock { timers, .. }: Clock, _counters: &mut Counters) {
        self.sender.handle_timeout(timers);
    }

    fn poll(&mut self, _now: Clock, _room: Octets, counters: &mut Counters) -> Option<Frame> {
        self.sender.poll(counters)
    }

    fn departed(&mut self, _tag: Tag, _ticket: Ticket, _departure: Departure, Clock { timers, .. }: Clock) {
        self.sender.departed(timers);
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        // Parity is as long as the longest packet of its block, and has the longer head.
        room - Frame::TAG - wire::HEAD_OF_PARITY
    }

    fn release(&mut self, _counters: &mut Counters) -> Option<Bytes> {
        self.receiver.poll_packet()
    }

    fn deadlines(&self) -> Deadlines {
        Deadlines::of_timers(self.sender.deadline())
    }
}
