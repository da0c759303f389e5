//! A timer that moves often and fires seldom.
//!
//! A retransmission timer is set anew with each acknowledgement. An event for each setting would fill the queue with
//! stale ones; an alarm keeps at most one event pending in the common case, lets it come too early, and then schedules
//! the rest of the wait.

use arqway_units::Time;

/// One timer of an actor, and the event in the queue that will look after it.
#[derive(Debug, Default)]
pub struct Alarm {
    deadline: Option<Time>,
    /// The soonest event in the queue; later ones may be there too, and find nothing to do.
    scheduled: Option<Time>,
}

impl Alarm {
    /// Sets or stops the timer; returns when an event has to be scheduled, if one has to.
    #[must_use]
    pub fn set(&mut self, deadline: Option<Time>) -> Option<Time> {
        self.deadline = deadline;
        let deadline = deadline?;
        if self.scheduled.is_some_and(|scheduled| scheduled <= deadline) {
            return None;
        }
        self.scheduled = Some(deadline);
        Some(deadline)
    }

    /// Its event has come: whether the timer is due. If it is not, `set` it again to schedule the rest.
    pub fn ring(&mut self, now: Time) -> bool {
        if self.scheduled.is_some_and(|scheduled| scheduled <= now) {
            self.scheduled = None;
        }
        self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// When the timer expires, if it runs.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
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
        assert_eq!(alarm.set(alarm.deadline()), Some(at(20)));
        assert!(alarm.ring(at(20)));
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
