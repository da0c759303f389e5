//! Sizes in octets.

use core::ops::{Add, AddAssign, Sub};

/// A number of octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Octets(u64);

impl Octets {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// More than anything has: room without end.
    pub const MAX: Self = Self(u64::MAX);

    /// So many octets.
    #[must_use]
    pub const fn new(octets: u64) -> Self {
        Self(octets)
    }

    /// The size of something in memory.
    #[must_use]
    pub const fn of(length: usize) -> Self {
        Self(crate::count(length))
    }

    /// How many octets.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// How many octets, for indexing; a size beyond memory saturates.
    #[must_use]
    pub fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// How many bits.
    #[must_use]
    pub const fn as_bits(self) -> u64 {
        self.0.saturating_mul(8)
    }
}

impl Add for Octets {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Octets {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Octets {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}
