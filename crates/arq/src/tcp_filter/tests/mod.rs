//! A filter, and packets to show it. Etherparse builds them, checksums and all.

mod bounds;
mod filter;
mod regenerate;

use super::*;
use etherparse::{PacketBuilder, TcpOptionElement};
use std::vec::Vec;

/// Octets of data in a segment.
const LENGTH: u32 = 100;

/// A connection, by the port of who receives the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tcp {
    port: u16,
    version: u8,
}

const TCP: Tcp = Tcp { port: 49_152, version: 4 };
const OTHER: Tcp = Tcp { port: 49_153, version: 4 };
const IPV6: Tcp = Tcp { port: 49_152, version: 6 };

/// What a segment says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Says {
    sequence: u32,
    acknowledgement: u32,
    window: u16,
    length: usize,
    flags: &'static str,
    blocks: Vec<(u32, u32)>,
}

const NOTHING: Says = Says { sequence: 7, acknowledgement: 0, window: 5000, length: 0, flags: "", blocks: Vec::new() };

impl Tcp {
    fn packet(self, with_data: bool, says: &Says) -> Bytes {
        let (hosts, ports) = if with_data { ([1, 2], [80, self.port]) } else { ([2, 1], [self.port, 80]) };
        let builder = if self.version == 4 {
            PacketBuilder::ipv4([10, 0, 0, hosts[0]], [10, 0, 0, hosts[1]], 64)
        } else {
            let [source, destination] = hosts.map(|host| [[0xfd, host].as_slice(), &[0; 14]].concat());
            PacketBuilder::ipv6(source.try_into().expect("16"), destination.try_into().expect("16"), 64)
        };
        let mut tcp = builder.tcp(ports[0], ports[1], says.sequence, says.window).ack(says.acknowledgement);
        for flag in says.flags.split(' ') {
            tcp = match flag {
                "syn" => tcp.syn(),
                "fin" => tcp.fin(),
                "rst" => tcp.rst(),
                "urg" => tcp.urg(1),
                _ => tcp,
            };
        }
        if let Some((first, more)) = says.blocks.split_first() {
            let mut others = [None; 3];
            others.iter_mut().zip(more).for_each(|(to, block)| *to = Some(*block));
            tcp = tcp.options(&[TcpOptionElement::SelectiveAcknowledgement(*first, others)]).expect("room");
        }
        let mut octets = Vec::new();
        tcp.write(&mut octets, &std::vec![1; says.length]).expect("memory");
        octets.into()
    }

    /// Data from this number on.
    fn data(self, sequence: u32) -> Bytes {
        self.packet(true, &Says { sequence, length: LENGTH as usize, ..NOTHING })
    }

    /// An acknowledgement of all before this number.
    fn ack(self, acknowledgement: u32) -> Bytes {
        self.packet(false, &Says { acknowledgement, ..NOTHING })
    }
}

/// The end of the link that sends the data.
struct End {
    filter: TcpFilter,
    counters: Counters,
}

impl End {
    fn new() -> Self {
        Self::with(&Unordered::default())
    }

    fn with(settings: &Unordered) -> Self {
        Self { filter: TcpFilter::new(settings), counters: Counters::default() }
    }

    /// The packet comes from the peer: what goes on to the network layer.
    fn hear(&mut self, packet: &Bytes) -> Vec<Bytes> {
        let mut received = Some(packet.clone());
        std::iter::from_fn(|| self.filter.next(|| received.take(), &mut self.counters)).collect()
    }

    fn passes(&mut self, packet: &Bytes) -> bool {
        let heard = self.hear(packet);
        assert!(heard.is_empty() || heard == [packet], "it passes unchanged, or not at all");
        !heard.is_empty()
    }

    /// This segment was acknowledged, and the next one was lost on the link and sent again.
    fn after_loss_at(&mut self, tcp: Tcp, lost: u32) {
        assert!(self.passes(&tcp.ack(lost)));
        self.filter.sent(&tcp.data(lost));
        self.filter.retransmitted(&tcp.data(lost));
    }
}
