//! What the receiver tells: which frames have arrived, the newest transmission, and by how much transmissions come late.

use super::layout::{Form, MOST_RUNS_ALONE, put_variable};
use crate::holes::Holes;
use arqway_contract::LineId;
use arrayvec::ArrayVec;
use core::ops::Range;

/// What has arrived; numbers are the low bits when it was read, and in full when it is to be written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Feedback {
    /// How wide its numbers are.
    pub form: Form,
    /// The first frame that has not arrived.
    pub next: u64,
    /// The newest transmission that has arrived.
    pub newest: u64,
    /// By how much transmissions come late.
    pub lateness: Lateness,
    /// Of which line `newest` is a transmission, where there are several lines.
    pub line: Option<LineId>,
    /// What has arrived beyond `next`; of a line its transmissions from `newest` down, received and missing by turns.
    pub runs: Runs,
}

impl Feedback {
    /// What has become of the transmissions of a line that it tells of: from the newest down, in runs.
    pub(crate) fn transmissions(&self, newest: u64) -> impl Iterator<Item = (Range<u64>, bool)> {
        let mut end = newest + 1;
        let has_arrived = [true, false].into_iter().cycle();
        self.runs.numbers.iter().zip(has_arrived).map_while(move |(length, has_arrived)| {
            let start = end.checked_sub((*length).into())?;
            Some((start..core::mem::replace(&mut end, start), has_arrived))
        })
    }
}

/// Frames received and missing, by turns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runs {
    /// Whether they go upward.
    pub upward: bool,
    /// Downward: how far one past the highest frame received is ahead of the next one awaited; then the lengths of runs: received,
    /// missing, and so on. Where a run of received frames comes last, all below it is missing; where one of missing frames
    /// comes last, there was no room to tell more. Empty where nothing beyond the next one has arrived.
    ///
    /// Upward: one more than the distance from the next one awaited to the first frame that they tell of; then the lengths of runs: missing,
    /// received, and so on. They say nothing of what is below and above.
    pub numbers: ArrayVec<u32, MOST_RUNS_ALONE>,
}

impl Runs {
    /// What fits into so many octets, the highest frames first.
    pub(crate) fn of(holes: &Holes, octets: usize) -> Self {
        let mut runs = Self::default();
        let next = holes.next();
        if next == holes.end() {
            return runs;
        }
        let mut written = ArrayVec::<u8, MOST_RUNS_ALONE>::new();
        let mut fits = |length: u64| {
            let number = u32::try_from(length).ok()?;
            put_variable(&mut written, number, octets).then_some(number)
        };
        let Some(ahead) = fits(holes.end() - next) else { return runs };
        runs.numbers.push(ahead);
        let mut end = holes.end();
        for hole in holes.downward() {
            let Some(received) = fits(end - hole.end) else { break };
            if hole.start == next {
                runs.numbers.push(received);
                break;
            }
            let Some(missing) = fits(hole.end - hole.start) else { break };
            runs.numbers.extend([received, missing]);
            end = hole.start;
        }
        runs
    }

    /// What fits into so many octets, from the lowest hole on that ends beyond `from`, or from the lowest of all if none does.
    pub(crate) fn upward(holes: &Holes, from: u64, octets: usize) -> Self {
        let from = if holes.upward(from).next().is_some() { from } else { 0 };
        let starts = || holes.upward(from).map(|hole| hole.start);
        let begin = starts().next().map(|first| first + 1 - holes.next());
        let pairs = holes.upward(from).zip(starts().skip(1).chain([holes.end()]));
        let lengths = pairs.flat_map(|(hole, above)| [hole.end - hole.start, above - hole.end]);
        let mut written = ArrayVec::<u8, MOST_RUNS_ALONE>::new();
        let mut fits = |length| u32::try_from(length).ok().filter(|number| put_variable(&mut written, *number, octets));
        let mut numbers: ArrayVec<u32, _> = begin.into_iter().chain(lengths).map_while(&mut fits).collect();
        if numbers.len() % 2 == 0 {
            // Others go on at the next hole, so it comes with what has arrived above it, or not at all.
            numbers.pop();
        }
        Self { upward: true, numbers }
    }

    /// Whether downward there was no room for all: the last run is one of missing frames.
    pub(crate) fn are_cut(&self) -> bool {
        self.numbers.len() % 2 == 1
    }

    /// One past the last frame that they tell of upward.
    pub(crate) fn end(&self, next: u64) -> u64 {
        (next + self.numbers.iter().copied().map(u64::from).sum::<u64>()).saturating_sub(1)
    }

    /// How many octets they take.
    pub(crate) fn octets(&self) -> usize {
        let mut written = ArrayVec::<u8, { 3 * MOST_RUNS_ALONE }>::new();
        self.numbers.iter().for_each(|number| {
            put_variable(&mut written, *number, usize::MAX);
        });
        written.len()
    }

    /// What has arrived beyond `next`, of frames that were sent: all below `end`. `None` if it tells of others.
    pub(crate) fn read(&self, next: u64, end: u64) -> Option<Arrived> {
        let arrived = if self.upward { self.read_upward(next) } else { self.read_downward(next)? };
        (arrived.end <= end).then_some(arrived)
    }

    fn read_downward(&self, next: u64) -> Option<Arrived> {
        let mut arrived = Arrived::nothing_beyond(next);
        let mut numbers = self.numbers.iter().map(|number| u64::from(*number));
        let Some(ahead) = numbers.next() else { return Some(arrived) };
        let mut top = next + ahead;
        (arrived.end, arrived.known.start) = (top, top);
        while let Some(received) = numbers.next() {
            let bottom = top.checked_sub(received).filter(|bottom| *bottom > next)?;
            arrived.ranges.push(bottom..top);
            // A run of received frames that comes last is the lowest one: all below it is missing.
            arrived.known.start = next;
            if let Some(missing) = numbers.next() {
                top = bottom.checked_sub(missing).filter(|top| *top > next)?;
                arrived.known.start = top;
            }
        }
        Some(arrived)
    }

    fn read_upward(&self, next: u64) -> Arrived {
        let mut arrived = Arrived::nothing_beyond(next);
        let mut numbers = self.numbers.iter().map(|number| u64::from(*number));
        let mut bottom = next + numbers.next().map_or(0, |begin| begin.saturating_sub(1));
        arrived.known.start = bottom;
        while let Some(missing) = numbers.next() {
            bottom += missing;
            if let Some(received) = numbers.next() {
                arrived.ranges.push(bottom..bottom + received);
                bottom += received;
                arrived.end = bottom;
            }
        }
        arrived.known.end = bottom;
        arrived
    }
}

/// What feedback says beyond the first missing frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arrived {
    /// Of these everything is known; of the others, that the first one is missing.
    pub(crate) known: Range<u64>,
    /// One past the highest frame of which it says that it has arrived.
    pub(crate) end: u64,
    /// What has arrived.
    pub(crate) ranges: ArrayVec<Range<u64>, { MOST_RUNS_ALONE / 2 + 1 }>,
}

impl Arrived {
    /// Whether it says what became of a frame.
    pub(crate) fn tells_of(&self, number: u64, next: u64) -> bool {
        number == next || self.known.contains(&number)
    }

    pub(crate) fn nothing_beyond(next: u64) -> Self {
        Self { known: next..u64::MAX, end: next, ranges: ArrayVec::new() }
    }
}

/// By how many transmissions one may come late that is not lost: a class, which the receiver learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Lateness {
    /// The link keeps its order.
    #[default]
    None,
    /// By up to 4.
    Few,
    /// By up to 32.
    Some,
    /// By up to 256.
    Many,
}

impl Lateness {
    pub(crate) const fn from_bits(bits: u64) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Few,
            2 => Self::Some,
            _ => Self::Many,
        }
    }

    pub(crate) const fn bits(self) -> u64 {
        match self {
            Self::None => 0,
            Self::Few => 1,
            Self::Some => 2,
            Self::Many => 3,
        }
    }

    /// The class of one that came so many transmissions late.
    pub(crate) const fn of(transmissions: u64) -> Self {
        match transmissions {
            0 => Self::None,
            1..=4 => Self::Few,
            5..=32 => Self::Some,
            _ => Self::Many,
        }
    }

    /// How many.
    pub(crate) const fn transmissions(self) -> u64 {
        match self {
            Self::None => 0,
            Self::Few => 4,
            Self::Some => 32,
            Self::Many => 256,
        }
    }
}
