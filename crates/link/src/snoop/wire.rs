//! What Snoop reads of a packet: the addresses of IPv4 (RFC 791) or IPv6 (RFC 8200), and TCP's ports, numbers and flags
//! (RFC 9293 §3.1). Nothing is ever written.
//!
//! What cannot be read as a whole TCP segment is no segment: other protocols, encrypted packets (ESP hides the
//! header), fragments, IPv6 packets with extension headers, lengths that contradict each other. Checksums are not
//! looked at: the hosts do that, and a link's own check has kept broken frames away.

use core::net::IpAddr;
use etherparse::{IpNumber, Ipv4HeaderSlice, Ipv6HeaderSlice, TcpHeaderSlice};

/// An end of a TCP connection.
pub(super) type Endpoint = (IpAddr, u16);

/// A TCP connection: addresses and ports of both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Flow {
    /// The end that the ports tell apart best stands first: it decides most comparisons.
    pub(super) client: Endpoint,
    pub(super) server: Endpoint,
}

impl Flow {
    /// The connection as its packets in the other direction tell it.
    fn reversed(self) -> Self {
        Self { client: self.server, server: self.client }
    }
}

/// What matters of a TCP segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) flow: Flow,
    pub(super) sequence: u32,
    /// Sequence numbers it takes: its octets, and one each for SYN and FIN (RFC 9293 §3.4).
    pub(super) length: u32,
    /// The acknowledgement number, where the ACK flag is set.
    pub(super) acknowledgement: Option<u32>,
    pub(super) window: u16,
    pub(super) syn: bool,
    pub(super) fin: bool,
    pub(super) reset: bool,
}

/// Reads a packet on its way to the client.
pub(super) fn toward_client(packet: &[u8]) -> Option<Segment> {
    read(packet)
}

/// Reads a packet that comes from the client.
pub(super) fn from_client(packet: &[u8]) -> Option<Segment> {
    let segment = read(packet)?;
    Some(Segment { flow: segment.flow.reversed(), ..segment })
}

/// Reads a packet as one of the server's.
fn read(packet: &[u8]) -> Option<Segment> {
    let (source, destination, payload) = match packet.first()? >> 4 {
        4 => ipv4(packet)?,
        6 => ipv6(packet)?,
        _ => return None,
    };
    let tcp = TcpHeaderSlice::from_slice(payload).ok()?;
    let octets = u32::try_from(payload.len().checked_sub(tcp.slice().len())?).ok()?;
    Some(Segment {
        flow: Flow { client: (destination, tcp.destination_port()), server: (source, tcp.source_port()) },
        sequence: tcp.sequence_number(),
        length: octets + u32::from(tcp.syn()) + u32::from(tcp.fin()),
        acknowledgement: tcp.ack().then(|| tcp.acknowledgment_number()),
        window: tcp.window_size(),
        syn: tcp.syn(),
        fin: tcp.fin(),
        reset: tcp.rst(),
    })
}

/// Source, destination and payload of an IPv4 packet that carries all of a TCP segment.
fn ipv4(packet: &[u8]) -> Option<(IpAddr, IpAddr, &[u8])> {
    let header = Ipv4HeaderSlice::from_slice(packet).ok()?;
    if header.protocol() != IpNumber::TCP || header.is_fragmenting_payload() {
        return None;
    }
    let payload = packet.get(header.slice().len()..usize::from(header.total_len()))?;
    Some((header.source_addr().into(), header.destination_addr().into(), payload))
}

/// The same of an IPv6 packet.
fn ipv6(packet: &[u8]) -> Option<(IpAddr, IpAddr, &[u8])> {
    let header = Ipv6HeaderSlice::from_slice(packet).ok()?;
    if header.next_header() != IpNumber::TCP {
        return None;
    }
    let end = header.slice().len() + usize::from(header.payload_length());
    let payload = packet.get(header.slice().len()..end)?;
    Some((header.source_addr().into(), header.destination_addr().into(), payload))
}
