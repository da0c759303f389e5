//! How long a PDU that is not full waits for the next SDU.
//!
//! A UMTS terminal makes PDUs when MAC asks for them, once per transmission time interval, and what came since then shares them. On
//! this link a frame may go out at any time, so a PDU waits only if a time is set.

use super::segmentation::Segmenter;
use arqway_arq::Deadline;
use arqway_units::{Span, Time};

/// The wait of what does not fill a PDU.
#[derive(Debug)]
pub(super) struct Filling {
    wait: Span,
    deadline: Deadline,
    is_over: bool,
}

impl Filling {
    /// A wait so long; zero is none.
    pub(super) fn new(wait: Span) -> Self {
        Self { wait, deadline: Deadline::default(), is_over: false }
    }

    /// Whether the next PDU is to be made.
    pub(super) fn is_ready(&self, segmenter: &Segmenter) -> bool {
        segmenter.has_data() && (self.wait == Span::ZERO || self.is_over || segmenter.fills_a_pdu())
    }

    /// An SDU came, a PDU was made, or something was discarded.
    pub(super) fn changed(&mut self, segmenter: &Segmenter, now: Time) {
        self.is_over &= segmenter.has_data();
        if segmenter.has_data() && self.wait > Span::ZERO && !segmenter.fills_a_pdu() {
            self.deadline.start_if_stopped(now + self.wait);
        } else {
            self.deadline.stop();
        }
    }

    pub(super) fn handle_timeout(&mut self, now: Time) {
        self.is_over |= self.deadline.fire(now);
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.deadline.get()
    }
}
