//! Which transmissions have arrived, and when the sender has to be told.
//!
//! The link keeps the order of transmissions, so one that is skipped is lost, and the sender is told at once. Where it turns
//! out that transmissions come late, it is told when that many more have arrived.

use super::wire::{Lateness, MOST_RUNS_ALONE, Runs};
use alloc::collections::VecDeque;
use arrayvec::ArrayVec;

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
    /// The newest that the sender was told of the time before.
    told_before: u64,
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
    const BITS: u64 = 64 * Self::WORDS as u64;

    /// Whether the one so many before the newest has arrived.
    fn has(&self, before: u64) -> bool {
        let word = usize::try_from(before / 64).ok().and_then(|index| self.0.get(index)).copied();
        word.is_some_and(|word| word & 1 << (before % 64) != 0)
    }

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

    /// What has arrived of those that the sender was not told of twice, from the newest down: received and missing by turns, which one the
    /// first is, and whether that is the newest. Where so many octets have no room for all, the newest ones are told later.
    fn runs(&self, octets: usize) -> Option<(u64, Runs, bool)> {
        let floor = self.told_before.max(self.newest.saturating_sub(Seen::BITS));
        let mut runs: ArrayVec<u32, { 2 * MOST_RUNS_ALONE }> = ArrayVec::new();
        let mut has_arrived = false;
        // The newest one is told of in any case.
        for before in 0..self.newest.saturating_sub(floor).max(self.newest.min(1)) {
            let is_other = self.seen.has(before) != has_arrived;
            has_arrived ^= is_other;
            match runs.last_mut().filter(|_| !is_other) {
                Some(length) => *length += 1,
                None => runs.try_push(1).ok()?,
            }
        }
        let (mut newest, mut first) = (self.newest, 0);
        loop {
            let numbers: ArrayVec<u32, MOST_RUNS_ALONE> =
                runs.get(first..)?.iter().copied().take(MOST_RUNS_ALONE).collect();
            let told = Runs { upward: false, numbers };
            if !told.numbers.is_empty() && runs.len() - first <= MOST_RUNS_ALONE && told.octets() <= octets {
                return Some((newest, told, first == 0));
            }
            newest -= u64::from(*runs.get(first)?) + u64::from(*runs.get(first + 1)?);
            first += 2;
        }
    }

    /// How many octets of runs it takes to tell all, at most so many.
    pub(super) fn octets_of_runs(&self, most: usize) -> usize {
        self.runs(most).map_or(0, |(_, runs, _)| runs.octets())
    }

    /// Whether so many octets have room for all that is to be told.
    pub(super) fn fits(&self, octets: usize) -> bool {
        self.runs(octets).is_some_and(|(.., is_all)| is_all)
    }

    /// Tells what has arrived in so many octets of runs, and which is the first told of.
    pub(super) fn tell_runs(&mut self, octets: usize) -> Option<(u64, Runs)> {
        let (newest, runs, is_all) = self.runs(octets)?;
        self.told_before = core::mem::replace(&mut self.told, newest);
        if is_all {
            self.tell_newest();
        }
        Some((newest, runs))
    }

    /// The newest one that the sender was told of.
    pub(super) fn told_newest(&self) -> u64 {
        self.told
    }
}
