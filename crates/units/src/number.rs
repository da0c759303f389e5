//! Conversions between whole and floating-point numbers: the only places where a number may lose something.
//!
//! Everywhere else numbers become wider by `From` and narrower by `TryFrom`, and clippy refuses `as`.

/// Whole numbers that become floating-point numbers, for means, shares and logarithms.
pub trait ToFloat {
    /// The nearest floating-point number. It is exact up to 2^53: nine million billion packets, or 104 days in nanoseconds.
    fn to_f64(self) -> f64;
}

macro_rules! to_float {
    ($($whole:ty),*) => {$(
        impl ToFloat for $whole {
            #[inline]
            #[expect(clippy::cast_precision_loss, reason = "it rounds to the nearest number, as documented")]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )*};
}

to_float!(u64, u128, i64, usize);

/// A number without its fraction. Negative numbers and NaN become zero, and what is too large becomes the largest.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, as documented")]
pub const fn truncate(number: f64) -> u64 {
    number as u64
}

/// The length of something in memory as a count; `usize` has no `From` for it, although no machine has more than 64 bits.
#[inline]
#[must_use]
pub const fn count(length: usize) -> u64 {
    length as u64
}

/// What is left of a number when it is divided by a length: an index into what is so long.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the remainder is less than the length")]
pub const fn remainder(number: u64, length: usize) -> usize {
    (number % length as u64) as usize
}

/// The high and the low half of a number.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "each half is all that is asked for")]
pub const fn halves(number: u128) -> [u64; 2] {
    [(number >> 64) as u64, number as u64]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_exact_as_a_floating_point_number_up_to_2_to_the_53() {
        for exact in [0, 1, (1u64 << 53) - 1, 1 << 53] {
            assert_eq!(truncate(exact.to_f64()), exact);
        }
        assert_eq!(((1u64 << 53) + 1).to_f64(), (1u64 << 53).to_f64(), "and rounded beyond");
        assert_eq!((-3i64).to_f64(), -3.0);
    }

    #[test]
    fn what_no_whole_number_is_saturates() {
        assert_eq!([truncate(2.9), truncate(-1.0), truncate(f64::NAN), truncate(1e30)], [2, 0, 0, u64::MAX]);
    }

    #[test]
    fn a_remainder_is_an_index_and_halves_are_high_and_low() {
        assert_eq!([remainder(7, 4), remainder(u64::MAX, 10)], [3, 5]);
        assert_eq!(halves(u128::from(u64::MAX) + 3), [1, 2]);
    }
}
