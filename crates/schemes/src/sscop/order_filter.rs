//! Frames once and in order over a link that doubles them or lets one overtake another, as SSCOP needs them (Q.2110 §5: the service
//! below it keeps the order and delivers nothing twice).
//!
//! Each frame has a number of 16 bits in front. The receiving end takes a frame that is ahead of the last one it took, and drops any other:
//! a copy was taken already; what was overtaken comes too late, and dropping it makes it a loss, which is what SSCOP repairs.
//!
//! ```text
//!     sent        0   1   2   3   4   5
//!     arrives     0   2   2   1   4   5           3 is lost
//!     taken       0   2           4   5           1 and 3 are lost
//! ```
//!
//! Ahead is what is nearer in front than behind, by half of all numbers. A peer that began anew, or so many losses in a row, may make
//! new frames look old. So after a silence in which none was taken, whatever comes is taken: none is overtaken by that much time.

use arqway_arq::Seq;
use arqway_units::{Span, Time};

type Number = Seq<16>;

/// Both directions of one end.
#[derive(Debug)]
pub(super) struct OrderFilter {
    next: Number,
    last: Option<(Number, Time)>,
    /// How much later than one sent after it a frame may arrive.
    longest: Span,
}

impl OrderFilter {
    pub(super) fn new(longest: Span) -> Self {
        Self { next: Number::ZERO, last: None, longest }
    }

    /// What goes in front of the next frame.
    pub(super) fn number(&mut self) -> [u8; 2] {
        let number = self.next;
        self.next = number.next();
        number.wire_u16().to_be_bytes()
    }

    /// Whether a frame is to be taken.
    pub(super) fn takes(&mut self, number: [u8; 2], now: Time) -> bool {
        let base = self.last.map_or(Number::ZERO, |(last, _)| last);
        let number = Number::at_or_after(base, u16::from_be_bytes(number).into());
        let is_old = self.last.is_some_and(|(last, at)| {
            let is_ahead = number > last && number < last + Number::MODULUS / 2;
            !is_ahead && now < at + self.longest
        });
        if !is_old {
            self.last = Some((number, now));
        }
        !is_old
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const LONGEST: Span = Span::from_milliseconds(1000);

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    fn taken(filter: &mut OrderFilter, numbers: impl IntoIterator<Item = u16>) -> Vec<u16> {
        numbers.into_iter().filter(|number| filter.takes(number.to_be_bytes(), at(0))).collect()
    }

    #[test]
    fn copies_and_what_was_overtaken_are_dropped_and_nothing_else() {
        let mut filter = OrderFilter::new(LONGEST);
        assert_eq!(taken(&mut filter, [0, 2, 2, 1, 4, 5, 0, 5, 6]), [0, 2, 4, 5, 6]);
    }

    #[test]
    fn numbers_begin_again_and_half_of_them_may_be_lost_in_a_row() {
        let mut filter = OrderFilter::new(LONGEST);
        assert_eq!(taken(&mut filter, [65_534, 65_535, 0, 65_535, 1, 32_768, 0]), [65_534, 65_535, 0, 1, 32_768]);
    }

    #[test]
    fn after_a_silence_a_peer_that_began_anew_is_heard() {
        let mut filter = OrderFilter::new(LONGEST);
        assert!(filter.takes([1, 0], at(0)));
        assert!(!filter.takes([0, 0], at(999)));
        assert!(filter.takes([0, 0], at(1000)));
        assert!(filter.takes([0, 1], at(1000)));
    }
}
