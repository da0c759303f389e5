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
mod receiver;
mod sender;
#[cfg(test)]
mod tests;
mod wire;
mod xor;

pub use block::Parity;
pub use config::Config;
pub use wire::{Unit, parse};

use crate::arq::{Outage, Seq};
use crate::contract::{Counters, Departure, Frame, Full, LinkService, LinkState, Packet, Start, Tag, Ticket};
use arqway_units::Time;
use receiver::Receiver;
use sender::Sender;

/// The number of a data frame.
type Number = Seq<8>;

/// One end: it sends and it receives.
#[derive(Debug)]
pub struct Fec {
    sender: Sender,
    receiver: Receiver,
    outage: Outage,
    counters: Counters,
}

impl Fec {
    /// An end with nothing sent and nothing received.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "every service is built from its configuration")]
    pub fn new(config: Config) -> Self {
        Self {
            sender: Sender::new(&config),
            receiver: Receiver::new(&config),
            outage: Outage::default(),
            counters: Counters::default(),
        }
    }
}

impl LinkService for Fec {
    fn handle_packet(&mut self, packet: Packet, _now: Time) -> Result<(), Full> {
        if let Some(octets) = self.counters.admit(packet, !self.sender.is_full())? {
            self.sender.push(octets);
        }
        Ok(())
    }

    fn handle_frame(&mut self, frame: Frame, _now: Time) {
        match wire::parse(frame) {
            Some(Unit::Data { number, packet }) => self.receiver.data(number, packet, &mut self.counters),
            Some(Unit::Parity(parity)) => self.receiver.parity(&parity, &mut self.counters),
            None => self.counters.malformed_received += 1,
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if !self.outage.is_on() {
            self.sender.handle_timeout(now);
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        if let Some(length) = self.outage.change(state, now) {
            self.sender.postpone(length);
        }
    }

    fn poll_frame(&mut self, _now: Time) -> Option<Frame> {
        if self.outage.is_on() {
            return None;
        }
        self.sender.poll(&mut self.counters)
    }

    fn start_frame(&mut self, _frame: &mut Frame, _now: Time) -> Start {
        Start::Send
    }

    fn handle_departure(&mut self, _tag: Tag, _ticket: Ticket, _departure: Departure, now: Time) {
        self.sender.departed(self.outage.timer_time(now));
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        let octets = self.receiver.poll_packet()?;
        self.counters.packets_delivered += 1;
        Some(Packet::new(octets))
    }

    fn poll_timeout(&self) -> Option<Time> {
        if self.outage.is_on() { None } else { self.sender.deadline() }
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}
