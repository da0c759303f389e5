//! The sending half: the window of unacknowledged packets, how far they were handed over, and one timer.

use super::config::Config;
use super::wire::Number;
use arqway_arq::{Seq, Window};
use arqway_contract::{Counters, Packet, Ticket};
use arqway_units::{Span, Time};
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Sender {
    /// Packets accepted and not yet acknowledged.
    window: Window<8, Slot>,
    /// The next number to hand over; a timeout takes it back to the first.
    next: Number,
    /// The first number that was never handed over.
    end: Number,
    timeout: Span,
    /// How often it went back; a ticket has the low bits.
    round: Seq<16>,
}

/// A copy of a frame, of which there may be several in the queue below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameCopy {
    pub(super) number: Number,
    /// Which round it goes out in; a timeout begins the next.
    round: u16,
}

impl From<FrameCopy> for Ticket {
    fn from(copy: FrameCopy) -> Self {
        Self::new(copy.number.as_u64() << 16 | u64::from(copy.round))
    }
}

impl From<Ticket> for FrameCopy {
    fn from(ticket: Ticket) -> Self {
        let [.., high, low] = ticket.number().to_be_bytes();
        Self { number: Number::new(ticket.number() >> 16), round: u16::from_be_bytes([high, low]) }
    }
}

#[derive(Debug)]
struct Slot {
    packet: Bytes,
    /// When the wait of its last copy began; none while that has still to go out.
    waiting_since: Option<Time>,
}

impl Sender {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            window: Window::new(config.window.as_usize()),
            next: Number::ZERO,
            end: Number::ZERO,
            timeout: config.timeout,
            round: Seq::ZERO,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.window.is_full()
    }

    /// Whether there is a packet that was never handed over.
    pub(super) fn has_new(&self) -> bool {
        self.end < self.window.end()
    }

    pub(super) fn push(&mut self, packet: Packet) {
        self.window.push(Slot { packet: packet.octets, waiting_since: None });
    }

    /// Takes the peer's N(R), the low bits of the next number it awaits; it acknowledges everything below. The frame that
    /// is oldest then may have waited too long already: one that the queue dropped waits from then on, one before it that
    /// found room begins its wait later.
    pub(super) fn acknowledge(&mut self, next: u64, now: Time, counters: &mut Counters) {
        let next = Number::at_or_after(self.window.first(), next);
        if next > self.end {
            return; // Beyond what was ever sent: an old acknowledgement, whose number has wrapped.
        }
        while self.window.first() < next {
            self.window.pop_front();
        }
        // What the peer has by now need not go out again.
        self.next = self.next.max(next);
        self.handle_timeout(now, counters);
    }

    /// The oldest frame has waited too long: all go out again.
    pub(super) fn handle_timeout(&mut self, now: Time, counters: &mut Counters) {
        if self.deadline().is_none_or(|deadline| deadline > now) {
            return;
        }
        counters.timeouts += 1;
        self.next = self.window.first();
        self.round = self.round.next();
        self.window.slots_mut().for_each(|slot| slot.waiting_since = None);
    }

    /// The next frame to hand over.
    pub(super) fn poll(&mut self, counters: &mut Counters) -> Option<(FrameCopy, Bytes)> {
        let number = self.next;
        let packet = self.window.get(number)?.packet.clone();
        self.next = number.next();
        if number < self.end {
            counters.frames_resent += 1;
        } else {
            counters.sent(&packet);
            self.end = self.next;
        }
        Some((FrameCopy { number, round: self.round.wire_u16() }, packet))
    }

    /// The wait of a frame begins; what becomes of a copy from an earlier round tells nothing.
    pub(super) fn start_timer(&mut self, copy: FrameCopy, now: Time) {
        if copy.round == self.round.wire_u16()
            && let Some(slot) = self.window.get_mut(copy.number)
        {
            slot.waiting_since = Some(now);
        }
    }

    /// Whether the peer may still miss this frame.
    pub(super) fn is_outstanding(&self, number: Number) -> bool {
        self.window.get(number).is_some()
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        Some(self.window.front()?.waiting_since? + self.timeout)
    }
}
