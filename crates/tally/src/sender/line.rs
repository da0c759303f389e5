//! What the sender knows of one line of the link: what has gone by it, and when it is asked what arrived.
//!
//! ```text
//!     frames       7   8   9  10  11  12
//!     line 0      41  42      43      44          a line keeps the order of what goes by it, so each has its own counter
//!     line 1              12      13              12 is lost once 13 has arrived, whatever has arrived by line 0
//! ```

use crate::timing::Timing;
use crate::transmissions::Transmissions;
use alloc::vec::Vec;
use arqway_contract::LineId;

/// A transmission, among all that went by any line. No frame has gone as number 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sent {
    pub(crate) line: LineId,
    pub(crate) counter: u64,
}

impl Sent {
    pub(crate) fn by(line: LineId, counter: u64) -> Self {
        Self { line, counter }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) transmissions: Transmissions,
    pub(crate) timing: Timing,
    /// It is time to ask.
    pub(crate) poll_wanted: bool,
    /// Whether the peer has told that our transmissions arrive in order.
    pub(crate) keeps_order: bool,
    /// The last poll that was answered: what was sent before the one before it has had a round trip more to arrive.
    pub(crate) answered: u64,
    /// Frames whose last transmission was settled by feedback that had no room to tell of them.
    pub(crate) unsure: Vec<u64>,
    pub(crate) is_up: bool,
    /// Copies of frames up to there have gone by it.
    pub(crate) copied: u64,
}

impl Line {
    pub(crate) fn new(timing: Timing) -> Self {
        Self {
            transmissions: Transmissions::new(),
            timing,
            poll_wanted: false,
            keeps_order: false,
            answered: 0,
            unsure: Vec::new(),
            is_up: true,
            copied: 0,
        }
    }

    /// Whether it is asked already, or will be.
    pub(crate) fn is_watched(&self) -> bool {
        self.timing.awaits_answer() || self.timing.deadline().is_some() || self.poll_wanted
    }
}
