//! Out of sequence SDU delivery (§11.2.3.2): each SDU as soon as it is [whole](crate::rlc::whole). PDUs stay until the window has passed
//! them, also those of which nothing is needed any more.

use super::Number;
use super::store::Store;
use crate::rlc::pdu::Contents;
use crate::rlc::whole;
use crate::rlc::whole::Held;
use arqway_arq::Deadline;
use arqway_units::{Span, Time};
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct OutOfSequence {
    /// Its highest number is VR(UOH).
    store: Store,
    /// A PDU has come since the beginning, or since the timer expired.
    is_begun: bool,
    /// Where it has not: the least number that the next one may have.
    earliest: Number,
    /// `Timer_OSD`.
    timer: Deadline,
    length: Span,
}

impl OutOfSequence {
    pub(super) fn new(window: usize, length: Span) -> Self {
        Self {
            store: Store::new(window),
            is_begun: false,
            earliest: super::first_number(),
            timer: Deadline::default(),
            length,
        }
    }

    /// Takes a PDU, of whose number the low bits are known. `false`: it was there before.
    pub(super) fn take(
        &mut self,
        low_bits: u8,
        contents: Contents,
        now: Time,
        deliver: &mut impl FnMut(Bytes),
    ) -> bool {
        let number = if self.is_begun {
            self.store.number_of(low_bits)
        } else {
            let first = Number::at_or_after(self.earliest, low_bits.into());
            self.store.restart(Number::new(first.as_u64() - 1));
            self.is_begun = true;
            first
        };
        if number > self.store.highest() {
            self.store.advance(number, |_, _| ());
            self.timer.restart(now + self.length);
        } else if self.store.get(number).is_some() {
            return false;
        }
        self.store.put(number, contents);
        whole::deliver_what_needed(&self.store, number.as_u64(), deliver);
        true
    }

    pub(super) fn handle_timeout(&mut self, now: Time) {
        if self.timer.fire(now) {
            self.is_begun = false;
            self.earliest = self.store.highest().next();
            self.store.restart(self.store.highest());
        }
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.timer.get()
    }
}

impl Held for Store {
    const ENDS_HERE_IS_WHOLE: bool = true;

    fn get(&self, number: u64) -> Option<&Contents> {
        Self::get(self, Number::new(number))
    }

    fn is_known_to_begin(&self, number: u64) -> bool {
        number == super::first_number().as_u64()
    }
}
