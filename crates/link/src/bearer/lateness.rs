//! How late a datagram may be. A path may hold one back for long, or somebody may keep it and send it later. Services tell their frames
//! apart by few numbers: one that comes so late that its number has come round would be taken for another.

use alloc::collections::VecDeque;

/// A datagram is too late when so many frames have arrived behind it. It is lost then, as on any link. Of all services `tally`'s
/// tiny form bears the least: 192 frames.
const MOST: u64 = 128;

/// Which datagrams arrived as the newest, and how many frames before each.
#[derive(Debug, Default)]
pub(super) struct Lateness {
    newest: VecDeque<(u64, u64)>,
    frames: u64,
    /// Numbers below this one are too late.
    oldest: u64,
}

impl Lateness {
    pub(super) fn is_too_late(&self, number: u64) -> bool {
        number < self.oldest
    }

    /// A datagram with a higher number than all before it; even without a frame it counts as one.
    pub(super) fn advance(&mut self, number: u64) {
        self.newest.push_back((number, self.frames));
        self.count();
    }

    /// A frame has arrived.
    pub(super) fn count(&mut self) {
        self.frames += 1;
        let too_late = |entry: &mut (u64, u64)| self.frames - entry.1 > MOST;
        while let Some((number, _)) = self.newest.pop_front_if(too_late) {
            self.oldest = number;
        }
    }
}
