//! What two ends tell each other of themselves, sealed in their first messages: which version they speak, how they are
//! configured, which incarnation of its end each is, and which addresses it has behind it.
//!
//! ```text
//!     version, 2 | boot, 8 | digests of four parts of the configuration, 4 each | digests of up to four addresses, 4 each
//! ```
//!
//! Ends that cannot speak to each other find out before either sends data, and can say what differs.

use blake2::{Blake2s256, Digest as _};
use std::fmt;
use std::net::IpAddr;

/// What this code speaks.
pub const VERSION: u16 = 2;
/// The length of an introduction.
pub(crate) const INTRODUCTION: usize = 2 + 8 + (PARTS + ADDRESSES) * DIGEST;
/// A configuration has at most so many parts.
pub const PARTS: usize = 4;
/// The peer is told of so many addresses.
pub const ADDRESSES: usize = 4;
const DIGEST: usize = 4;

type Digest = [u8; DIGEST];

fn digest(octets: &[u8]) -> Digest {
    let [a, b, c, d, ..]: [u8; 32] = Blake2s256::digest(octets).into();
    [a, b, c, d]
}

/// That of no address is zeros.
fn digest_of(address: Option<IpAddr>) -> Digest {
    match address {
        Some(IpAddr::V4(address)) => digest(&address.octets()),
        Some(IpAddr::V6(address)) => digest(&address.octets()),
        None => Digest::default(),
    }
}

/// A configuration, in parts that have names, so that two ends can say in which they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Configuration {
    names: [&'static str; PARTS],
    digests: [Digest; PARTS],
}

impl Configuration {
    /// Of named parts, in an order that is the same at both ends: what must agree, written out.
    ///
    /// # Panics
    /// With more parts than [`PARTS`].
    #[must_use]
    pub fn of(parts: &[(&'static str, &[u8])]) -> Self {
        assert!(parts.len() <= PARTS, "a configuration has at most {PARTS} parts");
        let mut all = Self::default();
        for (index, (name, octets)) in parts.iter().enumerate() {
            all.names[index] = name;
            all.digests[index] = digest(octets);
        }
        all
    }
}

/// What an end says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Introduction {
    /// What it speaks: [`VERSION`].
    pub version: u16,
    /// A number that no other incarnation of this end has: random, or counted up and kept.
    pub boot: u64,
    /// What both ends need alike.
    pub configuration: Configuration,
    /// Addresses that no peer may have too.
    pub addresses: [Option<IpAddr>; ADDRESSES],
}

impl Introduction {
    /// Of this code, without addresses.
    #[must_use]
    pub fn new(boot: u64, configuration: Configuration) -> Self {
        Self { version: VERSION, boot, configuration, addresses: [None; ADDRESSES] }
    }

    /// With addresses, of which the first few are told.
    #[must_use]
    pub fn with_addresses(mut self, addresses: impl IntoIterator<Item = IpAddr>) -> Self {
        self.addresses.iter_mut().zip(addresses).for_each(|(place, address)| *place = Some(address));
        self
    }

    pub(crate) fn octets(&self) -> [u8; INTRODUCTION] {
        let mut octets = [0; INTRODUCTION];
        octets[..2].copy_from_slice(&self.version.to_le_bytes());
        octets[2..10].copy_from_slice(&self.boot.to_le_bytes());
        let (parts, addresses) = octets[10..].split_at_mut(PARTS * DIGEST);
        parts.copy_from_slice(self.configuration.digests.as_flattened());
        addresses.copy_from_slice(self.addresses.map(digest_of).as_flattened());
        octets
    }

    /// The boot number of an introduction, which stands at the same place in every version.
    pub(crate) fn boot_of(theirs: &[u8]) -> Option<u64> {
        theirs.get(2..)?.first_chunk().map(|boot| u64::from_le_bytes(*boot))
    }

    /// Reads a peer's introduction: its boot number if the two can speak, else why they cannot.
    pub(crate) fn meet(&self, theirs: &[u8]) -> Result<u64, Mismatch> {
        let version = theirs.first_chunk().map_or(0, |octets| u16::from_le_bytes(*octets));
        // What another version says behind that is not known here.
        if version != self.version {
            return Err(Mismatch::Version { ours: self.version, theirs: version });
        }
        let Some((boot, digests)) = theirs.get(2..).and_then(|rest| rest.split_first_chunk()) else {
            return Err(Mismatch::Unreadable(theirs.len()));
        };
        if digests.len() != (PARTS + ADDRESSES) * DIGEST {
            return Err(Mismatch::Unreadable(theirs.len()));
        }
        let Configuration { names, digests: ours } = &self.configuration;
        let (parts, addresses) = digests.split_at(PARTS * DIGEST);
        let same = ours.iter().zip(parts.chunks(DIGEST)).map(|(ours, theirs)| ours == theirs);
        let mut differ = [""; PARTS];
        let mut is_same = true;
        for (index, same) in same.enumerate().filter(|(_, same)| !same) {
            is_same &= same;
            // A part that only the peer has, has no name here.
            differ[index] = if names[index].is_empty() { "a part that only the peer has" } else { names[index] };
        }
        if !is_same {
            return Err(Mismatch::Configuration(Differences(differ)));
        }
        let is_theirs = |ours: &IpAddr| addresses.chunks(DIGEST).any(|theirs| digest_of(Some(*ours)) == theirs);
        match self.addresses.into_iter().flatten().find(is_theirs) {
            Some(address) => Err(Mismatch::SameAddress(address)),
            None => Ok(u64::from_le_bytes(*boot)),
        }
    }
}

/// Why two ends that know each other cannot speak. Each tells its own user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// They speak different versions.
    #[error("the peer speaks version {theirs} of the session, this end version {ours}: update {}", older(*ours, *theirs))]
    Version {
        /// Ours.
        ours: u16,
        /// The peer's.
        theirs: u16,
    },
    /// Their configurations differ.
    #[error("the peer's settings differ from ours: {0}; both ends need the same")]
    Configuration(Differences),
    /// Packets to an address that both have would never cross.
    #[error("both ends have the address {0}; give each end one of its own (`addresses`)")]
    SameAddress(IpAddr),
    /// They speak the same version, but not the same way.
    #[error("the peer's introduction has {0} octets, expected {INTRODUCTION}: run the same release at both ends")]
    Unreadable(usize),
}

/// Which end is to be updated.
fn older(ours: u16, theirs: u16) -> &'static str {
    if ours < theirs { "this end" } else { "the peer" }
}

/// The parts in which two configurations differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Differences([&'static str; PARTS]);

impl fmt::Display for Differences {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = self.0.iter().filter(|name| !name.is_empty());
        write!(out, "{}", parts.next().unwrap_or(&"nothing"))?;
        parts.try_for_each(|name| write!(out, ", {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(services: &[u8], bearer: &[u8]) -> Introduction {
        Introduction::new(7, Configuration::of(&[("services", services), ("bearer", bearer)]))
    }

    #[test]
    fn ends_that_agree_learn_each_others_boot_number() {
        let ours = configured(b"sr:0.9", b"");
        let theirs = Introduction { boot: 0x0123_4567_89AB_CDEF, ..ours };
        assert_eq!(ours.meet(&theirs.octets()), Ok(0x0123_4567_89AB_CDEF));
    }

    #[test]
    fn ends_that_differ_say_how() {
        let ours = configured(b"sr:0.9", b"");
        let told = |theirs: &[u8]| ours.meet(theirs).expect_err("they differ").to_string();
        assert_eq!(
            told(&configured(b"sr:1.1", b"").octets()),
            "the peer's settings differ from ours: services; both ends need the same"
        );
        assert_eq!(
            told(&configured(b"sr:1.1", b"pace").octets()),
            "the peer's settings differ from ours: services, bearer; both ends need the same"
        );
        let more = Configuration::of(&[("services", b"sr:0.9"), ("bearer", b""), ("mux", b"")]);
        assert_eq!(
            told(&Introduction::new(7, more).octets()),
            "the peer's settings differ from ours: a part that only the peer has; both ends need the same"
        );
        let newer = [Introduction { version: 3, ..ours }.octets().as_slice(), b"and more"].concat();
        assert_eq!(told(&newer), "the peer speaks version 3 of the session, this end version 2: update this end");
        let older = Introduction { version: 1, ..ours }.octets();
        assert_eq!(told(&older), "the peer speaks version 1 of the session, this end version 2: update the peer");
        assert_eq!(
            told(&ours.octets()[..41]),
            "the peer's introduction has 41 octets, expected 42: run the same release at both ends"
        );
    }

    #[test]
    fn ends_that_have_an_address_in_common_both_say_which() {
        let address = |text: &str| text.parse::<IpAddr>().expect("an address");
        let with = |texts: &[&str]| configured(b"", b"").with_addresses(texts.iter().map(|text| address(text)));
        let [near, far] = [with(&["10.9.0.1", "fd00::1"]), with(&["10.9.0.2", "fd00::1"])];
        for (ours, theirs) in [(near, far), (far, near)] {
            let told = ours.meet(&theirs.octets()).expect_err("alike").to_string();
            assert_eq!(told, "both ends have the address fd00::1; give each end one of its own (`addresses`)");
        }
        for others in [with(&["10.9.0.2", "fd00::2"]), with(&[]), with(&["10.9.0.2"; 9])] {
            assert_eq!((near.meet(&others.octets()), others.meet(&near.octets())), (Ok(7), Ok(7)));
        }
        assert_eq!(with(&[]).meet(&with(&[]).octets()), Ok(7), "no address is none in common");
    }

    #[test]
    fn any_octets_are_an_introduction_or_are_refused() {
        let ours = configured(b"", b"");
        for length in 0..64 {
            for first in [0, 1, 2, 255] {
                let mut octets = vec![first; length];
                octets.iter_mut().skip(1).for_each(|octet| *octet = 0);
                for version in [0, VERSION] {
                    let met = Introduction { version, ..ours }.meet(&octets);
                    assert!(met.is_err() || length == INTRODUCTION, "{octets:?}");
                }
            }
        }
    }
}
