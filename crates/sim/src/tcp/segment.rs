//! Real IPv4 and TCP headers on the hosts' packets, so that classifiers, captures and TCP-aware services read in the
//! simulator what they read on the wire.
//!
//! A connection's header is built once; a packet is a copy with its numbers filled in. Checksums are left to those who
//! write packets out. Sequence numbers count octets of payload, and the receiving end turns them back into packets.

use super::acknowledgement::{Acknowledgement, Blocks};
use super::numbering::{Message, Numbering};
use super::options::{Options, blocks_of};
use super::sender::Transmission;
use super::settings::Settings;
use crate::host::Host;
use crate::packet::{Memory, TCP_HEADERS as HEADERS};
use arqway_link::mux::Ds;
use arqway_units::Octets;
use bytes::Bytes;
use etherparse::{IpNumber, TcpHeader, TcpHeaderSlice};

const IP_HEADER: usize = 20;
/// Of TCP's header, in units of four octets.
const WORDS_WITHOUT_OPTIONS: u8 = 5;
/// An IPv4 header without options, and a TCP header with as many as it can have.
const LONGEST: usize = 80;

/// The two ends of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ports {
    pub(crate) server: u16,
    pub(crate) client: u16,
}

impl Ports {
    /// Those of a packet that has come to this host.
    pub(crate) fn of(packet: &[u8], at: Host) -> Option<Self> {
        if packet.get(9) != Some(&IpNumber::TCP.0) {
            return None;
        }
        let [s0, s1, d0, d1] = *packet.get(IP_HEADER..IP_HEADER + 4)?.first_chunk()?;
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
    /// Both ends speak of selective acknowledgements.
    selective: bool,
}

impl SegmentFactory {
    /// For a connection of which this host sends the data.
    pub(crate) fn new(message: Message, settings: &Settings, sender: Host, ports: Ports, ds: Ds) -> Self {
        let handshake = settings.handshake;
        Self {
            numbering: Numbering::new(message, handshake),
            data: template(sender, ports, ds),
            acknowledgement: template(sender.peer(), ports, ds),
            selective: settings.variant.is_selective(),
        }
    }

    /// Becomes that of another connection, in the same memory.
    pub(crate) fn restart(&mut self, message: Message, settings: &Settings, sender: Host, ports: Ports, ds: Ds) {
        self.numbering.restart(message, settings.handshake);
        self.selective = settings.variant.is_selective();
        self.data = template(sender, ports, ds);
        self.acknowledgement = template(sender.peer(), ports, ds);
    }

    /// Another message follows on the same connection.
    pub(crate) fn append(&mut self, message: Message) {
        self.numbering.append(message);
    }

    /// A data packet, or the SYN.
    pub(crate) fn data(&self, transmission: Transmission, memory: &mut Memory) -> Bytes {
        let is_syn = self.numbering.is_syn(transmission.number);
        let flags = if is_syn { SYN } else { ACK };
        let size = HEADERS + Octets::new(self.numbering.payload(transmission.number).into()).as_usize();
        let mut header = self.data;
        fill(&mut header, size, self.numbering.sequence(transmission.number), 0, flags);
        if is_syn && self.selective {
            return with_options(header, &Options::sack_permitted(), memory);
        }
        memory.packet(&header, size)
    }

    /// The bare acknowledgement of everything up to and with packet `number`, and of the blocks beyond it.
    pub(crate) fn acknowledgement(&self, number: i64, blocks: &Blocks, memory: &mut Memory) -> Bytes {
        let mut header = self.acknowledgement;
        let is_syn = self.numbering.is_syn(number);
        let flags = if is_syn { SYN | ACK } else { ACK };
        fill(&mut header, HEADERS, 0, self.numbering.sequence(number + 1), flags);
        if !self.selective || (blocks.as_slice().is_empty() && !is_syn) {
            return memory.packet(&header, HEADERS);
        }
        let sequence = |packet| self.numbering.sequence(packet);
        let options = if is_syn { Options::sack_permitted() } else { Options::sack(blocks, sequence) };
        with_options(header, &options, memory)
    }

    /// What a data packet says; `near` is a packet number nearby, to tell the turns of the 32-bit numbers apart.
    pub(crate) fn read_data(&self, packet: &[u8], near: i64) -> Option<i64> {
        let header = tcp_header(packet)?;
        Some(self.numbering.packet(header.sequence_number(), near))
    }

    /// What an acknowledgement says; `near` is a packet number nearby.
    pub(crate) fn read_acknowledgement(&self, packet: &[u8], near: i64) -> Option<Acknowledgement> {
        let header = tcp_header(packet)?;
        let number = self.numbering.packet(header.acknowledgment_number(), near) - 1;
        if !self.selective || header.data_offset() <= WORDS_WITHOUT_OPTIONS {
            return Some(Acknowledgement::of(number));
        }
        let blocks = blocks_of(&header, |sequence| self.numbering.packet(sequence, near));
        Some(Acknowledgement { number, blocks })
    }
}

fn tcp_header(packet: &[u8]) -> Option<TcpHeaderSlice<'_>> {
    TcpHeaderSlice::from_slice(packet.get(IP_HEADER..)?).ok()
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

/// A segment without data, with options behind its header.
fn with_options(mut header: [u8; HEADERS], options: &Options, memory: &mut Memory) -> Bytes {
    let options = options.as_octets();
    let size = HEADERS + options.len();
    crate::packet::write_total_length(&mut header, size);
    header[IP_HEADER + 12] += u8::try_from(options.len() / 4).unwrap_or(u8::MAX) << 4;
    let mut longer = [0; LONGEST];
    longer[..HEADERS].copy_from_slice(&header);
    longer[HEADERS..size].copy_from_slice(options);
    memory.packet(&longer[..size], size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::{Block, TcpConfig, Variant};
    use etherparse::SlicedPacket;
    use proptest::prelude::*;

    fn factory(handshake: bool) -> SegmentFactory {
        let message = Message { packets: u64::MAX >> 2, payload: 210, last: 210 };
        let ports = Ports { server: 20, client: 49_152 };
        let config = TcpConfig { handshake: Some(handshake), variant: Some(Variant::Sack), ..TcpConfig::default() };
        SegmentFactory::new(message, &config.settings(), Host::Server, ports, Ds::new(46).unwrap_or_default())
    }

    /// RFC 2018 §2 and §3, read by a parser that is not ours.
    #[test]
    fn a_syn_permits_selective_acknowledgements_and_an_acknowledgement_tells_its_blocks() {
        use etherparse::TcpOptionElement::{Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted};
        let (factory, mut memory) = (factory(true), Memory::default());
        let options = |packet: &[u8]| {
            let header = tcp_header(packet).expect("a TCP segment");
            assert_eq!(packet.len(), IP_HEADER + header.slice().len(), "nothing behind the header");
            header.options_iterator().map(|option| option.expect("an option")).collect::<std::vec::Vec<_>>()
        };
        let syn = factory.data(Transmission { number: 0, again: false }, &mut memory);
        let answer = factory.acknowledgement(0, &Blocks::default(), &mut memory);
        assert_eq!(options(&syn), [Noop, Noop, SelectiveAcknowledgementPermitted]);
        assert_eq!(options(&answer), options(&syn));
        let blocks: Blocks = [Block { from: 9, to: 10 }, Block { from: 5, to: 7 }].into_iter().collect();
        let told = factory.acknowledgement(3, &blocks, &mut memory);
        let (first, second) = ((1 + 8 * 210, 1 + 9 * 210), (1 + 4 * 210, 1 + 6 * 210));
        assert_eq!(options(&told), [Noop, Noop, SelectiveAcknowledgement(first, [Some(second), None, None])]);
        assert_eq!(factory.read_acknowledgement(&told, 0), Some(Acknowledgement { number: 3, blocks }));
    }

    #[test]
    fn a_connection_without_selective_acknowledgements_reads_none() {
        let told = factory(true).acknowledgement(3, &[Block::one(9)].into_iter().collect(), &mut Memory::default());
        let mut without = factory(true);
        without.selective = false;
        assert_eq!(without.read_acknowledgement(&told, 0), Some(Acknowledgement::of(3)));
    }

    #[test]
    fn the_headers_are_read_by_a_parser_that_is_not_ours() {
        let packet = factory(true).data(Transmission { number: 3, again: false }, &mut Memory::default());
        let sliced = SlicedPacket::from_ip(&packet).expect("an IP packet");
        let Some(etherparse::TransportSlice::Tcp(tcp)) = sliced.transport else { panic!("a TCP segment") };
        let Some(etherparse::NetSlice::Ipv4(ip)) = sliced.net else { panic!("an IPv4 packet") };
        assert_eq!((ip.header().dcp().value(), tcp.source_port(), tcp.destination_port()), (46, 20, 49_152));
        assert_eq!((tcp.sequence_number(), tcp.payload().len(), packet.len()), (1 + 2 * 210, 210, 250));
    }

    proptest! {
        #[test]
        fn numbers_survive_the_header_beyond_the_wrap_of_32_bits(number in prop_oneof![0i64..200, 0i64..(1 << 40)], behind in 0i64..60, handshake: bool) {
            let (factory, mut memory) = (factory(handshake), Memory::default());
            let near = (number - behind).max(0);
            let data = factory.data(Transmission { number, again: false }, &mut memory);
            prop_assert_eq!(factory.read_data(&data, near), Some(number));
            let acknowledgement = factory.acknowledgement(number, &Blocks::default(), &mut memory);
            prop_assert_eq!(factory.read_acknowledgement(&acknowledgement, near), Some(Acknowledgement::of(number)));
            let blocks: Blocks = [Block { from: number + 5, to: number + 9 }, Block::one(number + 2)].into_iter().collect();
            let told = Acknowledgement { number: number.max(1), blocks };
            let acknowledgement = factory.acknowledgement(told.number, &blocks, &mut memory);
            prop_assert_eq!(factory.read_acknowledgement(&acknowledgement, near), Some(told));
        }
    }
}
