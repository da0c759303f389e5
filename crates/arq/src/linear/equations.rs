//! Equations whose unknowns are lost frames.
//!
//! ```text
//!     frames        5   6   .   8   .   10        7 and 9 are missing
//!     equations             c       e             c 7 + e 9 = what the sum is without 5, 6, 8 and 10
//!                           f       g             a second one: both can be told
//! ```
//!
//! Equations are kept *reduced*: each has an unknown frame, its first, that is in no other one. So an equation with one unknown
//! is that frame.

use super::field;
use alloc::vec::Vec;

/// What is known of lost frames together.
#[derive(Debug, Clone)]
pub struct Equations {
    equations: Vec<Equation>,
    /// The memory of equations that are no more.
    unused: Vec<Equation>,
    /// As many equations are kept, and as many frames are unknown in one.
    most: usize,
}

/// What its unknown frames are together.
#[derive(Debug, Clone, Default)]
pub struct Equation {
    /// Numbers of frames, and how many times each is taken; in the order of the numbers.
    unknown: Vec<(u64, u8)>,
    sum: Vec<u8>,
}

impl Equations {
    /// None yet; `most` frames are worked out at a time.
    pub fn new(most: usize) -> Self {
        Self { equations: Vec::new(), unused: Vec::new(), most }
    }

    /// Whether there is room for another one.
    pub fn has_room(&self) -> bool {
        self.equations.len() < self.most
    }

    /// An equation that says this sum, of no frames yet.
    pub fn begin(&mut self, sum: &[u8]) -> Equation {
        let mut equation = self.unused.pop().unwrap_or_default();
        equation.unknown.clear();
        equation.sum.clear();
        equation.sum.extend_from_slice(sum);
        equation
    }

    /// Its memory is used again.
    pub fn discard(&mut self, equation: Equation) {
        self.unused.push(equation);
    }

    /// Frame `number` is known, and is taken out of all equations. `take_out` takes it so many times out of a sum; where it says `None`, since
    /// it is not of that sum or never known, the equation goes.
    pub fn put_in(&mut self, number: u64, take_out: impl Fn(&mut [u8], u8) -> Option<()>) {
        // Where it is the first unknown of one, it is in no other; so few are added again.
        let mut index = 0;
        while let Some(equation) = self.equations.get(index) {
            if equation.times(number).is_none() {
                index += 1;
                continue;
            }
            let mut equation = self.equations.swap_remove(index);
            match equation.put_in(number, &take_out) {
                Some(()) => self.add(equation),
                None => self.discard(equation),
            }
        }
    }

    /// Adds an equation, and reduces all of them.
    pub fn add(&mut self, mut equation: Equation) {
        for other in &self.equations {
            if let Some(times) = equation.times(other.first()) {
                equation.add(times, other);
            }
        }
        let first = equation.unknown.first().copied().filter(|_| equation.unknown.len() <= self.most);
        let Some((first, times)) = first else {
            // It says nothing that the others do not, or too little.
            self.discard(equation);
            return;
        };
        equation.scale(field::inverse(times));
        let Self { equations, unused, most } = self;
        for other in &mut *equations {
            if let Some(times) = other.times(first) {
                other.add(times, &equation);
            }
        }
        unused.extend(equations.extract_if(.., |other| other.unknown.len() > *most));
        equations.push(equation);
    }

    /// How many frames are unknown in one equation at most.
    pub fn most_unknown(&self) -> usize {
        self.equations.iter().map(|equation| equation.unknown.len()).max().unwrap_or(0)
    }

    /// The next frame that follows from them: its number, and what `read` makes of its octets.
    pub fn poll<T>(&mut self, read: impl FnOnce(&[u8]) -> T) -> Option<(u64, T)> {
        let index = self.equations.iter().position(|equation| equation.unknown.len() == 1)?;
        let equation = self.equations.swap_remove(index);
        let found = (equation.first(), read(&equation.sum));
        self.discard(equation);
        Some(found)
    }
}

impl Equation {
    /// Frame `number` is in it so many times, and is not known; numbers come in their order.
    pub fn lacks(&mut self, number: u64, times: u8) {
        self.unknown.push((number, times));
    }

    /// What its unknown frames are together: frames that are known are taken out of it.
    pub fn sum(&mut self) -> &mut [u8] {
        &mut self.sum
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
    fn put_in(&mut self, number: u64, take_out: impl Fn(&mut [u8], u8) -> Option<()>) -> Option<()> {
        let place = self.place(number).ok()?;
        let (_, times) = self.unknown.remove(place);
        take_out(&mut self.sum, times)
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
