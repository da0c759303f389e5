//! The packets of the sending half: which have not been cut into frames, and which became too old.
//!
//! ```text
//!     acknowledged | 4  frames 7..9 | 5  frames 9..11, 300 octets left | 6 | 7        6 and 7 wait; each may have its time
//! ```

use alloc::collections::{BinaryHeap, VecDeque};
use arqway_contract::Packet;
use arqway_units::{Span, Time};
use bytes::Bytes;
use core::cmp::Reverse;
use core::ops::Range;

/// Packets in the order in which they came.
#[derive(Debug, Clone)]
pub(super) struct Packets {
    packets: VecDeque<Entry>,
    /// The number of the first of them.
    first: u64,
    /// The first that is not cut to its end.
    next: u64,
    /// How many are not cut to their end, nor given up.
    waiting: usize,
    /// How long one is kept; for ever where nothing is said.
    persistence: Option<Span>,
    expiries: BinaryHeap<Reverse<(Time, u64)>>,
}

#[derive(Debug, Clone)]
struct Entry {
    packet: Packet,
    /// How many octets are in frames.
    cut: usize,
    /// The frames that they are in.
    frames: Range<u64>,
    /// When it is given up.
    expiry: Option<Time>,
    is_given_up: bool,
}

impl Packets {
    pub(super) fn new(persistence: Option<Span>) -> Self {
        Self { packets: VecDeque::new(), first: 0, next: 0, waiting: 0, persistence, expiries: BinaryHeap::new() }
    }

    /// How many are not cut to their end.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether a packet is only kept for some time.
    pub(super) fn may_give_up(&self, packet: &Packet) -> bool {
        self.persistence.is_some() || packet.deadline.is_some()
    }

    /// The numbers of packets from the first of which the peer may lack something, up to the next one that is taken.
    pub(super) fn unacknowledged(&self) -> Range<u64> {
        self.first..self.first + self.packets.len() as u64
    }

    /// Takes a packet. Whether it is not too old yet.
    pub(super) fn push(&mut self, packet: Packet, now: Time) -> bool {
        let ages = self.may_give_up(&packet);
        let Some(left) = packet.left_of(self.persistence.unwrap_or(Span::MAX), now) else { return false };
        let expiry = ages.then(|| now + left);
        let number = self.first + self.packets.len() as u64;
        self.expiries.extend(expiry.map(|expiry| Reverse((expiry, number))));
        self.waiting += 1;
        self.packets.push_back(Entry { packet, cut: 0, frames: 0..0, expiry, is_given_up: false });
        true
    }

    /// The packet that is cut next, its number, how many of its octets are in frames, and in how many.
    pub(super) fn front(&self) -> Option<(&Packet, u64, usize, u64)> {
        let entry = self.get(self.next)?;
        Some((&entry.packet, self.next, entry.cut, entry.frames.end - entry.frames.start))
    }

    /// So many octets of it go into frame `number`.
    pub(super) fn cut(&mut self, octets: usize, number: u64) {
        let next = self.next;
        let Some(entry) = self.get_mut(next) else { return };
        if entry.cut == 0 {
            entry.frames = number..number;
        }
        entry.frames.end = number + 1;
        entry.cut += octets;
        if entry.cut >= entry.packet.octets.len() {
            self.waiting -= 1;
            self.skip();
        }
    }

    /// On to the next one that is not given up.
    fn skip(&mut self) {
        self.next += 1;
        while self.get(self.next).is_some_and(|entry| entry.is_given_up) {
            self.next += 1;
        }
    }

    /// When a packet is given up.
    pub(super) fn expiry(&self, packet: u64) -> Option<Time> {
        self.get(packet)?.expiry
    }

    /// When the next one is given up, or was.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.expiries.peek().map(|Reverse((at, _))| *at)
    }

    /// Gives the next packet up that is too old. The frames that it is in, and whether that is all of it.
    pub(super) fn expire(&mut self, now: Time) -> Option<(Range<u64>, bool)> {
        while self.deadline().is_some_and(|at| at <= now) {
            let Some(Reverse((_, number))) = self.expiries.pop() else { break };
            let next = self.next;
            if let Some(entry) = self.get_mut(number) {
                entry.is_given_up = true;
                entry.packet.octets = Bytes::new();
                let frames = entry.frames.clone();
                let is_cut = number < next;
                self.waiting -= usize::from(!is_cut);
                if number == next {
                    self.skip();
                }
                return Some((frames, is_cut));
            }
        }
        None
    }

    /// All frames before this one are acknowledged: packets that are in none behind it are forgotten, with their times.
    pub(super) fn acknowledged(&mut self, frame: u64) {
        while self.first < self.next && self.packets.front().is_some_and(|entry| entry.frames.end <= frame) {
            self.packets.pop_front();
            self.first += 1;
        }
        while self.expiries.peek().is_some_and(|Reverse((_, number))| *number < self.first) {
            self.expiries.pop();
        }
    }

    fn get(&self, number: u64) -> Option<&Entry> {
        self.packets.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut Entry> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.packets.get_mut(index)
    }
}
