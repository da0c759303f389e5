//! A whole number within bounds, as settings have it: one that parsed is valid.

use serde::{Deserialize, Serialize};

/// A whole number from `LEAST` to `MOST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, extend("minimum" = LEAST, "maximum" = MOST)))]
#[serde(try_from = "i64", into = "i64")]
pub struct Bounded<const LEAST: u16, const MOST: u16>(u16);

impl<const LEAST: u16, const MOST: u16> Bounded<LEAST, MOST> {
    /// So many, or `None` outside the bounds.
    #[must_use]
    pub const fn new(count: u16) -> Option<Self> {
        if LEAST <= count && count <= MOST { Some(Self(count)) } else { None }
    }

    /// How many.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// How many, to index by.
    #[must_use]
    pub const fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// A number out of its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{count} is out of range: expected {least} to {most}")]
pub struct BoundsError {
    count: i64,
    least: u16,
    most: u16,
}

impl<const LEAST: u16, const MOST: u16> TryFrom<i64> for Bounded<LEAST, MOST> {
    type Error = BoundsError;
    fn try_from(count: i64) -> Result<Self, BoundsError> {
        let error = BoundsError { count, least: LEAST, most: MOST };
        u16::try_from(count).ok().and_then(Self::new).ok_or(error)
    }
}

impl<const LEAST: u16, const MOST: u16> From<Bounded<LEAST, MOST>> for i64 {
    fn from(count: Bounded<LEAST, MOST>) -> Self {
        Self::from(count.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_number_out_of_its_bounds_is_refused_with_those_bounds() {
        assert_eq!(Bounded::<2, 64>::try_from(64).map(Bounded::get), Ok(64));
        for count in [-1, 1, 65, 70_000] {
            let error = Bounded::<2, 64>::try_from(count).expect_err("too few or too many");
            assert_eq!(error.to_string(), std::format!("{count} is out of range: expected 2 to 64"));
        }
    }
}
