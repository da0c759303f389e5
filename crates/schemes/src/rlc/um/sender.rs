//! The transmitting side: SDUs that wait, until they are in PDUs or have waited too long (§11.2.2, §11.2.4.3).

use super::Number;
use super::config::{Config, WhenFull};
use crate::rlc::filling::Filling;
use crate::rlc::pdu;
use crate::rlc::pdu::HeaderExtension;
use crate::rlc::segmentation::Segmenter;
use alloc::collections::VecDeque;
use arqway_contract::{Clock, Counters, Frame, Packet, Side};
use arqway_units::{Octets, Span, Time};

#[derive(Debug)]
pub(super) struct Sender {
    /// VT(US): the number of the next PDU.
    next: Number,
    segmenter: Segmenter,
    filling: Filling,
    discard_after: Option<Span>,
    /// `Timer_Discard` of each SDU that waits, where they are discarded: one that came earlier expires earlier.
    expiries: VecDeque<Time>,
    when_full: WhenFull,
    buffer: usize,
}

impl Sender {
    pub(super) fn new(config: &Config, side: Side) -> Self {
        Self {
            next: Number::ZERO,
            segmenter: Segmenter::new(config.format(side)),
            filling: Filling::new(config.wait_to_fill),
            discard_after: config.discard_after,
            expiries: VecDeque::new(),
            when_full: config.when_full,
            buffer: config.buffer.get(),
        }
    }

    /// Whether there is room for another SDU, which may have to be made.
    pub(super) fn takes_more(&self) -> bool {
        self.segmenter.waiting() < self.buffer || self.when_full == WhenFull::DiscardOldest
    }

    pub(super) fn largest_sdu(&self, room: Octets) -> Octets {
        self.segmenter.largest_sdu(room)
    }

    pub(super) fn wants_sdu(&self, room: Octets) -> bool {
        self.segmenter.wants_sdu(room)
    }

    pub(super) fn push(&mut self, sdu: Packet, Clock { now, timers }: Clock, counters: &mut Counters) {
        if self.segmenter.waiting() >= self.buffer {
            self.discard(counters);
        }
        if let Some(after) = self.discard_after {
            let Some(left) = sdu.left_of(after, now) else { return counters.packets_discarded += 1 };
            self.expiries.push_back(now + left);
        }
        self.segmenter.push(sdu.octets);
        self.filling.changed(&self.segmenter, timers);
    }

    /// The next PDU, if there is one to be sent.
    pub(super) fn poll(&mut self, now: Time, room: Octets, counters: &mut Counters) -> Option<Frame> {
        if !self.filling.is_ready(&self.segmenter) {
            return None;
        }
        let segment = self.segmenter.next(room)?;
        self.filling.changed(&self.segmenter, now);
        let gone = self.expiries.len().saturating_sub(self.segmenter.waiting());
        self.expiries.drain(..gone);
        counters.frames_sent += 1;
        counters.octets_sent += segment.octets as u64;
        let has_indicator = segment.extension == HeaderExtension::Indicator;
        let frame = Frame::new(pdu::KIND, &pdu::umd_head(self.next.wire_u8(), has_indicator), segment.body);
        self.next = self.next.next();
        Some(frame)
    }

    /// Drops the SDU that has waited longest (§11.2.4.3).
    ///
    /// If part of it was sent, the numbers leave one out: the peer then drops that part, as if a PDU was lost. The standard leaves one
    /// out in any case, which would cost the SDU before as well where that has filled its PDU and the next one is to say so.
    fn discard(&mut self, counters: &mut Counters) {
        let has_begun = self.segmenter.has_begun();
        if !self.segmenter.discard_first() {
            return;
        }
        counters.packets_discarded += 1;
        self.expiries.pop_front();
        if has_begun {
            self.next = self.next.next();
            self.segmenter.tell_of_discard();
        }
    }

    pub(super) fn handle_timeout(&mut self, Clock { now, timers }: Clock, counters: &mut Counters) {
        while self.expiries.front().is_some_and(|expiry| *expiry <= now) {
            self.discard(counters);
        }
        self.filling.handle_timeout(timers);
        self.filling.changed(&self.segmenter, timers);
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.filling.deadline()
    }

    /// When `Timer_Discard` expires next: whoever waits for an SDU does so in an outage too.
    pub(super) fn expiry(&self) -> Option<Time> {
        self.expiries.front().copied()
    }
}
