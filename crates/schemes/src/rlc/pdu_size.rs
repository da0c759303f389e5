//! The size of a PDU, as settings have it: one that parsed is valid.

use arqway_units::Octets;
use serde::{Deserialize, Serialize};

/// A PDU's octets, header and all: at least 8, so that behind a header and two length indicators there is room for data, and at most `MOST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Octets", into = "Octets")]
pub struct PduSize<const MOST: u16>(u16);

impl<const MOST: u16> PduSize<MOST> {
    /// The least size.
    pub const LEAST: u16 = 8;

    /// A PDU of so many octets, or `None` outside the bounds.
    #[must_use]
    pub const fn new(octets: u16) -> Option<Self> {
        if Self::LEAST <= octets && octets <= MOST { Some(Self(octets)) } else { None }
    }

    /// How many octets.
    #[must_use]
    pub const fn octets(self) -> usize {
        self.0 as usize
    }
}

/// A PDU too small or too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a PDU of {size}: expected {least} to {most} octets", least = PduSize::<0>::LEAST)]
pub struct PduSizeError {
    size: Octets,
    most: u16,
}

impl<const MOST: u16> TryFrom<Octets> for PduSize<MOST> {
    type Error = PduSizeError;
    fn try_from(size: Octets) -> Result<Self, PduSizeError> {
        u16::try_from(size.as_u64()).ok().and_then(Self::new).ok_or(PduSizeError { size, most: MOST })
    }
}

impl<const MOST: u16> From<PduSize<MOST>> for Octets {
    fn from(size: PduSize<MOST>) -> Self {
        Self::new(u64::from(size.0))
    }
}

#[cfg(feature = "schema")]
impl<const MOST: u16> schemars::JsonSchema for PduSize<MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "PduSize".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Octets::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_size_out_of_its_bounds_is_refused_with_what_is_expected() {
        assert_eq!(PduSize::<1504>::try_from(Octets::new(8)).map(PduSize::octets), Ok(8));
        for octets in [7, 1505, 1 << 40] {
            let error = PduSize::<1504>::try_from(Octets::new(octets)).expect_err("too small or too large");
            assert!(error.to_string().ends_with("expected 8 to 1504 octets"), "{error}");
        }
    }
}
