//! The receiving half: VR(R), VR(H), VR(MR), what has arrived out of order, and what is missing.
//!
//! ```text
//!                    VR(R)                     VR(H)              VR(MR)
//!     ... delivered  | missing | held | missing  | not heard of yet |  not taken
//! ```

use super::Number;
use alloc::collections::VecDeque;
use bytes::Bytes;

/// Numbers from the first to the one before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hole {
    pub(super) first: Number,
    pub(super) end: Number,
}

/// What an SD PDU was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It was taken; perhaps it shows that some before it are missing, which the peer is told at once.
    Taken(Option<Hole>),
    /// It lies beyond the window; what is missing in it the peer is told once.
    BeyondWindow(Option<Hole>),
    /// It was here before: error Q.
    Twice,
}

#[derive(Debug)]
pub(super) struct Receiver {
    /// VR(R), VR(H).
    next: Number,
    highest: Number,
    /// How far VR(MR) is ahead of VR(R).
    credit: u64,
    /// Taken and behind a hole, by number.
    held: VecDeque<(Number, Bytes)>,
    /// Between VR(R) and VR(H), by number; neighbours do not touch.
    holes: VecDeque<Hole>,
}

impl Receiver {
    pub(super) fn new(credit: u32) -> Self {
        Self {
            next: Number::ZERO,
            highest: Number::ZERO,
            credit: credit.into(),
            held: VecDeque::new(),
            holes: VecDeque::new(),
        }
    }

    /// VR(R).
    pub(super) fn next(&self) -> Number {
        self.next
    }

    /// VR(H).
    pub(super) fn highest(&self) -> Number {
        self.highest
    }

    /// VR(MR): credit follows what is delivered.
    pub(super) fn edge(&self) -> Number {
        self.next + self.credit
    }

    /// Takes an SD PDU (§7.? "data transfer ready, SD PDU").
    pub(super) fn take(&mut self, number: u32, packet: Bytes) -> Arrival {
        let number = Number::at_or_after(self.next, number.into());
        if number >= self.edge() {
            let hole = Hole { first: self.highest, end: self.edge() };
            return Arrival::BeyondWindow(self.hear_of(hole.end).then_some(hole));
        }
        if number >= self.highest {
            let hole = Hole { first: self.highest, end: number };
            let shows = self.hear_of(number).then_some(hole);
            self.highest = number.next();
            self.held.push_back((number, packet));
            return Arrival::Taken(shows);
        }
        if !self.fill(number) {
            return Arrival::Twice;
        }
        let place = self.held.partition_point(|(other, _)| *other < number);
        self.held.insert(place, (number, packet));
        Arrival::Taken(None)
    }

    /// Takes what a POLL PDU says of how far the sender is; false where that contradicts what has arrived: error Q.
    pub(super) fn hear_of_sent(&mut self, s: u32) -> bool {
        let s = Number::at_or_after(self.next, s.into());
        if s < self.highest {
            return false;
        }
        self.hear_of(s.min(self.edge()));
        true
    }

    /// All before this number have been sent; whether some of them are newly missing.
    fn hear_of(&mut self, end: Number) -> bool {
        if end <= self.highest {
            return false;
        }
        match self.holes.back_mut() {
            Some(last) if last.end == self.highest => last.end = end,
            _ => self.holes.push_back(Hole { first: self.highest, end }),
        }
        self.highest = end;
        true
    }

    /// Takes a number out of the hole that it lies in, if it lies in one.
    fn fill(&mut self, number: Number) -> bool {
        let place = self.holes.partition_point(|hole| hole.end <= number);
        let Some(hole) = self.holes.get_mut(place).filter(|hole| hole.first <= number) else { return false };
        let after = Hole { first: number.next(), end: hole.end };
        hole.end = number;
        let nothing_before = hole.first == hole.end;
        match (nothing_before, after.first == after.end) {
            (true, true) => _ = self.holes.remove(place),
            (true, false) => *hole = after,
            (false, true) => {}
            (false, false) => self.holes.insert(place + 1, after),
        }
        true
    }

    /// The next packet in sequence; VR(R) moves past it.
    pub(super) fn deliver(&mut self) -> Option<(Number, Bytes)> {
        let (number, packet) = self.held.pop_front_if(|(number, _)| *number == self.next)?;
        self.next = number.next();
        Some((number, packet))
    }

    /// The holes from this number on, the first one perhaps in part.
    pub(super) fn holes_from(&self, number: Number) -> impl Iterator<Item = Hole> + '_ {
        let place = self.holes.partition_point(|hole| hole.end <= number);
        self.holes.range(place..).map(move |hole| Hole { first: hole.first.max(number), end: hole.end })
    }

    /// How many holes there are from this number on.
    pub(super) fn count_from(&self, number: Number) -> usize {
        self.holes.len() - self.holes.partition_point(|hole| hole.end <= number)
    }

    /// The next of the packets behind holes that will never be filled.
    pub(super) fn give_up(&mut self) -> Option<(Number, Bytes)> {
        self.held.pop_front()
    }

    /// Begins anew.
    pub(super) fn restart(&mut self) {
        self.clear();
        (self.next, self.highest) = (Number::ZERO, Number::ZERO);
    }

    /// Empties the receive buffer.
    pub(super) fn clear(&mut self) {
        self.held.clear();
        self.holes.clear();
    }
}
