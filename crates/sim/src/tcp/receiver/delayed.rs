//! One acknowledgement for two packets (RFC 9293 §3.8.6.3; RFC 5681 §4.2): the first in order waits for the second, though
//! not for long.
//!
//! ```text
//!     packets    1    2    3         5   4
//!     answers         2    .-- 3     3   5     3 after the delay; at once where something is missing, or was
//! ```

use super::delay::Delay;
use crate::tcp::settings::Acknowledgements;
use arqway_units::{Span, Time};

/// The acknowledgement that waits.
#[derive(Debug)]
pub(super) struct Delayed {
    delay: Option<Span>,
    running: Delay,
    /// It goes out now.
    released: bool,
}

impl Delayed {
    pub(super) fn new(settings: Acknowledgements) -> Self {
        let delay = match settings {
            Acknowledgements::EveryPacket => None,
            Acknowledgements::Delayed(delayed) => Some(delayed.delay),
        };
        Self { delay, running: Delay::default(), released: false }
    }

    /// A packet has come in order, and nothing is missing behind it: whether it is answered at once.
    pub(super) fn pass(&mut self, now: Time) -> bool {
        let Some(delay) = self.delay else { return true };
        if self.running.is_running() {
            return true;
        }
        self.running.start(now, delay);
        false
    }

    /// An acknowledgement has gone out, which says all that the waiting one would.
    pub(super) fn discard(&mut self) {
        self.running.stop();
        self.released = false;
    }

    /// Releases what has waited for long enough.
    pub(super) fn handle_timeout(&mut self, now: Time) {
        if self.running.take_over(now) {
            self.released = true;
        }
    }

    /// Whether it goes out now.
    pub(super) fn poll_released(&mut self) -> bool {
        core::mem::take(&mut self.released)
    }

    /// What holds it.
    pub(super) fn delay(&self) -> &Delay {
        &self.running
    }

    pub(super) fn delay_mut(&mut self) -> &mut Delay {
        &mut self.running
    }
}
