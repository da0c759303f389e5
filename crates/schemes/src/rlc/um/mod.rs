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
//! - The seven bits of a number count 128 PDUs. If just so many in a row are lost, or one comes so much later, less a window, nobody notices: the
//!   pieces of two SDUs may come out as one.
//! - PDUs that overtake one another, or come twice, are for [`Reception`] to put right, in one of the standard's ways.
//! - An SDU that has waited too long to be sent is dropped, if a time is set; the peer is told of it only by a number that is left out.
//! - Not here: ciphering, the local suspend and stop functions, re-establishment (§9.7.5 to §9.7.8), which are asked for by layers that a
//!   link of packets does not have; `SN_Delivery`; sizes that change while a bearer lasts.

mod config;
#[cfg(feature = "fuzz")]
mod fuzz;
mod in_sequence;
mod out_of_sequence;
mod receiver;
mod reordering;
mod sender;
mod store;
#[cfg(test)]
mod tests;

pub use config::{Config, Reception, UmdSize, WhenFull};

use crate::rlc::pdu;
use crate::rlc::pdu::LengthIndicatorSize;
use arqway_arq::{Seq, earliest};
use arqway_contract::{Clock, Counters, Deadlines, Entity, Frame, Packet, Side};
use arqway_units::Octets;
use bytes::Bytes;
use receiver::Receiver;
use sender::Sender;

/// The sequence number of a UMD PDU.
type Number = Seq<7>;

/// What a receiver takes for the first PDU's number: a turn of the numbers above zero, so that there is room for those before it.
fn first_number() -> Number {
    Number::new(Number::MODULUS)
}

/// Its two halves, and how the peer's PDUs are read.
#[derive(Debug)]
pub struct UnacknowledgedMode {
    sender: Sender,
    receiver: Receiver,
    /// Of the peer's PDUs.
    peer_indicators: LengthIndicatorSize,
    alternative_e_bit: bool,
}

impl UnacknowledgedMode {
    fn new(config: &Config, side: Side) -> Self {
        let peer = if side == Side::Client { Side::AccessPoint } else { Side::Client };
        Self {
            sender: Sender::new(config, side),
            receiver: Receiver::new(config),
            peer_indicators: config.format(peer).size,
            alternative_e_bit: config.alternative_e_bit,
        }
    }
}

impl Entity for UnacknowledgedMode {
    fn has_room(&self) -> bool {
        self.sender.takes_more()
    }

    fn wants_packet(&self, room: Octets) -> bool {
        self.sender.wants_sdu(room)
    }

    fn push(&mut self, packet: Packet, now: Clock, counters: &mut Counters) {
        self.sender.push(packet, now, counters);
    }

    fn receive(&mut self, frame: Frame, Clock { timers, .. }: Clock, counters: &mut Counters) -> Option<()> {
        let pdu = pdu::parse_um(frame, self.peer_indicators, self.alternative_e_bit)?;
        self.receiver.take(pdu, timers, counters);
        Some(())
    }

    fn expire(&mut self, now: Clock, counters: &mut Counters) {
        self.sender.handle_timeout(now, counters);
        self.receiver.handle_timeout(now.timers, counters);
    }

    fn poll(&mut self, Clock { timers, .. }: Clock, room: Octets, counters: &mut Counters) -> Option<Frame> {
        self.sender.poll(timers, room, counters)
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        self.sender.largest_sdu(room)
    }

    fn release(&mut self, _counters: &mut Counters) -> Option<Bytes> {
        self.receiver.poll_packet()
    }

    fn deadlines(&self) -> Deadlines {
        let timers = earliest(self.sender.deadline(), self.receiver.deadline());
        Deadlines { now: self.sender.expiry(), timers }
    }

    fn counters(&self, counted: Counters) -> Counters {
        Counters { malformed_received: counted.malformed_received + self.receiver.too_long(), ..counted }
    }
}
