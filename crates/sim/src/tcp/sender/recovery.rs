//! Fast retransmit and fast recovery: what duplicate acknowledgements do (RFC 5681 §3.2, RFC 3042).

use super::Sender;
use arqway_units::Time;

/// The third duplicate acknowledgement is a loss (RFC 5681 §3.2).
pub(super) const DUPLICATE_THRESHOLD: u32 = 3;

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

    /// Halves the window and sends the missing packet, once for each window of losses.
    fn retransmit_fast(&mut self, now: Time) {
        let only_the_handshake = self.settings.handshake && self.acknowledged == 0;
        let seen_before = self.acknowledged <= self.recover && !self.in_fast_recovery && !only_the_handshake;
        if seen_before || self.is_finished() {
            return;
        }
        self.recover = self.highest_sent;
        self.in_fast_recovery = true;
        let half = self.half_window();
        self.threshold = libm::floor(half).max(2.0);
        self.window = half;
        self.timed = None;
        self.start_timer(now);
        self.send(self.acknowledged + 1, now);
        self.inflation = DUPLICATE_THRESHOLD;
    }

    pub(super) fn half_window(&self) -> f64 {
        let most = f64::from(self.settings.maximum_window);
        let inflation = f64::from(self.inflation);
        if self.settings.exact_halving {
            (self.window + inflation).min(most) / 2.0
        } else {
            libm::floor((libm::floor(self.window) + inflation).min(most) / 2.0)
        }
    }

    /// Limited transmit: one new packet for each of the first duplicates, beyond the congestion window.
    fn send_one_more(&mut self, now: Time) {
        let allowed = libm::floor(self.window + f64::from(self.duplicates));
        let allowed = allowed.min(f64::from(self.settings.maximum_window)) as i64;
        if self.next <= self.acknowledged + allowed && self.next < self.end {
            self.send(self.next, now);
            self.next += 1;
        }
    }
}
