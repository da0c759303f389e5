//! Two ends whose keys and chance are the same in each run.

use crate::handshake::dialect::{ARQWAY, Dialect};
use crate::*;
use arqway_units::{LineId, Span, Time};
use std::net::SocketAddr;

/// Chance that is the same in each run (SplitMix64).
#[derive(Debug, Clone)]
pub struct Dice(pub u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound
    }
}

/// Chance that a fuzzer decides, as far as its octets go.
#[derive(Debug, Clone)]
pub(crate) struct Chance {
    octets: Vec<u8>,
    next: usize,
    dice: Dice,
}

impl Chance {
    #[cfg(test)]
    pub(crate) fn of_seed(seed: u64) -> Self {
        Self { octets: Vec::new(), next: 0, dice: Dice(seed) }
    }

    pub(crate) fn of_octets(octets: &[u8]) -> Self {
        Self { octets: octets.to_vec(), next: 0, dice: Dice(0) }
    }

    /// Whether the fuzzer's octets are used up.
    pub(crate) fn is_over(&self) -> bool {
        self.next >= self.octets.len()
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let width = if bound <= 1 << 8 { 1 } else { 4 };
        match self.octets.get(self.next..self.next + width) {
            Some(octets) => {
                self.next += width;
                octets.iter().fold(0, |number, octet| number << 8 | u64::from(*octet)) % bound
            }
            None => {
                self.next = self.octets.len();
                self.dice.below(bound)
            }
        }
    }

    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// An index into so many things.
    pub(crate) fn index(&mut self, count: usize) -> usize {
        usize::try_from(self.below(count as u64)).unwrap_or(0)
    }
}

impl Random for Chance {
    fn fill(&mut self, octets: &mut [u8]) {
        octets.iter_mut().for_each(|octet| *octet = u8::try_from(self.below(256)).unwrap_or(0));
    }
}

impl Random for Dice {
    fn fill(&mut self, octets: &mut [u8]) {
        octets.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&self.roll().to_le_bytes()[..chunk.len()]));
    }
}

/// So long after 1970 time was zero.
pub(crate) const WALL: Span = Span::from_milliseconds(1_700_000_000_000);

pub(crate) fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

pub(crate) fn address(host: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, host], 4500))
}

/// One of two ends, which has the other for its only peer.
#[derive(Debug)]
pub struct End {
    /// What it is.
    pub endpoint: Endpoint,
    /// The other one.
    pub peer: PeerId,
    /// Where it is.
    pub at: SocketAddr,
    /// Its chance.
    pub dice: Dice,
}

impl End {
    pub(crate) fn receive(&mut self, datagram: &[u8], from: SocketAddr, now: Time) -> Received {
        self.endpoint.handle_datagram(&mut datagram.to_vec(), from, now, &mut self.dice)
    }

    pub(crate) fn poll(&mut self, now: Time) -> Option<(SocketAddr, Vec<u8>)> {
        let (_, to, message) = self.endpoint.poll_datagram(now, &mut self.dice)?;
        Some((to, message.to_vec()))
    }

    pub(crate) fn seal(&mut self, packet: &[u8], now: Time) -> Result<(SocketAddr, Vec<u8>), NotSealed> {
        let mut buffer = [&[0; HEAD_ROOM], packet, &[0; TAG]].concat();
        let sealed =
            self.endpoint.seal(self.peer, LineId::FIRST, &mut buffer, HEAD_ROOM..HEAD_ROOM + packet.len(), now)?;
        Ok((sealed.to, buffer[sealed.datagram].to_vec()))
    }

    /// The packet in a datagram.
    pub(crate) fn open(&mut self, datagram: &[u8], from: SocketAddr, now: Time) -> Option<Vec<u8>> {
        let mut datagram = datagram.to_vec();
        match self.endpoint.handle_datagram(&mut datagram, from, now, &mut self.dice) {
            Received::Packet { payload, .. } => Some(datagram[payload].to_vec()),
            _ => None,
        }
    }

    pub(crate) fn events(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.endpoint.poll_event()).collect()
    }

    #[cfg(test)]
    pub(crate) fn status(&self, now: Time) -> Status {
        self.endpoint.status(self.peer, now).expect("a peer")
    }
}

pub(crate) fn key(number: u64) -> PrivateKey {
    PrivateKey::generate(&mut Dice(number))
}

pub(crate) fn configuration() -> Configuration {
    Configuration::of(&[("services", b"sr:0.9")])
}

/// An end at `address(number)` whose peer is at `address(3 - number)`.
pub fn end(number: u8, boot: u64, config: Config, now: Time) -> End {
    end_of(&ARQWAY, number, Introduction::new(boot, configuration()), config, now)
}

pub(crate) fn end_of(
    dialect: &'static Dialect,
    number: u8,
    introduction: Introduction,
    config: Config,
    now: Time,
) -> End {
    let mut dice = Dice(introduction.boot);
    let mut endpoint = Endpoint::new(key(number.into()), introduction, config, WALL);
    endpoint.speak(dialect);
    let preshared = PresharedKey::generate(&mut Dice(12));
    let peer = PeerConfig {
        public: key(u64::from(3 - number)).public(),
        preshared,
        address: Some(address(3 - number)),
        keepalive: Keepalive::default(),
        lines: 1,
    };
    let peer = endpoint.add_peer(peer, now).expect("another end");
    dice.roll();
    End { endpoint, peer, at: address(number), dice }
}
