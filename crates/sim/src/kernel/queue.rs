//! The event queue: a few events in order, and a binary heap of all that come later.
//!
//! ```text
//!     near, in order:  | 3.1 | 3.2 | 3.2 | 4.0 |        far, a heap:  4.5 9.0 6.3 ...
//!                         ^ the next
//! ```
//!
//! What happens next was mostly scheduled a moment ago: the departure and the arrival of a frame. Such events are put into a
//! short list by a few comparisons and taken from its end, however many timers of connections wait for a second to pass.
//!
//! Events at the same time happen in the order in which they were scheduled. An event is a few octets that say who is
//! concerned; what is concerned (a frame in flight) waits at its owner, so that the queue moves keys and nothing else.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use arqway_units::Time;
use core::cmp::Ordering;

/// What happens next, and when.
#[derive(Debug)]
pub(crate) struct EventQueue<E> {
    /// The next few events, the very next one last.
    near: Vec<Entry<E>>,
    /// None of these happens before one of the near ones.
    far: BinaryHeap<Entry<E>>,
    scheduled: u64,
    /// When the event that was taken last happens.
    happening: Moment,
}

/// How many events are kept in order: more than the lines and hosts of a world with few connections ever wait for.
const NEAR: usize = 24;

#[derive(Debug)]
struct Entry<E> {
    moment: Moment,
    event: E,
}

impl<E> Ord for Entry<E> {
    /// The soonest is the greatest, as `BinaryHeap` gives out the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.moment.cmp(&self.moment)
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
        let (near, far) = (Vec::with_capacity(NEAR), BinaryHeap::with_capacity(64));
        Self { near, far, scheduled: 0, happening: Moment::default() }
    }
}

/// A place among the events at the same time, taken before the event itself is scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Turn(u64);

/// When an event happens: its time, and its turn among those at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Moment(Time, Turn);

impl<E> EventQueue<E> {
    /// Schedules an event; among those at the same time it is the last.
    pub(crate) fn schedule(&mut self, at: Time, event: E) {
        let moment = self.moment(at);
        self.schedule_at(moment, event);
    }

    /// The moment at which an event would happen that was scheduled now.
    pub(crate) fn moment(&mut self, at: Time) -> Moment {
        let turn = Turn(self.scheduled);
        self.scheduled += 1;
        Moment(at, turn)
    }

    /// Schedules an event as if that had happened when its turn was taken: what is known to come after something else need
    /// not be in the queue before that has come.
    ///
    /// It may not lie in the past: the clock of whoever takes events would run backwards.
    pub(crate) fn schedule_at(&mut self, moment: Moment, event: E) {
        let (at, now) = (moment.time(), self.happening.time());
        debug_assert!(at >= now, "an event is scheduled in the past: for {at:?}, at {now:?}");
        let entry = Entry { moment, event };
        if self.far.peek().is_some_and(|first| first.moment < moment) {
            self.far.push(entry);
            return;
        }
        if self.near.len() == NEAR {
            // Half of them, so that this is seldom.
            self.far.extend(self.near.drain(..NEAR / 2));
            return self.schedule_at(moment, entry.event);
        }
        let sooner = self.near.iter().rev().take_while(|other| other.moment < moment).count();
        self.near.insert(self.near.len() - sooner, entry);
    }

    /// Takes the next event.
    pub(crate) fn pop(&mut self) -> Option<(Time, E)> {
        let Entry { moment, event } = match self.near.pop() {
            Some(entry) => entry,
            None => self.far.pop()?,
        };
        self.happening = moment;
        Some((moment.0, event))
    }

    /// When the next event happens.
    pub(crate) fn soonest(&self) -> Option<Time> {
        let next = self.near.last().or_else(|| self.far.peek())?;
        Some(next.moment.time())
    }

    /// When the event that was taken last happens.
    pub(crate) fn happening(&self) -> Moment {
        self.happening
    }

    /// How many turns were ever taken.
    pub(crate) fn scheduled(&self) -> u64 {
        self.scheduled
    }
}

impl Moment {
    /// At what time.
    pub(crate) fn time(self) -> Time {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "an event is scheduled in the past")]
    fn no_event_is_scheduled_in_the_past() {
        let mut queue = EventQueue::default();
        queue.schedule(Time::from_nanoseconds(5), ());
        queue.pop();
        queue.schedule(Time::from_nanoseconds(5), ());
        queue.schedule(Time::from_nanoseconds(4), ());
    }

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
                waiting.push_back((late.moment(at), (true, number)));
                at_once.schedule(at, (false, number));
                late.schedule(at, (false, number));
            }
            let mut happened = std::vec::Vec::new();
            let mut next = |late: &mut EventQueue<_>| waiting.pop_front().map(|(moment, event)| late.schedule_at(moment, event));
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
