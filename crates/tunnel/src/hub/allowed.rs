//! Which peer has an address: the longest prefix that contains it counts, as in a routing table.
//!
//! It decides both ways: a packet goes to the peer that has its destination, and one that comes from a peer is taken only if
//! that peer has its source. So no peer can speak in another's name (WireGuard's "cryptokey routing", whitepaper §2).

use arqway_link::mux::Addresses;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Prefixes and whose they are.
#[derive(Debug, Default)]
pub(crate) struct AllowedAddresses {
    /// By version of IP, then by mask, the longest first: the prefixes of that length and their peers.
    tables: [Vec<(u128, BTreeMap<u128, usize>)>; 2],
}

/// A prefix that two peers have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) by: usize,
}

impl AllowedAddresses {
    /// Gives a peer a prefix.
    ///
    /// # Errors
    /// Another peer has it.
    pub(crate) fn insert(&mut self, prefix: Addresses, peer: usize) -> Result<(), Taken> {
        let (bits, mask) = prefix.bits_and_mask();
        let tables = &mut self.tables[usize::from(!prefix.is_ipv4())];
        let place = tables.iter().position(|(known, _)| *known <= mask).unwrap_or(tables.len());
        if tables.get(place).is_none_or(|(known, _)| *known != mask) {
            tables.insert(place, (mask, BTreeMap::new()));
        }
        match tables[place].1.insert(bits, peer) {
            Some(by) if by != peer => Err(Taken { by }),
            _ => Ok(()),
        }
    }

    /// Who has an address.
    pub(crate) fn find(&self, address: IpAddr) -> Option<usize> {
        let (bits, _) = Addresses::one(address).bits_and_mask();
        let tables = &self.tables[usize::from(address.is_ipv6())];
        tables.iter().find_map(|(mask, table)| table.get(&(bits & mask)).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn prefix(text: &str) -> Addresses {
        text.parse().expect("a prefix")
    }

    #[test]
    fn the_longest_prefix_says_whose_an_address_is() {
        let mut allowed = AllowedAddresses::default();
        for (text, peer) in [("10.0.0.0/8", 0), ("10.9.0.2", 1), ("0.0.0.0/0", 2), ("10.9.0.0/16", 3), ("fd00::/8", 1)]
        {
            assert_eq!(allowed.insert(prefix(text), peer), Ok(()));
        }
        let found = |text| allowed.find(address(text));
        assert_eq!(found("10.1.2.3"), Some(0));
        assert_eq!(found("10.9.0.2"), Some(1));
        assert_eq!(found("10.9.0.3"), Some(3));
        assert_eq!(found("192.0.2.1"), Some(2));
        assert_eq!((found("fd12::1"), found("2001:db8::1")), (Some(1), None));
    }

    #[test]
    fn a_prefix_belongs_to_one_peer() {
        let mut allowed = AllowedAddresses::default();
        assert_eq!(allowed.insert(prefix("10.9.0.2/32"), 0), Ok(()));
        assert_eq!(allowed.insert(prefix("10.9.0.2"), 0), Ok(()), "said twice");
        assert_eq!(allowed.insert(prefix("10.9.0.2"), 1), Err(Taken { by: 0 }));
        assert_eq!(allowed.insert(prefix("10.9.0.0/24"), 1), Ok(()), "another length");
    }
}
