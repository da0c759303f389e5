//! Which duplicate acknowledgements go out when: all at once, or delayed (Vaidya, Mehta, Perkins and Montenegro: Delayed
//! Duplicate Acknowledgments, 1999; shikama06 §2 and §4.3).
//!
//! A link layer that repairs losses without keeping the order makes TCP believe in losses that are none. The receiver holds
//! back what would make it believe so:
//!
//! ```text
//!     packets           1   3   4   5   6                         2
//!     acknowledged      1   1   1   .   .                         6    the two held are discarded
//!     or                1   1   1   .   .  ----- delay --> 1 1         all go, and the sender sends 2 again
//!                                   |-------------------->|
//! ```
//!
//! The first two duplicates of a packet's absence go at once, since they do nothing but allow limited transmit. Once the
//! delay is over the packet counts as lost, and every further duplicate goes at once until it comes.
//!
//! A packet that the receiver has got before is answered at once and counts for nothing: its sender has missed an
//! acknowledgement.

use super::delay::Delay;
use crate::tcp::settings::DuplicateAcknowledgements;
use arqway_units::{Span, Time};

/// As many as make no sender act.
const HARMLESS: u32 = 2;

/// The duplicate acknowledgements of one receiver.
#[derive(Debug)]
pub(super) struct Duplicates {
    delay: Option<Span>,
    /// How many packets came before the one that is awaited.
    seen: u32,
    held: u32,
    /// Of those that are held.
    running: Delay,
    /// The awaited packet counts as lost.
    is_lost: bool,
    /// How many go out now.
    released: u32,
}

impl Duplicates {
    pub(super) fn new(settings: DuplicateAcknowledgements) -> Self {
        let delay = match settings {
            DuplicateAcknowledgements::AtOnce => None,
            DuplicateAcknowledgements::Delayed(delayed) => Some(delayed.delay),
        };
        Self { delay, seen: 0, held: 0, running: Delay::default(), is_lost: false, released: 0 }
    }

    /// A packet has come before the one that is awaited: whether it is answered at once.
    pub(super) fn pass(&mut self, now: Time) -> bool {
        let Some(delay) = self.delay else { return true };
        self.seen = self.seen.saturating_add(1);
        if self.seen <= HARMLESS || self.is_lost {
            return true;
        }
        self.held += 1;
        self.running.start(now, delay);
        false
    }

    /// The awaited packet has come.
    pub(super) fn discard(&mut self) {
        (self.seen, self.held, self.is_lost) = (0, 0, false);
        self.running.stop();
    }

    /// Releases what was held for long enough.
    pub(super) fn handle_timeout(&mut self, now: Time) {
        if self.running.take_over(now) {
            self.released += core::mem::take(&mut self.held);
            self.is_lost = true;
        }
    }

    /// Whether one more goes out.
    pub(super) fn poll_released(&mut self) -> bool {
        let goes = self.released > 0;
        self.released -= u32::from(goes);
        goes
    }

    /// What holds them.
    pub(super) fn delay(&self) -> &Delay {
        &self.running
    }

    pub(super) fn delay_mut(&mut self) -> &mut Delay {
        &mut self.running
    }
}
