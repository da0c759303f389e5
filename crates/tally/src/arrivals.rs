//! Which transmissions have arrived, and when the sender has to be told.
//!
//! The link keeps the order of transmissions, so one that is skipped is lost, and the sender is told at once. Where it turns
//! out that transmissions come late, it is told when that many more have arrived.

use super::wire::Lateness;
use alloc::collections::VecDeque;

/// After so many arrivals the sender is told, if there was no other reason before.
const MOST_UNSAID: u32 = 32;
/// A class of lateness is left after so many arrivals without need of it.
const LATENESS_LASTS: u32 = 1 << 14;
/// So many gaps wait for late transmissions; what is beyond is told at once.
const MOST_GAPS: usize = 64;

/// The transmissions that arrived.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrivals {
    pub(super) newest: u64,
    /// The newest that the sender was told of.
    pub(super) told: u64,
    lateness: Lateness,
    /// How many have arrived since the class of lateness was last needed, and which one was needed by those.
    in_time: u32,
    needed: Lateness,
    pub(super) seen: Seen,
    /// The counters at which a gap is told.
    pub(super) gaps: VecDeque<u64>,
    /// How many arrivals the sender has not been told of.
    unsaid: u32,
    /// The sender has to be told.
    is_due: bool,
    /// It is told once more when a frame goes that way: the first time may be lost.
    once_more: bool,
}

/// Which of the last transmissions have arrived: a copy that the link made is not a late transmission.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen(pub(super) [u64; Seen::WORDS]);

impl Seen {
    const WORDS: usize = 4;

    /// The newest one is so many newer than the one before, and has arrived.
    fn advance(&mut self, by: u64) {
        let [words, bits] = [by / 64, by % 64].map(|part| usize::try_from(part).unwrap_or(usize::MAX));
        let old = self.0;
        let word = |index: usize| index.checked_sub(words).and_then(|from| old.get(from)).copied().unwrap_or(0);
        for (index, new) in self.0.iter_mut().enumerate() {
            let carried = if bits > 0 { index.checked_sub(1).map_or(0, word) >> (64 - bits) } else { 0 };
            *new = word(index) << bits | carried;
        }
        self.0[0] |= 1;
    }

    /// Notes the one so many before the newest. Whether it had not arrived; too old ones count as if they had.
    fn is_new(&mut self, before: u64) -> bool {
        let Some(word) = usize::try_from(before / 64).ok().and_then(|index| self.0.get_mut(index)) else {
            return false;
        };
        let is_new = *word & 1 << (before % 64) == 0;
        *word |= 1 << (before % 64);
        is_new
    }
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
        self.unsaid = self.unsaid.saturating_add(1);
        self.is_due |= self.unsaid >= MOST_UNSAID;
        if counter > self.newest {
            if counter > self.newest + 1 {
                self.miss(counter);
            }
            self.seen.advance(counter - self.newest);
            self.newest = counter;
            self.learn(Lateness::None);
        } else if self.seen.is_new(self.newest - counter) {
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
            (self.lateness, self.needed, self.in_time) = (lateness, Lateness::None, 0);
            return;
        }
        self.needed = self.needed.max(lateness);
        self.in_time += 1;
        if self.in_time >= LATENESS_LASTS {
            (self.lateness, self.needed, self.in_time) = (self.needed, Lateness::None, 0);
        }
    }

    /// The sender asks. It will ask again if it does not hear the answer.
    pub(super) fn ask(&mut self) {
        self.is_due = true;
    }

    /// The sender has lost something.
    fn tell(&mut self) {
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
