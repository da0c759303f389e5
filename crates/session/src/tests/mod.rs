//! What is asked of two whole ends.

mod handshakes;
mod promises;
mod strangers;
mod vectors;
mod wireguard;
mod world;

use crate::handshake::dialect::Dialect;
use crate::*;
use arqway_units::{Span, Time};
use std::net::SocketAddr;

/// Chance that is the same in each run (SplitMix64).
#[derive(Debug, Clone)]
pub(crate) struct Dice(pub(crate) u64);

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

    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
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
pub(crate) struct End {
    pub(crate) endpoint: Endpoint,
    pub(crate) peer: PeerId,
    pub(crate) at: SocketAddr,
    pub(crate) dice: Dice,
}

impl End {
    pub(crate) fn receive(&mut self, datagram: &[u8], from: SocketAddr, now: Time) -> Received {
        self.endpoint.handle_datagram(&mut datagram.to_vec(), from, now, &mut self.dice)
    }

    pub(crate) fn poll(&mut self, now: Time) -> Option<(SocketAddr, Vec<u8>)> {
        let (to, message) = self.endpoint.poll_datagram(now, &mut self.dice)?;
        Some((to, message.to_vec()))
    }

    pub(crate) fn seal(&mut self, packet: &[u8], now: Time) -> Result<(SocketAddr, Vec<u8>), NotSealed> {
        let mut buffer = [&[0; HEAD_ROOM], packet, &[0; TAG]].concat();
        let sealed = self.endpoint.seal(self.peer, &mut buffer, HEAD_ROOM..HEAD_ROOM + packet.len(), now)?;
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
pub(crate) fn end(number: u8, boot: u64, config: Config, now: Time) -> End {
    end_of(&crate::handshake::dialect::ARQWAY, number, Introduction::new(boot, configuration()), config, now)
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
    };
    let peer = endpoint.add_peer(peer, now).expect("another end");
    dice.roll();
    End { endpoint, peer, at: address(number), dice }
}

pub(crate) fn pair() -> [End; 2] {
    [end(1, 11, Config::default(), at(0)), end(2, 22, Config::default(), at(0))]
}

/// All that both have to say arrives at once, where it is sent to. How many datagrams that were.
pub(crate) fn exchange(ends: &mut [End; 2], now: Time) -> usize {
    let mut count = 0;
    let mut under_way = Vec::new();
    loop {
        for end in ends.iter_mut() {
            let datagrams = std::iter::from_fn(|| end.poll(now)).collect::<Vec<_>>();
            under_way.extend(datagrams.into_iter().map(|(to, datagram)| (end.at, to, datagram)));
        }
        if under_way.is_empty() {
            return count;
        }
        for (from, to, datagram) in std::mem::take(&mut under_way) {
            count += 1;
            let Some(receiver) = ends.iter_mut().find(|end| end.at == to) else { continue };
            if let Received::Answer(answer) = receiver.receive(&datagram, from, now) {
                assert!(answer.len() <= datagram.len(), "no answer is longer than its question");
                under_way.push((to, from, answer.to_vec()));
            }
        }
    }
}

/// Both have keys, by a handshake that the first one began.
pub(crate) fn established(now: Time) -> [End; 2] {
    let mut ends = pair();
    ends[0].endpoint.begin(ends[0].peer, now);
    exchange(&mut ends, now);
    assert!(ends.iter().all(|end| end.status(now).has_keys));
    ends.iter_mut().for_each(|end| _ = end.events());
    ends
}
