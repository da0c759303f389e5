//! One connection as the sending end of the link sees it: what it sent again, and what that makes of acknowledgements.
//!
//! ```text
//!     TCP's sender      this end          peer          TCP's receiver
//!       |--- 1 2 3 4 ----> |--- 1 x 3 4 ---> |--- 1 3 4 ---> |
//!       |                  | <-- 2 missing - |               |
//!       |                  |--- 2 ---------> |               |   recorded: 2
//!       | <------- ACK 2 - | <------- ACK 2 ---------------- |   from 1: new, passes
//!       |                  | <------- ACK 2 ---------------- |   from 3: a duplicate, 2 is recorded: withheld
//!       |                  | <------- ACK 2 ---------------- |   from 4: withheld
//!       | <------- ACK 5 - | <------- ACK 5 ---------------- |   from 2: new, passes; 2 is forgotten
//! ```

use super::super::TcpNumber as Number;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use arqway_ip::Segment;

/// How many pieces of data sent again are known of a connection: one of more is not recorded, and its duplicates pass.
pub(super) const MOST_RESENT: usize = 128;
/// How many ends of segments are known of a connection.
pub(super) const MOST_ENDS: usize = 256;
/// Numbers that far apart are not of the same time.
const FAR: u64 = 1 << 30;

/// Whether an acknowledgement goes on to the network layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It does.
    Pass,
    /// It is a duplicate that the link has caused.
    Withhold,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Connection {
    /// The highest acknowledgement that passed; `None` too where its sender seems not to have got it.
    passed: Option<Number>,
    /// The window that came with it.
    window: u16,
    /// A number of the connection to read others by.
    reference: Option<Number>,
    /// What was sent again on the link and is not acknowledged, in order and apart from one another.
    resent: Vec<(Number, Number)>,
    ends: Ends,
}

/// Where segments end: what acknowledgements may be made for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Ends {
    known: VecDeque<Number>,
    /// Behind the newest data that was sent.
    highest: Option<Number>,
    /// TCP's sender sends again itself: up to here an acknowledgement more would make it send more again.
    recovers_up_to: Option<Number>,
    /// Duplicates withheld since the last acknowledgement that passed.
    withheld: u32,
}

impl Connection {
    /// Becomes a connection of which nothing is known, in the memory of this one.
    pub(super) fn start_over(&mut self) {
        self.passed = None;
        self.window = 0;
        self.reference = None;
        self.resent.clear();
        self.ends.known.clear();
        self.ends = Ends { known: core::mem::take(&mut self.ends.known), ..Ends::default() };
    }

    /// A segment goes out for the first time.
    pub(super) fn sent(&mut self, segment: &Segment, regenerates: bool) {
        let start = self.number(segment.sequence);
        if self.passed.is_some_and(|passed| start < passed) {
            // TCP sends again, or probes, what its peer acknowledged: that acknowledgement got lost behind this end, and what
            // looks like a duplicate of it must pass.
            self.passed = None;
        }
        if regenerates && segment.length > 0 {
            self.ends.sent(start, start + u64::from(segment.length));
        }
    }

    /// A segment goes out again because the link lost it.
    pub(super) fn retransmitted(&mut self, segment: &Segment) {
        let mut start = self.number(segment.sequence);
        let mut end = start + u64::from(segment.length);
        if self.passed.is_some_and(|passed| end <= passed) {
            return;
        }
        let first = self.resent.partition_point(|(_, to)| *to < start);
        let behind = self.resent.partition_point(|(from, _)| *from <= end);
        if first == behind && self.resent.len() >= MOST_RESENT {
            return;
        }
        for (from, to) in self.resent.drain(first..behind) {
            (start, end) = (start.min(from), end.max(to));
        }
        self.resent.insert(first, (start, end));
    }

    /// An acknowledgement comes from the peer's side. `tells_of_a_duplicate` is asked only where it matters. What may be told
    /// in several steps is put into `steps`, one number each.
    pub(super) fn acknowledged(
        &mut self,
        segment: &Segment,
        acknowledgement: u32,
        tells_of_a_duplicate: impl FnOnce() -> bool,
        steps: &mut Vec<u32>,
    ) -> Verdict {
        let number = self.number(acknowledgement);
        let window = core::mem::replace(&mut self.window, segment.window);
        match self.passed {
            Some(passed) if number < passed => {
                // Overtaken by a newer one: it repeats nothing, and TCP knows what to make of it.
                self.window = window;
                Verdict::Pass
            }
            Some(passed) if number == passed => {
                // What is no duplicate by RFC 5681 §2 says something of its own: data, or another window. So does an answer
                // to a probe of a closed window, without which TCP's sender gives up in the end.
                let is_duplicate =
                    segment.length == 0 && !segment.urgent && segment.window == window && segment.window > 0;
                if !is_duplicate || !self.was_resent(number) || tells_of_a_duplicate() {
                    return Verdict::Pass;
                }
                self.ends.withheld = self.ends.withheld.saturating_add(1);
                Verdict::Withhold
            }
            last => {
                self.ends.acknowledged(last, number, segment.length == 0, steps);
                self.passed = Some(number);
                self.reference = Some(number);
                self.resent.retain(|(from, to)| *to > number && *from < number + FAR);
                Verdict::Pass
            }
        }
    }

    /// Whether the segment that begins here, or that this lies in, was sent again.
    fn was_resent(&self, number: Number) -> bool {
        let next = self.resent.partition_point(|(_, to)| *to <= number);
        self.resent.get(next).is_some_and(|(from, _)| *from <= number)
    }

    fn number(&mut self, wire: u32) -> Number {
        // A turn above zero, so that there are numbers before the first one.
        let first = Number::new(1 << 32 | u64::from(wire));
        let reference = *self.reference.get_or_insert(first);
        Number::nearest(reference, wire.into())
    }

    /// How much is known of it: pieces that were sent again, ends of segments.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.resent.len(), self.ends.known.len())
    }
}

impl Ends {
    fn sent(&mut self, start: Number, end: Number) {
        if self.highest.is_some_and(|highest| start < highest) {
            self.recovers_up_to = self.highest;
            return;
        }
        self.highest = Some(end);
        if self.known.len() >= MOST_ENDS {
            self.known.pop_front();
        }
        self.known.push_back(end);
    }

    /// An acknowledgement for new data. If duplicates before it were withheld, the data that they told of arrived in pieces,
    /// and TCP's sender may hear so: one step for each end, but never more than the receiver had sent.
    fn acknowledged(&mut self, last: Option<Number>, number: Number, is_bare: bool, steps: &mut Vec<u32>) {
        let withheld = core::mem::take(&mut self.withheld);
        let recovers = self.recovers_up_to.is_some_and(|up_to| last.is_none_or(|last| last < up_to));
        let mut left = if is_bare && !recovers && last.is_some() { withheld } else { 0 };
        while let Some(end) = self.known.pop_front_if(|end| *end < number) {
            if left > 0 && last.is_some_and(|last| last < end) {
                left -= 1;
                steps.push(end.wire_u32());
            }
        }
        if self.recovers_up_to.is_some_and(|up_to| number >= up_to) {
            self.recovers_up_to = None;
        }
    }
}
