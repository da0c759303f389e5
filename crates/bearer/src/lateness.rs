//! How late a datagram may be. A path may hold one back for long, or somebody may keep it and send it later. Services tell their frames
//! apart by few numbers: one that comes so late that its number has come round would be taken for another.

use alloc::collections::VecDeque;

/// A datagram is too late when so many frames have arrived behind it. It is lost then, as on any link. Of all services `tally`'s
/// tiny form bears the least: 192 frames.
const MOST_ARRIVED: u64 = 128;
/// Or when this end has sent so many since a later datagram arrived: the numbers in its feedback may mean other frames by then. `tally`'s
/// short form bears 1,024 while as many are outstanding.
const MOST_SENT: u64 = 512;

/// Which datagrams arrived as the newest, and how many frames had arrived and been sent before each.
#[derive(Debug, Default)]
pub(super) struct Lateness {
    newest: VecDeque<Newest>,
    frames: u64,
    /// Numbers below this one are too late.
    oldest: u64,
}

#[derive(Debug, Clone, Copy)]
struct Newest {
    number: u64,
    arrived: u64,
    sent: u64,
}

impl Lateness {
    /// Whether a datagram is too late, now that so many frames were sent.
    pub(super) fn is_too_late(&mut self, number: u64, sent: u64) -> bool {
        self.forget(|newest| sent - newest.sent > MOST_SENT);
        number < self.oldest
    }

    /// A datagram with a higher number than all before it; even without a frame it counts as one.
    pub(super) fn advance(&mut self, number: u64, sent: u64) {
        self.newest.push_back(Newest { number, arrived: self.frames, sent });
        self.count();
    }

    /// A frame has arrived.
    pub(super) fn count(&mut self) {
        self.frames += 1;
        let frames = self.frames;
        self.forget(|newest| frames - newest.arrived > MOST_ARRIVED);
    }

    /// What was sent before these datagrams would be too late.
    fn forget(&mut self, is_past: impl Fn(&Newest) -> bool) {
        while let Some(newest) = self.newest.pop_front_if(|newest| is_past(newest)) {
            self.oldest = newest.number;
        }
    }
}
