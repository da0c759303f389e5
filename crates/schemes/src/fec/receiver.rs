//! The receiving half: the packets of the last two blocks, and what a parity makes of them.

use super::block::{Parity, Sum};
use super::config::Config;
use super::wire::Number;
use alloc::collections::VecDeque;
use arqway_contract::Counters;
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Receiver {
    /// The last data frames, oldest first.
    recent: VecDeque<(u8, Bytes)>,
    /// How many of them are kept.
    limit: usize,
    /// For the network layer.
    released: VecDeque<Bytes>,
    sum: Sum,
    /// The number after the last one heard of.
    next: Number,
}

impl Receiver {
    pub(super) fn new(config: &Config) -> Self {
        let limit = 2 * config.block.as_usize();
        Self {
            recent: VecDeque::with_capacity(limit),
            limit,
            released: VecDeque::with_capacity(2),
            sum: Sum::default(),
            // A turn above zero, so that what lies behind has a number too.
            next: Number::new(Number::MODULUS),
        }
    }

    /// Takes a data frame: it is released at once, unless it is one of the last frames again. The same number with another
    /// packet is no duplicate: so many frames were lost that the numbers came round.
    pub(super) fn data(&mut self, number: u8, packet: Bytes, counters: &mut Counters) {
        if self.recent.iter().rev().any(|(of_frame, held)| *of_frame == number && *held == packet) {
            counters.duplicates_received += 1;
        } else {
            self.heard_of_all_before(number, counters);
            if self.was_overtaken(number) {
                counters.frames_recovered += 1;
            } else {
                self.next = Number::at_or_after(self.next, number.into()).next();
            }
            self.take(number, packet);
        }
    }

    /// Takes a parity: with all but one of its packets at hand it gives the one that is missing.
    pub(super) fn parity(&mut self, parity: &Parity, counters: &mut Counters) {
        self.heard_of_all_before(parity.end(), counters);
        let Some(missing) = self.only_one_missing(parity) else { return };
        self.sum.clear();
        for number in parity.numbers() {
            if let Some(packet) = newest(&self.recent, number) {
                self.sum.add(number, packet);
            }
        }
        if let Some(packet) = self.sum.missing_from(parity, missing) {
            counters.frames_recovered += 1;
            self.take(missing, packet);
        }
    }

    /// Counts what did not come. Numbers come round, so a burst of half of them or more is not seen.
    fn heard_of_all_before(&mut self, number: u8, counters: &mut Counters) {
        let number = Number::nearest(self.next, number.into());
        if let Some(ahead) = number.offset_from(self.next) {
            counters.packets_missed += ahead;
            self.next = number;
        }
    }

    /// Whether a frame that is none of the recent ones lies so little behind that others overtook it: then it was counted
    /// as missing. One further behind shows a burst that the numbers cannot count, and what comes is counted from there on.
    fn was_overtaken(&self, number: u8) -> bool {
        let behind = self.next.offset_from(Number::nearest(self.next, number.into()));
        behind.is_some_and(|behind| (1..=self.limit as u64 / 2).contains(&behind))
    }

    fn only_one_missing(&self, parity: &Parity) -> Option<u8> {
        let mut missing = parity.numbers().filter(|number| newest(&self.recent, *number).is_none());
        let first = missing.next()?;
        missing.next().is_none().then_some(first)
    }

    fn take(&mut self, number: u8, packet: Bytes) {
        if self.recent.len() == self.limit {
            self.recent.pop_front();
        }
        self.recent.push_back((number, packet.clone()));
        self.released.push_back(packet);
    }

    pub(super) fn poll_packet(&mut self) -> Option<Bytes> {
        self.released.pop_front()
    }
}

/// The last packet that bore this number, if it is among those kept.
fn newest(recent: &VecDeque<(u8, Bytes)>, number: u8) -> Option<&Bytes> {
    recent.iter().rev().find(|(of_frame, _)| *of_frame == number).map(|(_, packet)| packet)
}
