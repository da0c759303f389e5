//! Deadlines: one alone, and a queue of many.

use alloc::vec::Vec;
use arqway_contract::Departure;
use arqway_units::Time;
use serde::{Deserialize, Serialize};

/// When the retransmission timer of a frame starts, out of a frame's three moments.
///
/// With a queue between the moments the choice decides whether a fixed timeout survives contention: started at the
/// hand-over, it also runs while the frame waits behind others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TimerStarts {
    /// When the frame is handed over to the queue below.
    HandOver,
    /// When its first bit is sent.
    Start,
    /// When its last bit has been sent.
    Departure,
}

impl TimerStarts {
    /// Whether it starts with a frame's departure. One that the queue drops never starts: only a timer can bring it back.
    pub fn at(self, departure: Departure) -> bool {
        match departure {
            Departure::Sent => self == Self::Departure,
            Departure::Dropped => self != Self::HandOver,
        }
    }
}

/// The earliest of some deadlines.
pub fn earliest(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// One timer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deadline(Option<Time>);

impl Deadline {
    /// Starts it unless it runs already.
    pub fn start_if_stopped(&mut self, deadline: Time) {
        self.0.get_or_insert(deadline);
    }

    /// Starts it afresh, whether it runs or not.
    pub fn restart(&mut self, deadline: Time) {
        self.0 = Some(deadline);
    }

    /// Stops it.
    pub fn stop(&mut self) {
        self.0 = None;
    }

    /// When it expires, if it runs.
    pub fn get(&self) -> Option<Time> {
        self.0
    }

    /// Whether it is due; a timer that is due stops.
    pub fn fire(&mut self, now: Time) -> bool {
        let due = self.0.is_some_and(|deadline| deadline <= now);
        if due {
            self.stop();
        }
        due
    }
}

/// Many timers, one for each slot of a window, of which none expires before one that was started earlier.
///
/// This order is what a retransmission timer needs anyway (monet08 §V states it as a rule of the adaptive policy), and
/// it makes every operation constant time: the timers are a doubly linked list through the slots, soonest first.
#[derive(Debug)]
pub struct TimerQueue {
    slots: Vec<Slot>,
    soonest: usize,
    latest: usize,
}

/// Marks the ends of the list.
const NONE: usize = usize::MAX;

#[derive(Debug, Clone, Copy)]
struct Slot {
    deadline: Option<Time>,
    sooner: usize,
    later: usize,
}

impl TimerQueue {
    /// Room for the timers of `count` slots; nothing allocates later.
    pub fn new(count: usize) -> Self {
        Self {
            slots: alloc::vec![Slot { deadline: None, sooner: NONE, later: NONE }; count],
            soonest: NONE,
            latest: NONE,
        }
    }

    /// Starts the timer of `slot` afresh, to expire at `deadline` but not before any that already runs.
    pub fn start(&mut self, slot: usize, deadline: Time) {
        self.stop(slot);
        let running = self.slots.get(self.latest).and_then(|latest| latest.deadline);
        let deadline = running.map_or(deadline, |latest| latest.max(deadline));
        self.slots[slot] = Slot { deadline: Some(deadline), sooner: self.latest, later: NONE };
        match self.slots.get_mut(self.latest) {
            Some(latest) => latest.later = slot,
            None => self.soonest = slot,
        }
        self.latest = slot;
    }

    /// Stops the timer of `slot`, if it runs.
    pub fn stop(&mut self, slot: usize) {
        if self.slots[slot].deadline.take().is_none() {
            return;
        }
        let Slot { sooner, later, .. } = self.slots[slot];
        match self.slots.get_mut(sooner) {
            Some(neighbour) => neighbour.later = later,
            None => self.soonest = later,
        }
        match self.slots.get_mut(later) {
            Some(neighbour) => neighbour.sooner = sooner,
            None => self.latest = sooner,
        }
    }

    /// When the soonest timer expires.
    pub fn get(&self) -> Option<Time> {
        self.slots.get(self.soonest)?.deadline
    }

    /// The slot whose timer is due, soonest first; a timer that is due stops.
    pub fn fire(&mut self, now: Time) -> Option<usize> {
        let slot = self.soonest;
        if self.get()? > now {
            return None;
        }
        self.stop(slot);
        Some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_units::Span;
    use proptest::prelude::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    #[test]
    fn a_timer_never_expires_before_one_started_earlier() {
        let mut timers = TimerQueue::new(2);
        timers.start(0, at(30));
        timers.start(1, at(10));
        assert_eq!(timers.get(), Some(at(30)));
        assert_eq!((timers.fire(at(30)), timers.fire(at(30)), timers.fire(at(30))), (Some(0), Some(1), None));
    }

    proptest! {
        /// Against the plainest model: a list of (slot, deadline), oldest start first.
        #[test]
        fn the_queue_agrees_with_a_list(operations in proptest::collection::vec((0usize..5, 0u64..50, 0u8..3), 0..60)) {
            let (mut timers, mut model) = (TimerQueue::new(5), std::vec::Vec::<(usize, Time)>::new());
            for (slot, milliseconds, operation) in operations {
                match operation {
                    0 => {
                        timers.start(slot, at(milliseconds));
                        model.retain(|(other, _)| *other != slot);
                        let deadline = model.last().map_or(at(milliseconds), |(_, last)| (*last).max(at(milliseconds)));
                        model.push((slot, deadline));
                    }
                    1 => {
                        timers.stop(slot);
                        model.retain(|(other, _)| *other != slot);
                    }
                    _ => {
                        let due = model.first().filter(|(_, deadline)| *deadline <= at(milliseconds)).copied();
                        prop_assert_eq!(timers.fire(at(milliseconds)), due.map(|(slot, _)| slot));
                        if due.is_some() { model.remove(0); }
                    }
                }
                prop_assert_eq!(timers.get(), model.first().map(|(_, deadline)| *deadline));
            }
        }
    }
}
