//! An acknowledgement that waits a while for a data frame to ride on, and goes out alone when none comes.

use super::Deadline;
use arqway_units::{Span, Time};

/// The waiting acknowledgement; what it says is written when the frame that carries it starts.
#[derive(Debug)]
pub struct DelayedAcknowledgement {
    delay: Span,
    /// Runs from the first frame that no acknowledgement has covered yet.
    deadline: Deadline,
    /// It found nothing to ride on in time.
    due: bool,
}

impl DelayedAcknowledgement {
    /// One that waits this long; nothing is to be acknowledged yet.
    pub fn new(delay: Span) -> Self {
        Self { delay, deadline: Deadline::default(), due: false }
    }

    /// There is something to acknowledge: the wait begins, unless it has.
    pub fn want(&mut self, now: Time) {
        self.deadline.start_if_stopped(now + self.delay);
    }

    /// A frame that starts now carries it.
    pub fn ride(&mut self) {
        self.deadline.stop();
        self.due = false;
    }

    /// Whether it must go out as a frame of its own.
    pub fn poll(&mut self) -> bool {
        core::mem::take(&mut self.due)
    }

    /// It is so late.
    pub fn handle_timeout(&mut self, now: Time) {
        self.due |= self.deadline.fire(now);
    }

    /// When one is due that no data carry.
    pub fn deadline(&self) -> Option<Time> {
        self.deadline.get()
    }
}
