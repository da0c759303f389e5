//! A recorded rate: steps of a length and a rate each, one after the other.

use crate::recorded::{Trace, TraceEnd, TraceError, TraceStep};
use alloc::string::String;
use alloc::vec::Vec;
use arqway_units::{BitRate, Octets, Span, Time, UnitError, positive_span};
use serde::{Deserialize, Serialize};

/// A period at one rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RateStep {
    /// The duration.
    #[serde(rename = "for", deserialize_with = "positive_span")]
    pub length: Span,
    /// The rate.
    pub rate: StepRate,
}

/// The rate of a step; an outage is one of 0 bit/s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StepRate(pub Option<BitRate>);

impl TryFrom<String> for StepRate {
    type Error = UnitError;
    fn try_from(text: String) -> Result<Self, UnitError> {
        BitRate::read_or_zero(&text).map(Self)
    }
}

impl From<StepRate> for String {
    fn from(rate: StepRate) -> Self {
        rate.0.map_or_else(|| Self::from("0 bit/s"), |rate| alloc::format!("{rate}"))
    }
}

/// The file of a recorded rate.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RateFile {
    /// The file, relative to the experiment.
    pub file: String,
    /// What its lines are.
    #[serde(default)]
    pub format: RateFormat,
}

/// What the lines of a recorded rate are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), derive(serde::Serialize))]
#[serde(rename_all = "kebab-case")]
pub enum RateFormat {
    /// Steps such as `10 s, 64 kbit/s`.
    #[default]
    Steps,
    /// Milliseconds at which 1,500 octets can be sent, as Mahimahi's link shells read them.
    Mahimahi,
}

impl TraceStep for RateStep {
    type Constant = BitRate;
    type File = RateFile;
    const EXPECTED: &'static str =
        "a rate such as \"64 kbit/s\", { kind = \"trace\", steps = [...] } or { kind = \"wandering\" }";
    const EXPECTED_STEPS: &'static str =
        "a list of steps { for = \"10 s\", rate = \"64 kbit/s\" }, or { file = \"drive.rates\" }";

    fn length(&self) -> Span {
        self.length
    }

    fn check(steps: &[Self]) -> Result<(), TraceError> {
        if steps.iter().all(|step| step.rate.0.is_none()) { Err(TraceError::Silent) } else { Ok(()) }
    }
}

impl Trace<RateStep> {
    /// The mean rate over the recording.
    #[must_use]
    pub fn mean(&self) -> BitRate {
        BitRate::from_bits_per_second(self.mean_of(|step| bits_per_second(*step))).unwrap_or(BitRate::MINIMUM)
    }
}

fn bits_per_second(step: RateStep) -> u64 {
    step.rate.0.map_or(0, BitRate::as_bits_per_second)
}

/// The area under a step, in bits times 10^9.
fn area_of(step: RateStep) -> u128 {
    u128::from(bits_per_second(step)) * u128::from(step.length.as_nanoseconds())
}

/// The clock of a transmitter whose rate follows a recording.
#[derive(Debug)]
pub(crate) struct TracePacer {
    stages: Vec<Stage>,
    at_end: TraceEnd,
    /// The length of the recording, in nanoseconds.
    period: u64,
    /// The area under it, in bits times 10^9.
    area: u128,
    /// What the last frame's rounding cut off, in bits times 10^9.
    remainder: u128,
}

/// A step, placed.
#[derive(Debug, Clone, Copy)]
struct Stage {
    /// Nanoseconds from the recording's start to the end of the step.
    end: u64,
    /// The area from the recording's start to the end of the step.
    area: u128,
    rate: u128,
}

/// A bit, in the unit of areas: rates are per second, lengths in nanoseconds.
const BIT: u128 = 1_000_000_000;

impl TracePacer {
    pub(super) fn new(trace: &Trace<RateStep>) -> Self {
        let (mut end, mut area) = (0u64, 0u128);
        let place = |step: &RateStep| {
            end = end.saturating_add(step.length.as_nanoseconds());
            area = area.saturating_add(area_of(*step));
            Stage { end, area, rate: bits_per_second(*step).into() }
        };
        let stages: Vec<Stage> = trace.steps().iter().map(place).collect();
        Self { stages, at_end: trace.at_end(), period: end, area, remainder: 0 }
    }

    /// When the last bit of a load has gone out whose first bit goes out now; [`Time::MAX`] if never.
    pub(super) fn departure(&mut self, size: Octets, now: Time) -> Time {
        let mut need = u128::from(size.as_bits()) * BIT + self.remainder;
        let mut time = now.as_nanoseconds();
        if self.at_end == TraceEnd::Repeat {
            // However slow the link: whole rounds of the recording are skipped, one at most is walked through.
            let rounds = need.saturating_sub(1) / self.area.max(1);
            need -= rounds * self.area;
            let skipped = rounds.saturating_mul(u128::from(self.period));
            time = time.saturating_add(u64::try_from(skipped).unwrap_or(u64::MAX));
        }
        let (mut phase, mut stage) = self.place(time);
        loop {
            let Stage { end, rate, .. } = self.stages[stage];
            let last_holds = self.at_end == TraceEnd::Hold && stage + 1 == self.stages.len();
            let left = if last_holds { u64::MAX - time } else { end - phase };
            if time == u64::MAX || (last_holds && rate == 0) {
                return Time::MAX;
            }
            let room = rate * u128::from(left);
            if need <= room {
                self.remainder = need % rate.max(1);
                let rest = u64::try_from(need / rate.max(1)).unwrap_or(u64::MAX);
                return Time::from_nanoseconds(time.saturating_add(rest));
            }
            need -= room;
            time = time.saturating_add(left);
            (phase, stage) = if stage + 1 < self.stages.len() { (end, stage + 1) } else { (0, 0) };
        }
    }

    /// The area under the rate between two times, in bits times 10^9.
    pub(super) fn area_between(&self, from: Time, to: Time) -> u128 {
        self.area_until(to.as_nanoseconds()).saturating_sub(self.area_until(from.as_nanoseconds()))
    }

    fn area_until(&self, time: u64) -> u128 {
        let (phase, stage) = self.place(time);
        let Stage { end, area, rate } = self.stages[stage];
        let rounds = match self.at_end {
            TraceEnd::Repeat => time / self.period.max(1),
            TraceEnd::Hold => 0,
        };
        let of_round = if phase < end {
            area.saturating_sub(rate * u128::from(end - phase))
        } else {
            area.saturating_add(rate * u128::from(phase - end))
        };
        of_round.saturating_add(self.area.saturating_mul(rounds.into()))
    }

    /// Where in the recording a time lies, and in which of its steps.
    fn place(&self, time: u64) -> (u64, usize) {
        let phase = self.at_end.phase(time, self.period);
        let stage = self.stages.partition_point(|stage| stage.end <= phase);
        (phase, stage.min(self.stages.len() - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn step(milliseconds: u64, bits_per_second: u64) -> RateStep {
        let rate = StepRate(BitRate::from_bits_per_second(bits_per_second));
        RateStep { length: Span::from_milliseconds(milliseconds), rate }
    }

    fn pacer(steps: &[RateStep], at_end: TraceEnd) -> TracePacer {
        TracePacer::new(&Trace::new(steps, at_end).expect("steps"))
    }

    fn milliseconds(time: Time) -> f64 {
        time.as_seconds() * 1e3
    }

    #[test]
    fn a_frame_goes_on_at_the_new_rate_and_waits_through_an_outage() {
        let steps = [step(100, 8000), step(50, 0), step(100, 16_000)];
        let mut pacer = pacer(&steps, TraceEnd::Repeat);
        // 800 bits in the first step, 200 more at twice the rate behind the outage.
        assert_eq!(milliseconds(pacer.departure(Octets::new(125), Time::ZERO)), 162.5);
        // 2,400 bits a round: ten rounds and half of the first step.
        let long = pacer.departure(Octets::new(3050), Time::ZERO);
        assert_eq!(milliseconds(long), 10.0 * 250.0 + 50.0);
        // Just what is left of a round ends where its last step with a rate ends.
        let rest = pacer.departure(Octets::new(300), Time::ZERO);
        assert_eq!(milliseconds(rest), 250.0);
    }

    #[test]
    fn the_last_rate_stays_where_the_trace_holds_and_an_outage_may_be_for_good() {
        let mut faster = pacer(&[step(100, 8000), step(1, 16_000)], TraceEnd::Hold);
        assert_eq!(milliseconds(faster.departure(Octets::new(300), Time::ZERO)), 200.0);
        let late = Time::ZERO + Span::from_milliseconds(5000);
        assert_eq!(milliseconds(faster.departure(Octets::new(200), late)), 5100.0);
        let mut gone = pacer(&[step(100, 8000), step(1, 0)], TraceEnd::Hold);
        assert_eq!(milliseconds(gone.departure(Octets::new(100), Time::ZERO)), 100.0);
        assert_eq!(gone.departure(Octets::new(1), Time::ZERO + Span::from_milliseconds(100)), Time::MAX);
    }

    #[test]
    fn the_mean_is_the_area_over_the_length() {
        let trace = Trace::new([step(100, 8000), step(100, 0), step(200, 16_000)].as_slice(), TraceEnd::Repeat);
        assert_eq!(trace.map(|trace| trace.mean().as_bits_per_second()), Ok(10_000));
    }

    #[test]
    fn a_trace_that_never_sends_is_refused() {
        assert_eq!(Trace::<RateStep>::new([].as_slice(), TraceEnd::Repeat), Err(TraceError::Empty));
        assert_eq!(Trace::new([step(1, 0)].as_slice(), TraceEnd::Hold), Err(TraceError::Silent));
    }

    #[test]
    fn steps_of_any_length_and_any_rate_have_a_mean_and_can_be_sent_over() {
        let largest = RateStep {
            length: Span::from_nanoseconds(9_000_000_000_000_000_000),
            rate: StepRate(BitRate::from_bits_per_second(9_000_000_000_000_000_000)),
        };
        let trace = Trace::new([largest; 6].as_slice(), TraceEnd::Repeat).expect("steps");
        assert!(trace.mean().as_bits_per_second() > 0);
        assert_eq!(TracePacer::new(&trace).departure(Octets::new(250), Time::ZERO), Time::ZERO);
    }

    /// The bits that a recording carries until a time, by adding up its steps one by one.
    fn area_until(steps: &[RateStep], until: Time) -> f64 {
        let (mut at, mut bits) = (0, 0.0);
        for step in steps.iter().cycle() {
            let left = until.as_nanoseconds() - at;
            let length = step.length.as_nanoseconds().min(left);
            bits += bits_per_second(*step) as f64 * length as f64 / 1e9;
            at += length;
            if at >= until.as_nanoseconds() {
                return bits;
            }
        }
        bits
    }

    proptest! {
        #[test]
        fn frames_back_to_back_carry_the_area_under_the_rate(
            lengths in proptest::collection::vec((1u64..400, 0u64..100_000), 1..8),
            sizes in proptest::collection::vec(1u64..2000, 1..60),
        ) {
            let mut steps: Vec<RateStep> = lengths.iter().map(|(length, rate)| step(*length, *rate)).collect();
            steps.push(step(10, 1000));
            let mut pacer = pacer(&steps, TraceEnd::Repeat);
            let (mut now, mut bits) = (Time::ZERO, 0);
            for size in sizes {
                let departure = pacer.departure(Octets::new(size), now);
                prop_assert!(departure > now);
                (now, bits) = (departure, bits + size * 8);
            }
            // A frame ends at most a nanosecond early, and the next one makes good for it.
            let (area, fastest) = (area_until(&steps, now), 100_000.0 / 1e9);
            let half = Time::from_nanoseconds(now.as_nanoseconds() / 2);
            let in_halves = pacer.area_between(Time::ZERO, half) + pacer.area_between(half, now);
            prop_assert!((in_halves as f64 / 1e9 - area).abs() < 1e-6, "{} for {}", in_halves, area);
            prop_assert!(area <= bits as f64 + 1e-6 && area >= bits as f64 - fastest - 1e-6, "{} of {}", area, bits);
        }
    }
}
