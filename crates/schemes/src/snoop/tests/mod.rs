//! An access point with Snoop, and packets to tell it.

mod carries;
mod promise;
mod recovers;
mod watches;

use super::{Config, Snoop};
use arqway_contract::{Checked, Frame, Kind, LinkService, Packet, Service, Side};
use arqway_units::{Octets, Span, Time};
use bytes::Bytes;
use std::vec::Vec;

/// Octets of data in a segment.
const LENGTH: u32 = 100;

const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;

/// A connection between the server and the client, by the client's port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tcp {
    port: u16,
    version: u8,
}

const TCP: Tcp = Tcp { port: 49_152, version: 4 };
const OTHER: Tcp = Tcp { port: 49_153, version: 4 };

impl Tcp {
    /// A packet of the server with `length` octets of data, each of which tells its number.
    fn down(self, sequence: u32, length: u32, flags: u8) -> Bytes {
        self.packet(true, sequence, 0, flags, u16::MAX, length)
    }

    /// Segment `number`, counted from one.
    fn data(self, number: u32) -> Bytes {
        self.down(number * LENGTH, LENGTH, ACK)
    }

    /// The client's acknowledgement that asks for segment `number` next.
    fn ack(self, number: u32) -> Bytes {
        self.up(number * LENGTH, u16::MAX)
    }

    fn up(self, acknowledgement: u32, window: u16) -> Bytes {
        self.packet(false, 0, acknowledgement, ACK, window, 0)
    }

    fn packet(
        self,
        to_client: bool,
        sequence: u32,
        acknowledgement: u32,
        flags: u8,
        window: u16,
        length: u32,
    ) -> Bytes {
        let (mut ports, mut hosts) = ([80, self.port], [1, 2]);
        if !to_client {
            (ports, hosts) = ([self.port, 80], [2, 1]);
        }
        let mut octets = ip_header(self.version, 6, hosts, 20 + length as u16);
        octets.extend(ports.iter().flat_map(|port| port.to_be_bytes()));
        octets.extend(sequence.to_be_bytes());
        octets.extend(acknowledgement.to_be_bytes());
        octets.extend([5 << 4, flags]);
        octets.extend(window.to_be_bytes());
        octets.extend([0; 4]);
        octets.extend((0..length).map(|octet| sequence.wrapping_add(octet) as u8));
        octets.into()
    }
}

/// An IP header with `payload` octets behind it, between two hosts told by the last octet of their addresses.
fn ip_header(version: u8, protocol: u8, hosts: [u8; 2], payload: u16) -> Vec<u8> {
    if version == 6 {
        let mut header = std::vec![0; 40];
        (header[0], header[6], header[7]) = (0x60, protocol, 64);
        header[4..6].copy_from_slice(&payload.to_be_bytes());
        (header[23], header[39]) = (hosts[0], hosts[1]);
        return header;
    }
    let mut header = std::vec![0; 20];
    (header[0], header[8], header[9]) = (0x45, 64, protocol);
    header[2..4].copy_from_slice(&(payload + 20).to_be_bytes());
    header[12..16].copy_from_slice(&[10, 0, 0, hosts[0]]);
    header[16..20].copy_from_slice(&[10, 0, 0, hosts[1]]);
    header
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

/// The access point's end, with a line that takes everything at once.
struct AccessPoint {
    snoop: Checked<arqway_contract::End<Snoop>>,
    now: Time,
}

impl AccessPoint {
    fn new(config: Config) -> Self {
        Self { snoop: Checked::new(config.build(&Side::AccessPoint.into())), now: Time::ZERO }
    }

    /// With these segments of the first connection just on their way.
    fn after(config: Config, segments: core::ops::RangeInclusive<u32>) -> Self {
        let mut access_point = Self::new(config);
        for number in segments {
            access_point.send(&TCP.data(number));
        }
        access_point
    }

    /// The network layer sends a packet; it goes out at once and unchanged.
    fn send(&mut self, packet: &Bytes) {
        self.snoop.handle_packet(Packet::new(packet.clone()), self.now).expect("room");
        assert_eq!(self.frames(), [packet], "each packet is a frame");
    }

    /// A packet of the client arrives: whether it passes, and what is sent again for it.
    fn hear(&mut self, packet: &Bytes) -> (bool, Vec<Bytes>) {
        self.snoop.handle_frame(Frame::new(Kind::new(0), &[], packet.clone()), self.now);
        let passed = self.snoop.poll_packet();
        assert!(passed.as_ref().is_none_or(|passed| passed.octets == packet), "it passes unchanged");
        assert_eq!(self.snoop.poll_packet(), None, "no acknowledgement is made here");
        (passed.is_some(), self.frames())
    }

    /// Lets time pass until then, and says what is sent again meanwhile, with the milliseconds.
    fn wait_until(&mut self, milliseconds: u64) -> Vec<(u64, Bytes)> {
        let mut sent = Vec::new();
        while let Some(deadline) = self.snoop.poll_timeout().filter(|deadline| *deadline <= at(milliseconds)) {
            self.snoop.handle_timeout(deadline);
            self.now = deadline;
            let milliseconds = deadline.as_nanoseconds() / 1_000_000;
            sent.extend(self.frames().into_iter().map(|frame| (milliseconds, frame)));
        }
        self.now = at(milliseconds);
        sent
    }

    fn frames(&mut self) -> Vec<Bytes> {
        std::iter::from_fn(|| self.snoop.poll_frame(self.now, Octets::MAX)).map(|frame| frame.body).collect()
    }

    /// How many connections are watched, and how many of their segments are kept.
    fn watched(&self) -> (usize, usize) {
        let connections = self.snoop.inner().entity().connections.as_ref().expect("the access point's end watches");
        (connections.len(), connections.cached())
    }
}

const PASSES: (bool, Vec<Bytes>) = (true, Vec::new());
const WITHHELD: (bool, Vec<Bytes>) = (false, Vec::new());

fn answered_by(packet: Bytes) -> (bool, Vec<Bytes>) {
    (false, std::vec![packet])
}
