//! The flow label of IPv6 (RFC 6437): with the source address it names a flow even where its ports are encrypted.

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

/// A flow label, twenty bits; zero is a packet that is part of no flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowLabel(u32);

impl FlowLabel {
    /// The largest label.
    const LAST: u32 = (1 << 20) - 1;

    /// The label of this number, or `None` beyond twenty bits.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if number <= Self::LAST { Some(Self(number)) } else { None }
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// A text that is no flow label.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a flow label; expected a number from 0 to 1048575")]
pub struct FlowLabelError(String);

impl FromStr for FlowLabel {
    type Err = FlowLabelError;
    fn from_str(text: &str) -> Result<Self, FlowLabelError> {
        text.parse().ok().and_then(Self::new).ok_or_else(|| FlowLabelError(text.to_string()))
    }
}

impl fmt::Display for FlowLabel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

crate::serde_as_text!(FlowLabel, "a flow label, a number from 0 to 1048575");
