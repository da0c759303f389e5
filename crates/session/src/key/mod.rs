//! Keys and how they are written: 32 octets, 44 characters of base64, as WireGuard's tools print them.
//!
//! What is secret is never shown: not by `Debug`, and not by an error about a text that is not a key. Our copies are wiped when
//! they are dropped; what the libraries copy (`snow` its private key and chaining key, `ring` its cipher key) is not.

mod file;

pub use file::{KeyFileError, check_key_file, read_preshared, read_private};

use crate::random::{Random, draw};
use crate::x25519;
use base64ct::{Base64, Encoding};
use std::fmt;
use std::str::FromStr;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// The length of a key in octets.
pub const KEY: usize = 32;
/// The length of a key as text.
pub const KEY_TEXT: usize = 44;

/// Octets that nobody else may see.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
struct Secret([u8; KEY]);

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[hidden]")
    }
}

/// Who an end is: whoever has it can pass for that end.
#[derive(Debug, Clone)]
pub struct PrivateKey(Secret);

/// A secret that two ends share beside their own keys: it protects what was recorded, should X25519 ever be broken.
#[derive(Debug, Clone)]
pub struct PresharedKey(Secret);

/// By what an end is known to its peers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; KEY]);

/// A text that is not a key. It does not say which text: that may be a key with a letter too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Another number of characters.
    #[error("expected {KEY_TEXT} characters of base64, found {0}")]
    Length(usize),
    /// As long as a key, but no base64 of 32 octets.
    #[error("expected base64 of {KEY} octets: letters, digits, `+` and `/`, and one `=` at the end")]
    Base64,
}

fn decode(text: &str) -> Result<Secret, KeyError> {
    let text = text.trim();
    let length = text.chars().count();
    if length != KEY_TEXT {
        return Err(KeyError::Length(length));
    }
    let mut octets = Secret([0; KEY]);
    // One octet more than a key, since 44 characters may be 33 octets: then there is no `=` at the end.
    let mut decoded = Zeroizing::new([0; KEY + 1]);
    match Base64::decode(text, &mut *decoded) {
        Ok(key) if key.len() == KEY => octets.0.copy_from_slice(key),
        _ => return Err(KeyError::Base64),
    }
    Ok(octets)
}

fn encode(octets: &[u8; KEY]) -> Zeroizing<String> {
    Zeroizing::new(Base64::encode_string(octets))
}

impl PrivateKey {
    /// A new key.
    #[must_use]
    pub fn generate(random: &mut dyn Random) -> Self {
        let mut secret = Secret(draw(random));
        // As X25519 would do before each use (RFC 7748 §5): so the text is what is used.
        secret.0[0] &= 248;
        secret.0[31] = secret.0[31] & 127 | 64;
        Self(secret)
    }

    /// By what peers know the end that has this key.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(x25519::public_of(&self.0.0))
    }
}

impl PresharedKey {
    /// A new key.
    #[must_use]
    pub fn generate(random: &mut dyn Random) -> Self {
        Self(Secret(draw(random)))
    }
}

/// What both kinds of secret keys have.
macro_rules! secret_key {
    ($($key:ident),*) => {$(
        impl $key {
            /// The key as text, for the file that keeps it.
            #[must_use]
            pub fn to_text(&self) -> Zeroizing<String> {
                encode(&self.0.0)
            }

            #[cfg(test)]
            pub(crate) fn from_octets(octets: [u8; KEY]) -> Self {
                Self(Secret(octets))
            }

            pub(crate) fn octets(&self) -> &[u8; KEY] {
                &self.0.0
            }
        }

        impl FromStr for $key {
            type Err = KeyError;
            fn from_str(text: &str) -> Result<Self, KeyError> {
                decode(text).map(Self)
            }
        }
    )*};
}

secret_key!(PrivateKey, PresharedKey);

/// None: 32 zeros, as WireGuard has it.
impl Default for PresharedKey {
    fn default() -> Self {
        Self(Secret([0; KEY]))
    }
}

impl PublicKey {
    /// Whether key agreements with it have a result.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        x25519::agrees_with(&self.0)
    }

    pub(crate) const fn from_octets(octets: [u8; KEY]) -> Self {
        Self(octets)
    }

    pub(crate) fn octets(&self) -> &[u8; KEY] {
        &self.0
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;
    fn from_str(text: &str) -> Result<Self, KeyError> {
        decode(text).map(|secret| Self(secret.0))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&encode(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "PublicKey({self})")
    }
}

/// Whether two runs of octets agree, in a time that does not say where they differ.
pub(crate) fn agree(these: &[u8], those: &[u8]) -> bool {
    these.ct_eq(those).into()
}

#[cfg(test)]
mod tests;
