//! What a packet holds, and how many packets somebody still keeps.
//!
//! Arbitrary octets seldom make a TCP segment, so some packets are built as one, of few connections and with numbers close
//! to each other, so that Snoop finds something to do.

use arqway_link::fuzz::Input;
use bytes::Bytes;
use std::sync::Arc;

/// Counts the packets and frames that were given away and are still kept by somebody: memory, by the packet.
#[derive(Default)]
pub(crate) struct Alive(Arc<()>);

/// Octets that are counted as long as anybody keeps a part of them.
struct Counted {
    octets: Vec<u8>,
    _alive: Arc<()>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.octets
    }
}

impl Alive {
    pub(crate) fn octets(&self, octets: Vec<u8>) -> Bytes {
        Bytes::from_owner(Counted { octets, _alive: Arc::clone(&self.0) })
    }

    pub(crate) fn count(&self) -> usize {
        Arc::strong_count(&self.0) - 1
    }
}

/// A packet of any kind.
pub(crate) fn packet(input: &mut Input<'_>) -> Vec<u8> {
    let mut octets = match input.index(8) {
        0 | 1 => input.octets(48).to_vec(),
        // Long ones, beyond what IP's length field can say.
        2 => vec![input.octet(); usize::from(input.number()) + usize::from(input.octet())],
        3 => udp(input),
        _ => tcp(input),
    };
    if input.index(8) == 7 {
        let length = input.index(octets.len() + 1);
        octets.truncate(length);
    }
    octets
}

/// Packet `number` of one end: UDP, which names itself.
pub(crate) fn numbered(number: u32) -> Vec<u8> {
    ip(false, 17, 0, [1, 2], &[&[0x13, 0x8c, 0, 53, 0, 12, 0, 0], &number.to_be_bytes()[..]].concat())
}

/// Which numbered packet this is, if it is one.
pub(crate) fn number_of(packet: &[u8]) -> Option<u32> {
    let number = u32::from_be_bytes(*packet.last_chunk()?);
    (numbered(number) == packet).then_some(number)
}

fn udp(input: &mut Input<'_>) -> Vec<u8> {
    let port = input.one_of(&[53u16, 443, 3478, 5004, 8801, 16_384, 40_000, 0]);
    let (ipv6, ds) = (input.flag(), input.octet());
    let mut segment = [40_000u16.to_be_bytes(), port.to_be_bytes(), [0, 8], [0, 0]].concat();
    segment.extend(input.octets(16));
    ip(ipv6, 17, ds, [input.octet() & 1, 7], &segment)
}

/// A segment of one of a few connections, in either direction.
fn tcp(input: &mut Input<'_>) -> Vec<u8> {
    let number = |input: &mut Input<'_>| {
        let base = input.one_of(&[FIRST_NUMBER, FIRST_NUMBER, FIRST_NUMBER, u32::MAX - 300, 0x8000_0000]);
        base.wrapping_add(u32::from(input.octet() & 0x3f) * SEGMENT)
    };
    Segment {
        who: input.octet(),
        toward_client: input.flag(),
        sequence: number(input),
        acknowledgement: number(input),
        flags: input.octet(),
        window: if input.flag() { 1000 } else { input.number() },
        length: u32::from(input.between(0, 4)) * SEGMENT,
    }
    .packet()
}

/// Segment `number` of what one of two servers sends, in order, as they come where nothing is lost.
pub(crate) fn stream(who: u8, number: u8) -> Vec<u8> {
    Segment {
        who: who & 1,
        toward_client: true,
        sequence: FIRST_NUMBER + u32::from(number) * SEGMENT,
        acknowledgement: FIRST_NUMBER,
        flags: 0x10,
        window: 1000,
        length: SEGMENT,
    }
    .packet()
}

const FIRST_NUMBER: u32 = 1000;
const SEGMENT: u32 = 50;

struct Segment {
    /// Which connection, and whether it is one of IPv6.
    who: u8,
    toward_client: bool,
    sequence: u32,
    acknowledgement: u32,
    flags: u8,
    window: u16,
    length: u32,
}

impl Segment {
    fn packet(&self) -> Vec<u8> {
        let (server, client) = (80u16.to_be_bytes(), [0x90, self.who & 3]);
        let ports = if self.toward_client { [server, client] } else { [client, server] };
        let mut octets = ports.concat();
        octets.extend(self.sequence.to_be_bytes());
        octets.extend(self.acknowledgement.to_be_bytes());
        octets.extend([0x50, self.flags]);
        octets.extend(self.window.to_be_bytes());
        octets.extend([0; 4]);
        octets.resize(octets.len() + self.length as usize, 7);
        ip(self.who & 4 != 0, 6, 0, if self.toward_client { [1, 2] } else { [2, 1] }, &octets)
    }
}

/// An IP packet between two of a few hosts.
fn ip(ipv6: bool, protocol: u8, ds: u8, [source, destination]: [u8; 2], payload: &[u8]) -> Vec<u8> {
    let length = |octets: usize| u16::try_from(octets).unwrap_or(u16::MAX).to_be_bytes();
    let mut packet = if ipv6 {
        let mut header = vec![0; 40];
        (header[0], header[1]) = (0x60 | ds >> 4, ds << 4);
        header[4..6].copy_from_slice(&length(payload.len()));
        (header[6], header[7], header[23], header[39]) = (protocol, 64, source, destination);
        header
    } else {
        let mut header = vec![0; 20];
        (header[0], header[1], header[8], header[9]) = (0x45, ds, 64, protocol);
        header[2..4].copy_from_slice(&length(20 + payload.len()));
        (header[12], header[15], header[16], header[19]) = (10, source, 10, destination);
        header
    };
    packet.extend(payload);
    packet
}
