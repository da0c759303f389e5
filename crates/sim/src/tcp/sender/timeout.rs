//! The retransmission timer: how long it runs, and what happens when it expires (RFC 2988; Jacobson 1988 for the rest).

use super::{Sender, ticks};
use arqway_units::{Span, Time, ToFloat, truncate};

/// From which backoff on the smoothed round-trip time is distrusted, and up to which it is doubled: BSD's.
const DISTRUST_BACKOFF: u32 = 8;
const DOUBLING_LIMIT: u32 = 64;

pub(super) fn is_due(deadline: Option<Time>, now: Time) -> bool {
    deadline.is_some_and(|deadline| deadline <= now)
}

impl Sender {
    /// Acts on every deadline that has come.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.is_frozen() {
            return;
        }
        if let Some(mut selective) = self.selective.take() {
            self.handle_selective_timeout(&mut selective, now);
            self.selective = Some(selective);
        } else if is_due(self.timer, now) {
            self.go_back(now);
        } else if is_due(self.pacer.poll_timeout(), now) {
            self.send_what_fits(u32::MAX, now);
        }
    }

    /// The retransmission timer has expired: back to the first unacknowledged packet with a window of one.
    fn go_back(&mut self, now: Time) {
        self.inflation = 0;
        self.give_up_waiting();
        self.close_window(self.filled_window());
        self.next = self.acknowledged + 1;
        self.start_timer(now);
        self.send_what_fits(u32::MAX, now);
    }

    /// What an expired retransmission timer does however losses are recovered from, but for window and timer.
    pub(super) fn give_up_waiting(&mut self) {
        self.duplicates = 0;
        self.in_fast_recovery = false;
        self.timeouts += 1;
        self.recover = self.highest_sent;
        if self.acknowledged < 0 {
            // The first packet was lost: no larger start after that.
            self.has_lost_start = true;
            self.initial_window = 1.0;
        }
        self.back_off();
        self.timed = None;
        self.pacer.release();
    }

    fn back_off(&mut self) {
        if self.backoff < DOUBLING_LIMIT || self.timeout() < self.settings.maximum_timeout {
            self.backoff = self.backoff.saturating_mul(2);
        }
        if self.backoff > DISTRUST_BACKOFF {
            self.round_trip.distrust();
        }
    }

    /// The timeout now: the estimate, not below the minimum, doubled, not above the maximum.
    fn timeout(&self) -> Span {
        let estimate = if self.has_sample {
            // Whole ticks, and never negative.
            self.settings.tick * truncate(self.round_trip.timeout(1.0, 4.0))
        } else {
            self.settings.initial_timeout
        };
        let doubled = estimate.max(self.settings.minimum_timeout) * u64::from(self.backoff);
        doubled.min(self.settings.maximum_timeout).max(self.settings.tick * 2)
    }

    pub(super) fn start_timer(&mut self, now: Time) {
        self.timer = Some(now + self.timeout());
    }

    /// A round trip was measured.
    pub(super) fn take_sample(&mut self, sent: Time, now: Time) {
        self.backoff = 1;
        self.has_sample = true;
        let ticks = self.ticks_between(sent, now);
        self.round_trip.sample(ticks.to_f64());
        self.measured.take_sample(self.settings.tick * u64::try_from(ticks).unwrap_or(0));
    }

    /// Whole clock ticks that passed between two moments.
    pub(super) fn ticks_between(&self, from: Time, to: Time) -> i64 {
        let ticks_until = |time: Time| ticks(time.since(Time::ZERO) + self.clock_phase, self.settings.tick);
        ticks_until(to) - ticks_until(from)
    }
}
