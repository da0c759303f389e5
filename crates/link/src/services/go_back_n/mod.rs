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
mod receiver;
mod sender;
#[cfg(test)]
mod tests;
mod wire;

pub use config::Config;
pub use wire::{Unit, parse};

use crate::arq::{Outage, TimerStarts};
use crate::contract::{Counters, Departure, Frame, Full, LinkService, LinkState, Packet, Start, Tag, Ticket};
use arqway_units::Time;
use receiver::Receiver;
use sender::{FrameCopy, Sender};

/// One end: it sends and it receives.
#[derive(Debug)]
pub struct GoBackN {
    sender: Sender,
    receiver: Receiver,
    timer_starts: TimerStarts,
    drop_stale_copies: bool,
    outage: Outage,
    counters: Counters,
}

impl GoBackN {
    /// An end with nothing sent and nothing received.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "every service is built from its configuration")]
    pub fn new(config: Config) -> Self {
        Self {
            sender: Sender::new(&config),
            receiver: Receiver::new(&config),
            timer_starts: config.timer_starts,
            drop_stale_copies: config.drop_stale_copies,
            outage: Outage::default(),
            counters: Counters::default(),
        }
    }
}

impl LinkService for GoBackN {
    fn handle_packet(&mut self, packet: Packet, _now: Time) -> Result<(), Full> {
        if let Some(octets) = self.counters.admit(packet, !self.sender.is_full())? {
            self.sender.push(octets);
        }
        Ok(())
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        let now = self.outage.timer_time(now);
        match wire::parse(frame) {
            Some(Unit::Data { next, number, packet }) => {
                self.sender.acknowledge(next, now, &mut self.counters);
                self.receiver.receive(number, packet, now, &mut self.counters);
            }
            Some(Unit::Acknowledgement { next }) => self.sender.acknowledge(next, now, &mut self.counters),
            None => self.counters.malformed_received += 1,
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if !self.outage.is_on() {
            self.receiver.acknowledgement.handle_timeout(now);
            self.sender.handle_timeout(now, &mut self.counters);
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        if let Some(length) = self.outage.change(state, now) {
            self.sender.postpone(length);
            self.receiver.acknowledgement.postpone(length);
        }
    }

    fn poll_frame(&mut self, now: Time) -> Option<Frame> {
        if self.outage.is_on() {
            return None;
        }
        if self.receiver.acknowledgement.poll() {
            self.counters.acknowledgements_sent += 1;
            return Some(wire::acknowledgement());
        }
        let (copy, packet) = self.sender.poll(&mut self.counters)?;
        if self.timer_starts == TimerStarts::HandOver {
            self.sender.start_timer(copy, now);
        }
        let mut frame = wire::data(copy.number, packet);
        frame.ticket = Some(copy.into());
        Some(frame)
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        if let Some(copy) = frame.ticket.map(FrameCopy::from) {
            if self.drop_stale_copies && !self.sender.is_outstanding(copy.number) {
                self.counters.frames_withdrawn += 1;
                return Start::Withdraw;
            }
            if self.timer_starts == TimerStarts::Start {
                self.sender.start_timer(copy, self.outage.timer_time(now));
            }
        }
        wire::write_next(frame, self.receiver.acknowledge());
        Start::Send
    }

    fn handle_departure(&mut self, _tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        let now = self.outage.timer_time(now);
        let starts_now = match departure {
            Departure::Sent => self.timer_starts == TimerStarts::Departure,
            // It will never start: only the timer can bring it back.
            Departure::Dropped => self.timer_starts != TimerStarts::HandOver,
        };
        if starts_now {
            self.sender.start_timer(ticket.into(), now);
        }
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        let octets = self.receiver.poll_packet()?;
        self.counters.packets_delivered += 1;
        Some(Packet::new(octets))
    }

    fn poll_timeout(&self) -> Option<Time> {
        if self.outage.is_on() {
            return None;
        }
        match (self.sender.deadline(), self.receiver.acknowledgement.deadline()) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}
