//! Which place a hash has: its own, one of eight that it leads to, as in an associative cache.
//!
//! ```text
//!     hash -> set | 17 | -- | 93 | 93 shared | ...        its own place; or a free one; or, of eight that are taken, one that it shares
//! ```
//!
//! With 1,024 places and 100 in use it happens once in some 10^7 times that one is shared; with one place for each hash, in one of ten.

use alloc::vec::Vec;

/// How many places a hash leads to.
const WAYS: usize = 8;

/// Places, and whose they are.
#[derive(Debug, Clone)]
pub(super) struct Places {
    places: Vec<Place>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    hash: u64,
    /// Others had it as well since it was taken.
    is_shared: bool,
}

impl Places {
    /// So many: one, or a multiple of 8.
    pub(super) fn new(places: usize) -> Self {
        Self { places: alloc::vec![Place::default(); places] }
    }

    /// The place that this hash has of its own.
    pub(super) fn find(&self, hash: u64) -> Option<u16> {
        let sets = self.places.len() / WAYS;
        let set = usize::try_from(hash.checked_rem(sets as u64)?).ok()?;
        let ways = self.places.get(set * WAYS..)?.get(..WAYS)?;
        let own = ways.iter().position(|place| place.hash == hash)?;
        u16::try_from(set * WAYS + own).ok()
    }

    /// The place of this hash. A place that is taken stays whose it is, and one that is shared stays shared: whoever has packets there
    /// finds it again.
    pub(super) fn of(&mut self, hash: u64, is_taken: impl Fn(u16) -> bool) -> u16 {
        let sets = self.places.len() / WAYS;
        if sets == 0 {
            return 0;
        }
        let [set, home] = [hash % sets as u64, hash >> 61].map(|index| usize::try_from(index).unwrap_or(0));
        let Some((_, ways)) = self.places.split_at_mut_checked(set * WAYS) else { return 0 };
        let ways = &mut ways[..WAYS];
        let number = |way: usize| u16::try_from(set * WAYS + way).unwrap_or(0);
        if let Some(own) = ways.iter().position(|place| place.hash == hash) {
            if !is_taken(number(own)) {
                ways[own].is_shared = false;
            }
            return number(own);
        }
        if ways[home].is_shared && is_taken(number(home)) {
            return number(home);
        }
        match (0..WAYS).find(|way| !is_taken(number(*way))) {
            Some(free) => {
                ways[free] = Place { hash, is_shared: false };
                number(free)
            }
            None => {
                ways[home].is_shared = true;
                number(home)
            }
        }
    }
}
