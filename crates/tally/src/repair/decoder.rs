//! The receiver's part: frames that have arrived, the equations that repair frames are, and frames that follow from them.
//!
//! ```text
//!     frames        5   6   .   8   .   10        7 and 9 are missing
//!     equations             c       e             c 7 + e 9 = what the repair frame is without 5, 6, 8 and 10
//!                           f       g             a second one: both can be told
//! ```
//!
//! Equations are kept *reduced*: each has an unknown frame, its first, that is in no other one. So an equation with one unknown
//! is that frame.

use super::symbol::{self, Symbol};
use super::{MOST_UNKNOWN, coefficient, field};
use crate::holes::Holes;
use crate::wire::{Cut, MOST_IN_SUM, Repair};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use bytes::BytesMut;

/// Frames are kept until so many have come behind the last repair frame.
const KEPT_FOR: u64 = 8192;

#[derive(Debug, Clone, Default)]
pub(crate) struct Decoder {
    /// Frames as they arrived, from `first` on.
    kept: VecDeque<Option<Symbol>>,
    first: u64,
    /// What frames are kept in.
    slab: BytesMut,
    equations: Vec<Equation>,
    /// The memory of equations that are no more.
    unused: Vec<Equation>,
    /// Frames before this one are kept when they arrive.
    keeps_until: u64,
}

/// What its unknown frames are together.
#[derive(Debug, Clone, Default)]
struct Equation {
    /// Numbers of frames, and how many times each is taken; in the order of the numbers.
    unknown: Vec<(u64, u8)>,
    sum: Vec<u8>,
}

impl Decoder {
    /// Frame `number` has arrived.
    pub(crate) fn arrive(&mut self, number: u64, cut: &Cut) {
        if number >= self.keeps_until {
            return;
        }
        let symbol = Symbol::copied(cut, &mut self.slab);
        self.put_in(number, symbol.as_ref());
        self.keep(number, symbol);
    }

    /// Frame `number` will not come: what it is part of is worth nothing.
    pub(crate) fn give_up(&mut self, number: u64) {
        self.put_in(number, None);
    }

    /// Frame `number` is known, and is taken out of all equations; those go where it is not known.
    fn put_in(&mut self, number: u64, symbol: Option<&Symbol>) {
        // Where it is the first unknown of one, it is in no other; so few are added again.
        let mut index = 0;
        while let Some(equation) = self.equations.get(index) {
            if equation.times(number).is_none() {
                index += 1;
                continue;
            }
            let mut equation = self.equations.swap_remove(index);
            let is_left = symbol.is_some_and(|symbol| equation.put_in(number, symbol).is_some());
            if is_left {
                self.add(equation);
            } else {
                self.unused.push(equation);
            }
        }
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
        if missing == 0 || missing > MOST_UNKNOWN || self.equations.len() >= MOST_UNKNOWN {
            return None;
        }
        let mut equation = self.unused.pop().unwrap_or_default();
        equation.set(repair);
        for number in numbers {
            let times = coefficient(number, repair.key);
            if !frames.has(number) {
                equation.unknown.push((number, times));
            } else if self.kept(number).and_then(|symbol| symbol.add_to(&mut equation.sum, times)).is_none() {
                self.unused.push(equation);
                return None;
            }
        }
        self.add(equation);
        Some(())
    }

    /// Adds an equation, and reduces all of them.
    fn add(&mut self, mut equation: Equation) {
        for other in &self.equations {
            if let Some(times) = equation.times(other.first()) {
                equation.add(times, other);
            }
        }
        let first = equation.unknown.first().copied().filter(|_| equation.unknown.len() <= MOST_UNKNOWN);
        let Some((first, times)) = first else {
            // It says nothing that the others do not, or too little.
            self.unused.push(equation);
            return;
        };
        equation.scale(field::inverse(times));
        let Self { equations, unused, .. } = self;
        for other in &mut *equations {
            if let Some(times) = other.times(first) {
                other.add(times, &equation);
            }
        }
        unused.extend(equations.extract_if(.., |other| other.unknown.len() > MOST_UNKNOWN));
        equations.push(equation);
    }

    /// How many frames are unknown in one equation at most.
    #[cfg(test)]
    pub(crate) fn most_unknown(&self) -> usize {
        self.equations.iter().map(|equation| equation.unknown.len()).max().unwrap_or(0)
    }

    /// The next frame that follows from the equations, and its number; without octets where that cannot be one.
    pub(crate) fn poll(&mut self, is_linked: bool) -> Option<(u64, Option<Cut>)> {
        let index = self.equations.iter().position(|equation| equation.unknown.len() == 1)?;
        let equation = self.equations.swap_remove(index);
        let found = (equation.first(), symbol::read(&equation.sum, is_linked, &mut self.slab));
        self.unused.push(equation);
        Some(found)
    }
}

impl Equation {
    /// What a repair frame says, without the frames that it is the sum of.
    fn set(&mut self, repair: &Repair) {
        self.unknown.clear();
        self.sum.clear();
        self.sum.extend_from_slice(&repair.sum);
    }

    /// Its first unknown frame; there is one.
    fn first(&self) -> u64 {
        self.unknown.first().map_or(u64::MAX, |(number, _)| *number)
    }

    fn place(&self, number: u64) -> Result<usize, usize> {
        self.unknown.binary_search_by_key(&number, |(number, _)| *number)
    }

    /// How many times a frame is taken, where it is.
    fn times(&self, number: u64) -> Option<u8> {
        self.place(number).ok().map(|place| self.unknown[place].1)
    }

    /// A frame is known now. `None` if that cannot be.
    fn put_in(&mut self, number: u64, symbol: &Symbol) -> Option<()> {
        let place = self.place(number).ok()?;
        let (_, times) = self.unknown.remove(place);
        symbol.add_to(&mut self.sum, times)
    }

    /// Adds so many times another one.
    fn add(&mut self, times: u8, other: &Self) {
        for (number, of_other) in &other.unknown {
            let addend = field::product(times, *of_other);
            match self.place(*number) {
                Ok(place) => {
                    self.unknown[place].1 ^= addend;
                    if self.unknown[place].1 == 0 {
                        self.unknown.remove(place);
                    }
                }
                Err(place) => self.unknown.insert(place, (*number, addend)),
            }
        }
        if self.sum.len() < other.sum.len() {
            self.sum.resize(other.sum.len(), 0);
        }
        field::add_scaled(&mut self.sum, times, &other.sum);
    }

    fn scale(&mut self, times: u8) {
        self.unknown.iter_mut().for_each(|(_, of)| *of = field::product(*of, times));
        field::scale(&mut self.sum, times);
    }
}
