//! Points in time and lengths of time, in integer nanoseconds.
//!
//! A point plus a length is a point; a point minus a point is a length; a point plus a point is nothing at all, and
//! does not compile. A run starts at [`Time::ZERO`], so traces of two runs can be compared.

use crate::{ToFloat, truncate};
use core::fmt;
use core::num::NonZeroU64;
use core::ops::{Add, AddAssign, Div, Mul, Sub};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// A point in time: nanoseconds since the start of the run.
///
/// It is kept as one more than that. So a deadline that may not be set, an `Option<Time>`, is no larger than one that is: packets
/// carry two of them, and whoever is asked for one answers in a register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(NonZeroU64);

/// A length of time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(NonZeroU64::MIN);
    /// Later than anything that happens (584 years).
    pub const MAX: Self = Self(NonZeroU64::MAX);

    /// The point `nanoseconds` after the start, or [`MAX`](Self::MAX) where that is earlier.
    #[inline]
    #[must_use]
    pub const fn from_nanoseconds(nanoseconds: u64) -> Self {
        Self(NonZeroU64::MIN.saturating_add(nanoseconds))
    }

    /// Nanoseconds since the start.
    #[inline]
    #[must_use]
    pub const fn as_nanoseconds(self) -> u64 {
        self.0.get() - 1
    }

    /// Seconds since the start.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        Span(self.as_nanoseconds()).as_seconds()
    }

    /// The point so long before this one, or the start where that is later.
    #[inline]
    #[must_use]
    pub fn before(self, span: Span) -> Self {
        Self(NonZeroU64::new(self.0.get().saturating_sub(span.0)).unwrap_or(NonZeroU64::MIN))
    }

    /// The length from `earlier` to here, or zero where `earlier` is later.
    #[inline]
    #[must_use]
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.get().saturating_sub(earlier.0.get()))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// Longer than any run (584 years).
    pub const MAX: Self = Self(u64::MAX);

    /// A length in nanoseconds.
    #[must_use]
    pub const fn from_nanoseconds(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// A length in whole milliseconds.
    #[must_use]
    pub const fn from_milliseconds(milliseconds: u64) -> Self {
        Self(milliseconds.saturating_mul(1_000_000))
    }

    /// A length in seconds, rounded to the nearest nanosecond; negative lengths and NaN become zero.
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Self {
        Self(truncate(seconds * NANOS_PER_SECOND.to_f64() + 0.5))
    }

    /// The length in nanoseconds.
    #[must_use]
    pub const fn as_nanoseconds(self) -> u64 {
        self.0
    }

    /// The length in seconds.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.0.to_f64() / NANOS_PER_SECOND.to_f64()
    }
}

impl Default for Time {
    fn default() -> Self {
        Self::ZERO
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Time").field(&self.as_nanoseconds()).finish()
    }
}

impl Add<Span> for Time {
    type Output = Self;
    #[inline]
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub for Time {
    type Output = Span;
    /// The length between two points; the later one stands first.
    #[inline]
    fn sub(self, earlier: Self) -> Span {
        debug_assert!(self >= earlier, "the later point stands first: {self:?} - {earlier:?}");
        self.since(earlier)
    }
}

impl Add for Span {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    #[inline]
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for Span {
    type Output = Self;
    #[inline]
    fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_plus_a_length_minus_the_point_is_the_length() {
        let start = Time::from_nanoseconds(17);
        assert_eq!((start + Span::from_milliseconds(30)) - start, Span::from_milliseconds(30));
    }

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Span::from_seconds(0.1).as_nanoseconds(), 100_000_000);
        assert_eq!(Span::from_seconds(1e-9 * 0.6).as_nanoseconds(), 1);
        assert_eq!(Span::from_seconds(-1.0), Span::ZERO);
        assert_eq!(Span::from_seconds(f64::NAN), Span::ZERO);
    }

    #[test]
    fn arithmetic_at_the_edge_saturates_instead_of_wrapping() {
        assert_eq!(Time::MAX + Span::MAX, Time::MAX);
        assert_eq!(Time::ZERO.since(Time::MAX), Span::ZERO);
        assert_eq!(Time::from_nanoseconds(u64::MAX), Time::MAX);
        assert_eq!(Time::from_nanoseconds(5).before(Span::from_nanoseconds(3)), Time::from_nanoseconds(2));
        assert_eq!(Time::from_nanoseconds(5).before(Span::from_nanoseconds(6)), Time::ZERO);
        assert_eq!(Time::MAX.as_nanoseconds(), u64::MAX - 1);
    }

    #[test]
    fn a_point_that_may_be_missing_is_no_larger_than_a_point() {
        assert_eq!(size_of::<Option<Time>>(), size_of::<u64>());
    }
}
