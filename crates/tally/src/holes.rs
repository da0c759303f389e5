//! Which frame numbers have arrived: the gaps between them.
//!
//! ```text
//!     0 1 2 . 4 5 . . 8      next = 3, holes 3..4 and 6..8, end = 9
//! ```

use alloc::collections::VecDeque;
use core::ops::Range;

/// The numbers that have not arrived, below one past the highest that has.
#[derive(Debug, Clone, Default)]
pub(super) struct Holes {
    /// In order, none empty, none next to another.
    ranges: VecDeque<Range<u64>>,
    end: u64,
}

impl Holes {
    /// The first number that has not arrived.
    pub(super) fn next(&self) -> u64 {
        self.ranges.front().map_or(self.end, |hole| hole.start)
    }

    /// One past the highest number that has arrived.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// The holes, the highest first.
    pub(super) fn downward(&self) -> impl Iterator<Item = &Range<u64>> {
        self.ranges.iter().rev()
    }

    /// The holes that end beyond a number, the lowest first.
    pub(super) fn upward(&self, from: u64) -> impl Iterator<Item = &Range<u64>> {
        self.ranges.range(self.ranges.partition_point(|hole| hole.end <= from)..)
    }

    /// Whether a number has arrived.
    pub(super) fn has(&self, number: u64) -> bool {
        number < self.end && self.index(number).is_err()
    }

    /// The first of these numbers that has not arrived.
    pub(super) fn first_missing(&self, numbers: Range<u64>) -> Option<u64> {
        let hole = self.upward(numbers.start).next().map_or(self.end, |hole| hole.start);
        Some(numbers.start.max(hole)).filter(|number| *number < numbers.end)
    }

    /// All below a number have arrived.
    pub(super) fn advance(&mut self, next: u64) {
        while self.ranges.pop_front_if(|hole| hole.end <= next).is_some() {}
        if let Some(hole) = self.ranges.front_mut() {
            hole.start = hole.start.max(next);
        }
        self.end = self.end.max(next);
    }

    /// A number arrives. Whether it had not before.
    pub(super) fn arrive(&mut self, number: u64) -> bool {
        if number >= self.end {
            if number > self.end {
                self.ranges.push_back(self.end..number);
            }
            self.end = number + 1;
            return true;
        }
        let Ok(index) = self.index(number) else { return false };
        let Range { start, end } = self.ranges[index].clone();
        let (below, above) = (start..number, number + 1..end);
        match (below.is_empty(), above.is_empty()) {
            (true, true) => {
                self.ranges.remove(index);
            }
            (true, false) => self.ranges[index] = above,
            (false, true) => self.ranges[index] = below,
            (false, false) => {
                self.ranges[index] = below;
                self.ranges.insert(index + 1, above);
            }
        }
        true
    }

    /// Which hole a number is in.
    fn index(&self, number: u64) -> Result<usize, usize> {
        self.ranges.binary_search_by(|hole| match () {
            () if hole.end <= number => core::cmp::Ordering::Less,
            () if hole.start > number => core::cmp::Ordering::Greater,
            () => core::cmp::Ordering::Equal,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_holes_are_what_has_not_arrived(numbers in proptest::collection::vec(0u64..60, 0..80)) {
            let (mut holes, mut arrived) = (Holes::default(), BTreeSet::new());
            for number in numbers {
                prop_assert_eq!(holes.arrive(number), arrived.insert(number));
                let end = arrived.last().map_or(0, |last| last + 1);
                let missing: Vec<u64> = (0..end).filter(|number| !arrived.contains(number)).collect();
                let told: Vec<u64> = holes.ranges.iter().cloned().flatten().collect();
                prop_assert!(holes.ranges.iter().zip(holes.ranges.iter().skip(1)).all(|(one, other)| one.end < other.start));
                prop_assert_eq!((&told, holes.end()), (&missing, end));
                prop_assert_eq!(holes.next(), missing.first().copied().unwrap_or(end));
                prop_assert!((0..70).all(|number| holes.has(number) == arrived.contains(&number)));
            }
        }
    }
}
