//! Fast retransmit and fast recovery: what duplicate acknowledgements do (RFC 5681 §3.2; RFC 6582 for NewReno; RFC 3042).
//!
//! Of packets 5 to 14 two are lost, 5 and 9:
//!
//! ```text
//!     acknowledged   4  4  4  4       4 4 4 4 4         8                     14
//!     duplicates        1  2  3       4 5 6 7 8         |                     |
//!                             |       inflation grows   |                     |
//!     Reno           5 again, half    new packets       recovery is over; 9 waits for three duplicates that bring
//!                    the window       where they fit    a new acknowledgement above `recover`, or for the timer
//!     NewReno        the same         at most two each  partial: 9 again      full: recovery is over
//! ```
//!
//! Where RFC 6582 §3.2 leaves a choice, NewReno does as ns-2 does by default:
//!
//! | | |
//! | --- | --- |
//! | a partial acknowledgement | is one below `recover`, the highest packet sent when the loss was seen |
//! | the timer | is restarted by the first of them alone, so that many losses end in a timeout (RFC 3782 §4: "impatient") |
//! | the window | shrinks by what was acknowledged, less one packet for the one sent again: the inflation first, then the rest |
//! | new packets | are two at most for an acknowledgement during recovery |
//! | the end | leaves the window as it is: half of what it was, or less |

use super::{Sender, whole_packets};
use crate::tcp::settings::Variant;
use arqway_units::Time;

/// The third duplicate acknowledgement is a loss (RFC 5681 §3.2).
const DUPLICATE_THRESHOLD: u32 = 3;
/// How many new packets an acknowledgement sends at most during NewReno's recovery.
const NEW_RENO_BURST: u32 = 2;

impl Sender {
    pub(super) fn handle_duplicate(&mut self, now: Time) {
        self.duplicates += 1;
        if self.duplicates == DUPLICATE_THRESHOLD {
            self.retransmit_fast(now);
        } else if self.duplicates > DUPLICATE_THRESHOLD {
            // ns-2 inflates only in a recovery of its own making.
            self.inflation += u32::from(self.in_fast_recovery);
        } else if self.settings.limited_transmit {
            self.send_one_more(now);
        }
    }

    /// Whether the window may send now: the first two duplicates say nothing yet.
    pub(super) fn is_undecided(&self) -> bool {
        (1..DUPLICATE_THRESHOLD).contains(&self.duplicates)
    }

    /// How many packets an acknowledgement lets out of the window at most.
    pub(super) fn recovery_burst(&self) -> u32 {
        let in_recovery = self.settings.variant == Variant::NewReno && self.duplicates >= DUPLICATE_THRESHOLD;
        if in_recovery { NEW_RENO_BURST } else { u32::MAX }
    }

    /// Halves the window and sends the missing packet, once for each window of losses.
    fn retransmit_fast(&mut self, now: Time) {
        let only_the_handshake = self.settings.handshake && self.acknowledged == 0;
        let seen_before = self.acknowledged <= self.recover && !only_the_handshake;
        if seen_before || self.is_finished() {
            return;
        }
        self.recover = self.highest_sent;
        self.in_fast_recovery = true;
        self.has_seen_partial = false;
        self.shrink(self.filled_window());
        self.timed = None;
        self.start_timer(now);
        self.send(self.acknowledged + 1, now);
        self.inflation = DUPLICATE_THRESHOLD;
    }

    /// Whether a new acknowledgement leaves NewReno in recovery: of what was under way when the loss was seen, more is lost.
    pub(super) fn is_partial(&self, number: i64) -> bool {
        self.settings.variant == Variant::NewReno
            && self.in_fast_recovery
            && (self.acknowledged + 1..self.recover).contains(&number)
    }

    /// Sends the next missing packet at once. Nothing that is timed now was under way when the loss was seen, so there is
    /// no sample in a partial acknowledgement.
    pub(super) fn handle_partial_acknowledgement(&mut self, number: i64, now: Time) {
        if !self.has_seen_partial {
            self.has_seen_partial = true;
            self.start_timer(now);
        }
        self.deflate(u32::try_from(number - self.acknowledged).unwrap_or(u32::MAX));
        self.acknowledged = number;
        self.next = self.next.max(number + 1);
        self.send(number + 1, now);
    }

    /// Takes what was acknowledged out of the window; an inflation of one at least says that recovery goes on.
    fn deflate(&mut self, acknowledged: u32) {
        if self.inflation > acknowledged {
            self.inflation -= acknowledged - 1;
        } else {
            self.window = (self.window - f64::from(acknowledged - self.inflation)).max(1.0);
            self.inflation = 1;
        }
    }

    /// Limited transmit: one new packet for each of the first duplicates, beyond the congestion window.
    fn send_one_more(&mut self, now: Time) {
        let allowed = libm::floor(self.window + f64::from(self.duplicates));
        let allowed = whole_packets(allowed.min(f64::from(self.settings.maximum_window)));
        if self.next <= self.acknowledged + allowed && self.next < self.end {
            self.send(self.next, now);
            self.next += 1;
        }
    }
}
