//! What a packet's headers say of its flow, read once.
//!
//! ```text
//!     IPv4 [options] --+                          +-- TCP, UDP, SCTP, DCCP: ports
//!                      +-> AH -> fragment? ... --+
//!     IPv6 ------------+   hop-by-hop, routing,   +-- ESP, ICMP, anything else: no ports
//!                          destination options
//! ```
//!
//! - An authentication header (RFC 4302) hides nothing and is walked past. Encapsulated payload (RFC 4303) hides the ports
//!   and what carries them: its own number is the protocol.
//! - Only the first fragment of a packet has ports. The others are told by what they show: addresses, DS field, flow label
//!   and the protocol that the fragment header names. A rule with ports therefore catches the first fragment only; one
//!   without catches all.
//! - What is cut short or contradicts itself is no packet here, and belongs to no class.

use super::fields::{Ds, FlowLabel, Protocol};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The fields by which a packet can be told from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headers {
    /// Where it comes from; of the same version as the destination.
    pub source: IpAddr,
    /// Where it goes.
    pub destination: IpAddr,
    /// Differentiated Services.
    pub ds: Ds,
    /// What it carries.
    pub protocol: Protocol,
    /// Source and destination port, where they can be seen.
    pub ports: Option<(u16, u16)>,
    /// Of IPv6.
    pub flow_label: Option<FlowLabel>,
}

impl Headers {
    /// The headers of an IP packet, or `None` where the octets are none.
    #[must_use]
    pub fn read(packet: &[u8]) -> Option<Self> {
        match packet.first()? >> 4 {
            4 => read_ipv4(packet),
            6 => read_ipv6(packet),
            _ => None,
        }
    }
}

fn u16_at(octets: &[u8], at: usize) -> Option<u16> {
    octets.get(at..)?.first_chunk().map(|octets| u16::from_be_bytes(*octets))
}

/// RFC 791, Section 3.1.
fn read_ipv4(packet: &[u8]) -> Option<Headers> {
    let fixed: &[u8; 20] = packet.first_chunk()?;
    let header_length = usize::from(fixed[0] & 0xf) * 4;
    let total_length = usize::from(u16_at(packet, 2)?);
    if header_length < fixed.len() || total_length < header_length {
        return None;
    }
    let payload = packet.get(header_length..total_length)?;
    let is_first = u16_at(packet, 6)? & 0x1fff == 0;
    let upper = walk(fixed[9], payload, is_first, |number| number == AUTHENTICATION)?;
    let address = |at: usize| packet.get(at..)?.first_chunk().map(|octets: &[u8; 4]| Ipv4Addr::from(*octets));
    Some(Headers {
        source: address(12)?.into(),
        destination: address(16)?.into(),
        ds: Ds::of_octet(fixed[1]),
        protocol: upper.protocol,
        ports: upper.ports,
        flow_label: None,
    })
}

/// RFC 8200, Section 3.
fn read_ipv6(packet: &[u8]) -> Option<Headers> {
    let fixed: &[u8; 40] = packet.first_chunk()?;
    let first_word = u32::from_be_bytes([fixed[0], fixed[1], fixed[2], fixed[3]]);
    let rest = &packet[fixed.len()..];
    let payload = match usize::from(u16_at(packet, 4)?) {
        // A jumbogram (RFC 2675) says its length in an option; it is all that is here.
        0 if fixed[6] == HOP_BY_HOP => rest,
        length => rest.get(..length)?,
    };
    let upper = walk(fixed[6], payload, true, |number| EXTENSIONS.contains(&number))?;
    let address = |at: usize| packet.get(at..)?.first_chunk().map(|octets: &[u8; 16]| Ipv6Addr::from(*octets));
    Some(Headers {
        source: address(8)?.into(),
        destination: address(24)?.into(),
        ds: Ds::of_octet((first_word >> 20 & 0xff) as u8),
        protocol: upper.protocol,
        ports: upper.ports,
        flow_label: FlowLabel::new(first_word & 0xf_ffff),
    })
}

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION_OPTIONS: u8 = 60;
/// What may stand between an IPv6 header and what it carries (RFC 8200, Section 4); ESP ends the walk.
const EXTENSIONS: [u8; 5] = [HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION_OPTIONS];

/// What an IP packet carries.
struct Upper {
    protocol: Protocol,
    ports: Option<(u16, u16)>,
}

/// Walks past the headers that `is_extension` says may stand here. Each is at least eight octets, so there is an end.
fn walk(mut number: u8, mut octets: &[u8], mut is_first: bool, is_extension: fn(u8) -> bool) -> Option<Upper> {
    // What follows in a later fragment is its data, whatever the number.
    while is_first && is_extension(number) {
        let length = match number {
            FRAGMENT => 8,
            // RFC 4302, Section 2.2; its fixed part alone has twelve octets.
            AUTHENTICATION => (usize::from(*octets.get(1).filter(|length| **length > 0)?) + 2) * 4,
            _ => (usize::from(*octets.get(1)?) + 1) * 8,
        };
        if number == FRAGMENT {
            is_first = u16_at(octets, 2)? >> 3 == 0;
        }
        number = *octets.first()?;
        octets = octets.get(length..)?;
    }
    let protocol = Protocol::of_number(number);
    let ports = if is_first && protocol.has_ports() { Some((u16_at(octets, 0)?, u16_at(octets, 2)?)) } else { None };
    Some(Upper { protocol, ports })
}
