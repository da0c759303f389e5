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
use core::net::IpAddr;
use core::ops::Range;

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

/// What an IP packet carries, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// Where in the packet it is.
    pub range: Range<usize>,
    /// It is not all: it belongs together with that of other packets.
    pub is_fragment: bool,
    /// An authentication header protects it: whoever changes an octet is found out.
    pub is_authenticated: bool,
}

impl Headers {
    /// The headers of an IP packet, or `None` where the octets are none.
    #[must_use]
    pub fn read(packet: &[u8]) -> Option<Self> {
        Self::read_all(packet).map(|(headers, _)| headers)
    }

    /// The same, and what is behind the headers.
    pub fn read_all(packet: &[u8]) -> Option<(Self, Payload)> {
        match packet.first()? >> 4 {
            4 => read_ipv4(packet),
            6 => read_ipv6(packet),
            _ => None,
        }
    }
}

pub(super) fn u16_at(octets: &[u8], at: usize) -> Option<u16> {
    octets.get(at..)?.first_chunk().map(|octets| u16::from_be_bytes(*octets))
}

/// RFC 791, Section 3.1.
fn read_ipv4(packet: &[u8]) -> Option<(Headers, Payload)> {
    let fixed: &[u8; 20] = packet.first_chunk()?;
    let header_length = usize::from(fixed[0] & 0xf) * 4;
    let total_length = usize::from(u16_at(packet, 2)?);
    if header_length < fixed.len() || total_length < header_length {
        return None;
    }
    let payload = packet.get(header_length..total_length)?;
    let place = match u16_at(packet, 6)? {
        word if word & 0x1fff > 0 => Place::LaterFragment,
        word if word & 0x2000 > 0 => Place::FirstFragment,
        _ => Place::Whole,
    };
    let upper = walk(fixed[9], payload, place, |number| number == AUTHENTICATION)?;
    let headers = ipv4_fields(fixed, upper.protocol, upper.ports);
    Some((headers, upper.payload(total_length)))
}

/// RFC 8200, Section 3.
fn read_ipv6(packet: &[u8]) -> Option<(Headers, Payload)> {
    let fixed: &[u8; 40] = packet.first_chunk()?;
    let rest = &packet[fixed.len()..];
    let payload = match usize::from(u16_at(packet, 4)?) {
        // A jumbogram (RFC 2675) says its length in an option; it is all that is here.
        0 if fixed[6] == HOP_BY_HOP => rest,
        length => rest.get(..length)?,
    };
    let upper = walk(fixed[6], payload, Place::Whole, |number| EXTENSIONS.contains(&number))?;
    let headers = ipv6_fields(fixed, upper.protocol, upper.ports);
    Some((headers, upper.payload(fixed.len() + payload.len())))
}

pub(super) fn ipv4_fields(fixed: &[u8; 20], protocol: Protocol, ports: Option<(u16, u16)>) -> Headers {
    let [_, ds, _, _, _, _, _, _, _, _, _, _, s0, s1, s2, s3, d0, d1, d2, d3] = *fixed;
    let (source, destination) = ([s0, s1, s2, s3].into(), [d0, d1, d2, d3].into());
    Headers { source, destination, ds: Ds::of_octet(ds), protocol, ports, flow_label: None }
}

pub(super) fn ipv6_fields(fixed: &[u8; 40], protocol: Protocol, ports: Option<(u16, u16)>) -> Headers {
    let first_word = u32::from_be_bytes([fixed[0], fixed[1], fixed[2], fixed[3]]);
    let address = |at: usize| core::array::from_fn::<u8, 16, _>(|index| fixed[at + index]).into();
    Headers {
        source: address(8),
        destination: address(24),
        ds: Ds::of_octet((first_word >> 20 & 0xff) as u8),
        protocol,
        ports,
        flow_label: FlowLabel::new(first_word & 0xf_ffff),
    }
}

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION_OPTIONS: u8 = 60;
/// What may stand between an IPv6 header and what it carries (RFC 8200, Section 4); ESP ends the walk.
const EXTENSIONS: [u8; 5] = [HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION_OPTIONS];

/// Which part of a packet it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Whole,
    FirstFragment,
    LaterFragment,
}

/// What an IP packet carries.
struct Upper {
    protocol: Protocol,
    ports: Option<(u16, u16)>,
    octets: usize,
    place: Place,
    is_authenticated: bool,
}

impl Upper {
    /// Where it ends is known to who read the packet's length.
    fn payload(&self, end: usize) -> Payload {
        Payload {
            range: end - self.octets..end,
            is_fragment: self.place != Place::Whole,
            is_authenticated: self.is_authenticated,
        }
    }
}

/// Walks past the headers that `is_extension` says may stand here. Each is at least eight octets, so there is an end.
fn walk(mut number: u8, mut octets: &[u8], mut place: Place, is_extension: fn(u8) -> bool) -> Option<Upper> {
    let mut is_authenticated = false;
    // What follows in a later fragment is its data, whatever the number.
    while place != Place::LaterFragment && is_extension(number) {
        let length = match number {
            FRAGMENT => 8,
            // RFC 4302, Section 2.2; its fixed part alone has twelve octets.
            AUTHENTICATION => (usize::from(*octets.get(1).filter(|length| **length > 0)?) + 2) * 4,
            _ => (usize::from(*octets.get(1)?) + 1) * 8,
        };
        if number == FRAGMENT {
            // One that is first and last at once is a whole packet (RFC 6946).
            place = match u16_at(octets, 2)? {
                word if word >> 3 > 0 => Place::LaterFragment,
                word if word & 1 > 0 => Place::FirstFragment,
                _ => place,
            };
        }
        is_authenticated |= number == AUTHENTICATION;
        number = *octets.first()?;
        octets = octets.get(length..)?;
    }
    let protocol = Protocol::of_number(number);
    let shows_ports = place != Place::LaterFragment && protocol.has_ports();
    let ports = if shows_ports { Some((u16_at(octets, 0)?, u16_at(octets, 2)?)) } else { None };
    Some(Upper { protocol, ports, octets: octets.len(), place, is_authenticated })
}
