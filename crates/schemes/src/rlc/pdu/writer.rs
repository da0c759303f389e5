//! Puts super-fields into a STATUS PDU, as many as fit.

use super::control::{self, padded};
use super::numbers::{after, before};
use super::relative_list;
use super::sufi::{
    ACK, BITMAP, LIST, MOVE_RECEIVING_WINDOW, MOVE_RECEIVING_WINDOW_ACK, NO_MORE, POLL, RELATIVE_LIST, WINDOW,
};
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use bytes::Bytes;

/// A STATUS PDU being written. Room for what ends it is always kept: for NO_MORE, or for ACK once that is asked for.
///
/// What is missing is given by numbers of 12 bits in ascending order, modulo 4096. A report that does not fit into one PDU
/// goes on in the next: each method tells how many numbers it has taken.
#[derive(Debug, Clone)]
pub struct StatusWriter {
    octets: Vec<u8>,
    /// How many half octets are written.
    nibbles: usize,
    /// How many there may be.
    limit: usize,
    /// How many are kept for the end.
    kept: usize,
    has_ended: bool,
}

/// How many half octets a super-field takes that is a type and a number.
const NUMBER_NIBBLES: usize = 4;
/// The most pairs that a LIST has.
const MOST_PAIRS: usize = 15;
/// The most octets of bits that a BITMAP has.
const MOST_BITMAP_OCTETS: usize = 16;

impl StatusWriter {
    /// A PDU of at most so many octets; one is needed at least.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let mut writer =
            Self { octets: Vec::with_capacity(limit), nibbles: 0, limit: 2 * limit, kept: 1, has_ended: false };
        writer.write(control::STATUS);
        writer
    }

    /// Whether nothing has been pushed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nibbles == 1
    }

    /// Keeps room for an ACK at the end from now on; `false` where there is none any more.
    pub fn keep_room_for_ack(&mut self) -> bool {
        let has_room = self.has_ended || self.nibbles + NUMBER_NIBBLES <= self.limit;
        if has_room {
            self.kept = NUMBER_NIBBLES;
        }
        has_room
    }

    /// WINDOW; `false`, here and below: it does not fit, and nothing is written.
    pub fn push_window(&mut self, size: u16) -> bool {
        self.push_number(WINDOW, size)
    }

    /// POLL.
    pub fn push_poll(&mut self, number: u16) -> bool {
        self.push_number(POLL, number)
    }

    /// ACK, behind which nothing fits any more.
    pub fn push_ack(&mut self, number: u16) -> bool {
        self.kept = 0;
        let fits = self.push_number(ACK, number);
        self.kept = 1;
        self.has_ended |= fits;
        fits
    }

    /// MRW with 1 to 15 numbers; one where it reaches `beyond_window`.
    pub fn push_move_receiving_window(&mut self, numbers: &[u16], n: u8, beyond_window: bool) -> bool {
        let most = if beyond_window { 1 } else { 15 };
        debug_assert!((1..=most).contains(&numbers.len()), "a super-field MRW has 1 to {most} numbers");
        if self.room() < 3 + 3 * numbers.len() || !(1..=most).contains(&numbers.len()) {
            return false;
        }
        self.write(MOVE_RECEIVING_WINDOW);
        self.write(if beyond_window { 0 } else { nibble(numbers.len()) });
        numbers.iter().for_each(|number| self.write_number(*number));
        self.write(n);
        true
    }

    /// MRW_ACK.
    pub fn push_move_receiving_window_ack(&mut self, n: u8, number: u16) -> bool {
        let fits = self.room() >= 2 + 3;
        if fits {
            self.write(MOVE_RECEIVING_WINDOW_ACK);
            self.write(n);
            self.write_number(number);
        }
        fits
    }

    /// LIST of as many of these missing numbers as fit: how many are in it. 0: nothing is written.
    pub fn push_list(&mut self, missing: impl IntoIterator<Item = u16>) -> usize {
        let most = (self.room().saturating_sub(2) / NUMBER_NIBBLES).min(MOST_PAIRS);
        let mut pairs: ArrayVec<(u16, u8), MOST_PAIRS> = ArrayVec::new();
        let mut told = 0;
        for number in missing {
            let has_room = pairs.len() < most;
            match pairs.last_mut() {
                Some((first, more)) if *more < 15 && number == after(*first, u16::from(*more) + 1) => *more += 1,
                _ if has_room => pairs.push((number, 0)),
                _ => break,
            }
            told += 1;
        }
        if !pairs.is_empty() {
            self.write(LIST);
            self.write(nibble(pairs.len()));
            for (first, more) in pairs {
                self.write_number(first);
                self.write(more);
            }
        }
        told
    }

    /// RLIST of as many of these missing numbers as fit: how many are in it. 0: nothing is written.
    pub fn push_relative_list(&mut self, missing: impl IntoIterator<Item = u16>) -> usize {
        let mut missing = missing.into_iter();
        let Some(room) = self.room().checked_sub(2 + 3) else { return 0 };
        let Some(first) = missing.next() else { return 0 };
        let (words, others) = relative_list::encode(first, missing, room);
        self.write(RELATIVE_LIST);
        self.write(nibble(words.len()));
        self.write_number(first);
        words.iter().for_each(|word| self.write(*word));
        1 + others
    }

    /// BITMAP of the first of `count` PDUs from `first` on, as many as fit: how many it is about. 0: nothing is written.
    ///
    /// A bitmap is whole octets, and a bit about a PDU that is not yet to be spoken of would say that it is missing (§9.2.2.11
    /// forbids it). So where `count` is not a whole number of octets, the bitmap begins up to seven PDUs before `first`, which
    /// must have arrived. A receiver whose window is half the numbers or more may not do that: `may_reach_back` is false,
    /// and up to seven PDUs at the end are left for a list, or for the next report.
    pub fn push_bitmap(
        &mut self,
        first: u16,
        count: u16,
        may_reach_back: bool,
        mut received: impl FnMut(u16) -> bool,
    ) -> u16 {
        let most = (self.room().saturating_sub(2 + 3) / 2).min(MOST_BITMAP_OCTETS);
        let wanted = usize::from(count);
        let octets = if may_reach_back { wanted.div_ceil(8) } else { wanted / 8 }.min(most);
        let Some(last) = octets.checked_sub(1) else { return 0 };
        let back = (8 * octets).saturating_sub(wanted);
        self.write(BITMAP);
        self.write(nibble(last));
        let [back, bits] = [back, 8 * octets].map(|bits| u16::try_from(bits).unwrap_or(0));
        self.write_number(before(first, back));
        let mut half = 0;
        for bit in 0..bits {
            let arrived = bit.checked_sub(back).is_none_or(|ahead| received(after(first, ahead)));
            half = half << 1 | u8::from(arrived);
            if bit % 4 == 3 {
                self.write(half);
                half = 0;
            }
        }
        bits - back
    }

    /// The PDU, in at least as many octets as told.
    #[must_use]
    pub fn finish(mut self, pad_to: Option<usize>) -> Bytes {
        self.end();
        padded(self.octets, pad_to)
    }

    /// The PDU as it stands in the padding of an AMD PDU.
    #[must_use]
    pub fn finish_piggybacked(self) -> Bytes {
        // R2 is 0 as D/C is.
        self.finish(None)
    }

    fn end(&mut self) {
        if !self.has_ended {
            self.write(NO_MORE);
            self.has_ended = true;
        }
    }

    /// How many half octets there are for another super-field.
    fn room(&self) -> usize {
        if self.has_ended { 0 } else { self.limit.saturating_sub(self.nibbles + self.kept) }
    }

    fn push_number(&mut self, kind: u8, number: u16) -> bool {
        let fits = self.room() >= NUMBER_NIBBLES;
        if fits {
            self.write(kind);
            self.write_number(number);
        }
        fits
    }

    fn write_number(&mut self, number: u16) {
        debug_assert!(number < 1 << 12, "a sequence number has 12 bits");
        let [high, low] = number.to_be_bytes();
        self.write(high & 0xf);
        self.write(low >> 4);
        self.write(low & 0xf);
    }

    fn write(&mut self, nibble: u8) {
        debug_assert!(nibble < 16, "half an octet has four bits");
        match self.octets.last_mut() {
            Some(octet) if self.nibbles % 2 == 1 => *octet |= nibble,
            _ => self.octets.push(nibble << 4),
        }
        self.nibbles += 1;
    }
}

fn nibble(count: usize) -> u8 {
    debug_assert!(count < 16, "a length has four bits");
    let [low, ..] = count.to_le_bytes();
    low & 0xf
}
