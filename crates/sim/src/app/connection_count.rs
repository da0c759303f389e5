//! How many connections an application has at once, as a setting.

use serde::{Deserialize, Serialize};

/// The number of connections: at least one, and no more than there are ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = Self::MAX)))]
#[serde(try_from = "i64", into = "i64")]
pub struct ConnectionCount(u16);

impl ConnectionCount {
    /// Far fewer than there are ports, so that connections of other applications have theirs.
    pub const MAX: u16 = 1000;
    /// One.
    pub const ONE: Self = Self(1);

    /// So many, or `None` outside 1 to [`MAX`](Self::MAX).
    #[must_use]
    pub const fn new(connections: u16) -> Option<Self> {
        if connections >= 1 && connections <= Self::MAX { Some(Self(connections)) } else { None }
    }

    /// How many.
    #[must_use]
    pub fn get(self) -> u16 {
        self.0
    }
}

/// A number of connections that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} connections: expected 1 to {max}", max = ConnectionCount::MAX)]
pub struct ConnectionCountError(i64);

impl TryFrom<i64> for ConnectionCount {
    type Error = ConnectionCountError;
    fn try_from(connections: i64) -> Result<Self, ConnectionCountError> {
        u16::try_from(connections).ok().and_then(Self::new).ok_or(ConnectionCountError(connections))
    }
}

impl From<ConnectionCount> for i64 {
    fn from(count: ConnectionCount) -> Self {
        Self::from(count.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_connections_that_cannot_be_is_refused() {
        assert_eq!(ConnectionCount::try_from(10).map(ConnectionCount::get), Ok(10));
        for number in [-1, 0, 1001, 70_000] {
            assert_eq!(ConnectionCount::try_from(number), Err(ConnectionCountError(number)));
        }
    }
}
