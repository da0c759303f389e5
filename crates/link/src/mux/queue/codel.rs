//! `CoDel`: which packets to drop so that no queue stands (Nichols and Jacobson, RFC 8289), or to mark, where that is understood (RFC 3168).
//!
//! ```text
//!     waited   |        ____target____.-'''''''-.___        a queue that is gone within an interval is a burst, and left alone;
//!              |   .-.               |interval  X   X  X    from then on one packet goes, then the next after interval / sqrt(2),
//!              |__/   \____________./           |           ... / sqrt(3), until packets wait less than the target
//!                 time
//! ```
//!
//! The time that packets wait is what counts, not how many there are, so one setting fits a link whose rate changes.

use arqway_contract::Packet;
use arqway_units::{Span, Time, ToFloat, truncate};

/// What packets may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    /// So long all the time, ...
    pub(super) target: Span,
    /// ... and longer for as long as its senders take to hear of a loss.
    pub(super) interval: Span,
}

/// A queue as this sees it.
pub(super) trait Standing {
    /// Takes the first packet.
    fn take(&mut self) -> Option<Packet>;
    /// How long it has waited that was taken.
    fn waited(&self, packet: &Packet) -> Span;
    /// Whether no more is left than one packet.
    fn is_short(&self) -> bool;
    /// The packet with a mark of congestion, or without it where that would not be understood: then it is dropped.
    fn mark(&mut self, packet: Packet) -> Option<Packet>;
}

/// What it knows of one queue, by the names of RFC 8289, Section 5.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Codel {
    /// From when on packets have waited too long for an interval.
    first_above_time: Option<Time>,
    drop_next: Time,
    count: u32,
    last_count: u32,
    dropping: bool,
}

impl Codel {
    /// The next packet that goes.
    pub(super) fn next(&mut self, queue: &mut impl Standing, bounds: Bounds, now: Time) -> Option<Packet> {
        let (mut next, mut ok_to_drop) = self.dodequeue(queue, bounds, now);
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                if let Some(marked) = next.and_then(|packet| queue.mark(packet)) {
                    self.drop_next = control_law(self.drop_next, bounds.interval, self.count);
                    return Some(marked);
                }
                (next, ok_to_drop) = self.dodequeue(queue, bounds, now);
                if ok_to_drop {
                    self.drop_next = control_law(self.drop_next, bounds.interval, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            next = match next.and_then(|packet| queue.mark(packet)) {
                Some(marked) => Some(marked),
                None => self.dodequeue(queue, bounds, now).0,
            };
            self.begin(bounds, now);
        }
        next
    }

    /// Begins to drop; where it ended only just, about as often as then.
    fn begin(&mut self, bounds: Bounds, now: Time) {
        self.dropping = true;
        let delta = self.count.saturating_sub(self.last_count);
        let is_soon = now.since(self.drop_next) < bounds.interval * 16;
        self.count = if delta > 1 && is_soon { delta } else { 1 };
        self.drop_next = control_law(now, bounds.interval, self.count);
        self.last_count = self.count;
    }

    /// The first packet, and whether packets have waited longer than the target for an interval.
    fn dodequeue(&mut self, queue: &mut impl Standing, bounds: Bounds, now: Time) -> (Option<Packet>, bool) {
        let Some(packet) = queue.take() else {
            self.first_above_time = None;
            return (None, false);
        };
        if queue.waited(&packet) < bounds.target || queue.is_short() {
            self.first_above_time = None;
            return (Some(packet), false);
        }
        let first_above_time = *self.first_above_time.get_or_insert(now + bounds.interval);
        (Some(packet), now >= first_above_time)
    }
}

/// When the next one is dropped: losses as frequent as the square root of their number lower TCP's rate steadily.
fn control_law(time: Time, interval: Span, count: u32) -> Time {
    let nanoseconds = interval.as_nanoseconds().to_f64() / libm::sqrt(f64::from(count));
    time + Span::from_nanoseconds(truncate(nanoseconds))
}
