//! Why nothing crosses a link: reasons that come and go, each whatever the others do.
//!
//! ```text
//!     announced   |======|            somebody outside says so
//!     no device       |=====|         the line's adapter is unplugged
//!     silence               |===|     the bearer asked and heard nothing
//!     no keys                  |==|   nothing can be sealed
//!     the link    | down          | up
//! ```

/// A reason why nothing crosses a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Somebody outside has said so, or the line does.
    Announced,
    /// The line has no device.
    NoDevice,
    /// Nothing is heard of the peer: the bearer finds this out itself.
    Silence,
    /// Datagrams cannot be sealed.
    NoKeys,
}

/// The reasons that hold; none where the line is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outage(u8);

impl Outage {
    /// Whether this one holds.
    #[must_use]
    pub fn has(self, reason: Reason) -> bool {
        self.0 & bit(reason) != 0
    }

    /// Whether somebody knows that the line is away: then it is of no use to ask the peer, and what waits is kept.
    #[must_use]
    pub fn is_known(self) -> bool {
        self.has(Reason::Announced) || self.has(Reason::NoDevice)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.0 == 0
    }

    /// The same with a reason, or without it.
    #[must_use]
    pub fn with(self, reason: Reason, holds: bool) -> Self {
        Self(if holds { self.0 | bit(reason) } else { self.0 & !bit(reason) })
    }
}

const fn bit(reason: Reason) -> u8 {
    1 << reason as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_ends_by_itself_and_the_outage_with_the_last() {
        let both = Outage::default().with(Reason::Announced, true).with(Reason::NoKeys, true);
        let keys = both.with(Reason::Announced, false).with(Reason::NoDevice, false);
        assert!(both.is_known() && !keys.is_known() && keys.has(Reason::NoKeys) && !keys.is_over());
        assert!(keys.with(Reason::NoKeys, false).is_over());
    }
}
