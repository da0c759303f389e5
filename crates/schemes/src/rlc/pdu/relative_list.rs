//! The code words of the super-field RLIST (3GPP TS 25.322 §9.2.2.11.6): how far it is from one missing PDU to the next.
//!
//! A number is told three bits a code word, the lowest first; the fourth bit ends it. The code word `000 1`, which no number
//! ends with, means that the number behind it counts the missing PDUs that follow one after the other.
//!
//! ```text
//!     FSN 4000 | 100 1 | 000 1 | 101 1 | 010 0 | 001 1         4000, 4004, then 4005 to 4009, and 4009 + 10 = 4019
//!                  +4    burst      5     2 + 8 * 1
//! ```

use super::numbers::{after, before};
use arrayvec::ArrayVec;
use core::iter;

/// The "error burst indicator".
const BURST: u8 = 1;

/// What one number says.
enum Step {
    /// So far from the last missing PDU is the next one.
    Far(u64),
    /// So many more follow the last missing PDU.
    Burst(u64),
}

/// The next step, if there is one; `None` where the code words mean nothing.
fn step(words: &mut impl Iterator<Item = u8>) -> Option<Option<Step>> {
    Some(match words.next() {
        None => None,
        Some(BURST) => {
            let first = words.next()?;
            Some(Step::Burst(number(first, words)?))
        }
        Some(first) => Some(Step::Far(number(first, words)?)),
    })
}

/// The number that begins with a code word; `None` where it never ends, or ends with what is no part of a number.
fn number(mut word: u8, words: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    while word != BURST {
        number |= u64::from(word >> 1) << shift;
        if word & 1 == 1 {
            return Some(number);
        }
        word = words.next()?;
        shift += 3;
    }
    None
}

/// Whether these code words, at most 15, mean something, and not more than a turn of the numbers.
pub(super) fn is_valid(mut words: impl Iterator<Item = u8>) -> bool {
    let mut reach = 0;
    loop {
        match step(&mut words) {
            Some(None) => return reach < 1 << 12,
            Some(Some(Step::Far(count) | Step::Burst(count))) => reach += count,
            None => return false,
        }
    }
}

/// The missing numbers that valid code words tell.
pub(super) fn missing(first: u16, mut words: impl Iterator<Item = u8>) -> impl Iterator<Item = u16> {
    let (mut last, mut burst) = (first, 0);
    let others = iter::from_fn(move || {
        let mut distance = 1;
        if burst > 0 {
            burst -= 1;
        } else {
            match step(&mut words)?? {
                Step::Far(count) => distance = u16::try_from(count).ok()?,
                Step::Burst(count) => burst = count - 1,
            }
        }
        last = after(last, distance);
        Some(last)
    });
    iter::once(first).chain(others)
}

/// Code words of one super-field.
pub(super) type Words = ArrayVec<u8, 15>;

/// Code words for ascending numbers behind `first`: as many of the numbers as `room` code words tell, and how many these are.
pub(super) fn encode(first: u16, numbers: impl Iterator<Item = u16>, room: usize) -> (Words, usize) {
    let room = room.min(Words::new_const().capacity());
    let (mut words, mut told, mut last, mut reach) = (Words::new(), 0, first, 0);
    let mut numbers = numbers.peekable();
    while let Some(next) = numbers.next() {
        let mut run = 1;
        while next == after(last, 1) && run < 0xfff && numbers.next_if_eq(&after(last, run + 1)).is_some() {
            run += 1;
        }
        let left = room - words.len();
        let distance = before(next, last);
        reach += distance + run - 1;
        if reach > 0xfff {
            break; // a turn of the numbers: these do not ascend
        }
        // Up to two in a row are no longer one by one.
        let told_now = if run > 2 && left > 1 {
            let count = run.min(highest_of(left - 1));
            words.push(BURST);
            push(count, &mut words);
            count
        } else if distance > highest_of(left) {
            0
        } else {
            push(distance, &mut words);
            let others = run.min(u16::try_from(left).unwrap_or(run));
            (1..others).for_each(|_| push(1, &mut words));
            others
        };
        told += usize::from(told_now);
        if told_now < run {
            break;
        }
        last = after(last, distance + run - 1);
    }
    (words, told)
}

/// The highest number that so many code words can tell, as far as numbers go.
fn highest_of(words: usize) -> u16 {
    match words {
        0..4 => (1 << (3 * words)) - 1,
        _ => 0xfff,
    }
}

fn push(mut number: u16, words: &mut Words) {
    loop {
        let [_, low] = number.to_be_bytes();
        let bits = (low & 7) << 1;
        number >>= 3;
        words.push(if number == 0 { bits | 1 } else { bits });
        if number == 0 {
            return;
        }
    }
}
