//! Real IPv4 and TCP headers on the hosts' packets, so that classifiers, captures and TCP-aware services read in the
//! simulator what they read on the wire.
//!
//! A connection's header is built once; a packet is a copy with its numbers filled in. Checksums are left to those who
//! write packets out. Sequence numbers count octets of payload, and the receiving end turns them back into packets.

use super::sender::Transmission;
use crate::packet::{Memory, PacketSize};
use arqway_link::Packet;
use etherparse::{IpNumber, TcpHeader, TcpHeaderSlice};

/// An IPv4 and a TCP header without options.
pub(crate) const HEADERS: usize = 40;
const IP_HEADER: usize = 20;
const PORTS: (u16, u16) = (20, 49_152);

/// How packet numbers of a connection map to sequence numbers.
#[derive(Debug, Clone, Copy)]
struct Numbering {
    /// Octets of payload in a packet, behind its headers.
    payload: u32,
    /// Whether packet 0 is the SYN, which takes one number.
    handshake: bool,
}

impl Numbering {
    /// The sequence number of a packet's first octet; the initial one is 0.
    fn sequence(self, packet: i64) -> u32 {
        let handshake = i64::from(self.handshake);
        let data = (packet - handshake).max(0) as u32;
        let offset = data.wrapping_mul(self.payload);
        if self.handshake && packet > 0 { offset.wrapping_add(1) } else { offset }
    }

    /// The packet whose first octet has this sequence number, given that it lies near packet `near`.
    fn packet(self, sequence: u32, near: i64) -> i64 {
        if self.handshake && sequence == 0 && near < i64::from(u16::MAX) {
            return 0;
        }
        // Packets of equal length begin behind the SYN.
        let near = near.max(i64::from(self.handshake));
        let ahead = sequence.wrapping_sub(self.sequence(near)).cast_signed();
        near + i64::from(ahead).div_euclid(i64::from(self.payload.max(1)))
    }
}

/// Writes and reads the packets of one connection.
#[derive(Debug)]
pub(crate) struct SegmentFactory {
    numbering: Numbering,
    size: PacketSize,
    data: [u8; HEADERS],
    acknowledgement: [u8; HEADERS],
}

impl SegmentFactory {
    /// For a connection whose data packets have this size.
    pub(crate) fn new(size: PacketSize, handshake: bool) -> Self {
        let payload = u32::try_from(size.on_wire.saturating_sub(HEADERS)).unwrap_or(u32::MAX);
        Self {
            numbering: Numbering { payload, handshake },
            size,
            data: template([10, 0, 0, 1], [10, 0, 1, 2], PORTS.0, PORTS.1),
            acknowledgement: template([10, 0, 1, 2], [10, 0, 0, 1], PORTS.1, PORTS.0),
        }
    }

    /// A data packet, or the SYN.
    pub(crate) fn data(&self, transmission: Transmission, memory: &mut Memory) -> Packet {
        let is_syn = self.numbering.handshake && transmission.number == 0;
        let size = if is_syn { HEADERS } else { self.size.on_wire };
        let mut header = self.data;
        let sequence = self.numbering.sequence(transmission.number);
        fill(&mut header, size, sequence, 0, if is_syn { SYN } else { ACK });
        memory.packet(&header, size)
    }

    /// The bare acknowledgement of everything up to and with packet `number`.
    pub(crate) fn acknowledgement(&self, number: i64, memory: &mut Memory) -> Packet {
        let mut header = self.acknowledgement;
        let flags = if self.numbering.handshake && number == 0 { SYN | ACK } else { ACK };
        fill(&mut header, HEADERS, 0, self.numbering.sequence(number + 1), flags);
        memory.packet(&header, HEADERS)
    }

    /// What a data packet says; `near` is a packet number nearby, to tell the turns of the 32-bit numbers apart.
    pub(crate) fn read_data(&self, packet: &Packet, near: i64) -> Option<i64> {
        let header = tcp_header(packet)?;
        Some(self.numbering.packet(header.sequence_number(), near))
    }

    /// What an acknowledgement says: the highest packet received in order.
    pub(crate) fn read_acknowledgement(&self, packet: &Packet, near: i64) -> Option<i64> {
        let header = tcp_header(packet)?;
        Some(self.numbering.packet(header.acknowledgment_number(), near) - 1)
    }
}

fn tcp_header(packet: &Packet) -> Option<TcpHeaderSlice<'_>> {
    TcpHeaderSlice::from_slice(packet.octets.get(IP_HEADER..)?).ok()
}

const SYN: u8 = 0x02;
const ACK: u8 = 0x10;

fn template(from: [u8; 4], to: [u8; 4], source: u16, destination: u16) -> [u8; HEADERS] {
    let mut header = [0; HEADERS];
    header[..IP_HEADER].copy_from_slice(&crate::packet::ipv4(IpNumber::TCP, from, to));
    let tcp = TcpHeader::new(source, destination, 0, u16::MAX);
    header[IP_HEADER..].copy_from_slice(&tcp.to_bytes());
    header
}

fn fill(header: &mut [u8; HEADERS], size: usize, sequence: u32, acknowledgement: u32, flags: u8) {
    crate::packet::write_total_length(header, size);
    header[IP_HEADER + 4..IP_HEADER + 8].copy_from_slice(&sequence.to_be_bytes());
    header[IP_HEADER + 8..IP_HEADER + 12].copy_from_slice(&acknowledgement.to_be_bytes());
    header[IP_HEADER + 13] = flags;
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::SlicedPacket;
    use proptest::prelude::*;

    fn factory(handshake: bool) -> SegmentFactory {
        SegmentFactory::new(PacketSize { on_wire: 250, counted: 250 }, handshake)
    }

    #[test]
    fn the_headers_are_read_by_a_parser_that_is_not_ours() {
        let packet = factory(true).data(Transmission { number: 3, again: false }, &mut Memory::default());
        let sliced = SlicedPacket::from_ip(&packet.octets).expect("an IP packet");
        let Some(etherparse::TransportSlice::Tcp(tcp)) = sliced.transport else { panic!("a TCP segment") };
        assert_eq!((tcp.sequence_number(), tcp.payload().len(), packet.octets.len()), (1 + 2 * 210, 210, 250));
    }

    proptest! {
        #[test]
        fn numbers_survive_the_header_beyond_the_wrap_of_32_bits(number in prop_oneof![0i64..200, 0i64..(1 << 40)], behind in 0i64..60, handshake: bool) {
            let (factory, mut memory) = (factory(handshake), Memory::default());
            let near = (number - behind).max(0);
            let data = factory.data(Transmission { number, again: false }, &mut memory);
            prop_assert_eq!(factory.read_data(&data, near), Some(number));
            let acknowledgement = factory.acknowledgement(number, &mut memory);
            prop_assert_eq!(factory.read_acknowledgement(&acknowledgement, near), Some(number));
        }
    }
}
