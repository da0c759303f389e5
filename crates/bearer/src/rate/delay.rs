//! How long a queue stands on the way: the one-way delay of the datagrams themselves, above the least of some seconds.
//!
//! ```text
//!     delay ^        .-.              .--------          a queue comes and goes; then the path itself is longer, and what
//!           |      .'   '.            |                  was least before has nothing to say any more: see `moved`
//!     floor |-----'-------'-----------'- - - - -
//!           +---------------------------------> time
//! ```
//!
//! The two clocks differ by what nobody knows, which is part of the floor. That their difference drifts, by 200 ppm at most, is 2 ms in
//! the ten seconds of a floor; and each [drain](super::automatic) shows it anew.

use arqway_units::{Span, Time};

/// The floor is the least delay of so many slots, the present one included.
const SLOTS: usize = 10;
/// A slot.
const SLOT: Span = Span::from_milliseconds(1000);
/// A delay that changes by more than this within one report is a clock that was set, not a queue or a path.
const CLOCK_WAS_SET: i64 = 60_000_000;

/// What is known of the delay. All in microseconds.
#[derive(Debug, Default)]
pub(super) struct Delay {
    /// The first delay: others are counted from there, so that clocks of any difference do.
    first: Option<u32>,
    slots: [Option<i64>; SLOTS],
    slot_began: Time,
    /// The last two delays.
    last: Option<[i64; 2]>,
    /// The floor before the path was taken for longer.
    before: Option<i64>,
    /// By how much one report's delay differs from the one before where no queue stands: the radio's own timing.
    jitter: f64,
}

impl Delay {
    /// A datagram that was sent at a time arrived at another one, each by the clock of its end.
    pub(super) fn hear(&mut self, sent: Time, arrived: u32, now: Time) {
        let difference = arrived.wrapping_sub(crate::wire::microseconds(sent));
        let first = *self.first.get_or_insert(difference);
        let delay = i64::from(difference.wrapping_sub(first).cast_signed());
        let [_, before] = self.last.unwrap_or([delay; 2]);
        if (delay - before).abs() > CLOCK_WAS_SET {
            *self = Self { jitter: self.jitter, first: Some(first), ..Self::default() };
            self.slot_began = now;
        }
        let [_, before] = self.last.unwrap_or([delay; 2]);
        self.advance(now);
        let least = self.slots[0].unwrap_or(i64::MAX).min(delay);
        self.slots[0] = Some(least);
        self.last = Some([before, delay]);
        if self.queue() < Span::from_milliseconds(10) {
            let differs = micros(Span::from_nanoseconds(delay.abs_diff(before).saturating_mul(1000)));
            self.jitter += (differs - self.jitter) / 16.0;
        }
    }

    fn advance(&mut self, now: Time) {
        let slots = now.since(self.slot_began).as_nanoseconds() / SLOT.as_nanoseconds();
        if slots == 0 {
            return;
        }
        let kept = usize::try_from(slots).unwrap_or(SLOTS).min(SLOTS);
        let floor = self.floor();
        self.slots.rotate_right(kept);
        self.slots[..kept].fill(None);
        // After a silence the floor is what it was: nothing else is known.
        if self.slots.iter().all(Option::is_none) {
            self.slots[0] = floor;
        }
        self.slot_began = now;
    }

    fn floor(&self) -> Option<i64> {
        self.slots.iter().flatten().min().copied()
    }

    /// How much longer than the least the newest datagram took.
    pub(super) fn waited(&self) -> Span {
        let (Some(floor), Some([_, last])) = (self.floor(), self.last) else { return Span::ZERO };
        Span::from_nanoseconds(u64::try_from(last - floor).unwrap_or(0).saturating_mul(1000))
    }

    /// How long a queue stands: the shorter of the last two delays, above the floor.
    pub(super) fn queue(&self) -> Span {
        let (Some(floor), Some([before, last])) = (self.floor(), self.last) else { return Span::ZERO };
        Span::from_nanoseconds(u64::try_from(before.min(last) - floor).unwrap_or(0).saturating_mul(1000))
    }

    /// By how much delays differ without a queue.
    pub(super) fn jitter(&self) -> Span {
        Span::from_seconds(self.jitter * 1e-6)
    }

    /// What was heard so far does not compare with what comes.
    pub(super) fn begin(&mut self) {
        *self = Self { jitter: self.jitter, slot_began: self.slot_began, ..Self::default() };
    }

    /// The path itself takes longer: the present delay is the least.
    pub(super) fn moved(&mut self, now: Time) {
        if let Some([before, last]) = self.last {
            self.before = self.floor();
            self.slots = [None; SLOTS];
            self.slots[0] = Some(before.min(last));
            self.slot_began = now;
        }
    }

    /// It does not: what was least before counts again.
    pub(super) fn moved_back(&mut self) {
        let before = self.before.take();
        self.slots[0] = self.slots[0].into_iter().chain(before).min();
    }
}

fn micros(span: Span) -> f64 {
    span.as_seconds() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    fn ms(milliseconds: u64) -> Span {
        Span::from_milliseconds(milliseconds)
    }

    /// Datagrams each 20 ms with these delays, by a clock that is far ahead.
    fn hears(delay: &mut Delay, from: u64, delays: &[u64]) {
        for (index, milliseconds) in delays.iter().enumerate() {
            let sent = from + 20 * index as u64;
            let arrived = u32::try_from((sent + milliseconds) * 1000).expect("soon").wrapping_add(4_000_000_000);
            delay.hear(at(sent), arrived, at(sent + milliseconds));
        }
    }

    #[test]
    fn a_queue_is_what_two_datagrams_in_a_row_wait_above_the_least() {
        let mut delay = Delay::default();
        hears(&mut delay, 0, &[30, 50, 30]);
        assert_eq!(delay.queue(), Span::ZERO, "one was late");
        hears(&mut delay, 60, &[45, 55]);
        assert_eq!(delay.queue(), ms(15));
    }

    #[test]
    fn what_was_least_ten_seconds_ago_counts_no_more() {
        let mut delay = Delay::default();
        hears(&mut delay, 0, &[30]);
        (1..12).for_each(|second| hears(&mut delay, second * 1000, &[40, 40]));
        assert_eq!(delay.queue(), Span::ZERO);
    }

    #[test]
    fn a_path_that_moved_has_no_queue() {
        let mut delay = Delay::default();
        hears(&mut delay, 0, &[30, 80, 80]);
        assert_eq!(delay.queue(), ms(50));
        delay.moved(at(200));
        assert_eq!(delay.queue(), Span::ZERO);
        delay.moved_back();
        assert_eq!(delay.queue(), ms(50), "it was a queue after all");
    }

    #[test]
    fn a_clock_that_is_set_begins_anew() {
        let mut delay = Delay::default();
        hears(&mut delay, 0, &[30, 30]);
        let arrived = |seconds: u32| seconds * 1_000_000;
        delay.hear(at(100), arrived(1000), at(130));
        delay.hear(at(120), arrived(1000) + 20_000, at(150));
        assert_eq!(delay.queue(), Span::ZERO);
    }
}
