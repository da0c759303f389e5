//! The scoreboard: what is known of each packet that is not acknowledged (RFC 6675 §2 and §4; RFC 8985 §5.2).
//!
//! ```text
//!     packet      4    5    6    7    8    9      4 to 9 outstanding, 3 acknowledged
//!                 |         |    S    |    S      7 and 9 were reported in blocks
//!                lost      lost                   4, 5 and 6: enough behind them has arrived
//!                copy                             4 was sent again
//!     pipe  =  6 outstanding - 2 arrived - 3 lost + 1 copy  =  2 in the network, of 4 and 8
//! ```
//!
//! The counts are kept, not counted anew, so that nothing takes longer with a longer window.

use crate::tcp::acknowledgement::Block;
use alloc::collections::VecDeque;
use arqway_units::{Span, Time};

/// One packet that was sent and not acknowledged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// When it went out last.
    pub(super) sent: Time,
    /// A block has reported it.
    pub(super) arrived: bool,
    /// It is taken for lost, whether or not it was sent again since.
    pub(super) lost: bool,
    /// A copy was sent that is not taken for lost.
    pub(super) copied: bool,
    /// It was sent more than once.
    pub(super) again: bool,
}

/// A packet of which an acknowledgement tells for the first time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Delivered {
    pub(super) number: i64,
    pub(super) sent: Time,
    pub(super) again: bool,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Scoreboard {
    /// The first that is not acknowledged (HighACK + 1).
    first: i64,
    segments: VecDeque<Segment>,
    arrived: usize,
    lost: usize,
    copies: usize,
    /// One past the highest that a block has reported.
    above: i64,
    /// All below were looked at whether enough behind them has arrived; how many at or above it have.
    judged: i64,
    arrived_from_judged: usize,
    /// No packet below it waits to be sent again.
    hint: i64,
}

/// So many packets that have arrived behind one mean that it is lost (DupThresh, RFC 6675 §2).
pub(super) const DUPLICATE_THRESHOLD: usize = 3;

impl Scoreboard {
    /// Another connection begins, in the same memory.
    pub(super) fn clear(&mut self) {
        let mut segments = core::mem::take(&mut self.segments);
        segments.clear();
        *self = Self { segments, ..Self::default() };
    }

    /// What is known of a packet, if it is outstanding.
    pub(super) fn get(&self, number: i64) -> Option<&Segment> {
        self.segments.get(self.index(number)?)
    }

    fn index(&self, number: i64) -> Option<usize> {
        usize::try_from(number - self.first).ok()
    }

    /// The first packet outstanding, or the next that will be.
    pub(super) fn first(&self) -> i64 {
        self.first
    }

    /// One past the last packet sent.
    pub(super) fn end(&self) -> i64 {
        self.first + packets(self.segments.len())
    }

    /// How many packets are in the network as far as is known (SetPipe).
    pub(super) fn pipe(&self) -> i64 {
        packets(self.segments.len() + self.copies) - packets(self.arrived + self.lost)
    }

    /// How many packets have arrived beyond the one that is missing.
    pub(super) fn arrived(&self) -> usize {
        self.arrived
    }

    /// A packet goes out, for the first time or again.
    pub(super) fn send(&mut self, number: i64, now: Time) {
        if number >= self.end() {
            self.segments.push_back(Segment { sent: now, arrived: false, lost: false, copied: false, again: false });
            return;
        }
        self.resend_uncounted(number, now);
        let Some(segment) = self.get_mut(number) else { return };
        let is_new = !core::mem::replace(&mut segment.copied, true);
        self.copies += usize::from(is_new);
    }

    /// A packet goes out again, which `pipe` ignores (RFC 6675 §5 (C.3): the rescue retransmission moves nothing).
    pub(super) fn resend_uncounted(&mut self, number: i64, now: Time) {
        if let Some(segment) = self.get_mut(number) {
            (segment.sent, segment.again) = (now, true);
        }
    }

    fn get_mut(&mut self, number: i64) -> Option<&mut Segment> {
        let index = self.index(number)?;
        self.segments.get_mut(index)
    }

    /// Everything up to and with a packet is acknowledged; tells which of them were not known to have arrived.
    pub(super) fn acknowledge(&mut self, number: i64, mut tell: impl FnMut(Delivered)) {
        while self.first <= number
            && let Some(segment) = self.segments.pop_front()
        {
            self.uncount(segment.lost, segment.copied);
            if segment.arrived {
                self.arrived -= 1;
                self.arrived_from_judged -= usize::from(self.first >= self.judged);
            } else {
                tell(Delivered { number: self.first, sent: segment.sent, again: segment.again });
            }
            self.first += 1;
        }
        self.judged = self.judged.max(self.first);
    }

    /// A block tells what has arrived (Update); tells which of them were not known to have.
    pub(super) fn arrive(&mut self, block: Block, mut tell: impl FnMut(Delivered)) {
        for number in block.from.max(self.first)..block.to.min(self.end()) {
            let Some(segment) = self.get_mut(number).filter(|segment| !segment.arrived) else { continue };
            segment.arrived = true;
            let (lost, copied) = (core::mem::take(&mut segment.lost), core::mem::take(&mut segment.copied));
            tell(Delivered { number, sent: segment.sent, again: segment.again });
            self.uncount(lost, copied);
            self.arrived += 1;
            self.arrived_from_judged += usize::from(number >= self.judged);
            self.above = self.above.max(number + 1);
        }
    }

    /// A packet that has arrived is neither lost nor copied any more.
    fn uncount(&mut self, lost: bool, copied: bool) {
        self.lost -= usize::from(lost);
        self.copies -= usize::from(copied);
    }

    /// Takes every packet for lost behind which enough have arrived (IsLost). Packets count as equally long, so that three
    /// of them are both "three discontiguous sequences" and "more than two segments"; a copy is never taken for lost.
    pub(super) fn judge(&mut self) {
        while self.arrived_from_judged >= DUPLICATE_THRESHOLD {
            let Some(segment) = self.get_mut(self.judged) else { return };
            if segment.arrived {
                self.arrived_from_judged -= 1;
            } else if !core::mem::replace(&mut segment.lost, true) {
                self.lost += 1;
                self.hint = self.hint.min(self.judged);
            }
            self.judged += 1;
        }
    }

    /// What was sent last of a packet is taken for lost.
    pub(super) fn lose(&mut self, number: i64) {
        let Some(segment) = self.get_mut(number).filter(|segment| !segment.arrived) else { return };
        let was_lost = core::mem::replace(&mut segment.lost, true);
        let was_copied = core::mem::replace(&mut segment.copied, false);
        self.lost += usize::from(!was_lost);
        self.copies -= usize::from(was_copied);
        self.hint = self.hint.min(number);
    }

    /// The lowest packet that is lost and not sent again since (NextSeg, rule 1).
    pub(super) fn next_lost(&mut self) -> Option<i64> {
        if self.lost == 0 {
            return None;
        }
        self.hint = self.hint.max(self.first);
        while let Some(segment) = self.get(self.hint) {
            if segment.lost && !segment.copied {
                return Some(self.hint);
            }
            self.hint += 1;
        }
        None
    }

    /// The lowest packet above another that is missing below one that has arrived (NextSeg, rule 3).
    pub(super) fn next_hole(&self, above: i64) -> Option<i64> {
        let is_hole = |number: &i64| {
            self.get(*number).is_some_and(|segment| !segment.arrived && !segment.lost && !segment.copied)
        };
        (self.first.max(above + 1)..self.above).find(is_hole)
    }

    /// The highest packet of which nothing is known (NextSeg, rule 4).
    pub(super) fn last_missing(&self) -> Option<i64> {
        let place = self.segments.iter().rposition(|segment| !segment.arrived)?;
        Some(self.first + packets(place))
    }

    /// The sender's clock stood still for so long.
    pub(super) fn stand_still(&mut self, length: Span) {
        self.segments.iter_mut().for_each(|segment| segment.sent += length);
    }
}

/// A number of packets, to be added to the number of one.
pub(super) fn packets(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
