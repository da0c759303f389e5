//! A packet's headers as one long number, and rules as masks over it (multiservice, Fig. 11): a packet matches where its
//! masked headers equal a value.
//!
//! ```text
//!     headers   | source | destination | version, ds, protocol, ports, flow label |
//!     mask      |   0    | ffffff00    |               ports only                 |
//!     value     |   0    | 0a000100    |               5004                       |
//! ```

use super::rule::Rule;
use alloc::vec::Vec;
use arqway_ip::{Addresses, Headers, Ports, bits_of};
use arqway_units::halves;
use core::hash::{Hash, Hasher};
use core::net::IpAddr;

/// Headers, a mask over them, or headers under a mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Key {
    source: u128,
    destination: u128,
    rest: u128,
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for word in [self.source, self.destination, self.rest] {
            for half in halves(word) {
                state.write_u64(half);
            }
        }
    }
}

impl Key {
    /// What of these headers is under the mask.
    pub(super) fn under(self, mask: Self) -> Self {
        Self {
            source: self.source & mask.source,
            destination: self.destination & mask.destination,
            rest: self.rest & mask.rest,
        }
    }

    fn union(self, other: Self) -> Self {
        Self {
            source: self.source | other.source,
            destination: self.destination | other.destination,
            rest: self.rest | other.rest,
        }
    }
}

/// Where a field stands in `rest`: its lowest bit and its width.
#[derive(Clone, Copy)]
struct Field(u32, u32);

const SOURCE_PORT: Field = Field(0, 16);
const DESTINATION_PORT: Field = Field(16, 16);
const FLOW_LABEL: Field = Field(32, 20);
const PROTOCOL: Field = Field(52, 8);
const DS: Field = Field(60, 6);
/// Whether there are ports to be seen; without it port 0 and no port would be the same.
const HAS_PORTS: Field = Field(66, 1);
const HAS_FLOW_LABEL: Field = Field(67, 1);
const IS_IPV4: Field = Field(68, 1);

impl Field {
    fn put(self, value: impl Into<u128>) -> u128 {
        value.into() << self.0
    }

    fn whole(self) -> u128 {
        ((1 << self.1) - 1) << self.0
    }
}

impl From<&Headers> for Key {
    fn from(headers: &Headers) -> Self {
        let mut rest = PROTOCOL.put(headers.protocol.number()) | DS.put(headers.ds.number());
        if let Some((source, destination)) = headers.ports {
            rest |= HAS_PORTS.put(1u8) | SOURCE_PORT.put(source) | DESTINATION_PORT.put(destination);
        }
        if let Some(label) = headers.flow_label {
            rest |= HAS_FLOW_LABEL.put(1u8) | FLOW_LABEL.put(label.number());
        }
        rest |= IS_IPV4.put(headers.source.is_ipv4());
        Self { source: bits_of(headers.source).0, destination: bits_of(headers.destination).0, rest }
    }
}

/// A mask, and what must be under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cell {
    pub(super) mask: Key,
    pub(super) value: Key,
}

impl Cell {
    /// What is in both; `None` where nothing can be.
    fn and(self, other: Self) -> Option<Self> {
        let both = self.mask.under(other.mask);
        (self.value.under(both) == other.value.under(both))
            .then(|| Self { mask: self.mask.union(other.mask), value: self.value.union(other.value) })
    }

    fn rest(mask: u128, value: u128) -> Self {
        let of = |rest| Key { rest, ..Key::default() };
        Self { mask: of(mask), value: of(value) }
    }

    fn field(field: Field, value: impl Into<u128>) -> Self {
        Self::rest(field.whole(), field.put(value))
    }

    fn source(addresses: Addresses) -> Self {
        let (value, mask) = addresses.bits_and_mask();
        let mut cell = Self::field(IS_IPV4, addresses.is_ipv4());
        (cell.mask.source, cell.value.source) = (mask, value);
        cell
    }

    fn destination(addresses: Addresses) -> Self {
        let (value, mask) = addresses.bits_and_mask();
        let mut cell = Self::field(IS_IPV4, addresses.is_ipv4());
        (cell.mask.destination, cell.value.destination) = (mask, value);
        cell
    }

    fn ports(field: Field, ports: Ports) -> impl Iterator<Item = Self> {
        ports.prefixes().map(move |(value, mask)| {
            Self::rest(HAS_PORTS.whole() | field.put(mask), HAS_PORTS.whole() | field.put(value))
        })
    }

    /// One flow between two addresses, told by some fields. Its mask is the same for both versions of IP.
    pub(super) fn between(source: IpAddr, destination: IpAddr, told_by: &Rule) -> Option<Self> {
        let mut ends = Self::field(IS_IPV4, source.is_ipv4()).and(Self::field(IS_IPV4, destination.is_ipv4()))?;
        (ends.mask.source, ends.mask.destination) = (u128::MAX, u128::MAX);
        (ends.value.source, ends.value.destination) = (bits_of(source).0, bits_of(destination).0);
        cells_of(told_by).first().and_then(|cell| ends.and(*cell))
    }
}

/// The cells that together match just the packets that the rule matches.
pub(super) fn cells_of(rule: &Rule) -> Vec<Cell> {
    let one_of = |cell: Option<Cell>| cell.into_iter().collect::<Vec<_>>();
    let of_ports =
        |field, ports: Option<Ports>| ports.into_iter().flat_map(|ports| Cell::ports(field, ports)).collect();
    let mut either: Vec<Cell> = of_ports(SOURCE_PORT, rule.port);
    either.extend::<Vec<_>>(of_ports(DESTINATION_PORT, rule.port));
    let label = rule.flow_label.map(|label| {
        let (has, label) = (HAS_FLOW_LABEL.whole(), FLOW_LABEL.put(label.number()));
        Cell::rest(has | FLOW_LABEL.whole(), has | label)
    });
    // Each condition is a choice of cells; where there is none, anything will do.
    let conditions = [
        one_of(rule.protocol.map(|protocol| Cell::field(PROTOCOL, protocol.number()))),
        one_of(rule.ds.map(|ds| Cell::field(DS, ds.number()))),
        one_of(label),
        one_of(rule.source.map(Cell::source)),
        one_of(rule.destination.map(Cell::destination)),
        of_ports(SOURCE_PORT, rule.source_port),
        of_ports(DESTINATION_PORT, rule.destination_port),
        either,
    ];
    let mut cells = alloc::vec![Cell::default()];
    for choice in conditions.iter().filter(|choice| !choice.is_empty()) {
        cells = cells.iter().flat_map(|cell| choice.iter().filter_map(|more| cell.and(*more))).collect();
    }
    cells
}
