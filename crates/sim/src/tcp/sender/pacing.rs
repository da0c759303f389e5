//! How many packets go out at once: all that the window allows, a few of them, or one after the other (shikama06 §4.6).
//!
//! An acknowledgement of eight packets, and the eight that the window then allows:
//!
//! ```text
//!     no limit             ||||||||
//!     maximum-burst = 3    |||                     ||| with the next acknowledgement
//!     pacing               |  |  |  |  |  |  |  |
//!                           <-> smoothed round-trip time / window
//! ```
//!
//! The limit is ns-2's `maxburst_`. It counts what the window lets out, in answer to whichever event; what a loss is answered
//! with (fast retransmission, limited transmit) goes beside it.
//!
//! Pacing spreads a window over a round-trip time (Aggarwal, Savage and Anderson, INFOCOM 2000): after a packet of any kind
//! the window lets out none for that time over the window, and then one. What a loss is answered with does not wait, nor does
//! the packet that an expired timer sends. There is no pace before the first sample, and while the smoothed time is
//! distrusted. A sender that was silent gets no credit: it begins with one packet.
//!
//! A paced packet stays unsent, as if the window were closed. So an acknowledgement or a timeout meanwhile decides anew, and
//! nothing has to be taken back from a queue.

use super::Sender;
use arqway_units::{Span, Time, ToFloat};

/// When the window may let out its next packet.
#[derive(Debug, Default)]
pub(super) struct Pacer {
    pub(super) next: Time,
    /// A packet that the window allows waits for that.
    pub(super) waits: bool,
}

impl Pacer {
    /// When a packet goes out that has had to wait.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        self.waits.then_some(self.next)
    }

    /// The sender's clock stood still for so long.
    pub(super) fn stand_still(&mut self, length: Span) {
        self.next += length;
    }

    /// The next packet need not wait.
    pub(super) fn release(&mut self) {
        *self = Self::default();
    }
}

impl Sender {
    /// Sends what the window allows, so many packets at most.
    pub(super) fn send_what_fits(&mut self, most: u32, now: Time) {
        if let Some(mut selective) = self.selective.take() {
            self.send_selectively(&mut selective, most, now);
            self.schedule_probe(&mut selective, now);
            self.selective = Some(selective);
            return;
        }
        let mut left = most.min(self.settings.maximum_burst.unwrap_or(u32::MAX));
        self.pacer.waits = false;
        while left > 0 && self.fits() {
            if now < self.pacer.next {
                self.pacer.waits = true;
                break;
            }
            self.send(self.next, now);
            self.next += 1;
            left -= 1;
        }
        let waits = left == 0 || self.pacer.waits;
        self.note_use(if waits { i64::MAX } else { self.next - 1 - self.acknowledged });
    }

    /// A packet has gone out: the next one keeps its distance.
    pub(super) fn keep_pace(&mut self, now: Time) {
        if self.settings.pacing {
            let round_trip = self.settings.tick.as_seconds() * self.round_trip.srtt();
            let window = self.usable_window().max(1).to_f64();
            self.pacer.next = now + Span::from_seconds(round_trip / window);
        }
    }
}
