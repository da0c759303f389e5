//! A timer that expires when the line below has had nothing of ours to send for a while.
//!
//! It runs from the departure of the last frame, not from its hand-over: on a slow line, or behind a long queue, a frame
//! may take longer to leave than the timer is long.

use super::Deadline;
use arqway_units::{Span, Time};

/// Watches over frames that were handed over with a ticket, and therefore are told of when they have departed.
#[derive(Debug)]
pub struct Idle {
    after: Span,
    /// Handed over and not departed yet.
    below: usize,
    deadline: Deadline,
}

impl Idle {
    /// A timer of this length; it does not run.
    pub fn new(after: Span) -> Self {
        Self { after, below: 0, deadline: Deadline::default() }
    }

    /// A frame was handed over: the line is not idle.
    pub fn handed_over(&mut self) {
        self.below += 1;
        self.deadline.stop();
    }

    /// A frame has departed, or was dropped; after the last one the timer runs.
    pub fn departed(&mut self, now: Time) {
        self.below = self.below.saturating_sub(1);
        if self.below == 0 {
            self.deadline.restart(now + self.after);
        }
    }

    /// There is nothing left that an idle line would be used for.
    pub fn stop(&mut self) {
        self.deadline.stop();
    }

    /// When it expires, if it runs.
    pub fn get(&self) -> Option<Time> {
        self.deadline.get()
    }

    /// Whether it is due; a timer that is due stops.
    pub fn fire(&mut self, now: Time) -> bool {
        self.deadline.fire(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_idle_from_the_departure_of_the_last_frame_on() {
        let mut idle = Idle::new(Span::from_milliseconds(20));
        idle.handed_over();
        idle.handed_over();
        let at = |milliseconds| Time::ZERO + Span::from_milliseconds(milliseconds);
        idle.departed(at(100));
        assert_eq!(idle.get(), None);
        idle.departed(at(200));
        assert_eq!(idle.get(), Some(at(220)));
        idle.handed_over();
        assert_eq!(idle.get(), None);
    }
}
