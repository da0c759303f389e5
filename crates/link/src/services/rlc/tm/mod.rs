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
#[cfg(test)]
mod tests;

pub use config::Config;

use crate::arq::Outage;
use crate::contract::{Counters, Departure, Frame, Full, LinkService, LinkState, Packet, Start, Tag, Ticket};
use crate::services::rlc::pdu;
use alloc::collections::VecDeque;
use arqway_units::Time;
use bytes::Bytes;

/// One end: it sends and it receives.
#[derive(Debug)]
pub struct TransparentMode {
    config: Config,
    /// SDUs that wait for the line, each with the time when `Timer_Discard` drops it.
    outgoing: VecDeque<(Bytes, Option<Time>)>,
    incoming: VecDeque<Packet>,
    outage: Outage,
    counters: Counters,
}

impl TransparentMode {
    /// An end with nothing waiting.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config,
            outgoing: VecDeque::new(),
            incoming: VecDeque::new(),
            outage: Outage::default(),
            counters: Counters::default(),
        }
    }
}

impl LinkService for TransparentMode {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        let has_room = self.outgoing.len() < self.config.buffer.get();
        if let Some(octets) = self.counters.admit(packet, has_room)? {
            let expiry = self.config.discard_after.map(|after| self.outage.timer_time(now) + after);
            self.outgoing.push_back((octets, expiry));
        }
        Ok(())
    }

    fn handle_frame(&mut self, frame: Frame, _now: Time) {
        if frame.tag.kind() != pdu::KIND || !frame.head.is_empty() || frame.body.is_empty() {
            self.counters.malformed_received += 1;
            return;
        }
        self.incoming.push_back(Packet::new(frame.body));
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.outage.is_on() {
            return;
        }
        while self.outgoing.pop_front_if(|(_, expiry)| expiry.is_some_and(|expiry| expiry <= now)).is_some() {
            self.counters.packets_discarded += 1;
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        if let Some(length) = self.outage.change(state, now) {
            self.outgoing.iter_mut().filter_map(|(_, expiry)| expiry.as_mut()).for_each(|expiry| *expiry += length);
        }
    }

    fn poll_frame(&mut self, _now: Time) -> Option<Frame> {
        if self.outage.is_on() {
            return None;
        }
        let (octets, _) = self.outgoing.pop_front()?;
        self.counters.frames_sent += 1;
        self.counters.octets_sent += octets.len() as u64;
        Some(Frame::new(pdu::KIND, &[], octets))
    }

    fn start_frame(&mut self, _frame: &mut Frame, _now: Time) -> Start {
        Start::Send
    }

    fn handle_departure(&mut self, _tag: Tag, _ticket: Ticket, _departure: Departure, _now: Time) {}

    fn poll_packet(&mut self) -> Option<Packet> {
        let packet = self.incoming.pop_front()?;
        self.counters.packets_delivered += 1;
        Some(packet)
    }

    fn poll_timeout(&self) -> Option<Time> {
        if self.outage.is_on() { None } else { self.outgoing.front()?.1 }
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}
