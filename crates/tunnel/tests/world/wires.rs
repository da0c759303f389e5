//! What is between the ends: it delays, loses, doubles and corrupts datagrams, and somebody writes some of his own.

use arqway_units::{Span, Time};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// What happens to datagrams on their way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path {
    pub(crate) delay: Span,
    /// How much longer it may take: later ones overtake.
    pub(crate) jitter: Span,
    pub(crate) loss: f64,
    pub(crate) duplicates: f64,
    pub(crate) corruption: f64,
    /// How many datagrams somebody on the way adds for each: one of before, as it was, or with the keys that it names alone
    /// genuine.
    pub(crate) intrusions: usize,
    /// The largest datagram that crosses.
    pub(crate) most: usize,
    pub(crate) is_open: bool,
    /// It marks what may be marked.
    pub(crate) is_congested: bool,
    /// What never arrives.
    pub(crate) loses: fn(&UnderWay) -> bool,
}

impl Default for Path {
    fn default() -> Self {
        let delay = Span::from_milliseconds(20);
        Self {
            delay,
            jitter: Span::ZERO,
            loss: 0.0,
            duplicates: 0.0,
            corruption: 0.0,
            intrusions: 0,
            most: 1472,
            is_open: true,
            is_congested: false,
            loses: |_| false,
        }
    }
}

/// A datagram under way.
#[derive(Debug, Clone)]
pub(crate) struct UnderWay {
    pub(crate) from: SocketAddr,
    pub(crate) to: SocketAddr,
    pub(crate) octets: Vec<u8>,
    /// DSCP and ECN.
    pub(crate) traffic_class: u8,
}

/// What is between the ends.
pub(crate) struct Wires {
    pub(crate) path: Path,
    pub(super) random: ChaCha8Rng,
    pub(super) under_way: BTreeMap<(Time, u64), UnderWay>,
    pub(super) count: u64,
    /// Every datagram that was sent, whatever became of it.
    pub(crate) sent: Vec<(Time, UnderWay)>,
}

impl Wires {
    pub(super) fn carry(&mut self, datagram: UnderWay, now: Time) {
        self.sent.push((now, datagram.clone()));
        let Path { loss, duplicates, corruption, most, is_open, is_congested, loses, .. } = self.path;
        for _ in 0..self.path.intrusions {
            self.intrude(now);
        }
        if !is_open || loses(&datagram) || datagram.octets.len() > most || self.random.random_bool(loss) {
            return;
        }
        let copies = 1 + usize::from(self.random.random_bool(duplicates));
        for _ in 0..copies {
            let mut copy = datagram.clone();
            if is_congested && [1, 2].contains(&(copy.traffic_class & 3)) {
                copy.traffic_class |= 3;
            }
            if self.random.random_bool(corruption) {
                let at = self.random.random_range(0..copy.octets.len());
                copy.octets[at] ^= 1 << self.random.random_range(0..8);
            }
            let at = self.arrival(now);
            self.put(at, copy);
        }
    }

    fn arrival(&mut self, now: Time) -> Time {
        let Path { delay, jitter, .. } = self.path;
        now + delay + Span::from_nanoseconds(self.random.random_range(0..=jitter.as_nanoseconds()))
    }

    /// Somebody sends what was recorded, or octets of his own for the keys that it names.
    fn intrude(&mut self, now: Time) {
        let (_, mut copy) = self.sent[self.random.random_range(0..self.sent.len())].clone();
        if self.random.random_bool(0.5) {
            // Type and index: with a counter that came before, nobody would look at the rest.
            let kept = copy.octets.len().min(3);
            self.random.fill_bytes(&mut copy.octets[kept..]);
        }
        let at = self.arrival(now);
        self.put(at, copy);
    }

    /// A datagram that arrives at a time, whoever sent it.
    pub(crate) fn put(&mut self, at: Time, datagram: UnderWay) {
        self.count += 1;
        self.under_way.insert((at, self.count), datagram);
    }
}
