//! How the congestion window grows and shrinks: Reno's way (RFC 5681 §3.1, as ns-2 does it), or CUBIC's (`cubic.rs`).

use super::Sender;
use super::cubic::{Cubic, LEAST};
use crate::tcp::settings::{CongestionControl, Settings};
use arqway_units::{Span, Time, ToFloat};

impl Cubic {
    /// Its state, where the settings want it.
    pub(super) fn of(settings: &Settings) -> Option<Self> {
        (settings.congestion_control == CongestionControl::Cubic).then(Self::default)
    }
}

impl Sender {
    /// An acknowledgement of so many new packets opens the window.
    pub(super) fn open_window(&mut self, packets: i64, now: Time) {
        if self.cubic.is_none() {
            self.window += if self.window < self.threshold { 1.0 } else { 1.0 / self.window };
            return;
        }
        let smoothed = self.smoothed_round_trip().unwrap_or(Span::ZERO);
        let Some(cubic) = &mut self.cubic else { return };
        if !self.window_is_used {
            cubic.leave_unused(now);
        } else if self.window < self.threshold {
            self.window += 1.0;
        } else {
            self.window = cubic.grow(self.window, packets.to_f64(), smoothed, now);
        }
    }

    /// A loss was seen with so many packets under way: sets the threshold and the window.
    pub(super) fn shrink(&mut self, under_way: f64) {
        match &mut self.cubic {
            Some(cubic) => {
                self.threshold = cubic.lose(self.window, under_way);
                self.window = self.threshold;
            }
            None => {
                let half = self.half(under_way);
                self.threshold = libm::floor(half).max(LEAST);
                // ns-2's Reno begins with less where it was less, RFC 6675 with the threshold of RFC 5681.
                self.window = if self.settings.variant.is_selective() { half.max(LEAST) } else { half };
            }
        }
    }

    /// The timer has expired with so many packets under way: sets the threshold, and a window of one.
    pub(super) fn close_window(&mut self, under_way: f64) {
        self.threshold = match &mut self.cubic {
            Some(cubic) => cubic.time_out(self.window, under_way),
            None => libm::floor(self.half(under_way)).max(LEAST),
        };
        self.window = 1.0;
    }

    fn half(&self, under_way: f64) -> f64 {
        if self.settings.exact_halving { under_way / 2.0 } else { libm::floor(libm::floor(under_way) / 2.0) }
    }

    /// The window, with what duplicates added to it, as far as the receiver allows it: the packets under way.
    pub(super) fn filled_window(&self) -> f64 {
        (self.window + f64::from(self.inflation)).min(f64::from(self.settings.maximum_window))
    }

    /// The window to begin with after a silence: ns-2's one packet; with CUBIC what it was, or the initial window if that
    /// is less (RFC 5681 §4.1).
    pub(super) fn restart_window(&mut self) {
        match &mut self.cubic {
            Some(cubic) => {
                cubic.begin_anew();
                self.window = self.window.min(self.initial_window);
            }
            None => self.window = 1.0,
        }
    }

    /// What was allowed has gone out, with so many packets under way now: whether the window held anything back, other
    /// than the receiver's does.
    pub(super) fn note_use(&mut self, under_way: i64) {
        if self.cubic.is_some() {
            let window = libm::floor(self.window);
            self.window_is_used = under_way.to_f64() >= window && window <= f64::from(self.settings.maximum_window);
        }
    }

    /// The smoothed round-trip time, if one was measured and is trusted.
    pub(super) fn smoothed_round_trip(&self) -> Option<Span> {
        let smoothed = self.round_trip.srtt();
        (self.has_sample && smoothed > 0.0).then(|| Span::from_seconds(self.settings.tick.as_seconds() * smoothed))
    }
}
