//! The segments of one connection that the client has not acknowledged, in the order of their sequence numbers.
//!
//! ```text
//!                 first (the oldest)                      last seen
//!                   |                                        |
//!     acknowledged  [ 1000 ][ 1960 ][ 2920 ]    gap    [ 4840 ]   next in order -->
//!     <-------------|                            \
//!                                                 lost on the wired side, or still under way
//! ```

use alloc::collections::VecDeque;
use arqway_units::Time;
use bytes::Bytes;

pub(super) use arqway_arq::TcpNumber as Number;

/// A segment kept for the case that it is lost.
#[derive(Debug)]
pub(super) struct Cached {
    /// The number of its first octet, and of the first one behind it.
    pub(super) start: Number,
    pub(super) end: Number,
    pub(super) packet: Bytes,
    /// When it was sent last, from here or through here.
    pub(super) sent_at: Time,
    /// How often it was sent again from here.
    pub(super) resent: u32,
    /// It was sent again by its sender, who so deals with the loss and needs the duplicates.
    pub(super) by_sender: bool,
}

impl Cached {
    pub(super) fn new(start: Number, end: Number, packet: Bytes, now: Time) -> Self {
        Self { start, end, packet, sent_at: now, resent: 0, by_sender: false }
    }
}

/// Where a segment went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Behind all others, as new data is.
    Last,
    /// Before others, or where one of the same number was: its sender sent it again, or the wired side reordered it.
    Again,
    /// Nowhere: the client has it.
    Acknowledged,
}

/// What an acknowledgement took out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cleaned {
    /// When the last of the segments was sent.
    pub(super) sent_at: Time,
}

/// The segments.
#[derive(Debug, Default)]
pub(super) struct Cache {
    segments: VecDeque<Cached>,
    /// The first number of the highest segment that passed, cached or not.
    last_seen: Option<Number>,
    /// The highest number behind a segment that passed.
    end: Option<Number>,
}

impl Cache {
    pub(super) fn clear(&mut self) {
        self.segments.clear();
        self.last_seen = None;
        self.end = None;
    }

    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// The segment that the client needs first, if it is here.
    pub(super) fn first(&self) -> Option<&Cached> {
        self.segments.front()
    }

    pub(super) fn first_mut(&mut self) -> Option<&mut Cached> {
        self.segments.front_mut()
    }

    /// The number that a wire's 32 bits stand for, near what was seen last.
    pub(super) fn number(&self, wire: u32) -> Number {
        match self.last_seen {
            Some(near) => Number::nearest(near, wire.into()),
            // One turn up, so that what comes from before the first has a number too.
            None => Number::new(Number::MODULUS + u64::from(wire)),
        }
    }

    /// Whether a segment has passed that ends there or later: only what was sent can be acknowledged.
    pub(super) fn has_seen(&self, number: Number) -> bool {
        self.end.is_some_and(|end| number <= end)
    }

    /// A segment passes without being kept.
    pub(super) fn pass(&mut self, start: Number, end: Number) {
        self.last_seen = self.last_seen.max(Some(start));
        self.end = self.end.max(Some(end));
    }

    /// Keeps a segment.
    pub(super) fn insert(&mut self, segment: Cached, acknowledged: Option<Number>) -> Place {
        let (start, end) = (segment.start, segment.end);
        if acknowledged.is_some_and(|acknowledged| end <= acknowledged) {
            return Place::Acknowledged;
        }
        let before = self.last_seen;
        self.pass(start, end);
        let index = if before.is_none_or(|last_seen| start > last_seen) {
            self.segments.len()
        } else {
            self.segments.iter().position(|other| other.start >= start).unwrap_or(self.segments.len())
        };
        if let Some(same) = self.segments.get_mut(index).filter(|other| other.start == start) {
            same.refresh(segment);
            return Place::Again;
        }
        let is_new = before.is_none_or(|last_seen| start >= last_seen);
        // What comes late and fills the first gap is the sender's answer to duplicates that it has seen.
        let by_sender = !is_new && index == 0;
        self.segments.insert(index, Cached { by_sender, ..segment });
        if is_new { Place::Last } else { Place::Again }
    }

    /// Drops what is acknowledged; `None` if nothing was.
    pub(super) fn clean(&mut self, acknowledged: Number) -> Option<Cleaned> {
        let mut cleaned = None;
        while let Some(segment) = self.segments.pop_front_if(|segment| segment.end <= acknowledged) {
            cleaned = Some(Cleaned { sent_at: segment.sent_at });
        }
        cleaned
    }
}

impl Cached {
    /// Its sender has sent it again, perhaps with more behind it.
    fn refresh(&mut self, newer: Self) {
        if newer.end >= self.end {
            (self.end, self.packet) = (newer.end, newer.packet);
        }
        self.sent_at = newer.sent_at;
        self.resent = 0;
        self.by_sender = true;
    }
}
