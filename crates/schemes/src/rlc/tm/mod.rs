//! Transparent mode of Radio Link Control: packets as they are, and nothing else (3GPP TS 25.322 §11.1).
//!
//! A TMD PDU is an SDU without a header, so this is `raw` with one function more: an SDU that has waited too long is dropped
//! (`Timer_Discard`, §11.1.4.2).
//!
//! - Without that timer the standard drops, when SDUs come, those of earlier transmission time intervals (TTI) that still wait (§9.7.3.5). This link
//!   has no intervals in which MAC asks for PDUs, so all that waits is of one: nothing is dropped, and a packet too many is handed back.
//! - Not here: segmentation, whose pieces are known to be of one SDU only by the TTI in which they are sent; SDUs with errors, which the link
//!   below does not deliver.

mod config;
#[cfg(feature = "fuzz")]
mod fuzz;
#[cfg(test)]
mod tests;

pub use config::Config;

use crate::rlc::pdu;
use alloc::collections::VecDeque;
use arqway_contract::{Clock, Counters, Deadlines, Entity, Frame, Packet};
use arqway_units::{Octets, Time};
use bytes::Bytes;

/// SDUs out, SDUs in.
#[derive(Debug)]
pub struct TransparentMode {
    config: Config,
    /// SDUs that wait for the line, each with the time when `Timer_Discard` drops it.
    outgoing: VecDeque<(Bytes, Option<Time>)>,
    incoming: VecDeque<Bytes>,
}

impl TransparentMode {
    fn new(config: &Config) -> Self {
        Self { config: config.clone(), outgoing: VecDeque::new(), incoming: VecDeque::new() }
    }
}

impl Entity for TransparentMode {
    fn has_room(&self) -> bool {
        self.outgoing.len() < self.config.buffer.get()
    }

    fn wants_packet(&self, _room: Octets) -> bool {
        self.outgoing.is_empty()
    }

    fn push(&mut self, packet: Packet, Clock { now, .. }: Clock, counters: &mut Counters) {
        let expiry = match self.config.discard_after.map(|after| packet.left_of(after, now)) {
            None => None,
            Some(Some(left)) => Some(now + left),
            Some(None) => return counters.packets_discarded += 1,
        };
        self.outgoing.push_back((packet.octets, expiry));
    }

    fn receive(&mut self, frame: Frame, _now: Clock, _counters: &mut Counters) -> Option<()> {
        if frame.tag.kind() != pdu::KIND {
            return None;
        }
        self.incoming.push_back(frame.into_packet()?);
        Some(())
    }

    fn expire(&mut self, Clock { now, .. }: Clock, counters: &mut Counters) {
        while self.outgoing.pop_front_if(|(_, expiry)| expiry.is_some_and(|expiry| expiry <= now)).is_some() {
            counters.packets_discarded += 1;
        }
    }

    fn poll(&mut self, _now: Clock, _room: Octets, counters: &mut Counters) -> Option<Frame> {
        let (packet, _) = self.outgoing.pop_front()?;
        counters.sent(&packet);
        Some(Frame::new(pdu::KIND, &[], packet))
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        room - Frame::TAG
    }

    fn release(&mut self, _counters: &mut Counters) -> Option<Bytes> {
        self.incoming.pop_front()
    }

    fn deadlines(&self) -> Deadlines {
        Deadlines { now: self.outgoing.front().and_then(|(_, expiry)| *expiry), timers: None }
    }
}
