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
use core::num::NonZeroU64;
use hashbrown::HashMap;

/// A flow, in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    source: [u64; 2],
    destination: [u64; 2],
    /// Version, protocol, whether there are ports, and the ports: that of the source is the higher.
    rest: NonZeroU64,
}

/// A flow as a packet carries it: a digest, a fifth as large, since packets are moved and kept by the thousand.
///
/// Two flows may have the same one, by chance or because somebody wants it so. So it serves where that costs nothing but time: packets of
/// such flows wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FlowKey(NonZeroU64);

impl FlowKey {
    /// Of all packets together.
    pub const ANY: Self = Self(NonZeroU64::MAX);

    /// The digest, as a number. It has no seed: who writes packets can choose flows of one digest.
    pub fn digest(self) -> u64 {
        self.0.get()
    }

    /// That of a packet. What cannot be read may be of any flow, but not of one that can.
    pub fn of_packet(packet: &[u8]) -> Self {
        Headers::read_all(packet).map_or(Self::ANY, |(headers, payload)| Self::of(&headers, &payload))
    }

    /// That of a packet with these headers.
    pub fn of(headers: &Headers, payload: &Payload) -> Self {
        let mut hasher = KeyHasher::default();
        match (headers.source, headers.destination) {
            (IpAddr::V4(source), IpAddr::V4(destination)) => {
                hasher.write_u64(u64::from(source.to_bits()) << 32 | u64::from(destination.to_bits()));
            }
            (source, destination) => {
                let halves = bits(source).into_iter().chain(bits(destination));
                halves.for_each(|half| hasher.write_u64(half));
            }
        }
        hasher.write_u64(conversation(headers, payload));
        Self(NonZeroU64::MIN.saturating_add(hasher.finish()))
    }
}

/// What is known of each flow. The hash has no seed, so who writes packets can choose flows that share a place in it; a
/// table has few entries, and looking at all of them is the worst that comes of it.
pub type FlowTable<T, K = Flow> = HashMap<K, T, BuildHasherDefault<KeyHasher>>;

const IS_FLOW: NonZeroU64 = const { NonZeroU64::new(1 << 63).expect("not zero") };
const IS_IPV4: u64 = 1 << 41;
const HAS_PORTS: u64 = 1 << 40;

impl Flow {
    /// The flow of a packet with these headers.
    pub fn of(headers: &Headers, payload: &Payload) -> Self {
        let rest = IS_FLOW | conversation(headers, payload);
        Self { source: bits(headers.source), destination: bits(headers.destination), rest }
    }

    /// The same conversation in the other direction.
    pub fn reversed(self) -> Self {
        let rest = self.rest.get();
        let (source, destination) = (rest >> 16 & 0xffff, rest & 0xffff);
        let rest = rest & !0xffff_ffff | destination << 16 | source;
        Self { source: self.destination, destination: self.source, rest: IS_FLOW | rest }
    }
}

impl Hash for Flow {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for half in self.source.into_iter().chain(self.destination) {
            state.write_u64(half);
        }
        state.write_u64(self.rest.get());
    }
}

/// All but the addresses: version, protocol, whether there are ports, and the ports.
fn conversation(headers: &Headers, payload: &Payload) -> u64 {
    let mut rest = u64::from(headers.protocol.number()) << 32;
    if headers.source.is_ipv4() {
        rest |= IS_IPV4;
    }
    if let Some((source, destination)) = headers.ports.filter(|_| !payload.is_fragment) {
        rest |= HAS_PORTS | u64::from(source) << 16 | u64::from(destination);
    }
    rest
}

fn bits(address: IpAddr) -> [u64; 2] {
    match address {
        IpAddr::V4(address) => [0, address.to_bits().into()],
        IpAddr::V6(address) => halves(address.to_bits()),
    }
}
