//! A timer that moves often and fires seldom.
//!
//! A retransmission timer is set anew with each acknowledgement. An event for each setting would fill the queue with
//! stale ones; an alarm keeps at most one event pending in the common case, lets it come too early, and then schedules
//! the rest of the wait.

use alloc::vec::Vec;
use arqway_units::Time;

/// One timer of an actor, and the event in the queue that will look after it.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    deadline: Option<Time>,
    /// Its events in the queue, the soonest last: one is scheduled only where it comes before all others.
    scheduled: Vec<Time>,
}

impl Alarm {
    #[must_use]
    /// Sets or stops the timer; returns when an event has to be scheduled, if one has to.
    pub(crate) fn set(&mut self, deadline: Option<Time>) -> Option<Time> {
        self.deadline = deadline;
        let deadline = deadline?;
        if self.scheduled.last().is_some_and(|soonest| *soonest <= deadline) {
            return None;
        }
        self.scheduled.push(deadline);
        Some(deadline)
    }

    /// Its event has come: whether the timer is due. Whoever owns it sets it again then, to schedule the rest.
    pub(crate) fn ring(&mut self, now: Time) -> bool {
        while self.scheduled.pop_if(|soonest| *soonest <= now).is_some() {}
        self.deadline.is_some_and(|deadline| deadline <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanoseconds: u64) -> Time {
        Time::from_nanoseconds(nanoseconds)
    }

    #[test]
    fn moving_a_timer_back_schedules_nothing_until_its_early_event_has_come() {
        let mut alarm = Alarm::default();
        assert_eq!(alarm.set(Some(at(10))), Some(at(10)));
        assert_eq!(alarm.set(Some(at(20))), None);
        assert!(!alarm.ring(at(10)));
        assert_eq!(alarm.set(Some(at(20))), Some(at(20)));
        assert!(alarm.ring(at(20)));
    }

    #[test]
    fn an_event_that_waits_already_is_not_scheduled_again() {
        let mut alarm = Alarm::default();
        assert_eq!(alarm.set(Some(at(100))), Some(at(100)));
        for sooner in 1..50 {
            assert_eq!(alarm.set(Some(at(sooner))), Some(at(sooner)));
            assert!(alarm.ring(at(sooner)));
            assert_eq!(alarm.set(Some(at(100))), None, "the first event is still there");
        }
    }

    #[test]
    fn moving_a_timer_forward_schedules_a_sooner_event() {
        let mut alarm = Alarm::default();
        assert_eq!(alarm.set(Some(at(20))), Some(at(20)));
        assert_eq!(alarm.set(Some(at(5))), Some(at(5)));
        assert!(alarm.ring(at(5)));
        assert_eq!(alarm.set(None), None);
        assert!(!alarm.ring(at(20)));
    }
}
