//! What a sender measures: the round-trip times that its timer goes by, and how many packets it sends at once.

use super::{Sender, Transmission};
use alloc::vec::Vec;
use arqway_units::Span;

/// What one connection has measured so far.
#[derive(Debug, Default)]
pub(super) struct Measured {
    samples: u64,
    sum: Span,
    /// How many bursts had each number of packets, from one on.
    bursts: Vec<u64>,
    /// Packets of the burst that goes out now.
    burst: usize,
}

impl Measured {
    /// Nothing yet; no burst is longer than the largest window.
    pub(super) fn new(maximum_window: u32) -> Self {
        let mut measured = Self::default();
        measured.restart(maximum_window);
        measured
    }

    /// Forgets everything, for another connection in the same memory.
    pub(super) fn restart(&mut self, maximum_window: u32) {
        (self.samples, self.sum, self.burst) = (0, Span::ZERO, 0);
        self.bursts.clear();
        self.bursts.resize(usize::try_from(maximum_window).unwrap_or(usize::MAX), 0);
    }

    pub(super) fn take_sample(&mut self, sample: Span) {
        self.samples += 1;
        self.sum += sample;
    }

    /// A packet goes out, or, without one, the last of its burst has gone.
    pub(super) fn follow(&mut self, next: Option<Transmission>) {
        if next.is_some() {
            self.burst += 1;
        } else if let Some(last) = core::mem::take(&mut self.burst).min(self.bursts.len()).checked_sub(1) {
            self.bursts[last] += 1;
        }
    }
}

impl Sender {
    /// How many round-trip times were measured: one at a time, and none of a packet that was sent again.
    #[must_use]
    pub fn round_trip_samples(&self) -> u64 {
        self.measured.samples
    }

    /// Their sum. Each is the number of clock ticks that passed, so their mean is right where a single one is coarse.
    #[must_use]
    pub fn round_trip_sum(&self) -> Span {
        self.measured.sum
    }

    /// How many bursts had one packet, two, and so on up to the maximum window. A burst is what goes out at the same time in
    /// answer to one event: an acknowledgement, a timer, more data, or the end of an outage.
    #[must_use]
    pub fn bursts(&self) -> &[u64] {
        &self.measured.bursts
    }
}
