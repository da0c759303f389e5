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
//! - Packets leave in the order that is set ([`crate::Resequencing`]); what is asked for and acknowledged is the same in all.
//! - Every frame carries N(R), written when the frame starts, not when it is handed over.
//! - The window reaches half the modulus, so frames may be lost or doubled but must not overtake one another: an old
//!   copy that arrived a whole window late could pass for a new frame.
//! - A drop-tail queue below should hold twice the window, and the timeout should outlast it. In a smaller one copies of
//!   frames that the peer keeps, but cannot acknowledge past a gap, may crowd out the one frame that fills the gap. A
//!   back-pressured queue has no such limit.

mod config;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;
mod timeout;
mod wire;

pub use config::{Config, Rejects, TimerStarts, WindowSize, WindowSizeError};
pub use timeout::{EstimatorConfig, Policy, PolicyError, Timeout};

use crate::arq::{Outage, Resequencing};
use crate::contract::{Counters, Departure, Frame, Full, LinkService, LinkState, Packet, Start, Tag, Ticket};
use arqway_units::Time;
use receiver::Receiver;
use sender::Sender;
use wire::Number;
pub use wire::{Unit, parse};

/// One end: it sends and it receives.
#[derive(Debug)]
pub struct SelectiveRepeat {
    sender: Sender,
    receiver: Receiver,
    timer_starts: TimerStarts,
    drop_stale_copies: bool,
    resequencing: Resequencing,
    outage: Outage,
    counters: Counters,
}

impl SelectiveRepeat {
    /// An end with nothing sent and nothing received.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            sender: Sender::new(&config),
            receiver: Receiver::new(&config),
            timer_starts: config.timer_starts,
            drop_stale_copies: config.drop_stale_copies,
            resequencing: config.resequencing,
            outage: Outage::default(),
            counters: Counters::default(),
        }
    }

    /// The data frame that a ticket was given to.
    fn number_of(ticket: Ticket) -> Number {
        Number::new(ticket.number())
    }
}

impl LinkService for SelectiveRepeat {
    fn handle_packet(&mut self, packet: Packet, _now: Time) -> Result<(), Full> {
        if let Some(octets) = self.counters.admit(packet, !self.sender.is_full())? {
            self.sender.push(octets);
        }
        Ok(())
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        let timer_now = self.outage.timer_time(now);
        match wire::parse(frame) {
            Some(Unit::Data { next, number, link, packet }) => {
                let Some(link) = self.resequencing.link_of(link.map(u32::from)) else {
                    self.counters.malformed_received += 1;
                    return;
                };
                self.sender.acknowledge(next, Some(timer_now));
                if let Some(number) = self.receiver.note(number, timer_now, &mut self.counters) {
                    self.receiver.receive(number, link, packet, now, &mut self.counters);
                }
            }
            Some(Unit::Acknowledgement { next }) => self.sender.acknowledge(next, Some(timer_now)),
            Some(Unit::Reject { next, missing }) => {
                // A reject tells nothing of when the frames that it acknowledges arrived: no sample.
                self.sender.acknowledge(next, None);
                self.sender.reject(missing);
            }
            None => self.counters.malformed_received += 1,
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if !self.outage.is_on() {
            self.receiver.handle_timeout(now);
            self.sender.handle_timeout(now, &mut self.counters);
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        if let Some(length) = self.outage.change(state, now) {
            self.sender.postpone(length);
            self.receiver.postpone(length);
        }
    }

    fn poll_frame(&mut self, now: Time) -> Option<Frame> {
        if self.outage.is_on() {
            return None;
        }
        if let Some(missing) = self.receiver.poll_reject() {
            self.counters.rejects_sent += 1;
            return Some(wire::reject(missing));
        }
        if self.receiver.poll_acknowledgement() {
            self.counters.acknowledgements_sent += 1;
            return Some(wire::acknowledgement());
        }
        let (number, link, packet) = self.sender.poll(&mut self.counters)?;
        if self.timer_starts == TimerStarts::HandOver {
            self.sender.start_timer(number, now);
        }
        let mut frame = wire::data(number, link, packet);
        frame.ticket = Some(Ticket::new(number.as_u64()));
        Some(frame)
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        if let Some(number) = frame.ticket.map(Self::number_of) {
            if self.drop_stale_copies && !self.sender.is_outstanding(number) {
                self.counters.frames_withdrawn += 1;
                return Start::Withdraw;
            }
            if self.timer_starts == TimerStarts::Start {
                self.sender.start_timer(number, now);
            }
        }
        wire::write_next(frame, self.receiver.acknowledge());
        Start::Send
    }

    fn handle_departure(&mut self, _tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        let now = self.outage.timer_time(now);
        let starts_now = match departure {
            Departure::Sent => self.timer_starts == TimerStarts::Departure,
            // It will never start: only a timer can bring it back.
            Departure::Dropped => self.timer_starts != TimerStarts::HandOver,
        };
        if starts_now {
            self.sender.start_timer(Self::number_of(ticket), now);
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
