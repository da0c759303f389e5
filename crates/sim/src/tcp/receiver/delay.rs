//! How long an acknowledgement is held. It stands still while its host does: no packet can come then.

use arqway_units::{Span, Time};

/// A delay that runs, or none.
#[derive(Debug, Default)]
pub(super) struct Delay {
    until: Option<Time>,
    /// Since when the host stands still, if it does.
    frozen: Option<Time>,
}

impl Delay {
    /// Runs from now on; one that runs already goes on as it is.
    pub(super) fn start(&mut self, now: Time, delay: Span) {
        let now = self.frozen.unwrap_or(now);
        self.until.get_or_insert(now + delay);
    }

    pub(super) fn is_running(&self) -> bool {
        self.until.is_some()
    }

    pub(super) fn stop(&mut self) {
        self.until = None;
    }

    /// Whether it is over; then it runs no longer.
    pub(super) fn take_over(&mut self, now: Time) -> bool {
        let is_over = self.poll_timeout().is_some_and(|until| until <= now);
        if is_over {
            self.until = None;
        }
        is_over
    }

    /// When it is over.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        if self.frozen.is_some() { None } else { self.until }
    }

    /// Stands still from now on; a second hint changes nothing.
    pub(super) fn freeze(&mut self, since: Time) {
        self.frozen.get_or_insert(since);
    }

    /// Goes on.
    pub(super) fn thaw(&mut self, now: Time) {
        let Some(since) = self.frozen.take() else { return };
        self.until = self.until.map(|until| until + now.since(since));
    }
}
