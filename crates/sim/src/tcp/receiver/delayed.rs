//! One acknowledgement for two packets (RFC 9293 §3.8.6.3; RFC 5681 §4.2): the first in order waits for the second, though
//! not for long.
//!
//! ```text
//!     packets    1    2    3         5   4
//!     answers         2    .-- 3     3   5     3 after the delay; at once where something is missing, or was
//! ```

use crate::tcp::settings::Acknowledgements;
use arqway_units::{Span, Time};

/// The acknowledgement that waits.
#[derive(Debug)]
pub(super) struct Delayed {
    delay: Option<Span>,
    /// Until when.
    until: Option<Time>,
    /// It goes out now.
    released: bool,
    /// Since when the host stands still, if it does.
    frozen: Option<Time>,
}

impl Delayed {
    pub(super) fn new(settings: Acknowledgements) -> Self {
        let delay = match settings {
            Acknowledgements::EveryPacket => None,
            Acknowledgements::Delayed(delayed) => Some(delayed.delay),
        };
        Self { delay, until: None, released: false, frozen: None }
    }

    /// A packet has come in order, and nothing is missing behind it: whether it is answered at once.
    pub(super) fn pass(&mut self, now: Time) -> bool {
        let Some(delay) = self.delay else { return true };
        if self.until.is_some() {
            return true;
        }
        self.until = Some(self.frozen.unwrap_or(now) + delay);
        false
    }

    /// An acknowledgement has gone out, which says all that the waiting one would.
    pub(super) fn discard(&mut self) {
        (self.until, self.released) = (None, false);
    }

    /// Releases what has waited for long enough.
    pub(super) fn handle_timeout(&mut self, now: Time) {
        if self.poll_timeout().is_some_and(|until| until <= now) {
            (self.until, self.released) = (None, true);
        }
    }

    /// Whether it goes out now.
    pub(super) fn poll_released(&mut self) -> bool {
        core::mem::take(&mut self.released)
    }

    /// When `handle_timeout` is due.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        if self.frozen.is_some() { None } else { self.until }
    }

    /// The delay stands still from now on; a second hint changes nothing.
    pub(super) fn freeze(&mut self, since: Time) {
        self.frozen.get_or_insert(since);
    }

    /// It goes on.
    pub(super) fn thaw(&mut self, now: Time) {
        let Some(since) = self.frozen.take() else { return };
        self.until = self.until.map(|until| until + now.since(since));
    }
}
