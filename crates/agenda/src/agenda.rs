//! Who is looked after now, and who at a time.

use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;
use arqway_units::Time;

/// A number that tells one entry of an [`Agenda`] from the others: small ones, as an agenda has room for all below the highest.
pub trait Key: Copy + Ord {
    /// It as a number.
    fn index(self) -> usize;
}

impl Key for usize {
    fn index(self) -> usize {
        self
    }
}

/// Who is looked after now, in the order in which they became ready, and who at a time.
///
/// An entry is in the list of those that are ready at most once, and that it is there is known from nothing but this list: what is
/// ready is found by [`next_ready`](Self::next_ready), sooner or later. An entry has at most one deadline.
#[derive(Debug, Clone)]
pub struct Agenda<K> {
    ready: VecDeque<K>,
    deadlines: BTreeSet<(Time, K)>,
    /// What the two lists above have of each entry, by its number.
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    is_ready: bool,
    deadline: Option<Time>,
}

impl<K> Default for Agenda<K> {
    fn default() -> Self {
        Self { ready: VecDeque::new(), deadlines: BTreeSet::new(), entries: Vec::new() }
    }
}

impl<K: Key> Agenda<K> {
    /// Something happened to an entry: it is looked after behind all that are ready before it. One that is ready keeps its place.
    pub fn make_ready(&mut self, key: K) {
        if !core::mem::replace(&mut self.entry(key).is_ready, true) {
            self.ready.push_back(key);
        }
    }

    /// The first that is ready, which is so no more.
    pub fn next_ready(&mut self) -> Option<K> {
        let key = self.ready.pop_front()?;
        self.entry(key).is_ready = false;
        Some(key)
    }

    /// The one in this place of those that are ready, which keeps it.
    #[must_use]
    pub fn ready_at(&self, place: usize) -> Option<K> {
        self.ready.get(place).copied()
    }

    /// Whether somebody is ready.
    #[must_use]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// An entry is looked after at this time, and at none that was set before.
    pub fn set_deadline(&mut self, key: K, deadline: Option<Time>) {
        let before = core::mem::replace(&mut self.entry(key).deadline, deadline);
        if before == deadline {
            return;
        }
        if let Some(before) = before {
            self.deadlines.remove(&(before, key));
        }
        self.deadlines.extend(deadline.map(|at| (at, key)));
    }

    /// When an entry is looked after.
    #[must_use]
    pub fn deadline_of(&self, key: K) -> Option<Time> {
        self.entries.get(key.index()).and_then(|entry| entry.deadline)
    }

    /// The first whose deadline has come, which is none any more.
    pub fn next_due(&mut self, now: Time) -> Option<K> {
        let (at, key) = *self.deadlines.first()?;
        if at > now {
            return None;
        }
        self.set_deadline(key, None);
        Some(key)
    }

    /// The first deadline.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// An entry is neither ready nor looked after at a time any more.
    pub fn remove(&mut self, key: K) {
        self.set_deadline(key, None);
        if core::mem::take(&mut self.entry(key).is_ready) {
            self.ready.retain(|ready| *ready != key);
        }
    }

    fn entry(&mut self, key: K) -> &mut Entry {
        let index = key.index();
        if index >= self.entries.len() {
            self.entries.resize(index + 1, Entry::default());
        }
        &mut self.entries[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_units::Span;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    #[test]
    fn one_that_is_ready_keeps_its_place_when_something_happens_to_it_again() {
        let mut agenda = Agenda::default();
        [2, 0, 2, 1, 0].into_iter().for_each(|key: usize| agenda.make_ready(key));
        assert!(core::iter::from_fn(|| agenda.next_ready()).eq([2, 0, 1]));
        agenda.make_ready(2);
        assert_eq!((agenda.ready_at(0), agenda.next_ready(), agenda.has_ready()), (Some(2), Some(2), false));
    }

    #[derive(Debug, Clone)]
    enum Call {
        MakeReady(usize),
        NextReady,
        SetDeadline(usize, Option<u64>),
        NextDue(u64),
        Remove(usize),
    }

    fn call() -> impl Strategy<Value = Call> {
        let key = 0_usize..6;
        prop_oneof![
            key.clone().prop_map(Call::MakeReady),
            Just(Call::NextReady),
            (key.clone(), prop::option::of(0_u64..20)).prop_map(|(key, at)| Call::SetDeadline(key, at)),
            (0_u64..20).prop_map(Call::NextDue),
            key.prop_map(Call::Remove),
        ]
    }

    proptest! {
        #[test]
        fn whatever_is_called_it_is_a_list_without_repetition_and_a_deadline_each(calls in prop::collection::vec(call(), 0..200)) {
            let mut agenda = Agenda::default();
            let (mut ready, mut deadlines) = (Vec::<usize>::new(), BTreeMap::<usize, Time>::new());
            for call in calls {
                match call {
                    Call::MakeReady(key) => {
                        agenda.make_ready(key);
                        if !ready.contains(&key) {
                            ready.push(key);
                        }
                    }
                    Call::NextReady => {
                        let expected = (!ready.is_empty()).then(|| ready.remove(0));
                        prop_assert_eq!(agenda.next_ready(), expected);
                    }
                    Call::SetDeadline(key, deadline) => {
                        agenda.set_deadline(key, deadline.map(at));
                        deadlines.remove(&key);
                        deadlines.extend(deadline.map(|deadline| (key, at(deadline))));
                    }
                    Call::NextDue(now) => {
                        let due = deadlines.iter().map(|(key, at)| (*at, *key)).min().filter(|(due, _)| *due <= at(now));
                        due.into_iter().for_each(|(_, key)| _ = deadlines.remove(&key));
                        prop_assert_eq!(agenda.next_due(at(now)), due.map(|(_, key)| key));
                    }
                    Call::Remove(key) => {
                        agenda.remove(key);
                        ready.retain(|other| *other != key);
                        deadlines.remove(&key);
                    }
                }
                prop_assert_eq!(agenda.has_ready(), !ready.is_empty());
                prop_assert!((0..=ready.len()).map_while(|place| agenda.ready_at(place)).eq(ready.iter().copied()));
                prop_assert_eq!(agenda.deadline(), deadlines.values().min().copied());
                prop_assert!((0..6).all(|key| agenda.deadline_of(key) == deadlines.get(&key).copied()));
            }
        }
    }
}
