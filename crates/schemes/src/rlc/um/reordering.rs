//! Duplicate avoidance and reordering (§9.7.10): each PDU once, and in order, as far as a window and a timer allow.
//!
//! ```text
//!     arrives  7   9   9   8        window of 4
//!     goes on  7       8 9          9 waits for 8, at most for Timer_DAR; the second 9 is dropped
//! ```
//!
//! The standard has the function in terminals alone, for what several cells send; here either end may have it.

use super::Number;
use super::store::Store;
use crate::rlc::pdu::Contents;
use arqway_arq::Deadline;
use arqway_units::{Span, Time};

#[derive(Debug)]
pub(super) struct Reordering {
    /// Its highest number is VR(UDH).
    store: Store,
    /// VR(UDR): the next PDU that goes on. `None` before the first one has come.
    next: Option<Number>,
    /// `Timer_DAR`.
    timer: Deadline,
    length: Span,
    /// VR(UDT): the PDU for which the timer was started.
    timed: Number,
}

impl Reordering {
    pub(super) fn new(window: usize, length: Span) -> Self {
        Self { store: Store::new(window), next: None, timer: Deadline::default(), length, timed: Number::ZERO }
    }

    /// Takes a PDU, of whose number the low bits are known. `false`: it was there before.
    pub(super) fn take(
        &mut self,
        low_bits: u8,
        contents: Contents,
        now: Time,
        mut goes_on: impl FnMut(Number, &Contents),
    ) -> bool {
        let (number, next) = match self.next {
            Some(next) => (self.store.number_of(low_bits), next),
            None => {
                let first = super::first_number() + u64::from(low_bits);
                self.store.restart(first);
                (first, self.store.lowest())
            }
        };
        self.next = Some(next);
        if number <= self.store.highest() {
            if number < next || self.store.get(number).is_some() {
                return false;
            }
            self.store.put(number, contents);
        } else {
            self.store.advance(number, |number, contents| goes_on(number, &contents));
            self.store.put(number, contents);
            self.next = Some(next.max(self.store.lowest()));
        }
        self.release(&mut goes_on);
        self.attend_timer(number, now);
        true
    }

    /// What is there from VR(UDR) on goes on.
    fn release(&mut self, goes_on: &mut impl FnMut(Number, &Contents)) {
        while let Some(number) = self.next
            && let Some(contents) = self.store.take(number)
        {
            goes_on(number, &contents);
            self.next = Some(number.next());
        }
    }

    /// After `arrived` was put into its place, from where it may have gone on.
    fn attend_timer(&mut self, arrived: Number, now: Time) {
        if self.timer.get().is_none() {
            if self.store.get(arrived).is_some() {
                self.start(arrived, now);
            }
        } else if self.store.get(self.timed).is_none() {
            self.timer.stop();
            self.restart(now);
        }
    }

    fn start(&mut self, number: Number, now: Time) {
        self.timed = number;
        self.timer.restart(now + self.length);
    }

    /// For what is still there.
    fn restart(&mut self, now: Time) {
        let all = self.store.lowest().as_u64()..=self.store.highest().as_u64();
        if let Some(highest) = all.rev().map(Number::new).find(|number| self.store.get(*number).is_some()) {
            self.start(highest, now);
        }
    }

    pub(super) fn handle_timeout(&mut self, now: Time, mut goes_on: impl FnMut(Number, &Contents)) {
        if !self.timer.fire(now) {
            return;
        }
        for number in (self.store.lowest().as_u64()..=self.timed.as_u64()).map(Number::new) {
            if let Some(contents) = self.store.take(number) {
                goes_on(number, &contents);
            }
        }
        self.next = Some(self.timed.next());
        self.release(&mut goes_on);
        self.restart(now);
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.timer.get()
    }
}
