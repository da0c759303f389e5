//! Recovery with a deadline, for calls and games: a lost packet is sent again while that is not too late, and where a round trip is too
//! long for that, parity goes ahead (after RFC 8681, a sliding window of packets; its share follows from the losses).
//!
//! ```text
//!     sender                                receiver
//!       | data 0 ------------------------>    | deliver 0
//!       | data 1 -----x                       |
//!       | data 2 ------------------------>    | deliver 2
//!       |   <----------------------- NACK 1   | always: it tells the sender what is lost
//!       | again 1 ----------------------->    | deliver 1                  packet 1 is younger than its deadline
//!       | parity 0 to 2 ----------------->    | 1 = parity - 0 - 2         it would be too old: parity was sent before
//! ```
//!
//! - The deadline is an age: so long after it came a packet may go out, as much later than others it arrives. Neither end has to know how
//!   long the way is.
//! - Packets are released as they arrive.
//! - Where an answer that does not come leaves no time for another request, the request is made twice (see `receiver.rs`).
//! - The sender knows from requests which share is lost, in runs of what length, and which share of requests comes in time.
//! - Parity is a sum of the packets that are younger than their deadline, each taken a different number of times. As many sums as packets
//!   are lost give these back. Its share is what is lost for good without it and some deviations of that more, up to a limit.
//! - When nothing more comes, parity or a keepalive says how many packets there were.

mod config;
#[cfg(feature = "fuzz")]
mod fuzz;
mod losses;
mod parity;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;
mod wire;

pub use config::Config;
pub use wire::{Parity, Pdu, parse};

use arqway_arq::earliest;
use arqway_contract::{Clock, Counters, Deadlines, Departure, Entity, Frame, Packet, Tag, Ticket};
use arqway_units::Octets;
use bytes::Bytes;
use receiver::Receiver;
use sender::Sender;

/// So many packets are kept at either end, and may be missing: with one octet for their numbers.
const WINDOW: usize = 128;

/// Its two halves.
#[derive(Debug)]
pub struct WithDeadline {
    sender: Sender,
    receiver: Receiver,
}

impl WithDeadline {
    fn new(config: &Config) -> Self {
        Self { sender: Sender::new(config), receiver: Receiver::new(config) }
    }
}

impl Entity for WithDeadline {
    fn has_room(&self) -> bool {
        !self.sender.is_full()
    }

    fn wants_packet(&self, _room: Octets) -> bool {
        self.sender.wants_packet()
    }

    fn push(&mut self, packet: Packet, now: Clock, counters: &mut Counters) {
        self.sender.push(packet, now, counters);
    }

    fn receive(&mut self, frame: Frame, now: Clock, counters: &mut Counters) -> Option<()> {
        match wire::parse(frame)? {
            Pdu::Data { number, packet } => self.receiver.data(number, packet, now.timers, counters),
            Pdu::Again { number, packet } => self.receiver.again(number, packet, now.timers, counters),
            Pdu::Nack(numbers) => self.sender.request(&numbers, now),
            Pdu::Parity(parity) => self.receiver.parity(&parity, now.timers, counters),
            Pdu::Keepalive { next } => self.receiver.keepalive(next, now.timers, counters),
        }
        Some(())
    }

    fn expire(&mut self, now: Clock, counters: &mut Counters) {
        self.receiver.handle_timeout(now.timers, counters);
        self.sender.handle_timeout(now.timers);
    }

    fn poll(&mut self, now: Clock, _room: Octets, counters: &mut Counters) -> Option<Frame> {
        if let Some(nack) = self.receiver.poll_nack(now.timers) {
            counters.rejects_sent += 1;
            return Some(nack);
        }
        self.sender.poll(now, counters)
    }

    fn departed(&mut self, _tag: Tag, _ticket: Ticket, _departure: Departure, now: Clock) {
        self.sender.departed(now.timers);
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        // Parity is as long as the longest of its packets, and has the longer head.
        room - Frame::TAG - wire::HEAD_OF_PARITY
    }

    fn release(&mut self, _counters: &mut Counters) -> Option<Bytes> {
        self.receiver.poll_packet()
    }

    fn deadlines(&self) -> Deadlines {
        Deadlines::of_timers(earliest(self.sender.deadline(), self.receiver.deadline()))
    }
}
