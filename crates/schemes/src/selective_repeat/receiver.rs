//! The receiving half: what has arrived, what is missing, and what the peer must be told about both.

use super::config::{Config, Rejects};
use super::wire::Number;
use alloc::collections::VecDeque;
use arqway_arq::{DelayedAcknowledgement, Order, Window};
use arqway_contract::Counters;
use arqway_units::Time;
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Receiver {
    /// From the next number awaited to the highest received: whether each has arrived.
    window: Window<8, bool>,
    /// Missing numbers in the order in which they were last rejected.
    rejected: VecDeque<Number>,
    /// Rejects to hand over.
    to_reject: VecDeque<Number>,
    order: Order<Bytes>,
    acknowledgement: DelayedAcknowledgement,
    rejects: Rejects,
}

impl Receiver {
    pub(super) fn new(config: &Config) -> Self {
        let frames = config.window.frames();
        Self {
            window: Window::new(frames),
            rejected: VecDeque::with_capacity(frames),
            to_reject: VecDeque::with_capacity(frames),
            order: Order::with_capacity(frames),
            acknowledgement: DelayedAcknowledgement::new(config.delayed_acknowledgement),
            rejects: config.rejects,
        }
    }

    /// Takes note of a data frame, whose number is still the low bits; the number in full, if it has not come before.
    pub(super) fn note(&mut self, number: u64, now: Time, counters: &mut Counters) -> Option<Number> {
        let number = Number::at_or_after(self.window.first(), number);
        let beyond = self.window.first() + self.window.limit() as u64;
        let is_new = number < beyond && self.window.get(number).is_none_or(|arrived| !arrived);
        if !is_new {
            // Its acknowledgement may have been lost: say it again, with the usual delay.
            counters.duplicates_received += 1;
            self.acknowledgement.want(now);
            return None;
        }
        if number < self.window.end() {
            self.repair(number);
        }
        while self.window.end() <= number {
            let missing = self.window.push(false);
            if missing < number && self.rejects != Rejects::OneAtATime {
                self.reject(missing);
            }
        }
        if let Some(slot) = self.window.get_mut(number) {
            *slot = true;
        }
        if self.rejects == Rejects::OneAtATime {
            self.reject_first_missing();
        }
        self.slide(now);
        Some(number)
    }

    /// Takes the packet of a frame that was noted. How long packets are held is told in the time that goes on in an outage.
    pub(super) fn receive(&mut self, number: Number, link: u32, packet: Bytes, now: Time, counters: &mut Counters) {
        self.order.arrive(number.as_u64(), link, packet, now, counters);
        self.order.advance(self.window.first().as_u64(), now, counters);
    }

    /// A missing frame has arrived. To multireject that shows that retransmissions asked for before it are lost too.
    fn repair(&mut self, repaired: Number) {
        let Some(position) = self.rejected.iter().position(|missing| *missing == repaired) else { return };
        if self.rejects != Rejects::Multireject {
            self.rejected.remove(position);
            return;
        }
        for _ in 0..position {
            if let Some(missing) = self.rejected.pop_front() {
                self.reject(missing);
            }
        }
        self.rejected.pop_front();
    }

    /// Rejects the first missing frame, unless one that was rejected is still awaited.
    fn reject_first_missing(&mut self) {
        if !self.rejected.is_empty() {
            return;
        }
        let numbers = self.window.first().as_u64()..self.window.end().as_u64();
        let mut numbers = numbers.map(Number::new);
        if let Some(missing) = numbers.find(|number| self.window.get(*number).is_some_and(|arrived| !arrived)) {
            self.reject(missing);
        }
    }

    fn reject(&mut self, missing: Number) {
        self.rejected.push_back(missing);
        if !self.to_reject.contains(&missing) {
            self.to_reject.push_back(missing);
        }
    }

    /// Slides the window over all that has arrived without a gap, then leaves it to one cumulative acknowledgement.
    fn slide(&mut self, now: Time) {
        while self.window.front() == Some(&true) {
            self.window.pop_front();
            self.acknowledgement.want(now);
        }
    }

    pub(super) fn handle_timeout(&mut self, now: Time) {
        self.acknowledgement.handle_timeout(now);
    }

    /// The next missing number to reject; what arrived while the reject waited is skipped.
    pub(super) fn poll_reject(&mut self) -> Option<Number> {
        while let Some(missing) = self.to_reject.pop_front() {
            if self.window.get(missing).is_some_and(|arrived| !arrived) {
                return Some(missing);
            }
        }
        None
    }

    /// Whether an acknowledgement must go out as a frame of its own.
    pub(super) fn poll_acknowledgement(&mut self) -> bool {
        self.acknowledgement.poll()
    }

    /// The number to write into a frame that starts: it acknowledges all there is to acknowledge.
    pub(super) fn acknowledge(&mut self) -> Number {
        self.acknowledgement.ride();
        self.window.first()
    }

    pub(super) fn poll_packet(&mut self) -> Option<Bytes> {
        self.order.poll()
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.acknowledgement.deadline()
    }
}
