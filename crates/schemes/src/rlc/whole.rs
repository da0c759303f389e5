//! Which SDUs a data PDU makes whole, where SDUs are delivered out of sequence (3GPP TS 25.322 §11.2.3.2, §4.2.1.3): an SDU is
//! whole as soon as all PDUs are there that have something of it.
//!
//! ```text
//!     PDUs      7: aaab   8: bbbb   9: |first 2| bbcc   10: c...
//!     arrive    9: nothing is whole    7: a     8: b     10: c
//! ```
//!
//! An SDU needs the PDUs with its octets, the one whose indicator tells its end, and the one before its first where only that can tell that
//! it begins there. When a PDU arrives, just those SDUs are delivered that need it and now have all: none twice, and no book is kept
//! of what was delivered. So a PDU is kept as long as an SDU may need it that is not whole.

use super::pdu::{Contents, LengthIndicator};
use super::reassembly::LONGEST_SDU;
use bytes::{BufMut, Bytes, BytesMut};

/// PDUs that are here, by their numbers.
pub(super) trait Held {
    /// Whether a PDU that ends with an SDU, and has no indicator to say so, also begins with it.
    const ENDS_HERE_IS_WHOLE: bool;

    /// The PDU of this number, if it is here.
    fn get(&self, number: u64) -> Option<&Contents>;

    /// Whether an SDU is known to begin with the first octet of this PDU, though no PDU says so.
    fn is_known_to_begin(&self, number: u64) -> bool;
}

/// Where an SDU begins: in this PDU, behind so many octets of data.
type Place = (u64, usize);

/// The SDUs that need this PDU and are whole.
pub(super) fn deliver_what_needed<H: Held>(held: &H, number: u64, deliver: &mut impl FnMut(Bytes)) {
    let Some(contents) = held.get(number) else { return };
    if let Some(padding) = ends_before::<H>(contents)
        && let Some(before) = number.checked_sub(1)
        && held.get(before).is_some_and(is_open::<H>)
        && let Some(from) = start_of_last(held, before)
    {
        assemble(held, from, before, usize::MAX, padding, deliver);
    }
    let mut from = start_of_first(held, number);
    for end in ends::<H>(contents) {
        if let Some(from) = from {
            assemble(held, from, number, end, 0, deliver);
        }
        from = Some((number, end));
    }
    let behind = if is_open::<H>(contents) { from } else { Some((number + 1, 0)) };
    if let Some(from) = behind {
        deliver_behind(held, from, number, deliver);
    }
}

/// The SDU that is under way at the end of `number`, or begins behind it: its end may be in a later PDU that is there already.
pub(super) fn deliver_behind<H: Held>(held: &H, from: Place, number: u64, deliver: &mut impl FnMut(Bytes)) {
    let mut last = number;
    while let Some(contents) = held.get(last + 1) {
        if begins::<H>(contents) {
            // Where it begins by itself, it only tells of what was before; if that has octets.
            if let Some(padding) = ends_before::<H>(contents) {
                assemble(held, from, last, usize::MAX, padding, deliver);
            }
            return;
        }
        last += 1;
        if let Some(end) = ends::<H>(contents).next() {
            assemble(held, from, last, end, 0, deliver);
            return;
        }
    }
}

/// Where the SDU begins whose octets are the first ones of this PDU, if all before them are there.
fn start_of_first<H: Held>(held: &H, number: u64) -> Option<Place> {
    if begins::<H>(held.get(number)?) || held.is_known_to_begin(number) {
        return Some((number, 0));
    }
    let before = number.checked_sub(1)?;
    if is_open::<H>(held.get(before)?) { start_of_last(held, before) } else { Some((number, 0)) }
}

/// Where the SDU begins whose octets are the last ones of this PDU, if all before them are there.
fn start_of_last<H: Held>(held: &H, mut number: u64) -> Option<Place> {
    loop {
        let contents = held.get(number)?;
        if let Some(end) = ends::<H>(contents).last() {
            return Some((number, end));
        }
        if begins::<H>(contents) || held.is_known_to_begin(number) {
            return Some((number, 0));
        }
        let before = number.checked_sub(1)?;
        if !is_open::<H>(held.get(before)?) {
            return Some((number, 0));
        }
        number = before;
    }
}

/// Delivers the octets from a place to the octet `end` of a PDU's data, or to the last of them, without so many octets of padding.
fn assemble<H: Held>(held: &H, from: Place, last: u64, end: usize, padding: usize, deliver: &mut impl FnMut(Bytes)) {
    let (first, skip) = from;
    let data = |number: u64| {
        let data = held.get(number).map_or_else(Bytes::new, |contents| contents.data.clone());
        let until = if number == last { end.min(data.len()) } else { data.len() };
        data.slice(if number == first { skip.min(until) } else { 0 }..until)
    };
    let numbers = || first..=last;
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

/// Where SDUs end in a PDU.
pub(super) fn ends<H: Held>(contents: &Contents) -> impl Iterator<Item = usize> + '_ {
    let whole = (is_one_whole::<H>(contents) || contents.ends_here()).then_some(contents.data.len());
    let told = contents.indicators().filter_map(|indicator| match indicator {
        LengthIndicator::End(end) => Some(usize::from(end)),
        _ => None,
    });
    whole.into_iter().chain(told)
}

fn is_one_whole<H: Held>(contents: &Contents) -> bool {
    let first = contents.indicators().next();
    (H::ENDS_HERE_IS_WHOLE && contents.ends_here())
        || matches!(first, Some(LengthIndicator::Whole | LengthIndicator::WholeOneShort))
}

/// Whether a PDU tells that the one before has ended an SDU, and with how many octets of padding.
fn ends_before<H: Held>(contents: &Contents) -> Option<usize> {
    match contents.indicators().next() {
        Some(LengthIndicator::PreviousFilled) => Some(0),
        Some(LengthIndicator::PreviousOneShort) => Some(1),
        _ => is_one_whole::<H>(contents).then_some(0),
    }
}

/// Whether a PDU tells that an SDU begins with it.
fn begins<H: Held>(contents: &Contents) -> bool {
    ends_before::<H>(contents).is_some() || contents.indicators().next() == Some(LengthIndicator::First)
}

/// Whether an SDU is under way at the end of a PDU: it goes on in the next one, or that tells that it has ended. A PDU of padding alone
/// changes nothing.
pub(super) fn is_open<H: Held>(contents: &Contents) -> bool {
    match ends::<H>(contents).last() {
        Some(end) => contents.data.len() > end,
        None => !contents.data.is_empty() || ends_before::<H>(contents).is_none(),
    }
}
