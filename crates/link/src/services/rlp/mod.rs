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
//! - In sequence, packets come out in order and at most once, whatever is lost, as long as frames do not overtake one another.
//! - A gap is left only where as many requests went out as are set, and each was lost or answered by a frame that was; or
//!   where no later frame and no keepalive arrived. Both hold while at most 223 data frames in a row are lost, which is as
//!   far as one octet counts, and the queue below holds less than the window.

mod config;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;
mod wire;

pub use config::Config;
pub use wire::{Missing, Unit, parse};

use crate::arq::Outage;
use crate::contract::{Counters, Departure, Frame, Full, LinkService, LinkState, Packet, Start, Tag, Ticket};
use arqway_units::Time;
use receiver::{Received, Receiver};
use sender::Sender;

/// One end: it sends and it receives.
#[derive(Debug)]
pub struct Rlp {
    sender: Sender,
    receiver: Receiver,
    outage: Outage,
    counters: Counters,
}

impl Rlp {
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

impl LinkService for Rlp {
    fn handle_packet(&mut self, packet: Packet, _now: Time) -> Result<(), Full> {
        if let Some(octets) = self.counters.admit(packet, !self.sender.is_full())? {
            self.sender.push(octets);
        }
        Ok(())
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        match wire::parse(frame) {
            Some(Unit::Data { number, link, packet }) => {
                let received = Received { is_repair: false, number, link, packet };
                self.receiver.receive(received, now, &mut self.counters);
            }
            Some(Unit::Repair { number, link, packet }) => {
                let received = Received { is_repair: true, number, link, packet };
                self.receiver.receive(received, now, &mut self.counters);
            }
            Some(Unit::Nack(missing)) => self.sender.request(&missing),
            Some(Unit::Keepalive { next }) => self.receiver.keepalive(next, now, &mut self.counters),
            None => self.counters.malformed_received += 1,
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if !self.outage.is_on() {
            self.receiver.handle_timeout(now, &mut self.counters);
            self.sender.handle_timeout(now);
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        if let Some(length) = self.outage.change(state, now) {
            self.sender.postpone(length);
            self.receiver.postpone(length);
        }
    }

    fn poll_frame(&mut self, _now: Time) -> Option<Frame> {
        if self.outage.is_on() {
            return None;
        }
        if let Some(nack) = self.receiver.poll_nack() {
            self.counters.rejects_sent += 1;
            return Some(nack);
        }
        self.sender.poll(&mut self.counters)
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        if let Some(ticket) = frame.ticket
            && wire::is_nack(frame.tag)
        {
            self.receiver.nack_gone(ticket.number(), self.outage.timer_time(now));
        }
        Start::Send
    }

    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        let now = self.outage.timer_time(now);
        match (wire::is_nack(tag), departure) {
            (true, Departure::Dropped) => self.receiver.nack_gone(ticket.number(), now),
            (true, Departure::Sent) => {}
            (false, _) => self.sender.departed(now),
        }
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        let Self { sender, receiver, counters, .. } = self;
        let octets = match &mut sender.filter {
            Some(filter) => filter.next(|| receiver.poll_packet(), counters),
            None => receiver.poll_packet(),
        }?;
        self.counters.packets_delivered += 1;
        Some(Packet::new(octets))
    }

    fn poll_timeout(&self) -> Option<Time> {
        if self.outage.is_on() {
            return None;
        }
        match (self.sender.deadline(), self.receiver.deadline()) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}
