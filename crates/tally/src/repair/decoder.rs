//! The receiver's part: frames that have arrived, the equations that repair frames are, and frames that follow from them.

use super::symbol::{self, Symbol};
use super::{MOST_UNKNOWN, coefficient};
use crate::holes::Holes;
use crate::wire::{Cut, MOST_IN_SUM, Repair};
use alloc::collections::VecDeque;
use arqway_arq::linear::Equations;
use bytes::BytesMut;

/// Frames are kept until so many have come behind the last repair frame.
const KEPT_FOR: u64 = 8192;

#[derive(Debug, Clone)]
pub(crate) struct Decoder {
    /// Frames as they arrived, from `first` on.
    kept: VecDeque<Option<Symbol>>,
    first: u64,
    /// What frames are kept in.
    slab: BytesMut,
    equations: Equations,
    /// Frames before this one are kept when they arrive.
    keeps_until: u64,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            kept: VecDeque::new(),
            first: 0,
            slab: BytesMut::new(),
            equations: Equations::new(MOST_UNKNOWN),
            keeps_until: 0,
        }
    }
}

impl Decoder {
    /// Frame `number` has arrived.
    pub(crate) fn arrive(&mut self, number: u64, cut: &Cut) {
        if number >= self.keeps_until {
            return;
        }
        let symbol = Symbol::copied(cut, &mut self.slab);
        self.equations.put_in(number, |sum, times| symbol.as_ref()?.add_to(sum, times));
        self.keep(number, symbol);
    }

    /// Frame `number` will not come: what it is part of is worth nothing.
    pub(crate) fn give_up(&mut self, number: u64) {
        self.equations.put_in(number, |_, _| None);
    }

    fn keep(&mut self, number: u64, symbol: Option<Symbol>) {
        if self.kept.is_empty() {
            self.first = number;
        }
        let Some(index) = number.checked_sub(self.first).and_then(|ahead| usize::try_from(ahead).ok()) else { return };
        if index >= self.kept.len() + MOST_IN_SUM {
            self.kept.clear();
            self.first = number;
            self.kept.push_back(symbol);
            return;
        }
        while self.kept.len() <= index {
            self.kept.push_back(None);
        }
        self.kept[index] = symbol;
        while self.kept.len() > MOST_IN_SUM {
            self.kept.pop_front();
            self.first += 1;
        }
    }

    fn kept(&self, number: u64) -> Option<&Symbol> {
        self.kept.get(usize::try_from(number.checked_sub(self.first)?).ok()?)?.as_ref()
    }

    /// A repair frame has arrived, its first frame's number in full. `None` if it is of no use.
    pub(crate) fn repair(&mut self, repair: &Repair, frames: &Holes) -> Option<()> {
        let numbers = repair.first..repair.first + u64::from(repair.count);
        self.keeps_until = self.keeps_until.max(numbers.end + KEPT_FOR);
        let missing = numbers.clone().filter(|number| !frames.has(*number)).take(MOST_UNKNOWN + 1).count();
        if missing == 0 || missing > MOST_UNKNOWN || !self.equations.has_room() {
            return None;
        }
        let mut equation = self.equations.begin(&repair.sum);
        for number in numbers {
            let times = coefficient(number, repair.key);
            if !frames.has(number) {
                equation.lacks(number, times);
            } else if self.kept(number).and_then(|symbol| symbol.add_to(equation.sum(), times)).is_none() {
                self.equations.discard(equation);
                return None;
            }
        }
        self.equations.add(equation);
        Some(())
    }

    /// How many frames are unknown in one equation at most.
    #[cfg(test)]
    pub(crate) fn most_unknown(&self) -> usize {
        self.equations.most_unknown()
    }

    /// The next frame that follows from the equations, and its number; without octets where that cannot be one.
    pub(crate) fn poll(&mut self, is_linked: bool) -> Option<(u64, Option<Cut>)> {
        let Self { equations, slab, .. } = self;
        equations.poll(|sum| symbol::read(sum, is_linked, slab))
    }
}
