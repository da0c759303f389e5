//! Which packets belong together: those with the same addresses, protocol and ports.
//!
//! ```text
//!     TCP, UDP, SCTP ...                 addresses, protocol, ports     a conversation
//!     a fragment, ESP, ICMP ...          addresses, protocol            all that one address sends another by it
//! ```
//!
//! Only the first fragment of a packet shows ports, so all fragments go without, that one too: else the first would be of
//! another flow than the rest of its own packet.

use super::{Headers, KeyHasher, Payload};
use arqway_units::halves;
use core::hash::{BuildHasherDefault, Hash, Hasher};
use core::net::IpAddr;
use hashbrown::HashMap;

/// A flow, in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    source: u128,
    destination: u128,
    /// Version, protocol, whether there are ports, and the ports: that of the source is the higher.
    rest: u64,
}

/// What is known of each flow. The hash has no seed, so who writes packets can choose flows that share a place in it; a
/// table has few entries, and looking at all of them is the worst that comes of it.
pub(crate) type FlowTable<T> = HashMap<Flow, T, BuildHasherDefault<KeyHasher>>;

const IS_IPV4: u64 = 1 << 41;
const HAS_PORTS: u64 = 1 << 40;

impl Flow {
    /// Of all packets together.
    pub(crate) const ANY: Self = Self { source: 0, destination: 0, rest: u64::MAX };

    /// The flow of a packet with these headers.
    pub(crate) fn of(headers: &Headers, payload: &Payload) -> Self {
        let mut rest = u64::from(headers.protocol.number()) << 32;
        if headers.source.is_ipv4() {
            rest |= IS_IPV4;
        }
        if let Some((source, destination)) = headers.ports.filter(|_| !payload.is_fragment) {
            rest |= HAS_PORTS | u64::from(source) << 16 | u64::from(destination);
        }
        Self { source: bits(headers.source), destination: bits(headers.destination), rest }
    }

    /// The same conversation in the other direction.
    pub(crate) fn reversed(self) -> Self {
        let (source, destination) = (self.rest >> 16 & 0xffff, self.rest & 0xffff);
        let rest = self.rest & !0xffff_ffff | destination << 16 | source;
        Self { source: self.destination, destination: self.source, rest }
    }
}

impl Hash for Flow {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for word in [self.source, self.destination] {
            for half in halves(word) {
                state.write_u64(half);
            }
        }
        state.write_u64(self.rest);
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => address.to_bits(),
    }
}
