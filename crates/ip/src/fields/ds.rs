//! The Differentiated Services codepoint: six bits of IPv4's former TOS octet and of IPv6's traffic class (RFC 2474). The
//! other two bits are for congestion notification and say nothing of a class.

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

/// A codepoint, in \[0, 63\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ds(u8);

/// The names of the IANA registry; of several for one codepoint the first is printed.
const NAMES: [(&str, u8); 25] = [
    ("default", 0),
    ("df", 0),
    ("cs0", 0),
    ("le", 1),
    ("cs1", 8),
    ("af11", 10),
    ("af12", 12),
    ("af13", 14),
    ("cs2", 16),
    ("af21", 18),
    ("af22", 20),
    ("af23", 22),
    ("cs3", 24),
    ("af31", 26),
    ("af32", 28),
    ("af33", 30),
    ("cs4", 32),
    ("af41", 34),
    ("af42", 36),
    ("af43", 38),
    ("cs5", 40),
    ("va", 44),
    ("ef", 46),
    ("cs6", 48),
    ("cs7", 56),
];

impl Ds {
    /// Expedited Forwarding (RFC 3246).
    pub const EF: Self = Self(46);

    /// The codepoint of this number, or `None` from 64 on.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if number < 64 { Some(Self(number)) } else { None }
    }

    /// The codepoint in the octet that holds it, whatever the congestion bits beside it.
    #[must_use]
    pub const fn of_octet(octet: u8) -> Self {
        Self(octet >> 2)
    }

    /// The octet that holds it, with nothing in the congestion bits.
    #[must_use]
    pub const fn octet(self) -> u8 {
        self.0 << 2
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The names by which a file may call codepoints.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }
}

/// A text that names no codepoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a DS codepoint; expected default, ef, va, le, af11 to af43, cs0 to cs7 or a number from 0 to 63")]
pub struct DsError(String);

impl FromStr for Ds {
    type Err = DsError;
    fn from_str(text: &str) -> Result<Self, DsError> {
        let named = NAMES.iter().find(|(name, _)| *name == text).map(|(_, number)| *number);
        named.or_else(|| text.parse().ok()).and_then(Self::new).ok_or_else(|| DsError(text.to_string()))
    }
}

impl fmt::Display for Ds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(_, number)| *number == self.0) {
            Some((name, _)) => out.write_str(name),
            None => write!(out, "{}", self.0),
        }
    }
}

crate::serde_as_text!(Ds, "a DS codepoint, such as \"ef\" or 46");
