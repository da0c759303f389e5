//! An address or a prefix, of IPv4 or IPv6.

use alloc::string::{String, ToString};
use core::fmt;
use core::net::IpAddr;
use core::str::FromStr;

/// All addresses that begin with the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Addresses {
    #[cfg_attr(feature = "schema", schemars(with = "str"))]
    address: IpAddr,
    /// How many bits are the same.
    length: u32,
}

impl Addresses {
    /// All that share the first `length` bits of `address`, or `None` where the address has bits set beyond those, or
    /// has fewer bits.
    #[must_use]
    pub fn new(address: IpAddr, length: u32) -> Option<Self> {
        let (bits, width) = bits_of(address);
        (length <= width && bits & !mask(length, width) == 0).then_some(Self { address, length })
    }

    /// One address.
    #[must_use]
    pub fn one(address: IpAddr) -> Self {
        Self { address, length: bits_of(address).1 }
    }

    /// Whether an address is among them.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        let (bits, mask) = self.bits_and_mask();
        self.address.is_ipv4() == address.is_ipv4() && bits_of(address).0 & mask == bits
    }

    /// Whether they are of IPv4.
    #[must_use]
    pub const fn is_ipv4(self) -> bool {
        self.address.is_ipv4()
    }

    /// The first of them, and how many bits are the same.
    #[must_use]
    pub fn first_and_length(self) -> (IpAddr, u32) {
        (self.address, self.length)
    }

    /// The bits that are the same, and a mask of where they stand, in a number of 32 or 128 bits.
    #[must_use]
    pub fn bits_and_mask(self) -> (u128, u128) {
        let (bits, width) = bits_of(self.address);
        (bits, mask(self.length, width))
    }
}

/// An address as a number, and how many bits that number has.
pub fn bits_of(address: IpAddr) -> (u128, u32) {
    match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    }
}

/// The first `length` of `width` bits.
fn mask(length: u32, width: u32) -> u128 {
    let all = u128::MAX >> (128 - width);
    all & !all.checked_shr(length).unwrap_or(0)
}

/// A text that names no addresses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressesError {
    /// Neither an address nor a prefix.
    #[error(
        "`{0}` is not an address; expected an IPv4 or IPv6 address, or a prefix such as \"10.0.0.0/8\" or \"2001:db8::/32\""
    )]
    NoAddress(String),
    /// An address where a prefix should end.
    #[error("`{0}` has bits beyond its prefix; expected \"{1}\"")]
    BitsBeyond(String, String),
}

impl FromStr for Addresses {
    type Err = AddressesError;
    fn from_str(text: &str) -> Result<Self, AddressesError> {
        let wrong = || AddressesError::NoAddress(text.to_string());
        let Some((address, length)) = text.split_once('/') else {
            return text.parse().map(Self::one).map_err(|_| wrong());
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let (bits, width) = bits_of(address);
        let length = length.parse().ok().filter(|length| *length <= width).ok_or_else(wrong)?;
        Self::new(address, length).ok_or_else(|| {
            let first = bits & mask(length, width);
            let first = match u32::try_from(first) {
                Ok(first) if address.is_ipv4() => IpAddr::V4(first.into()),
                _ => IpAddr::V6(first.into()),
            };
            AddressesError::BitsBeyond(text.to_string(), alloc::format!("{first}/{length}"))
        })
    }
}

impl fmt::Display for Addresses {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.length == bits_of(self.address).1 {
            write!(out, "{}", self.address)
        } else {
            write!(out, "{}/{}", self.address, self.length)
        }
    }
}

crate::serde_as_text!(Addresses, "an address or a prefix, such as \"10.0.0.0/8\"");
