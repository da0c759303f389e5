//! What goes into the link toward the client, and how long it waits before it, added up over short times as it happens.

use arqway_sim::Probe;
use arqway_sim::channel::Direction;
use arqway_units::{Octets, Span, Time};
use std::collections::VecDeque;

/// As long as this is what is added up.
pub(super) const BIN: Span = Span::from_milliseconds(20);

/// What happened in one of these times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Bin {
    /// Octets that are handed over to the queue before the link, whether it has room or not.
    pub(super) sent: u64,
    /// Octets for which it has none.
    pub(super) dropped: u64,
    /// How long a frame that leaves the queue has waited, at most.
    pub(super) waited: Span,
}

/// Watches a run between two times.
#[derive(Debug)]
pub struct Recorder {
    pub(super) from: Time,
    to: Time,
    last: Time,
    pub(super) bins: Vec<Bin>,
    /// The largest frame: how finely the link's own rate is counted.
    pub(super) largest: Octets,
    queue: VecDeque<Time>,
}

impl Recorder {
    /// Watches what goes toward the client.
    #[must_use]
    pub fn new(from: Time, to: Time) -> Self {
        Self { from, to, last: from, bins: Vec::new(), largest: Octets::new(1), queue: VecDeque::new() }
    }

    /// When the plot ends: where it was asked to, or with the last frame.
    #[must_use]
    pub fn end(&self) -> Time {
        self.to.min(self.last)
    }

    fn bin(&mut self, now: Time) -> Option<&mut Bin> {
        self.last = self.last.max(now);
        if !(self.from..=self.to).contains(&now) {
            return None;
        }
        let index = usize::try_from(now.since(self.from).as_nanoseconds() / BIN.as_nanoseconds()).ok()?;
        if self.bins.len() <= index {
            self.bins.resize(index + 1, Bin::default());
        }
        self.bins.get_mut(index)
    }
}

impl Probe for Recorder {
    fn frame_queued(&mut self, direction: Direction, frame: &arqway_link::Frame, now: Time) {
        if direction == Direction::Down {
            self.queue.push_back(now);
            self.largest = self.largest.max(frame.size());
            if let Some(bin) = self.bin(now) {
                bin.sent += frame.size().as_u64();
            }
        }
    }

    fn frame_dropped(&mut self, direction: Direction, frame: &arqway_link::Frame, now: Time) {
        if direction == Direction::Down {
            self.queue.pop_back();
            if let Some(bin) = self.bin(now) {
                bin.dropped += frame.size().as_u64();
            }
        }
    }

    fn frame_taken(&mut self, direction: Direction, _: &arqway_link::Frame, now: Time) {
        let Some(since) = (direction == Direction::Down).then(|| self.queue.pop_front()).flatten() else { return };
        if let Some(bin) = self.bin(now) {
            bin.waited = bin.waited.max(now.since(since));
        }
    }
}
