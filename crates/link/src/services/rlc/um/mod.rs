//! Unacknowledged mode of Radio Link Control: SDUs are cut and joined, numbered and put together again, and nothing is sent again (3GPP TS
//! 25.322 §11.2, §9.7.10).
//!
//! ```text
//!     sender                               receiver
//!       | UMD 0 | aaaaaaaa | ----------->    | a has begun
//!       | UMD 1 | LI 3 | aaabbbb | -----x    |
//!       | UMD 2 | LI 2 | bbccccc | ----->    | one is missing: a is dropped, and the rest of b; c has begun
//!       | UMD 3 | LI 1 | cdddddd | ----->    | deliver c
//! ```
//!
//! - What arrives whole is delivered, in order and at once. A lost PDU costs every SDU that has something in it; and where the next PDU does not
//!   say that an SDU begins with it, the first one there as well.
//! - The seven bits of a number count 128 PDUs. If just so many in a row are lost, nobody notices: the pieces of two SDUs may come out as one.
//! - PDUs that overtake one another, or come twice, are for [`Reception`] to put right, in one of the standard's ways.
//! - An SDU that has waited too long to be sent is dropped, if a time is set; the peer is told of it only by a number that is left out.
//! - Not here: ciphering, the local suspend and stop functions, re-establishment (§9.7.5 to §9.7.8), which are asked for by layers that a
//!   link of packets does not have; `SN_Delivery`; sizes that change while a bearer lasts.

mod config;
mod in_sequence;
mod out_of_sequence;
mod receiver;
mod reordering;
mod sender;
mod store;
#[cfg(test)]
mod tests;

pub use config::{Config, Reception, UmdSize, WhenFull};

use crate::arq::{Outage, Seq};
use crate::contract::{Counters, Departure, Frame, Full, LinkService, LinkState, Packet, Side, Start, Tag, Ticket};
use crate::services::rlc::pdu;
use crate::services::rlc::pdu::LengthIndicatorSize;
use arqway_units::Time;
use receiver::Receiver;
use sender::Sender;

/// The sequence number of a UMD PDU.
type Number = Seq<7>;

/// What a receiver takes for the first PDU's number: a turn of the numbers above zero, so that there is room for those before it.
fn first_number() -> Number {
    Number::new(Number::MODULUS)
}

/// One end: it sends and it receives.
#[derive(Debug)]
pub struct UnacknowledgedMode {
    sender: Sender,
    receiver: Receiver,
    /// Of the peer's PDUs.
    peer_indicators: LengthIndicatorSize,
    alternative_e_bit: bool,
    outage: Outage,
    counters: Counters,
}

impl UnacknowledgedMode {
    /// An end with nothing sent and nothing received.
    #[must_use]
    pub fn new(config: &Config, side: Side) -> Self {
        let peer = if side == Side::Client { Side::AccessPoint } else { Side::Client };
        Self {
            sender: Sender::new(config, side),
            receiver: Receiver::new(config),
            peer_indicators: config.format(peer).size,
            alternative_e_bit: config.alternative_e_bit,
            outage: Outage::default(),
            counters: Counters::default(),
        }
    }
}

impl LinkService for UnacknowledgedMode {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        if let Some(octets) = self.counters.admit(packet, self.sender.takes_more())? {
            self.sender.push(octets, self.outage.timer_time(now), &mut self.counters);
        }
        Ok(())
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        match pdu::parse_um(frame, self.peer_indicators, self.alternative_e_bit) {
            Some(pdu) => self.receiver.take(pdu, self.outage.timer_time(now), &mut self.counters),
            None => self.counters.malformed_received += 1,
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if !self.outage.is_on() {
            self.sender.handle_timeout(now, &mut self.counters);
            self.receiver.handle_timeout(now, &mut self.counters);
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        if let Some(length) = self.outage.change(state, now) {
            self.sender.postpone(length);
            self.receiver.postpone(length);
        }
    }

    fn poll_frame(&mut self, now: Time) -> Option<Frame> {
        if self.outage.is_on() { None } else { self.sender.poll(now, &mut self.counters) }
    }

    fn start_frame(&mut self, _frame: &mut Frame, _now: Time) -> Start {
        Start::Send
    }

    fn handle_departure(&mut self, _tag: Tag, _ticket: Ticket, _departure: Departure, _now: Time) {}

    fn poll_packet(&mut self) -> Option<Packet> {
        let octets = self.receiver.poll_packet()?;
        self.counters.packets_delivered += 1;
        Some(Packet::new(octets))
    }

    fn poll_timeout(&self) -> Option<Time> {
        if self.outage.is_on() {
            return None;
        }
        [self.sender.deadline(), self.receiver.deadline()].into_iter().flatten().min()
    }

    fn counters(&self) -> Counters {
        let malformed_received = self.counters.malformed_received + self.receiver.too_long();
        Counters { malformed_received, ..self.counters }
    }
}
