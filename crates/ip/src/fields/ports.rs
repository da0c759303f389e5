//! A port or a range of ports, and its decomposition into prefixes: what a mask can tell apart.
//!
//! ```text
//!     5004-5020  =  5004-5007  +  5008-5015  +  5016-5019  +  5020
//!                   /14           /13           /14           /16
//! ```

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

/// A port, or all from one port to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ports {
    first: u16,
    last: u16,
}

impl Ports {
    /// One port.
    #[must_use]
    pub const fn one(port: u16) -> Self {
        Self { first: port, last: port }
    }

    /// All from `first` to `last`, or `None` where these stand the wrong way round.
    #[must_use]
    pub const fn range(first: u16, last: u16) -> Option<Self> {
        if first <= last { Some(Self { first, last }) } else { None }
    }

    /// Whether a port is among them.
    #[must_use]
    pub const fn contains(self, port: u16) -> bool {
        self.first <= port && port <= self.last
    }

    /// The fewest (value, mask) pairs that cover just these ports: at most 30.
    pub fn prefixes(self) -> impl Iterator<Item = (u16, u16)> {
        let end = u32::from(self.last) + 1;
        let mut next = u32::from(self.first);
        core::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            // The largest block that starts here: as its alignment allows, and no longer than what is left.
            let aligned = if next == 0 { 1 << 16 } else { 1 << next.trailing_zeros() };
            let mut size: u32 = aligned;
            while next + size > end {
                size /= 2;
            }
            let value = u16::try_from(next).ok()?;
            let within = u16::try_from(size - 1).ok()?;
            next += size;
            Some((value, !within))
        })
    }
}

/// A text that is no port and no range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a port; expected a number from 0 to 65535 or a range, the lower first, such as \"5004-5020\"")]
pub struct PortsError(String);

impl FromStr for Ports {
    type Err = PortsError;
    fn from_str(text: &str) -> Result<Self, PortsError> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.trim().parse::<u16>().ok();
        number(first)
            .zip(number(last))
            .and_then(|(first, last)| Self::range(first, last))
            .ok_or_else(|| PortsError(text.to_string()))
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(out, "{}", self.first)
        } else {
            write!(out, "{}-{}", self.first, self.last)
        }
    }
}

crate::serde_as_text!(Ports, "a port or a range of ports, such as 53 or \"5004-5020\"");
