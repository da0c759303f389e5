//! What is read of a TCP segment (RFC 9293 §3.1), and of the packet that carries it.
//!
//! What cannot be read as a whole segment is none: other protocols, encrypted packets (ESP hides the header), fragments,
//! lengths that contradict each other. Checksums are not looked at: the hosts do that, and a link's own check has kept
//! broken frames away.

use super::{Headers, Outline, Payload, Protocol};
use etherparse::TcpHeaderSlice;

/// What matters of a TCP segment. Its numbers are those of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The number of its first octet.
    pub sequence: u32,
    /// Sequence numbers it takes: its octets, and one each for SYN and FIN (RFC 9293 §3.4).
    pub length: u32,
    /// The acknowledgement number, where the ACK flag is set.
    pub acknowledgement: Option<u32>,
    /// The window that is advertised.
    pub window: u16,
    /// It opens a connection.
    pub syn: bool,
    /// It closes one.
    pub fin: bool,
    /// It ends one at once.
    pub reset: bool,
    /// Its urgent pointer counts.
    pub urgent: bool,
}

impl Segment {
    /// Reads a packet; `None` where it carries no whole segment.
    pub fn read(packet: &[u8]) -> Option<(Headers, Payload, Self)> {
        let (headers, payload) = Headers::read_all(packet)?;
        let segment = Self::behind(packet, &headers, &payload)?;
        Some((headers, payload, segment))
    }

    /// The segment behind headers that were read already.
    fn behind(packet: &[u8], headers: &Headers, payload: &Payload) -> Option<Self> {
        let tcp = header_of(packet, headers.protocol, payload)?;
        let octets = u32::try_from(payload.range.len().checked_sub(tcp.slice().len())?).ok()?;
        Some(Self {
            sequence: tcp.sequence_number(),
            length: octets + u32::from(tcp.syn()) + u32::from(tcp.fin()),
            acknowledgement: tcp.ack().then(|| tcp.acknowledgment_number()),
            window: tcp.window_size(),
            syn: tcp.syn(),
            fin: tcp.fin(),
            reset: tcp.rst(),
            urgent: tcp.urg(),
        })
    }
}

/// Whether a packet carries a whole TCP segment.
pub fn is_whole_segment(packet: &[u8], outline: Outline) -> bool {
    header_of(packet, outline.protocol(), &outline.payload()).is_some()
}

pub(super) fn header_of<'packet>(
    packet: &'packet [u8],
    protocol: Protocol,
    payload: &Payload,
) -> Option<TcpHeaderSlice<'packet>> {
    if protocol != Protocol::TCP || payload.is_fragment {
        return None;
    }
    TcpHeaderSlice::from_slice(packet.get(payload.range.clone())?).ok()
}
