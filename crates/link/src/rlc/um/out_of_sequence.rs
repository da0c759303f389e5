//! Out of sequence SDU delivery (§11.2.3.2): an SDU is whole as soon as all PDUs are there that have something of it.
//!
//! ```text
//!     PDUs      7: aaab   8: bbbb   9: |first 2| bbcc   10: c...
//!     arrive    9: nothing is whole    7: a     8: b     10: c
//! ```
//!
//! An SDU needs the PDUs with its octets, the one whose indicator tells its end, and the one before its first where only that can tell that
//! it begins there. When a PDU arrives, just those SDUs are delivered that need it and now have all: none twice, and no book is kept
//! of what was delivered. That is why PDUs stay until the window has passed them, also those of which nothing is needed any more.

use super::Number;
use super::store::Store;
use crate::rlc::pdu::{Contents, LengthIndicator};
use crate::rlc::reassembly::LONGEST_SDU;
use crate::timers::Deadline;
use arqway_units::{Span, Time};
use bytes::{BufMut, Bytes, BytesMut};

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

/// Where an SDU begins: in this PDU, behind so many octets of data.
type Place = (Number, usize);

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
        self.deliver_what_needed(number, deliver);
        true
    }

    /// The SDUs that need this PDU and are whole.
    fn deliver_what_needed(&self, number: Number, deliver: &mut impl FnMut(Bytes)) {
        let Some(contents) = self.store.get(number) else { return };
        let before = Number::new(number.as_u64() - 1);
        if let Some(padding) = ends_before(contents)
            && self.store.get(before).is_some_and(is_open)
            && let Some(from) = self.start_of_last(before)
        {
            self.assemble(from, before, usize::MAX, padding, deliver);
        }
        let mut from = self.start_of_first(number);
        for end in ends(contents) {
            if let Some(from) = from {
                self.assemble(from, number, end, 0, deliver);
            }
            from = Some((number, end));
        }
        let behind = if is_open(contents) { from } else { Some((number.next(), 0)) };
        if let Some(from) = behind {
            self.deliver_behind(from, number, deliver);
        }
    }

    /// The SDU that is under way at the end of `number`, or begins behind it: its end may be in a later PDU that is there already.
    fn deliver_behind(&self, from: Place, number: Number, deliver: &mut impl FnMut(Bytes)) {
        let mut last = number;
        while let Some(contents) = self.store.get(last.next()) {
            if begins(contents) {
                // Where it begins by itself, it only tells of what was before; if that has octets.
                if let Some(padding) = ends_before(contents) {
                    self.assemble(from, last, usize::MAX, padding, deliver);
                }
                return;
            }
            last = last.next();
            if let Some(end) = ends(contents).next() {
                self.assemble(from, last, end, 0, deliver);
                return;
            }
        }
    }

    /// Where the SDU begins whose octets are the first ones of this PDU, if all before them are there.
    fn start_of_first(&self, number: Number) -> Option<Place> {
        if begins(self.store.get(number)?) || number == super::first_number() {
            return Some((number, 0));
        }
        let before = Number::new(number.as_u64() - 1);
        if is_open(self.store.get(before)?) { self.start_of_last(before) } else { Some((number, 0)) }
    }

    /// Where the SDU begins whose octets are the last ones of this PDU, if all before them are there.
    fn start_of_last(&self, mut number: Number) -> Option<Place> {
        loop {
            let contents = self.store.get(number)?;
            if let Some(end) = ends(contents).last() {
                return Some((number, end));
            }
            if begins(contents) || number == super::first_number() {
                return Some((number, 0));
            }
            let before = Number::new(number.as_u64() - 1);
            if !is_open(self.store.get(before)?) {
                return Some((number, 0));
            }
            number = before;
        }
    }

    /// Delivers the octets from a place to the octet `end` of a PDU's data, or to the last of them, without so many octets of padding.
    fn assemble(&self, from: Place, last: Number, end: usize, padding: usize, deliver: &mut impl FnMut(Bytes)) {
        let (first, skip) = from;
        let data = |number: Number| {
            let data = self.store.get(number).map_or_else(Bytes::new, |contents| contents.data.clone());
            let until = if number == last { end.min(data.len()) } else { data.len() };
            data.slice(if number == first { skip.min(until) } else { 0 }..until)
        };
        let numbers = || (first.as_u64()..=last.as_u64()).map(Number::new);
        let octets = numbers().map(|number| data(number).len()).sum::<usize>().saturating_sub(padding);
        if octets == 0 || octets > LONGEST_SDU {
            return;
        }
        let mut sdu = if first == last {
            data(first)
        } else {
            let mut pieces = BytesMut::with_capacity(octets + padding);
            numbers().for_each(|number| pieces.put(data(number)));
            pieces.freeze()
        };
        sdu.truncate(octets);
        deliver(sdu);
    }

    pub(super) fn handle_timeout(&mut self, now: Time) {
        if self.timer.fire(now) {
            self.is_begun = false;
            self.earliest = self.store.highest().next();
            self.store.restart(self.store.highest());
        }
    }

    pub(super) fn timer(&mut self) -> &mut Deadline {
        &mut self.timer
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.timer.get()
    }
}

/// Where SDUs end in a PDU.
fn ends(contents: &Contents) -> impl Iterator<Item = usize> + '_ {
    let whole = is_one_whole(contents).then_some(contents.data.len());
    let told = contents.indicators().filter_map(|indicator| match indicator {
        LengthIndicator::End(end) => Some(usize::from(end)),
        _ => None,
    });
    whole.into_iter().chain(told)
}

fn is_one_whole(contents: &Contents) -> bool {
    let first = contents.indicators().next();
    contents.ends_here() || matches!(first, Some(LengthIndicator::Whole | LengthIndicator::WholeOneShort))
}

/// Whether a PDU tells that the one before has ended an SDU, and with how many octets of padding.
fn ends_before(contents: &Contents) -> Option<usize> {
    match contents.indicators().next() {
        Some(LengthIndicator::PreviousFilled) => Some(0),
        Some(LengthIndicator::PreviousOneShort) => Some(1),
        _ => is_one_whole(contents).then_some(0),
    }
}

/// Whether a PDU tells that an SDU begins with it.
fn begins(contents: &Contents) -> bool {
    ends_before(contents).is_some() || contents.indicators().next() == Some(LengthIndicator::First)
}

/// Whether an SDU is under way at the end of a PDU: it goes on in the next one, or that tells that it has ended. A PDU of padding alone
/// changes nothing.
fn is_open(contents: &Contents) -> bool {
    match ends(contents).last() {
        Some(end) => contents.data.len() > end,
        None => !contents.data.is_empty() || ends_before(contents).is_none(),
    }
}
