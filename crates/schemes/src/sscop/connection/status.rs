//! What the peer is to be told of what has arrived: STAT and USTAT PDUs (Q.2110 §7.2.1 j, k).
//!
//! What is told is what is true when a PDU is handed over, not when it was asked for: meanwhile a line that is taken may have
//! brought what was missing. USTAT PDUs go first: what a later STAT PDU says is checked against the poll that it answers, and so
//! asks for nothing twice.

use super::Number;
use super::receiver::{Hole, Receiver};
use crate::sscop::pdu::{Pdu, Stat, stat_list};
use alloc::collections::VecDeque;
use bytes::Bytes;
use core::iter;

#[derive(Debug)]
pub(super) struct Reports {
    /// What is to be told as missing at once.
    missing: VecDeque<Hole>,
    /// The poll that is to be answered, and from which number on: a list that is too long goes on in another PDU.
    answer: Option<Answer>,
    /// MaxSTAT.
    longest_list: usize,
}

#[derive(Debug, Clone, Copy)]
struct Answer {
    poll: u32,
    from: Option<Number>,
}

impl Reports {
    pub(super) fn new(longest_list: u16) -> Self {
        Self { missing: VecDeque::new(), answer: None, longest_list: longest_list.into() }
    }

    pub(super) fn tell_missing(&mut self, hole: Hole) {
        self.missing.push_back(hole);
    }

    /// A poll came. One that still waits for its answer needs none any more: this one asks for all.
    pub(super) fn answer(&mut self, poll: u32) {
        self.answer = Some(Answer { poll, from: None });
    }

    pub(super) fn clear(&mut self) {
        self.missing.clear();
        self.answer = None;
    }

    pub(super) fn take(&mut self, receiver: &Receiver) -> Option<Pdu> {
        self.take_ustat(receiver).or_else(|| self.take_stat(receiver))
    }

    /// The next of what is missing, as far as it still is.
    fn take_ustat(&mut self, receiver: &Receiver) -> Option<Pdu> {
        while let Some(told) = self.missing.front_mut() {
            let still = receiver.holes_from(told.first).next().filter(|hole| hole.first < told.end);
            let Some(still) = still else {
                self.missing.pop_front();
                continue;
            };
            let end = still.end.min(told.end);
            told.first = end;
            if end == told.end {
                self.missing.pop_front();
            }
            let [first, end, mr, r] = [still.first, end, receiver.edge(), receiver.next()].map(Number::wire_u32);
            return Some(Pdu::Ustat { first, end, mr, r });
        }
        None
    }

    fn take_stat(&mut self, receiver: &Receiver) -> Option<Pdu> {
        let Answer { poll, from } = self.answer.take()?;
        let holes = receiver.count_from(from.unwrap_or(receiver.next()));
        if from.is_some() && holes == 0 {
            return None;
        }
        // The last element is the first one of the next list (§7.2.6).
        let begins = from.unwrap_or(receiver.next());
        let in_this = holes.min(self.longest_list / 2);
        let goes_on = in_this < holes;
        let list = if holes == 0 { Bytes::new() } else { list(receiver, begins, in_this, goes_on) };
        if goes_on {
            let next = receiver.holes_from(begins).nth(in_this).map(|hole| hole.first);
            self.answer = Some(Answer { poll, from: next });
        }
        Some(Pdu::Stat(Stat::new(list, poll, receiver.edge().wire_u32(), receiver.next().wire_u32())))
    }
}

/// Where holes begin and end, by turns; behind the last one how far all this reaches: up to the next hole, or to VR(H).
fn list(receiver: &Receiver, from: Number, holes: usize, goes_on: bool) -> Bytes {
    let reaches = if goes_on {
        receiver.holes_from(from).nth(holes).map(|hole| hole.first)
    } else {
        let last = receiver.holes_from(from).last().map(|hole| hole.end);
        Some(receiver.highest()).filter(|highest| last != Some(*highest))
    };
    let elements = receiver.holes_from(from).take(holes).flat_map(|hole| [hole.first, hole.end]);
    let length = 2 * holes + usize::from(reaches.is_some());
    let mut elements = elements.chain(reaches).map(Number::wire_u32);
    stat_list(iter::repeat_with(|| elements.next().unwrap_or(0)).take(length))
}
