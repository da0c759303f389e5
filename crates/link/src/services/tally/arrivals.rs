//! Which transmissions have arrived, and when the sender has to be told.
//!
//! The link keeps the order of transmissions, so one that is skipped is lost, and the sender is told at once. Where it turns
//! out that transmissions come late, it is told when that many more have arrived.

use super::feedback::Lateness;
use alloc::collections::VecDeque;

/// After so many arrivals the sender is told, if there was no other reason before.
const MOST_UNSAID: u32 = 32;
/// A class of lateness is left after so many arrivals without need of it.
const LATENESS_LASTS: u32 = 1 << 14;
/// So many gaps wait for late transmissions; what is beyond is told at once.
const MOST_GAPS: usize = 64;

/// The transmissions that arrived.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    newest: u64,
    /// The newest that the sender was told of.
    told: u64,
    lateness: Lateness,
    /// How many have arrived since the class of lateness was last needed.
    in_time: u32,
    /// The counters at which a gap is told.
    gaps: VecDeque<u64>,
    /// How many arrivals the sender has not been told of.
    unsaid: u32,
    /// The sender has to be told.
    is_due: bool,
    /// It is told once more when a frame goes that way: the first time may be lost.
    once_more: bool,
}

impl Arrivals {
    pub(super) fn newest(&self) -> u64 {
        self.newest
    }

    pub(super) fn lateness(&self) -> Lateness {
        self.lateness
    }

    /// A transmission arrives.
    pub(super) fn arrive(&mut self, counter: u64) {
        self.unsaid += 1;
        self.is_due |= self.unsaid >= MOST_UNSAID;
        if counter > self.newest {
            if counter > self.newest + 1 {
                self.miss(counter);
            }
            self.newest = counter;
            self.learn(Lateness::None);
        } else {
            self.learn(Lateness::of(self.newest - counter));
        }
        while self.gaps.pop_front_if(|told_at| *told_at <= self.newest).is_some() {
            self.tell();
        }
    }

    /// Those before `counter` are missing.
    fn miss(&mut self, counter: u64) {
        match self.lateness {
            Lateness::None => self.tell(),
            late if self.gaps.len() < MOST_GAPS => self.gaps.push_back(counter + late.transmissions()),
            _ => self.tell(),
        }
    }

    fn learn(&mut self, lateness: Lateness) {
        if lateness >= self.lateness {
            (self.lateness, self.in_time) = (lateness, 0);
            return;
        }
        self.in_time += 1;
        if self.in_time >= LATENESS_LASTS {
            (self.lateness, self.in_time) = (lateness, 0);
        }
    }

    /// The sender has lost something, or asks.
    pub(super) fn tell(&mut self) {
        (self.is_due, self.once_more) = (true, true);
    }

    /// Whether the sender has to be told.
    pub(super) fn is_due(&self) -> bool {
        self.is_due
    }

    /// Whether a frame that goes that way anyway should tell it.
    pub(super) fn may_ride(&self) -> bool {
        self.is_due || self.once_more
    }

    /// The newest transmission; the sender is told of it.
    pub(super) fn tell_newest(&mut self) -> u64 {
        self.once_more &= self.is_due;
        (self.is_due, self.unsaid) = (false, 0);
        self.told = self.newest;
        self.told
    }

    /// The newest one that the sender was told of.
    pub(super) fn told_newest(&self) -> u64 {
        self.told
    }
}
