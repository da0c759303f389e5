//! How long a frame is on its way after its last bit has gone out: always the same, or as a recording says.
//!
//! ```text
//!     delay = "50 ms"
//!
//!     delay = { kind = "trace", steps = [          ms  40 |         +----+
//!         { for = "15 s", delay = "22 ms" },               |    +----+    |    +----
//!         { for = "15 s", delay = "31 ms" },            20 |----+         +----+
//!         { for = "15 s", delay = "38 ms" },                +----+----+----+----+----> time
//!     ] }
//! ```
//!
//! The step in which its last bit goes out decides a frame's delay. A link is first in, first out: where the delay falls, a
//! frame waits for those before it, and arrives together with the last of them at the earliest.

use crate::recorded::{Recorded, Trace, TraceEnd, TraceStep};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use arqway_units::{Span, Time, positive_span};
use serde::{Deserialize, Serialize};

/// The delay of a line: a length of time, or `{ kind = "trace", steps = ... }`.
pub type Delay = Recorded<DelayStep>;

/// A delay that changes with time.
pub type DelayTrace = Trace<DelayStep>;

/// A period of one delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DelayStep {
    /// The duration.
    #[serde(rename = "for", deserialize_with = "positive_span")]
    pub length: Span,
    /// The delay of frames whose last bit goes out then.
    pub delay: Span,
}

/// The file of a recorded delay.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DelayFile {
    /// The file, relative to the experiment.
    pub file: String,
}

impl TraceStep for DelayStep {
    type Constant = Span;
    type File = DelayFile;
    const EXPECTED: &'static str = "a delay or { kind = \"trace\", steps = [...] }, such as \"50 ms\"";
    const EXPECTED_STEPS: &'static str =
        "a list of steps { for = \"15 s\", delay = \"22 ms\" }, or { file = \"drive.delays\" }";

    fn length(&self) -> Span {
        self.length
    }
}

impl Delay {
    /// The mean delay.
    #[must_use]
    pub fn mean(&self) -> Span {
        match self {
            Self::Constant(delay) => *delay,
            Self::Trace(trace) => Span::from_nanoseconds(trace.mean_of(|step| step.delay.as_nanoseconds())),
        }
    }

    /// The longest delay.
    #[must_use]
    pub fn longest(&self) -> Span {
        match self {
            Self::Constant(delay) => *delay,
            Self::Trace(trace) => trace.steps().iter().map(|step| step.delay).max().unwrap_or_default(),
        }
    }
}

impl From<Span> for Delay {
    fn from(delay: Span) -> Self {
        Self::Constant(delay)
    }
}

/// The way behind a transmitter.
#[derive(Debug)]
pub(crate) enum Propagation {
    /// With a delay that stays.
    Constant(Span),
    /// With one that changes.
    Trace(Box<TracedWay>),
}

impl Propagation {
    pub(crate) fn new(delay: &Delay) -> Self {
        match delay {
            Delay::Constant(delay) => Self::Constant(*delay),
            Delay::Trace(trace) => Self::Trace(Box::new(TracedWay::new(trace))),
        }
    }

    /// When a frame is at the other end whose last bit goes out at `departure`; frames come in the order of time.
    #[inline]
    pub(crate) fn arrival(&mut self, departure: Time) -> Time {
        match self {
            Self::Constant(delay) => departure + *delay,
            Self::Trace(way) => way.arrival(departure),
        }
    }
}

/// A way whose delay follows a recording.
#[derive(Debug)]
pub(crate) struct TracedWay {
    /// The end of each step in nanoseconds from the recording's start, and its delay.
    steps: Vec<(u64, Span)>,
    at_end: TraceEnd,
    /// The length of the recording, in nanoseconds.
    period: u64,
    /// When the last frame arrives.
    last: Time,
}

impl TracedWay {
    fn new(trace: &DelayTrace) -> Self {
        let mut end = 0u64;
        let place = |step: &DelayStep| {
            end = end.saturating_add(step.length.as_nanoseconds());
            (end, step.delay)
        };
        let steps = trace.steps().iter().map(place).collect();
        Self { steps, at_end: trace.at_end(), period: end, last: Time::ZERO }
    }

    fn arrival(&mut self, departure: Time) -> Time {
        let phase = self.at_end.phase(departure.as_nanoseconds(), self.period);
        let step = self.steps.partition_point(|(end, _)| *end <= phase);
        let delay = self.steps.get(step).or(self.steps.last()).map_or(Span::ZERO, |(_, delay)| *delay);
        self.last = self.last.max(departure + delay);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(milliseconds: u64) -> Span {
        Span::from_milliseconds(milliseconds)
    }

    fn delay(steps: &[(u64, u64)], at_end: TraceEnd) -> Delay {
        let step =
            |(length, delay): &(u64, u64)| DelayStep { length: milliseconds(*length), delay: milliseconds(*delay) };
        let steps: Vec<DelayStep> = steps.iter().map(step).collect();
        Delay::Trace(Trace::new(steps, at_end).expect("steps"))
    }

    /// When frames arrive that leave at these milliseconds.
    fn arrivals(delay: &Delay, departures: &[u64]) -> Vec<u64> {
        let mut way = Propagation::new(delay);
        let arrival = |departure: &u64| way.arrival(Time::ZERO + milliseconds(*departure)).as_nanoseconds() / 1_000_000;
        departures.iter().map(arrival).collect()
    }

    #[test]
    fn the_step_in_which_the_last_bit_goes_out_decides_and_the_recording_starts_again_or_stays() {
        let steps = [(100, 20), (50, 30), (100, 40)];
        assert_eq!(
            arrivals(&delay(&steps, TraceEnd::Repeat), &[0, 99, 100, 149, 150, 300, 351]),
            [20, 119, 130, 179, 190, 320, 381]
        );
        assert_eq!(arrivals(&delay(&steps, TraceEnd::Hold), &[249, 250, 1000]), [289, 290, 1040]);
    }

    #[test]
    fn where_the_delay_falls_a_frame_waits_for_those_before_it() {
        let falls = delay(&[(100, 40), (100, 10)], TraceEnd::Hold);
        assert_eq!(arrivals(&falls, &[99, 100, 120, 129, 130]), [139, 139, 139, 139, 140]);
    }

    #[test]
    fn a_delay_has_a_mean_over_its_recording_and_a_longest() {
        let trace = delay(&[(100, 20), (300, 40)], TraceEnd::Repeat);
        assert_eq!((trace.mean(), trace.longest()), (milliseconds(35), milliseconds(40)));
        let constant = Delay::from(milliseconds(7));
        assert_eq!((constant.mean(), constant.longest()), (milliseconds(7), milliseconds(7)));
    }

    #[test]
    fn steps_of_any_length_and_any_delay_have_a_mean_and_can_be_sent_over() {
        let longest = DelayStep { length: Span::from_nanoseconds(u64::MAX), delay: Span::from_nanoseconds(u64::MAX) };
        let trace = Delay::Trace(Trace::new([longest; 6].as_slice(), TraceEnd::Repeat).expect("steps"));
        assert!(trace.mean() > Span::ZERO);
        assert_eq!(Propagation::new(&trace).arrival(Time::ZERO + milliseconds(1)), Time::MAX);
        assert_eq!(DelayTrace::new([].as_slice(), TraceEnd::Hold), Err(crate::TraceError::Empty));
    }
}
