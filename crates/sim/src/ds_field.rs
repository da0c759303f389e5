//! The differentiated services field of a packet: by which behaviour the network is asked to treat it (RFC 2474).

use serde::{Deserialize, Serialize};

/// A code point of six bits; 0 is best effort, 46 expedited forwarding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("minimum" = 0, "maximum" = Self::MAX)))]
#[serde(try_from = "i64", into = "i64")]
pub struct DsField(u8);

impl DsField {
    /// Six bits hold no more.
    pub const MAX: u8 = 63;

    /// This code point, or `None` above [`MAX`](Self::MAX).
    #[must_use]
    pub const fn new(code_point: u8) -> Option<Self> {
        if code_point <= Self::MAX { Some(Self(code_point)) } else { None }
    }

    /// The octet of the IPv4 header in which it stands: above the two bits of congestion notification.
    pub(crate) const fn octet(self) -> u8 {
        self.0 << 2
    }
}

/// A number that is no code point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a DS field of {0}: right would be 0 to {max}", max = DsField::MAX)]
pub struct DsFieldError(i64);

impl TryFrom<i64> for DsField {
    type Error = DsFieldError;
    fn try_from(number: i64) -> Result<Self, DsFieldError> {
        u8::try_from(number).ok().and_then(Self::new).ok_or(DsFieldError(number))
    }
}

impl From<DsField> for i64 {
    fn from(field: DsField) -> Self {
        Self::from(field.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_six_bits_do_not_hold_is_refused() {
        assert_eq!(DsField::try_from(46).map(DsField::octet), Ok(0xb8));
        for number in [-1, 64, 256] {
            assert_eq!(DsField::try_from(number), Err(DsFieldError(number)));
        }
    }
}
