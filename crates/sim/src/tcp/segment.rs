//! Real IPv4 and TCP headers on the hosts' packets, so that classifiers, captures and TCP-aware services read in the
//! simulator what they read on the wire.
//!
//! A connection's header is built once; a packet is a copy with its numbers filled in. Checksums are left to those who
//! write packets out. Sequence numbers count octets of payload, and the receiving end turns them back into packets.

use super::numbering::{Message, Numbering};
use super::sender::Transmission;
use crate::packet::{Memory, TCP_HEADERS as HEADERS};
use crate::probe::Host;
use arqway_link::Packet;
use arqway_link::mux::Ds;
use etherparse::{IpNumber, TcpHeader, TcpHeaderSlice};

const IP_HEADER: usize = 20;

/// The two ends of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ports {
    pub(crate) server: u16,
    pub(crate) client: u16,
}

impl Ports {
    /// Those of a packet that has come to this host.
    pub(crate) fn of(packet: &Packet, at: Host) -> Option<Self> {
        if packet.octets.get(9) != Some(&IpNumber::TCP.0) {
            return None;
        }
        let [s0, s1, d0, d1] = *packet.octets.get(IP_HEADER..IP_HEADER + 4)?.first_chunk()?;
        let (source, destination) = (u16::from_be_bytes([s0, s1]), u16::from_be_bytes([d0, d1]));
        Some(match at {
            Host::Server => Self { server: destination, client: source },
            Host::Client => Self { server: source, client: destination },
        })
    }

    fn at(self, host: Host) -> u16 {
        match host {
            Host::Server => self.server,
            Host::Client => self.client,
        }
    }
}

/// Writes and reads the packets of one connection.
#[derive(Debug)]
pub(crate) struct SegmentFactory {
    numbering: Numbering,
    data: [u8; HEADERS],
    acknowledgement: [u8; HEADERS],
}

impl SegmentFactory {
    /// For a connection of which this host sends the data.
    pub(crate) fn new(message: Message, handshake: bool, sender: Host, ports: Ports, ds: Ds) -> Self {
        Self {
            numbering: Numbering::new(message, handshake),
            data: template(sender, ports, ds),
            acknowledgement: template(sender.peer(), ports, ds),
        }
    }

    /// Becomes that of another connection, in the same memory.
    pub(crate) fn restart(&mut self, message: Message, handshake: bool, sender: Host, ports: Ports, ds: Ds) {
        self.numbering.restart(message, handshake);
        self.data = template(sender, ports, ds);
        self.acknowledgement = template(sender.peer(), ports, ds);
    }

    /// Another message follows on the same connection.
    pub(crate) fn append(&mut self, message: Message) {
        self.numbering.append(message);
    }

    /// A data packet, or the SYN.
    pub(crate) fn data(&self, transmission: Transmission, memory: &mut Memory) -> Packet {
        let flags = if self.numbering.is_syn(transmission.number) { SYN } else { ACK };
        let size = HEADERS + self.numbering.payload(transmission.number) as usize;
        let mut header = self.data;
        fill(&mut header, size, self.numbering.sequence(transmission.number), 0, flags);
        memory.packet(&header, size)
    }

    /// The bare acknowledgement of everything up to and with packet `number`.
    pub(crate) fn acknowledgement(&self, number: i64, memory: &mut Memory) -> Packet {
        let mut header = self.acknowledgement;
        let flags = if self.numbering.is_syn(number) { SYN | ACK } else { ACK };
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

fn template(from: Host, ports: Ports, ds: Ds) -> [u8; HEADERS] {
    let mut header = [0; HEADERS];
    header[..IP_HEADER].copy_from_slice(&crate::packet::ipv4(IpNumber::TCP, from, ds));
    let tcp = TcpHeader::new(ports.at(from), ports.at(from.peer()), 0, u16::MAX);
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
        let message = Message { packets: u64::MAX >> 2, payload: 210, last: 210 };
        let ports = Ports { server: 20, client: 49_152 };
        SegmentFactory::new(message, handshake, Host::Server, ports, Ds::new(46).unwrap_or_default())
    }

    #[test]
    fn the_headers_are_read_by_a_parser_that_is_not_ours() {
        let packet = factory(true).data(Transmission { number: 3, again: false }, &mut Memory::default());
        let sliced = SlicedPacket::from_ip(&packet.octets).expect("an IP packet");
        let Some(etherparse::TransportSlice::Tcp(tcp)) = sliced.transport else { panic!("a TCP segment") };
        let Some(etherparse::NetSlice::Ipv4(ip)) = sliced.net else { panic!("an IPv4 packet") };
        assert_eq!((ip.header().dcp().value(), tcp.source_port(), tcp.destination_port()), (46, 20, 49_152));
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
