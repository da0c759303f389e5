//! A rate that wanders at random, with outages: a cellular link as Winstein, Sivaraman and Balakrishnan describe it (*Stochastic
//! Forecasts Achieve High Throughput and Low Delay over Cellular Networks*, NSDI 2013, Section 3).
//!
//! ```text
//!     mean rate   ^   .~'~.        .~~.  .-    Brownian motion between 0 and `most`; where it comes to 0, an outage
//!                 |.~'     '~.  .~'    ''      of an exponential length
//!                 +-----------''-------------> time
//!     deliveries  | | || |  |      | | |||     a Poisson process of that rate; each carries `opportunity`
//! ```
//!
//! The mean rate takes a step each 20 ms, as in the paper. An opportunity is used in the millisecond that ends with it, like a line of
//! [Mahimahi's files](super::RateFormat::Mahimahi); what is not used is gone. The course does not depend on what is sent, so in one
//! replication all schemes meet the same one.

use crate::kernel::Random;
use alloc::collections::VecDeque;
use arqway_units::{BitRate, Octets, Span, Time, ToFloat, truncate};
use core::f64::consts::PI;
use serde::{Deserialize, Serialize};

/// The settings of a wandering rate; unless said otherwise those that the paper uses for all networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Wandering {
    /// The highest mean rate.
    pub most: BitRate,
    /// By how much the mean rate has changed after a second: its standard deviation.
    pub volatility: BitRate,
    /// How long an outage lasts on average.
    pub outage: Span,
    /// What each delivery carries.
    pub opportunity: Octets,
}

impl Default for Wandering {
    /// At most 1,000 packets of 1,500 octets a second, 200 of them more or less after a second, outages of a second.
    fn default() -> Self {
        let rate = |bits| BitRate::from_bits_per_second(bits).unwrap_or(BitRate::MINIMUM);
        Self {
            most: rate(12_000_000),
            volatility: rate(2_400_000),
            outage: Span::from_milliseconds(1000),
            opportunity: Octets::new(1500),
        }
    }
}

/// The mean rate stays for so long.
const TICK: Span = Span::from_milliseconds(20);
/// Deliveries are counted by the millisecond.
const SLOT: u64 = 1_000_000;
const SLOTS: u64 = TICK.as_nanoseconds() / SLOT;
/// So many deliveries may come in a millisecond at most: their distribution is added up term by term.
const MOST_A_SLOT: f64 = 500.0;

/// Settings that make no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WanderingError {
    /// Nothing would be carried, or too much for a packet.
    #[error("an opportunity of {0}: expected 1 to 65535 octets")]
    Opportunity(Octets),
    /// None would ever end, or begin.
    #[error("an outage of 0 s: expected its mean length, such as 1 s")]
    Outage,
    /// Too many opportunities to draw.
    #[error("`most` is more than 500 opportunities a millisecond: expected less, or a larger `opportunity`")]
    Most,
    /// One step would go from one end to the other.
    #[error("`volatility` is so large that a step of 20 ms is more than a quarter of `most`")]
    Volatility,
}

impl Wandering {
    /// The same settings, if they make a rate.
    ///
    /// # Errors
    /// They do not.
    pub(super) fn checked(self) -> Result<Self, WanderingError> {
        if !(1..=65_535).contains(&self.opportunity.as_u64()) {
            return Err(WanderingError::Opportunity(self.opportunity));
        }
        if self.outage == Span::ZERO {
            return Err(WanderingError::Outage);
        }
        let Scale { most, step } = self.scale();
        if most > MOST_A_SLOT {
            return Err(WanderingError::Most);
        }
        if step > most / 4.0 { Err(WanderingError::Volatility) } else { Ok(self) }
    }

    /// The mean rate in the long run, outages included: half of `most` while there is none, since reflected steps leave each rate equally
    /// likely.
    #[must_use]
    pub fn mean(&self) -> BitRate {
        let mean = self.most.as_bits_per_second().to_f64() / 2.0 * (1.0 - self.share_of_outages());
        BitRate::from_bits_per_second(truncate(mean)).unwrap_or(BitRate::MINIMUM)
    }

    /// The share of time in outages: a step leads below 0 so often, and then it lasts a geometric number of ticks.
    #[must_use]
    pub fn share_of_outages(&self) -> f64 {
        let Scale { most, step } = self.scale();
        let begins = step / (most * libm::sqrt(2.0 * PI));
        let ticks = 1.0 / -libm::expm1(-TICK.as_seconds() / self.outage.as_seconds());
        ticks / (ticks + 1.0 / begins)
    }

    fn scale(&self) -> Scale {
        let a_slot = |rate: BitRate| {
            rate.as_bits_per_second().to_f64() * (SLOT.to_f64() / 1e9) / self.opportunity.as_bits().to_f64()
        };
        Scale { most: a_slot(self.most), step: a_slot(self.volatility) * libm::sqrt(TICK.as_seconds()) }
    }
}

/// In deliveries a millisecond: the highest mean rate, and the standard deviation of a step.
#[derive(Debug, Clone, Copy)]
struct Scale {
    most: f64,
    step: f64,
}

/// The clock of a transmitter whose rate wanders.
#[derive(Debug)]
pub(crate) struct WanderingPacer {
    scale: Scale,
    outage: f64,
    /// The bits of an opportunity.
    bits: u128,
    random: Random,
    /// The mean rate, in deliveries a millisecond.
    mean: f64,
    /// Ticks that an outage still lasts.
    out: u64,
    /// The deliveries of the milliseconds from this one on.
    first: u64,
    slots: VecDeque<u32>,
    /// What the last frame's rounding cut off, in bits times the nanoseconds of a slot.
    remainder: u128,
}

impl WanderingPacer {
    pub(super) fn new(settings: &Wandering, mut random: Random) -> Self {
        let scale = settings.scale();
        Self {
            mean: scale.most * random.uniform(),
            scale,
            outage: settings.outage.as_seconds() / TICK.as_seconds(),
            bits: settings.opportunity.as_bits().into(),
            random,
            out: 0,
            first: 0,
            slots: VecDeque::new(),
            remainder: 0,
        }
    }

    /// When the last bit of a load has gone out whose first bit goes out now; [`Time::MAX`] if not in any time that counts.
    pub(super) fn departure(&mut self, size: Octets, now: Time) -> Time {
        let mut time = now.as_nanoseconds();
        self.forget_before(time / SLOT);
        let mut need = u128::from(size.as_bits()) * u128::from(SLOT) + self.remainder;
        loop {
            let slot = time / SLOT;
            let Some(end) = slot.checked_add(1).and_then(|next| next.checked_mul(SLOT)) else { return Time::MAX };
            let rate = u128::from(self.deliveries(slot)) * self.bits;
            let room = rate * u128::from(end - time);
            if rate > 0 && need <= room {
                self.remainder = need % rate;
                return Time::from_nanoseconds(time + u64::try_from(need / rate).unwrap_or(SLOT));
            }
            need -= room;
            time = end;
        }
    }

    /// What goes out between two times of the frame that is being sent, in bits times the nanoseconds of a slot.
    pub(super) fn area_between(&self, from: Time, to: Time) -> u128 {
        let (from, to) = (from.as_nanoseconds(), to.as_nanoseconds());
        let of_slot = |slot: u64| {
            let index = slot.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
            let rate = index.and_then(|index| self.slots.get(index)).map_or(0, |count| u128::from(*count) * self.bits);
            let (begin, end) = (from.max(slot * SLOT), to.min((slot + 1) * SLOT));
            rate * u128::from(end.saturating_sub(begin))
        };
        let last = (to / SLOT).min(self.first + arqway_units::count(self.slots.len()));
        ((from / SLOT)..=last).map(of_slot).sum()
    }

    fn forget_before(&mut self, slot: u64) {
        while self.first < slot && self.slots.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// The deliveries of a millisecond that is not forgotten.
    fn deliveries(&mut self, slot: u64) -> u32 {
        loop {
            let index = slot.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
            if let Some(count) = index.and_then(|index| self.slots.get(index)) {
                return *count;
            }
            let next = self.first + arqway_units::count(self.slots.len());
            if next > 0 && next.is_multiple_of(SLOTS) {
                self.step();
            }
            let mean = if self.out > 0 { 0.0 } else { self.mean };
            self.slots.push_back(poisson(mean, self.random.uniform()));
            if next < slot && next == self.first {
                // Nobody sends: what goes unused is not kept.
                self.slots.pop_front();
                self.first += 1;
            }
        }
    }

    /// The mean rate of the next tick.
    fn step(&mut self) {
        if self.out > 0 {
            self.out -= 1;
            return;
        }
        let next = self.mean + self.scale.step * normal(self.random.uniform());
        self.mean = if next > self.scale.most { 2.0 * self.scale.most - next } else { libm::fabs(next) };
        if next <= 0.0 {
            self.out = truncate(self.random.exponential(self.outage)).saturating_add(1);
        }
    }
}

/// The Poisson variate of this mean at this quantile, by inversion.
fn poisson(mean: f64, quantile: f64) -> u32 {
    let mut term = libm::exp(-mean);
    let (mut sum, mut count) = (term, 0u32);
    while quantile >= sum && term > 0.0 {
        count += 1;
        term *= mean / f64::from(count);
        sum += term;
        // Rounding may leave the sum below the last quantiles.
        if f64::from(count) > mean && term < f64::EPSILON {
            break;
        }
    }
    count
}

/// The standard normal variate at this quantile, by inversion: algorithm AS 241 of M. J. Wichura (Applied Statistics 37, 1988), in its
/// version of seven figures.
fn normal(quantile: f64) -> f64 {
    let central = quantile - 0.5;
    if libm::fabs(central) <= 0.425 {
        let r = 0.180_625 - central * central;
        return central * polynomial(&[3.387_132_717_9, 50.434_271_938, 159.291_132_02, 59.109_374_720], r)
            / polynomial(&[1.0, 17.895_169_469, 78.757_757_664, 67.187_563_600], r);
    }
    let tail = if central < 0.0 { quantile } else { 1.0 - quantile }.max(f64::MIN_POSITIVE);
    let r = libm::sqrt(-libm::log(tail));
    let distance = if r <= 5.0 {
        polynomial(&[1.423_437_277_7, 2.756_815_390_0, 1.306_728_481_6, 0.170_238_211_03], r - 1.6)
            / polynomial(&[1.0, 0.737_001_642_50, 0.120_211_329_75], r - 1.6)
    } else {
        polynomial(&[6.657_905_115_0, 3.081_226_386_0, 0.428_682_943_37, 0.017_337_203_997], r - 5.0)
            / polynomial(&[1.0, 0.241_978_942_25, 0.012_258_202_635], r - 5.0)
    };
    if central < 0.0 { -distance } else { distance }
}

/// That of these coefficients, the lowest power first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Streams;
    use alloc::vec::Vec;

    fn pacer(seed: u64) -> WanderingPacer {
        WanderingPacer::new(&Wandering::default(), Streams::new(seed, 0).stream("test"))
    }

    #[test]
    fn quantiles_of_the_normal_and_poisson_distributions_are_those_of_the_tables() {
        for (quantile, expected) in
            [(0.5, 0.0), (0.975, 1.959_964), (0.84, 0.994_458), (0.001, -3.090_232), (1e-12, -7.034_484)]
        {
            assert!((normal(quantile) - expected).abs() < 2e-6, "{quantile}: {}", normal(quantile));
        }
        let at = |mean, quantile| poisson(mean, quantile);
        assert_eq!([at(0.0, 0.999), at(1.0, 0.3), at(1.0, 0.4), at(1.0, 0.999_9), at(400.0, 0.5)], [0, 0, 1, 6, 400]);
        assert!(at(500.0, 1.0 - f64::EPSILON / 2.0) < 1000);
    }

    #[test]
    fn the_course_is_the_same_whatever_is_sent() {
        let (mut often, mut seldom) = (pacer(7), pacer(7));
        let (mut now, mut last) = (Time::ZERO, Time::ZERO);
        while now < Time::ZERO + Span::from_milliseconds(60_000) {
            last = now;
            now = often.departure(Octets::new(200), now);
        }
        let at = last.as_nanoseconds() / SLOT + 1;
        assert_eq!(seldom.departure(Octets::new(200), last), now);
        assert_eq!(often.deliveries(at), seldom.deliveries(at));
    }

    #[test]
    fn a_frame_leaves_when_its_bits_have_been_delivered() {
        let mut pacer = pacer(3);
        let mut now = Time::ZERO;
        for size in [40, 1500, 9000, 1, 65_000] {
            let departure = pacer.departure(Octets::new(size), now);
            let area = pacer.area_between(now, departure);
            let bits = u128::from(size * 8 * SLOT);
            // At most what a nanosecond carries is cut off, and carried over.
            assert!(area.abs_diff(bits) <= 2 * 12_000 * 20, "{size}: {area} of {bits}");
            now = departure;
        }
    }

    #[test]
    fn outages_take_the_share_of_time_that_the_settings_say() {
        let expected = Wandering::default().share_of_outages();
        let share = |seed| {
            let mut pacer = pacer(seed);
            let out = (0..100_000).filter(|_| {
                pacer.step();
                pacer.out > 0
            });
            out.count() as f64 / 1e5
        };
        let shares: Vec<f64> = (0..24).map(share).collect();
        let mean = shares.iter().sum::<f64>() / 24.0;
        let error = (shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / 23.0 / 24.0).sqrt();
        assert!((mean - expected).abs() < 4.0 * error && error < 0.02, "{mean} ± {error} for {expected}");
    }

    #[test]
    fn settings_that_make_no_rate_are_refused() {
        let with = |change: fn(&mut Wandering)| {
            let mut settings = Wandering::default();
            change(&mut settings);
            settings.checked()
        };
        let rate = |bits| BitRate::from_bits_per_second(bits).expect("a rate");
        assert!(with(|_| ()).is_ok());
        assert_eq!(with(|of| of.opportunity = Octets::new(0)), Err(WanderingError::Opportunity(Octets::new(0))));
        assert_eq!(with(|of| of.outage = Span::ZERO), Err(WanderingError::Outage));
        let mut fast = Wandering { most: rate(7_000_000_000), ..Wandering::default() };
        assert_eq!(fast.checked(), Err(WanderingError::Most));
        (fast.most, fast.volatility) = (rate(12_000_000), rate(60_000_000));
        assert_eq!(fast.checked(), Err(WanderingError::Volatility));
    }
}
