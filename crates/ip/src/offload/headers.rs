//! Where the headers of an Ethernet frame or an IP packet are.

use crate::checksum::read;

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// Ethertypes that a VLAN's tag of four octets follows: IEEE 802.1Q, and 802.1ad around it.
const VLAN: [u16; 2] = [0x8100, 0x88a8];

/// Octets of an Ethernet header without tags.
pub const ETHERNET_HEADER: usize = 14;

/// What a device carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carries {
    /// Ethernet frames.
    Frames,
    /// IP packets.
    Packets,
}

/// An IP packet that is no fragment, with a transport header that is all there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Headers {
    /// Where the IP header begins.
    pub(super) network: usize,
    pub(super) version: Version,
    /// Where the transport header begins.
    pub(super) transport: usize,
    pub(super) protocol: Protocol,
    /// Where the data begins.
    pub(super) data: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    V4,
    V6,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Tcp,
    Udp,
}

impl Protocol {
    pub(super) const fn number(self) -> u8 {
        match self {
            Self::Tcp => 6,
            Self::Udp => 17,
        }
    }
}

/// The headers of a frame or packet; `None` where it is anything else than a whole TCP or UDP packet.
pub(super) fn headers(frame: &[u8], carries: Carries) -> Option<Headers> {
    let network = match carries {
        Carries::Packets => 0,
        Carries::Frames => {
            let mut network = ETHERNET_HEADER;
            while VLAN.contains(&read(frame, network - 2)?) {
                network += 4;
            }
            network
        }
    };
    let kind = match carries {
        Carries::Packets if frame.first()? >> 4 == 4 => IPV4,
        Carries::Packets => IPV6,
        Carries::Frames => read(frame, network - 2)?,
    };
    let (version, transport, protocol) = match kind {
        IPV4 => ipv4(frame, network)?,
        IPV6 => ipv6(frame, network)?,
        _ => return None,
    };
    let protocol = [Protocol::Tcp, Protocol::Udp].into_iter().find(|known| known.number() == protocol)?;
    let length = match protocol {
        // RFC 9293, section 3.1: the data offset, in words of four octets, at least five of them.
        Protocol::Tcp => Some(usize::from(frame.get(transport + 12)? >> 4) * 4).filter(|length| *length >= 20)?,
        Protocol::Udp => 8,
    };
    let data = transport + length;
    (data <= frame.len()).then_some(Headers { network, version, transport, protocol, data })
}

/// RFC 791, section 3.1.
fn ipv4(frame: &[u8], network: usize) -> Option<(Version, usize, u8)> {
    let first = *frame.get(network)?;
    let length = usize::from(first & 0xf) * 4;
    let is_fragment = read(frame, network + 6)? & 0x3fff != 0;
    let is_odd = first >> 4 != 4 || length < 20 || is_fragment;
    (!is_odd).then_some((Version::V4, network + length, *frame.get(network + 9)?))
}

/// RFC 8200, section 4: extension headers of a length that they tell themselves stand between.
fn ipv6(frame: &[u8], network: usize) -> Option<(Version, usize, u8)> {
    if frame.get(network)? >> 4 != 6 {
        return None;
    }
    let (mut next, mut at) = (*frame.get(network + 6)?, network + 40);
    // Hop-by-hop options, routing, destination options.
    while [0, 43, 60].contains(&next) {
        next = *frame.get(at)?;
        at += (usize::from(*frame.get(at + 1)?) + 1) * 8;
    }
    Some((Version::V6, at, next))
}
