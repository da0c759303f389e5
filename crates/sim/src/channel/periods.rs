//! Good and bad periods of a link, and what they make of a frame that is sent across them.
//!
//! ```text
//!     state   good ------------+          +--------------- good
//!                              +--- bad --+
//!     frame              |===========|          lost with probability 1 - (1 - Eg)^(bits here) (1 - Eb)^(bits there)
//! ```
//!
//! A frame counts its bits in each state exactly, also where it only grazes a bad period: with the state sampled once a
//! frame, the short bad periods of monet08 would not give the frame loss rates that it prints. Where the rate changes, bits
//! lie closer at the higher rate, and there are none in an outage.

use crate::kernel::Random;
use crate::rate::Clock;
use arqway_units::{Ratio, Span, Time, ToFloat};

/// How long a period is: exponential, of one of two means.
#[derive(Debug, Clone, Copy)]
pub(super) struct PeriodLength {
    pub(super) short: Span,
    pub(super) long: Span,
    /// The share of the periods that have the longer mean.
    pub(super) long_share: Ratio,
}

impl PeriodLength {
    /// Of one mean.
    pub(super) fn exponential(mean: Span) -> Self {
        Self { short: mean, long: mean, long_share: Ratio::ZERO }
    }

    fn draw(&self, random: &mut Random) -> Span {
        let long = self.long_share.as_f64();
        if long == 0.0 {
            return random.exponential_span(self.short);
        }
        // One draw says both which mean and how long: what it is beyond the choice is uniform again.
        let drawn = random.uniform();
        let (mean, rest) =
            if drawn < long { (self.long, drawn / long) } else { (self.short, (drawn - long) / (1.0 - long)) };
        Span::from_seconds(-mean.as_seconds() * libm::log1p(-rest))
    }
}

/// The law of an error model that goes between good and bad periods.
#[derive(Debug, Clone, Copy)]
pub(super) struct Switching {
    pub(super) good: PeriodLength,
    pub(super) bad: PeriodLength,
    /// The bit error rate in a good period.
    pub(super) good_bit_errors: Ratio,
    /// The bit error rate in a bad period.
    pub(super) bad_bit_errors: Ratio,
}

/// The random numbers of one direction: one stream for its periods, one for its frames' fates, so that both schemes of a
/// pair meet the same periods however many frames they send.
#[derive(Debug)]
pub(super) struct Periods {
    lengths: [PeriodLength; 2],
    /// The logarithms of the probability that a bit is right, in good periods and in bad ones.
    log_right: [f64; 2],
    holding: Random,
    fates: Random,
    is_bad: bool,
    /// When the present period ends.
    until: Time,
}

impl Periods {
    /// A link that begins with a good period, as ns-2's does.
    pub(super) fn new(law: Switching, mut holding: Random, fates: Random) -> Self {
        let until = Time::ZERO + law.good.draw(&mut holding);
        let log_right = [law.good_bit_errors, law.bad_bit_errors].map(|errors| libm::log1p(-errors.as_f64()));
        Self { lengths: [law.good, law.bad], log_right, holding, fates, is_bad: false, until }
    }

    /// Whether a frame that is on the line from `start` to `end`, sent by this clock, arrives; frames come in the order of
    /// time.
    pub(super) fn carries(&mut self, start: Time, end: Time, bits: u64, clock: &Clock) -> bool {
        let in_bad = self.bad_share(start, end, clock);
        let [good, bad] = self.log_right;
        // Without bad bits a certain error there must not count: 0 * -infinity is not a number.
        let of_bad = if in_bad > 0.0 { in_bad * bad } else { 0.0 };
        let of_good = if in_bad < 1.0 { (1.0 - in_bad) * good } else { 0.0 };
        self.fates.uniform() < libm::exp(bits.to_f64() * (of_bad + of_good))
    }

    /// Which share of what goes out in a time lies in bad periods; later calls are about later times.
    fn bad_share(&mut self, start: Time, end: Time, clock: &Clock) -> f64 {
        self.advance(start);
        let (mut from, mut bad) = (start, 0);
        while self.until < end {
            bad += self.bad_until(from, self.until, clock);
            from = self.until;
            self.advance(from);
        }
        bad += self.bad_until(from, end, clock);
        let all = clock.amount(start, end);
        if all > 0 { (bad.to_f64() / 1e9) / (all.to_f64() / 1e9) } else { f64::from(u8::from(self.is_bad)) }
    }

    fn bad_until(&self, from: Time, to: Time, clock: &Clock) -> u128 {
        if self.is_bad { clock.amount(from, to) } else { 0 }
    }

    /// Goes on to the period that `time` lies in.
    fn advance(&mut self, time: Time) {
        while self.until <= time {
            self.is_bad = !self.is_bad;
            self.until += self.lengths[usize::from(self.is_bad)].draw(&mut self.holding);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::two_state::TwoState;
    use crate::kernel::Streams;
    use crate::rate::{Rate, RateStep, StepRate};
    use crate::recorded::{Trace, TraceEnd};
    use arqway_units::BitRate;

    fn periods(settings: TwoState) -> Periods {
        let streams = Streams::new(5, 0);
        Periods::new(settings.switching(), streams.stream("holding"), streams.stream("fates"))
    }

    fn monet08(bad_seconds: f64) -> TwoState {
        TwoState {
            good: Span::from_seconds(10.0),
            bad: Span::from_seconds(bad_seconds),
            good_bit_errors: Ratio::new(1e-6).expect("a share"),
            bad_bit_errors: Ratio::new(1e-2).expect("a share"),
        }
    }

    #[test]
    fn periods_have_their_means_and_forget_exponentially() {
        let settings = TwoState { good: Span::from_seconds(3.0), ..monet08(1.0) };
        let mut periods = periods(settings);
        let (step, lag) = (0.1, 5);
        let samples: std::vec::Vec<bool> = (0..4_000_000u32)
            .map(|index| {
                periods.advance(Time::ZERO + Span::from_seconds(f64::from(index) * step));
                periods.is_bad
            })
            .collect();
        let share = |of: &dyn Fn(usize) -> bool| {
            (0..samples.len() - lag).filter(|index| of(*index)).count() as f64 / (samples.len() - lag) as f64
        };
        let bad = share(&|index| samples[index]);
        assert!((bad - 0.25).abs() < 0.006, "{bad}");
        let both = share(&|index| samples[index] && samples[index + lag]);
        let correlation = (both - bad * bad) / (bad * (1.0 - bad));
        let exact = libm::exp(-(1.0 / 3.0 + 1.0) * step * lag as f64);
        assert!((correlation - exact).abs() < 0.01, "{correlation} for {exact}");
        let changes = samples.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        // A cycle takes 4 s; one in 15 bad or good periods falls between two samples and is not seen.
        assert!((samples.len() as f64 * step / changes / 4.0 - 1.0).abs() < 0.09, "{changes}");
    }

    #[test]
    fn a_certain_error_in_bad_periods_spares_frames_between_them() {
        let settings = TwoState { bad_bit_errors: Ratio::ONE, good_bit_errors: Ratio::ZERO, ..monet08(1.0) };
        let mut periods = periods(settings);
        let first_good = periods.until;
        let steady = Clock::steady(BitRate::MINIMUM);
        assert!(periods.carries(Time::ZERO, Time::from_nanoseconds(1), 1000, &steady));
        assert!(!periods.carries(first_good, first_good + Span::from_nanoseconds(1), 1000, &steady));
    }

    #[test]
    fn a_bad_period_within_an_outage_harms_no_frame() {
        let settings = TwoState { bad_bit_errors: Ratio::ONE, good_bit_errors: Ratio::ZERO, ..monet08(1.0) };
        let mut ahead = periods(settings);
        let bad_from = ahead.until;
        ahead.advance(bad_from);
        let bad_to = ahead.until;
        let fast = StepRate(BitRate::from_bits_per_second(1_000_000));
        let steps = [
            RateStep { length: bad_from.since(Time::ZERO), rate: fast },
            RateStep { length: bad_to - bad_from, rate: StepRate(None) },
            RateStep { length: Span::from_seconds(1.0), rate: fast },
        ];
        let recorded = Rate::Trace(Trace::new(steps.as_slice(), TraceEnd::Hold).expect("steps"));
        // Half of it goes out before the link is bad, half behind.
        let half = Span::from_nanoseconds(500_000);
        let start = Time::ZERO + (bad_from.since(Time::ZERO) - half);
        let carries = |rate: &Rate| {
            periods(settings).carries(
                start,
                bad_to + half,
                1000,
                &Clock::new(rate, || Streams::new(1, 0).stream("rate")),
            )
        };
        assert!(carries(&recorded));
        assert!(!carries(&Rate::Constant(BitRate::MINIMUM)), "at a steady rate some of its bits would be sent there");
    }
}
