//! TLP: a probe that tells of losses at the end, where nothing follows that could (RFC 8985 §7).
//!
//! ```text
//!     sent     1  2  3  4 ----- two round trips of silence -----> 4 again, or 5 if there is one
//!     arrives  1                                                  4: so 2 and 3 are lost (RACK), and need no timeout
//! ```
//!
//! If the probe itself filled the only gap, nobody would know of the loss: where it was sent again, and nothing says that it
//! came twice, the window shrinks as for any loss (§7.4).

use crate::tcp::acknowledgement::Acknowledgement;
use arqway_units::{Span, Time};

/// Before the first sample (§7.2).
const WITHOUT_SAMPLE: Span = Span::from_milliseconds(1000);

/// The state of §7.1.
#[derive(Debug, Default)]
pub(super) struct Probe {
    /// When the next one goes out.
    due: Option<Time>,
    /// The last packet sent when the last one went out (TLP.end_seq), while it is not known what became of it.
    end: Option<i64>,
    /// It was a packet sent again (TLP.is_retrans).
    was_again: bool,
    /// A round trip was measured since.
    has_sample: bool,
}

impl Probe {
    pub(super) fn due(&self) -> Option<Time> {
        self.due
    }

    /// A round trip was measured.
    pub(super) fn take_sample(&mut self) {
        self.has_sample = true;
    }

    /// A recovery begins (§7.1): nothing is to be found out.
    pub(super) fn reset(&mut self) {
        (self.due, self.end, self.was_again) = (None, None, false);
    }

    /// Sets the timer anew (§7.2). One packet alone may be acknowledged later, by as much as the receiver delays that; a probe
    /// comes before the retransmission timer in any case.
    pub(super) fn schedule(&mut self, smoothed: Option<Span>, delay: Span, now: Time, timer: Option<Time>) {
        let wait = smoothed.map_or(WITHOUT_SAMPLE, |smoothed| smoothed * 2 + delay);
        self.due = timer.filter(|_| self.may_be_sent()).map(|timer| timer.min(now + wait));
    }

    /// Whether one may go out: none follows another without a new sample (§7.3).
    pub(super) fn may_be_sent(&self) -> bool {
        self.end.is_none() && self.has_sample
    }

    /// The timer has expired, or is not needed.
    pub(super) fn stop(&mut self) {
        self.due = None;
    }

    /// One goes out; `end` is the last packet sent by now.
    pub(super) fn send(&mut self, end: i64, again: bool) {
        (self.end, self.was_again, self.has_sample) = (Some(end), again, false);
    }

    /// An acknowledgement has come: whether it tells of a loss that the probe has repaired (§7.4.2).
    pub(super) fn has_repaired(&mut self, told: &Acknowledgement, is_new: bool) -> bool {
        let Some(end) = self.end.filter(|end| told.number >= *end) else { return false };
        let is_known = !self.was_again || told.duplicate().is_some_and(|twice| twice.has(end));
        let has_repaired = !is_known && told.number > end;
        let says_nothing_new = !is_new && told.blocks.as_slice().is_empty();
        if is_known || has_repaired || says_nothing_new {
            self.end = None;
        }
        has_repaired
    }

    /// The sender's clock stood still for so long.
    pub(super) fn stand_still(&mut self, length: Span) {
        self.due = self.due.map(|due| due + length);
    }
}
