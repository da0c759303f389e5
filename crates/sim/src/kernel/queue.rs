//! The event queue: a binary heap of small keys.
//!
//! Events at the same time happen in the order in which they were scheduled. An event is a few octets that say who is
//! concerned; what is concerned (a frame in flight) waits at its owner, so that the heap moves keys and nothing else.

use alloc::collections::BinaryHeap;
use arqway_units::Time;
use core::cmp::Ordering;

/// What happens next, and when.
#[derive(Debug)]
pub(crate) struct EventQueue<E> {
    heap: BinaryHeap<Entry<E>>,
    scheduled: u64,
}

#[derive(Debug)]
struct Entry<E> {
    at: Time,
    number: u64,
    event: E,
}

impl<E> Ord for Entry<E> {
    /// The soonest is the greatest, as `BinaryHeap` gives out the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for Entry<E> {}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: BinaryHeap::with_capacity(64), scheduled: 0 }
    }
}

/// A place among the events at the same time, taken before the event itself is scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn(u64);

impl<E> EventQueue<E> {
    /// Schedules an event; among those at the same time it is the last.
    pub(crate) fn schedule(&mut self, at: Time, event: E) {
        let turn = self.turn();
        self.schedule_in_turn(at, turn, event);
    }

    /// Takes the place that an event would have that was scheduled now.
    pub(crate) fn turn(&mut self) -> Turn {
        let turn = Turn(self.scheduled);
        self.scheduled += 1;
        turn
    }

    /// Schedules an event as if that had happened when its turn was taken: what is known to come after something else need
    /// not be in the heap before that has come.
    pub(crate) fn schedule_in_turn(&mut self, at: Time, turn: Turn, event: E) {
        self.heap.push(Entry { at, number: turn.0, event });
    }

    /// Takes the next event.
    pub(crate) fn pop(&mut self) -> Option<(Time, E)> {
        self.heap.pop().map(|entry| (entry.at, entry.event))
    }

    /// How many events were ever scheduled.
    pub(crate) fn scheduled(&self) -> u64 {
        self.scheduled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_happen_in_order_of_time_and_then_of_scheduling(times in proptest::collection::vec(0u64..20, 0..100)) {
            let mut queue = EventQueue::default();
            for (number, time) in times.iter().enumerate() {
                queue.schedule(Time::from_nanoseconds(*time), number);
            }
            let happened: std::vec::Vec<_> = core::iter::from_fn(|| queue.pop()).collect();
            prop_assert_eq!(happened.len(), times.len());
            prop_assert!(happened.is_sorted());
        }

        #[test]
        fn an_event_that_is_scheduled_late_still_has_its_turn(times in proptest::collection::vec(0u64..20, 1..100)) {
            // Each waits until the one before it has happened, as what is in flight on a line does.
            let mut times = times;
            times.sort_unstable();
            let (mut at_once, mut late) = (EventQueue::default(), EventQueue::default());
            let mut waiting = std::collections::VecDeque::new();
            for (number, time) in times.iter().enumerate() {
                let at = Time::from_nanoseconds(*time);
                at_once.schedule(at, (true, number));
                waiting.push_back((at, late.turn(), (true, number)));
                at_once.schedule(at, (false, number));
                late.schedule(at, (false, number));
            }
            let mut happened = std::vec::Vec::new();
            let mut next = |late: &mut EventQueue<_>| waiting.pop_front().map(|(at, turn, event)| late.schedule_in_turn(at, turn, event));
            next(&mut late);
            while let Some((at, event)) = late.pop() {
                happened.push((at, event));
                if event.0 {
                    next(&mut late);
                }
            }
            let expected: std::vec::Vec<_> = core::iter::from_fn(|| at_once.pop()).collect();
            prop_assert_eq!(happened, expected);
        }
    }
}
