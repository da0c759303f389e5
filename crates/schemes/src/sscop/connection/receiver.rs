//! The receiving half: VR(R), VR(H), VR(MR), and what is missing.
//!
//! ```text
//!                    VR(R)                     VR(H)              VR(MR)
//!     ... all here   | missing | here | missing  | not heard of yet |  not taken
//! ```
//!
//! What is here waits in the receive buffer for what is to go before it: by the standard for all, but [`Resequencing`](arqway_arq::Resequencing) may
//! let it go earlier. That changes nothing of the numbers, and the peer does not see it.

use super::Number;
use alloc::collections::VecDeque;
use arqway_arq::Order;
use arqway_contract::Counters;
use arqway_units::Time;
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

/// An SD PDU that came.
#[derive(Debug)]
pub(super) struct Arriving {
    /// N(S).
    pub(super) number: u32,
    /// How many numbers back the one is that has to go before it; 0 where there is none.
    pub(super) link: u32,
    pub(super) packet: Bytes,
}

#[derive(Debug)]
pub(super) struct Receiver {
    /// VR(H).
    highest: Number,
    /// How far VR(MR) is ahead of VR(R).
    credit: u64,
    /// Below VR(H), by number; neighbours do not touch.
    holes: VecDeque<Hole>,
    buffer: Order<(Number, Bytes)>,
}

impl Receiver {
    pub(super) fn new(credit: u32) -> Self {
        Self { highest: Number::ZERO, credit: credit.into(), holes: VecDeque::new(), buffer: Order::with_capacity(0) }
    }

    /// VR(R): the first that is missing.
    pub(super) fn next(&self) -> Number {
        self.holes.front().map_or(self.highest, |hole| hole.first)
    }

    /// VR(H).
    pub(super) fn highest(&self) -> Number {
        self.highest
    }

    /// VR(MR): credit follows what is here without a gap.
    pub(super) fn edge(&self) -> Number {
        self.next() + self.credit
    }

    /// Takes an SD PDU.
    pub(super) fn take(&mut self, sd: Arriving, now: Time, counters: &mut Counters) -> Arrival {
        let number = Number::at_or_after(self.next(), sd.number.into());
        if number >= self.edge() {
            let hole = Hole { first: self.highest, end: self.edge() };
            return Arrival::BeyondWindow(self.hear_of(hole.end).then_some(hole));
        }
        let mut shows = None;
        if number >= self.highest {
            let hole = Hole { first: self.highest, end: number };
            shows = self.hear_of(number).then_some(hole);
            self.highest = number.next();
        } else if !self.fill(number) {
            return Arrival::Twice;
        }
        self.buffer.arrive(number.as_u64(), sd.link, (number, sd.packet), now, counters);
        self.buffer.advance(self.next().as_u64(), now, counters);
        Arrival::Taken(shows)
    }

    /// Takes what a POLL PDU says of how far the sender is; false where that contradicts what has arrived: error Q.
    pub(super) fn hear_of_sent(&mut self, s: u32) -> bool {
        let s = Number::at_or_after(self.next(), s.into());
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

    /// The next packet for the user.
    pub(super) fn deliver(&mut self) -> Option<(Number, Bytes)> {
        self.buffer.poll()
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

    /// No hole will ever be filled: what waits behind them waits no longer.
    pub(super) fn give_up(&mut self, now: Time, counters: &mut Counters) {
        self.buffer.advance(self.highest.as_u64(), now, counters);
    }

    /// Empties the receive buffer, and begins with number zero.
    pub(super) fn restart(&mut self, now: Time, counters: &mut Counters) {
        self.holes.clear();
        self.highest = Number::ZERO;
        self.buffer.restart(0, now, counters);
    }
}
