//! The memory and the IP header of the hosts' packets.

use crate::host::Host;
use arqway_link::mux::Ds;
use arqway_units::Octets;
use bytes::Bytes;
use bytes::BytesMut;
use etherparse::{IpNumber, Ipv4Header};
use serde::{Deserialize, Serialize};

/// How the headers of a packet are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Headers {
    /// A packet of 250 octets includes its headers, and the application counts all 250 as data. The papers ignore
    /// headers; this setting gives their numbers with real headers.
    #[default]
    CountAsData,
    /// Headers come on top: a packet with 250 octets of data is longer on the wire.
    OnTop,
}

/// The length of a packet: at least the longest headers and a time stamp, and at most what IPv4 allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Octets", into = "Octets")]
pub struct PacketLength(Octets);

impl PacketLength {
    /// The 250 octets of the papers on UMTS.
    pub const SHORT: Self = Self(Octets::new(250));
    /// The 1,460 octets of shikama06.
    pub const LONG: Self = Self(Octets::new(1460));
    const RANGE: core::ops::RangeInclusive<u64> = 48..=65_000;

    /// How many octets.
    #[must_use]
    pub const fn octets(self) -> Octets {
        self.0
    }
}

/// A length that no packet has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a packet of {0}: expected {least} to {most} octets", least = PacketLength::RANGE.start(), most = PacketLength::RANGE.end())]
pub struct PacketLengthError(Octets);

impl TryFrom<Octets> for PacketLength {
    type Error = PacketLengthError;
    fn try_from(octets: Octets) -> Result<Self, PacketLengthError> {
        if Self::RANGE.contains(&octets.as_u64()) { Ok(Self(octets)) } else { Err(PacketLengthError(octets)) }
    }
}

impl From<PacketLength> for Octets {
    fn from(length: PacketLength) -> Self {
        length.0
    }
}

/// An IPv4 and a TCP header without options.
pub(crate) const TCP_HEADERS: usize = 40;
/// What a packet of a length of its own holds at most.
const LONGEST: usize = 65_000;

/// How long packets are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PacketSize {
    /// Headers and all, in octets.
    pub(crate) on_wire: usize,
    /// What the application counts, in octets.
    pub(crate) counted: u64,
}

impl PacketSize {
    /// The size of packets of `packet` octets, given their headers' length.
    pub(crate) fn new(packet: PacketLength, headers: Headers, header_length: usize) -> Self {
        let packet = packet.octets();
        let on_wire = match headers {
            Headers::CountAsData => packet.as_usize(),
            Headers::OnTop => packet.as_usize() + header_length,
        };
        Self { on_wire, counted: packet.as_u64() }
    }

    /// The size of a TCP packet of this many octets, however few: it has its headers and one octet behind them.
    pub(crate) fn of_tcp(octets: u64, headers: Headers) -> Self {
        let headers_inside = headers == Headers::CountAsData;
        let octets_on_wire = usize::try_from(octets).unwrap_or(usize::MAX).min(LONGEST);
        let on_wire = if headers_inside { octets_on_wire } else { octets_on_wire + TCP_HEADERS };
        Self { on_wire: on_wire.max(TCP_HEADERS + 1), counted: octets.max(1) }
    }

    /// Octets behind the headers of a TCP packet.
    pub(crate) fn payload(self) -> usize {
        self.on_wire.saturating_sub(TCP_HEADERS)
    }
}

/// Where packets get their octets: one allocation for a few hundred packets, shared and counted.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Zeros, for the packets to come.
    slab: BytesMut,
}

const SLAB: usize = 64 * 1024;

impl Memory {
    /// A packet of `size` octets that begins with `header`; the rest is zero.
    pub(crate) fn packet(&mut self, header: &[u8], size: usize) -> Bytes {
        if self.slab.len() < size {
            self.slab = BytesMut::zeroed(SLAB.max(size));
        }
        let mut packet = self.slab.split_to(size);
        let header_length = header.len().min(size);
        packet[..header_length].copy_from_slice(&header[..header_length]);
        packet.freeze()
    }
}

/// The addresses of the two hosts.
pub(crate) const fn address(host: Host) -> [u8; 4] {
    match host {
        Host::Server => [10, 0, 0, 1],
        Host::Client => [10, 0, 1, 2],
    }
}

/// An IPv4 header from one host to the other; length and checksum are filled in by others.
pub(crate) fn ipv4(protocol: IpNumber, from: Host, ds: Ds) -> [u8; 20] {
    let mut octets = [0; 20];
    if let Ok(header) = Ipv4Header::new(0, 64, protocol, address(from), address(from.peer())) {
        octets.copy_from_slice(&header.to_bytes());
    }
    octets[1] = ds.octet();
    octets
}

/// Writes the length of the whole packet into its IPv4 header.
pub(crate) fn write_total_length(header: &mut [u8], size: usize) {
    let length = u16::try_from(size).unwrap_or(u16::MAX);
    header[2..4].copy_from_slice(&length.to_be_bytes());
}
