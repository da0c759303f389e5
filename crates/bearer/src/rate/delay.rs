//! How long a queue stands on the way: the one-way delay of the datagrams themselves, above the least of some seconds.
//!
//! ```text
//!     delay ^        .-.              .--------          a queue comes and goes; then the path itself is longer, and what
//!           |      .'   '.            |                  was least before has nothing to say any more: see `moved`
//!     floor |-----'-------'-----------'- - - - -
//!           +---------------------------------> time
//! ```
//!
//! A large datagram takes longer than a small one where the line is slow, and no queue stands for that: how much longer is seen from the least
//! of both, and no more is believed than the rate explains.
//!
//! The two clocks differ by what nobody knows, which is part of the floor. That their difference drifts, by 200 ppm at most, is 2 ms in
//! the ten seconds of a floor; and each [drain](super::automatic) shows it anew.

use super::Mark;
use arqway_units::{Span, Time, ToFloat};

/// The floor is the least delay of so many slots, the present one included.
const SLOTS: usize = 10;
/// A slot.
const SLOT: Span = Span::from_milliseconds(1000);
/// A delay that changes by more than this within one report is a clock that was set, not a queue or a path.
const CLOCK_WAS_SET: i64 = 60_000_000;

/// What one datagram says: how long it took, in microseconds, and how large it was.
#[derive(Debug, Clone, Copy)]
struct Took {
    delay: i64,
    size: u32,
}

impl Took {
    fn without(self, per_octet: f64) -> f64 {
        self.delay.to_f64() - per_octet * f64::from(self.size)
    }
}

/// The least of a slot among datagrams below half of the largest, and among the others.
type Slot = [Option<Took>; 2];

fn less(a: Option<Took>, b: Option<Took>) -> Option<Took> {
    a.into_iter().chain(b).min_by_key(|took| took.delay)
}

/// What is known of the delay. All in microseconds.
#[derive(Debug, Default)]
pub(super) struct Delay {
    /// The first delay: others are counted from there, so that clocks of any difference do.
    first: Option<u32>,
    slots: [Slot; SLOTS],
    slot_began: Time,
    /// The last two datagrams.
    last: Option<[Took; 2]>,
    /// The floor before the path was taken for longer.
    before: Slot,
    /// By how much one report's delay differs from the one before where no queue stands: the radio's own timing.
    jitter: f64,
    largest: u32,
    /// By how much an octet more makes a datagram take longer.
    per_octet: f64,
}

impl Delay {
    /// A datagram arrived, by the clock of the other end. An octet takes no longer than `octet`, in seconds.
    pub(super) fn hear(&mut self, datagram: Mark, arrived: u32, octet: f64, now: Time) {
        let Mark { at: sent, size, .. } = datagram;
        let difference = arrived.wrapping_sub(crate::wire::microseconds(sent));
        let first = *self.first.get_or_insert(difference);
        let took = Took { delay: i64::from(difference.wrapping_sub(first).cast_signed()), size };
        let [_, before] = self.last.unwrap_or([took; 2]);
        if (took.delay - before.delay).abs() > CLOCK_WAS_SET {
            *self = Self { first: Some(first), ..self.anew(now) };
        }
        let [_, before] = self.last.unwrap_or([took; 2]);
        self.advance(now);
        self.grow(size);
        let least = &mut self.slots[0][usize::from(size * 2 > self.largest)];
        *least = less(*least, Some(took));
        self.last = Some([before, took]);
        self.weigh(octet * 1e6);
        if self.queue() < Span::from_milliseconds(10) {
            let differs = (took.without(self.per_octet) - before.without(self.per_octet)).abs();
            self.jitter += (differs - self.jitter) / 16.0;
        }
    }

    /// What is kept where delays begin to count anew.
    fn anew(&self, now: Time) -> Self {
        Self { jitter: self.jitter, per_octet: self.per_octet, slot_began: now, ..Self::default() }
    }

    /// A larger datagram than before moves the bound between small and large ones.
    fn grow(&mut self, size: u32) {
        if size <= self.largest {
            return;
        }
        self.largest = size;
        for slot in &mut self.slots {
            if slot[1].is_some_and(|least| least.size * 2 <= size) {
                *slot = [less(slot[0], slot[1]), None];
            }
        }
    }

    /// How much longer large datagrams take than small ones tells how long an octet takes.
    fn weigh(&mut self, most: f64) {
        if let [Some(small), Some(large)] = self.least() {
            let longer = (large.delay - small.delay).to_f64() / f64::from(large.size.saturating_sub(small.size).max(1));
            self.per_octet = longer.clamp(0.0, most);
        }
    }

    fn advance(&mut self, now: Time) {
        let slots = now.since(self.slot_began).as_nanoseconds() / SLOT.as_nanoseconds();
        if slots == 0 {
            return;
        }
        let kept = usize::try_from(slots).unwrap_or(SLOTS).min(SLOTS);
        let least = self.least();
        self.slots.rotate_right(kept);
        self.slots[..kept].fill([None; 2]);
        // After a silence the floor is what it was: nothing else is known.
        if self.slots.iter().flatten().all(Option::is_none) {
            self.slots[0] = least;
        }
        self.slot_began = now;
    }

    fn least(&self) -> Slot {
        self.slots.iter().fold([None; 2], |[small, large], slot| [less(small, slot[0]), less(large, slot[1])])
    }

    /// What a datagram without any octets takes.
    fn floor(&self) -> Option<f64> {
        let least = self.slots.iter().flatten().flatten().map(|least| least.without(self.per_octet));
        least.min_by(f64::total_cmp)
    }

    /// How much longer than the least the newest datagram took.
    pub(super) fn waited(&self) -> Span {
        self.above_floor(|[_, last]| last)
    }

    /// How long a queue stands: the shorter of the last two delays, above the floor.
    pub(super) fn queue(&self) -> Span {
        self.above_floor(|[before, last]| before.min(last))
    }

    fn above_floor(&self, of: impl Fn([f64; 2]) -> f64) -> Span {
        let (Some(floor), Some(last)) = (self.floor(), self.last) else { return Span::ZERO };
        Span::from_seconds((of(last.map(|took| took.without(self.per_octet))) - floor).max(0.0) * 1e-6)
    }

    /// By how much delays differ without a queue.
    pub(super) fn jitter(&self) -> Span {
        Span::from_seconds(self.jitter * 1e-6)
    }

    /// What was heard so far does not compare with what comes.
    pub(super) fn begin(&mut self) {
        *self = self.anew(self.slot_began);
    }

    /// The path itself takes longer: the present delay is the least.
    pub(super) fn moved(&mut self, now: Time) {
        if let Some(last) = self.last {
            self.before = self.least();
            self.slots = [[None; 2]; SLOTS];
            let [before, last] = last;
            let least = if last.without(self.per_octet) < before.without(self.per_octet) { last } else { before };
            self.slots[0][usize::from(least.size * 2 > self.largest)] = Some(least);
            self.slot_began = now;
        }
    }

    /// It does not: what was least before counts again.
    pub(super) fn moved_back(&mut self) {
        let [small, large] = core::mem::take(&mut self.before);
        self.slots[0] = [less(self.slots[0][0], small), less(self.slots[0][1], large)];
    }
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

    fn mark(milliseconds: u64, size: u32) -> Mark {
        Mark { number: 0, at: at(milliseconds), octets: 0, size }
    }

    /// Datagrams each 20 ms with these delays, by a clock that is far ahead.
    fn hears(delay: &mut Delay, from: u64, delays: &[u64]) {
        for (index, milliseconds) in delays.iter().enumerate() {
            let sent = from + 20 * index as u64;
            let arrived = u32::try_from((sent + milliseconds) * 1000).expect("soon").wrapping_add(4_000_000_000);
            delay.hear(mark(sent, 100), arrived, 0.0, at(sent + milliseconds));
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
        delay.hear(mark(100, 100), arrived(1000), 0.0, at(130));
        delay.hear(mark(120, 100), arrived(1000) + 20_000, 0.0, at(150));
        assert_eq!(delay.queue(), Span::ZERO);
    }

    /// How long a queue stands after small and large datagrams in turn, each of which takes so long, and then two large ones.
    fn after_turns(small: u64, large: u64, last: u64, octet: f64) -> Span {
        let mut delay = Delay::default();
        let mut hear = |sent: u64, size: u32, took: u64| {
            let arrived = u32::try_from((sent + took) * 1000).expect("soon");
            delay.hear(mark(sent, size), arrived, octet, at(sent + took));
        };
        for time in (0..2000).step_by(100) {
            hear(time, 100, small);
            hear(time + 50, 500, large);
        }
        hear(2000, 500, last);
        hear(2050, 500, last);
        delay.queue()
    }

    #[test]
    fn what_a_large_datagram_takes_for_its_octets_is_no_queue() {
        // 400 octets more take 50 ms at 64 kbit/s.
        assert_eq!(after_turns(30, 80, 80, 1.0 / 8000.0), Span::ZERO);
        assert_eq!(after_turns(30, 80, 110, 1.0 / 8000.0), ms(30));
        assert_eq!(after_turns(30, 80, 80, 0.5 / 8000.0), ms(25), "no more than the rate explains");
        assert_eq!(after_turns(30, 30, 60, 1.0 / 8000.0), ms(30), "a shaper that lets each through at once");
    }
}
