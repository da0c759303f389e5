//! What Snoop reads of a packet: the addresses, and TCP's ports, numbers and flags (see
//! [`Segment`](arqway_ip::Segment)). Nothing is ever written.

use arqway_ip::{Headers, Segment};
use core::net::IpAddr;

/// An end of a TCP connection.
pub(super) type Endpoint = (IpAddr, u16);

/// A TCP connection: addresses and ports of both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ConnectionId {
    /// The end that the ports tell apart best stands first: it decides most comparisons.
    pub(super) client: Endpoint,
    pub(super) server: Endpoint,
}

/// Reads a packet on its way to the client.
pub(super) fn toward_client(packet: &[u8]) -> Option<(ConnectionId, Segment)> {
    let (headers, _, segment) = Segment::read(packet)?;
    let (source, destination) = ends(&headers)?;
    Some((ConnectionId { client: destination, server: source }, segment))
}

/// Reads a packet that comes from the client.
pub(super) fn from_client(packet: &[u8]) -> Option<(ConnectionId, Segment)> {
    let (headers, _, segment) = Segment::read(packet)?;
    let (source, destination) = ends(&headers)?;
    Some((ConnectionId { client: source, server: destination }, segment))
}

fn ends(headers: &Headers) -> Option<(Endpoint, Endpoint)> {
    let (source, destination) = headers.ports?;
    Some(((headers.source, source), (headers.destination, destination)))
}
