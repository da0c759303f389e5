//! The rate behind a recording of a cellular link: which [wandering](arqway_sim::Wandering) rate is most like it.
//!
//! ```text
//!     recording    | || |  |      | | |||     moments at which 1,500 octets can be sent
//!     a window     ------ ------ ------       a fifth of a second each: their rates, and by how much these change
//!     a gap              |-----|              longer than 300 ms: an outage
//! ```
//!
//! | parameter | from |
//! | --- | --- |
//! | `most` | twice the mean rate of windows without an outage: all rates up to it are as likely |
//! | `volatility` | how much more rates differ that are two windows apart than those of neighbours, so that what chance does to both is gone |
//! | `outage` | so long that outages take the same share of the time: the motion itself says how often one begins |
//!
//! Each has an interval by leaving out a twentieth of the recording at a time (the jackknife). What the model has of the recording and what it
//! has not is printed beside it: the rates of a fifth of a second that are exceeded for so much of the time.

use arqway_lab::figure::number::significant;
use arqway_lab::results::text_table::{Align, text_table};
use arqway_sim::channel::Direction;
use arqway_sim::{Rate, Streams, Wandering, Wireless};
use arqway_units::{BitRate, Octets, Span, Time};

/// Rates are those of so long a time.
const WINDOW_MS: u64 = 200;
/// Longer without an opportunity is an outage.
const GAP_MS: u64 = 300;
/// The mean rate takes a step as often, in seconds.
const TICK: f64 = 0.02;
/// An outage is not shorter, in seconds.
const LEAST_OUTAGE: f64 = 0.005;
/// The volatility is not a smaller part of `most`.
const LEAST_VOLATILITY: f64 = 0.01;
/// What a moment carries.
const OPPORTUNITY: Octets = Octets::new(1500);
/// The recording is cut into so many parts, one of which is left out at a time; and Student's factor for 95 % of them.
const PARTS: usize = 20;
const STUDENT: f64 = 2.093;
/// The model is run for so long, to tell its rates.
const RUNS_FOR: Span = Span::from_milliseconds(2_000_000);
/// Shares of the time for which a rate is exceeded.
const EXCEEDED: [f64; 5] = [0.9, 0.75, 0.5, 0.25, 0.1];

/// What a recording is too short or too slow to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WanderingFitError {
    /// Fewer windows than parts that can be left out.
    #[error("a recording of {0} s: expected 8 s at least")]
    Short(u64),
    /// In hardly a window something can be sent.
    #[error("in fewer than ten times a fifth of a second without an outage something can be sent: no rate can be told")]
    Silent,
}

/// A recording, and the wandering rate that is most like it.
#[derive(Debug, Clone, PartialEq)]
pub struct WanderingFit {
    /// What it is of: the recording's file.
    pub name: String,
    /// How long the recording is.
    pub length: Span,
    /// How many moments it has.
    pub moments: usize,
    /// Gaps that are outages.
    pub outages: usize,
    /// The model.
    pub rate: Wandering,
    /// Half widths of the 95 % intervals of `most`, `volatility` in bit/s and of `outage` in seconds; `None` where a part of the recording has
    /// no outage.
    pub half_widths: [Option<f64>; 3],
    /// For the shares of time in which a rate is exceeded, 90 to 10 %: the recording's rates and the model's, in bit/s.
    pub exceeded: [[f64; 2]; EXCEEDED.len()],
}

/// The parameters as numbers: bit/s, bit/s and seconds.
#[derive(Debug, Clone, Copy)]
struct Estimate {
    most: f64,
    volatility: f64,
    outage: Option<f64>,
}

/// What is counted in a recording.
struct Counted {
    /// Moments in each window, and whether an outage touches it.
    windows: Vec<(f64, bool)>,
    /// Each outage: in which window it begins, and how long it is, in seconds.
    outages: Vec<(usize, f64)>,
}

/// How long an outage lasts on average in seconds, where they take this share of the time: see [`Wandering::share_of_outages`].
fn outage_of(share: f64, most: f64, volatility: f64) -> f64 {
    let begins = volatility * TICK.sqrt() / (most * (2.0 * std::f64::consts::PI).sqrt());
    let ticks = share / (1.0 - share) / begins;
    if ticks > 1.0 { -TICK / libm::log1p(-1.0 / ticks) } else { LEAST_OUTAGE }
}

/// The rate of a window with so many moments.
fn bits_per_second(moments: f64) -> f64 {
    moments * OPPORTUNITY.as_bits() as f64 * 1e3 / WINDOW_MS as f64
}

impl Counted {
    fn new(moments: &[u64]) -> Self {
        let last = moments.last().copied().unwrap_or(0);
        let mut windows = vec![(0.0, false); usize::try_from(last / WINDOW_MS).unwrap_or(usize::MAX)];
        let window = |moment: u64| usize::try_from(moment / WINDOW_MS).unwrap_or(usize::MAX);
        for moment in moments {
            if let Some((count, _)) = windows.get_mut(window(*moment)) {
                *count += 1.0;
            }
        }
        let mut outages = Vec::new();
        for pair in moments.windows(2).filter(|pair| pair[1] - pair[0] > GAP_MS) {
            outages.push((window(pair[0]), (pair[1] - pair[0]) as f64 * 1e-3));
            let touched = window(pair[0])..=window(pair[1]);
            windows.iter_mut().enumerate().filter(|(index, _)| touched.contains(index)).for_each(|(_, of)| of.1 = true);
        }
        Self { windows, outages }
    }

    /// The parameters, without the windows in this part.
    fn estimate(&self, without: Option<usize>) -> Option<Estimate> {
        let part = |window: usize| window * PARTS / self.windows.len().max(1);
        let counts = |window: usize| without != Some(part(window));
        let rate = |window: usize| {
            let (moments, is_out) = *self.windows.get(window)?;
            (counts(window) && !is_out).then_some(bits_per_second(moments))
        };
        let rates: Vec<f64> = (0..self.windows.len()).filter_map(rate).collect();
        let differences = |apart: usize| {
            let pairs = (0..self.windows.len()).filter_map(|window| Some(rate(window + apart)? - rate(window)?));
            mean(pairs.map(|difference| difference * difference))
        };
        let (near, far) = (differences(1)?, differences(2)?);
        let most = 2.0 * mean(rates.iter().copied())?;
        // Two windows apart the motion has gone on for a window more.
        let volatility = ((far - near).max(0.0) / (WINDOW_MS as f64 * 1e-3)).sqrt();
        let lasted: f64 = self.outages.iter().filter(|(window, _)| counts(*window)).map(|(_, seconds)| *seconds).sum();
        let windows = (0..self.windows.len()).filter(|window| counts(*window)).count();
        let share = (lasted / (windows as f64 * WINDOW_MS as f64 * 1e-3)).min(0.99);
        let outage = (share > 0.0).then(|| outage_of(share, most, volatility.max(most * LEAST_VOLATILITY)));
        (rates.len() >= 10 && most > 0.0).then_some(Estimate { most, volatility, outage })
    }

    /// Half the width of the interval of a parameter, by the jackknife.
    fn half_width(&self, of: impl Fn(&Estimate) -> Option<f64>) -> Option<f64> {
        let left_out: Option<Vec<f64>> = (0..PARTS).map(|part| of(&self.estimate(Some(part))?)).collect();
        let left_out = left_out?;
        let middle = mean(left_out.iter().copied())?;
        let squares: f64 = left_out.iter().map(|value| (value - middle).powi(2)).sum();
        Some(STUDENT * (squares * (PARTS - 1) as f64 / PARTS as f64).sqrt())
    }

    /// Rates that are exceeded for these shares of the time, outages included.
    fn exceeded(&self) -> [f64; EXCEEDED.len()] {
        let mut rates: Vec<f64> = self.windows.iter().map(|(moments, _)| bits_per_second(*moments)).collect();
        rates.sort_by(f64::total_cmp);
        EXCEEDED.map(|share| {
            let index = ((1.0 - share) * rates.len() as f64) as usize;
            rates.get(index.min(rates.len().saturating_sub(1))).copied().unwrap_or(0.0)
        })
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

/// The moments at which a link of this rate can send, in milliseconds.
fn moments_of(rate: Wandering, length: Span, seed: u64) -> Vec<u64> {
    let link = Wireless { rate: Rate::Wandering(rate), ..Wireless::default() };
    let mut moments = Vec::new();
    let whole = (Time::ZERO, Time::ZERO + length);
    link.each_departure(Direction::Down, &Streams::new(seed, 0), rate.opportunity, whole, |at| {
        moments.push(at.as_nanoseconds().div_ceil(1_000_000));
    });
    moments
}

impl WanderingFit {
    /// Finds the rate behind a recording: moments in milliseconds, in order.
    ///
    /// # Errors
    /// It is too short, or hardly anything can be sent.
    pub fn new(name: &str, moments: &[u64]) -> Result<Self, WanderingFitError> {
        let counted = Counted::new(moments);
        let length = Span::from_milliseconds(moments.last().copied().unwrap_or(0));
        if counted.windows.len() < 2 * PARTS {
            return Err(WanderingFitError::Short(length.as_nanoseconds() / 1_000_000_000));
        }
        let estimate = counted.estimate(None).ok_or(WanderingFitError::Silent)?;
        let rate = estimate.to_rate();
        let model = Counted::new(&moments_of(rate, RUNS_FOR, 1)).exceeded();
        let seen = counted.exceeded();
        Ok(Self {
            name: name.to_owned(),
            length,
            moments: moments.len(),
            outages: counted.outages.len(),
            rate,
            half_widths: [
                counted.half_width(|estimate| Some(estimate.most)),
                counted.half_width(|estimate| Some(estimate.volatility)),
                counted.half_width(|estimate| estimate.outage),
            ],
            exceeded: std::array::from_fn(|index| [seen[index], model[index]]),
        })
    }

    /// All that there is to say, as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mean = BitRate::from_bits_per_second((self.moments as f64 * 12e3 / self.length.as_seconds()) as u64);
        let mean = mean.map_or_else(|| "0 bit/s".to_owned(), |rate| megabits(rate.as_bits_per_second() as f64));
        let Self { name, moments, outages, rate, .. } = self;
        let seconds = significant(self.length.as_seconds(), 5);
        let values = [
            ("most", rate.most.as_bits_per_second() as f64, 1e-6, "Mbit/s"),
            ("volatility", rate.volatility.as_bits_per_second() as f64, 1e-6, "Mbit/s in a second"),
            ("outage", rate.outage.as_seconds(), 1.0, "s"),
        ];
        let parameters = values.iter().zip(self.half_widths).map(|((key, value, scale, unit), half)| {
            let half = half.map(|half| format!(" ± {}", significant(half * scale, 2))).unwrap_or_default();
            vec![(*key).to_owned(), format!("{}{half} {unit}", significant(value * scale, 3))]
        });
        let mut exceeded = vec![vec!["exceeded for".to_owned(), "recording".to_owned(), "wandering".to_owned()]];
        exceeded.extend(EXCEEDED.iter().zip(self.exceeded).map(|(share, [seen, model])| {
            vec![format!("{} %", significant(share * 100.0, 2)), megabits(seen), megabits(model)]
        }));
        format!(
            "{name}: {moments} times 1500 octets in {seconds} s, {mean} on average, {outages} gaps of more than 0.3 s\n\n\
             a wandering rate, with 95 % intervals:\n{}\nRates of a fifth of a second:\n{}\nFor a scenario:\n\n{}",
            text_table("  ", &parameters.collect::<Vec<_>>(), |_| Align::Left),
            text_table("  ", &exceeded, |column| if column == 0 { Align::Left } else { Align::Right }),
            self.block()
        )
    }

    /// What to put into a scenario.
    fn block(&self) -> String {
        let Wandering { most, volatility, outage, opportunity } = self.rate;
        format!(
            "\"wireless.down.rate\" = {{ kind = \"wandering\", most = \"{most}\", volatility = \"{volatility}\", outage = \"{outage}\", opportunity = \"{opportunity}\" }}\n"
        )
    }

    /// An experiment that measures what such a link carries.
    #[must_use]
    pub fn to_experiment(&self) -> String {
        format!(
            "# The rate behind {}, by `arqway fit`. Put your own users and schemes in place of `channel` and `raw`.\n\n\
             [experiment]\nid = \"fit\"\nreplications = 10\n\n\
             [scenario.set]\n\"file-transfer.enabled\" = false\n\
             \"channel\" = {{ enabled = true, packet = \"1460 octets\", duration = \"100 s\" }}\n{}\n\
             [[scheme]]\nuse = \"raw\"\n\n[[figure]]\nid = \"loss\"\ny = \"channel.loss\"\n",
            self.name,
            self.block()
        )
    }
}

impl Estimate {
    /// As settings, rounded to three figures, and within what makes a rate.
    fn to_rate(self) -> Wandering {
        let rate = |bits: f64| BitRate::from_bits_per_second(rounded(bits).max(1.0) as u64).unwrap_or(BitRate::MINIMUM);
        let volatility = self.volatility.clamp(self.most * LEAST_VOLATILITY, self.most);
        let outage = self.outage.unwrap_or(LEAST_OUTAGE).max(LEAST_OUTAGE);
        Wandering {
            most: rate(self.most),
            volatility: rate(volatility),
            outage: Span::from_milliseconds((outage * 1e3).round() as u64),
            opportunity: OPPORTUNITY,
        }
    }
}

/// To three figures.
fn rounded(value: f64) -> f64 {
    let unit = libm::pow(10.0, libm::log10(value.max(1.0)).floor() - 2.0).max(1.0);
    (value / unit).round() * unit
}

fn megabits(bits_per_second: f64) -> String {
    format!("{} Mbit/s", significant(bits_per_second * 1e-6, 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wandering(most: u64, volatility: u64, outage: u64) -> Wandering {
        let rate = |bits| BitRate::from_bits_per_second(bits).expect("a rate");
        let outage = Span::from_milliseconds(outage);
        Wandering { most: rate(most), volatility: rate(volatility), outage, opportunity: OPPORTUNITY }
    }

    #[test]
    fn the_rate_behind_a_recording_of_a_wandering_rate_is_found() {
        for (most, volatility, outage) in
            [(12_000_000, 2_400_000, 1000), (4_000_000, 1_500_000, 500), (40_000_000, 8_000_000, 2000)]
        {
            let moments = moments_of(wandering(most, volatility, outage), Span::from_milliseconds(2_000_000), 7);
            let fit = WanderingFit::new("recording", &moments).expect("long enough");
            let close = |found: f64, expected: f64, share: f64| (found / expected - 1.0).abs() < share;
            let found = fit.rate;
            assert!(close(found.most.as_bits_per_second() as f64, most as f64, 0.2), "{most}: {found:?}");
            assert!(close(found.volatility.as_bits_per_second() as f64, volatility as f64, 0.25), "{most}: {found:?}");
            assert!(close(found.outage.as_seconds(), outage as f64 * 1e-3, 0.6), "{most}: {found:?}");
            for ([seen, model], share) in fit.exceeded.iter().zip(EXCEEDED) {
                assert!((seen - model).abs() < 0.2 * most as f64, "{most}: {seen} and {model} for {share}");
            }
        }
    }

    #[test]
    fn the_chance_of_single_deliveries_is_not_taken_for_motion() {
        // Of 40 deliveries in a window on average, six more or less are chance: half of a steady rate's motion as it seems.
        let slow = wandering(6_000_000, 240_000, 1000);
        let fit =
            WanderingFit::new("slow", &moments_of(slow, Span::from_milliseconds(4_000_000), 7)).expect("long enough");
        let found = fit.rate.volatility.as_bits_per_second() as f64;
        assert!((120e3..480e3).contains(&found), "{found}");
    }

    #[test]
    fn intervals_hold_the_truth_nineteen_times_of_twenty() {
        let truth = 12e6;
        let holds = (0..40).filter(|seed| {
            let fit = WanderingFit::new(
                "recording",
                &moments_of(wandering(12_000_000, 2_400_000, 1000), Span::from_milliseconds(400_000), *seed),
            );
            let fit = fit.expect("long enough");
            let half = fit.half_widths[0].expect("an interval");
            (fit.rate.most.as_bits_per_second() as f64 - truth).abs() <= half
        });
        // Of 40 with 95 %, fewer than 33 are there once in a thousand.
        let holds = holds.count();
        assert!(holds >= 33, "{holds} of 40");
    }

    #[test]
    fn a_recording_without_an_outage_says_so() {
        let moments: Vec<u64> = (0..60_000).map(|moment| moment * 2).collect();
        let fit = WanderingFit::new("steady", &moments).expect("long enough");
        assert_eq!((fit.outages, fit.half_widths[2]), (0, None));
        assert_eq!(fit.rate.most.as_bits_per_second(), 12_000_000, "twice the mean");
        assert_eq!(fit.rate.volatility.as_bits_per_second(), 120_000, "a hundredth at least");
    }

    #[test]
    fn what_is_too_short_or_silent_is_refused() {
        assert_eq!(WanderingFit::new("short", &[1, 2, 3000]), Err(WanderingFitError::Short(3)));
        let moments: Vec<u64> = (0..100).map(|moment| moment * 1000).collect();
        assert_eq!(WanderingFit::new("silent", &moments), Err(WanderingFitError::Silent));
    }

    #[test]
    fn what_is_printed_stays_as_it_is() {
        let moments = moments_of(wandering(12_000_000, 2_400_000, 1000), Span::from_milliseconds(200_000), 7);
        insta::assert_snapshot!(WanderingFit::new("drive.down", &moments).expect("long enough").to_text());
    }
}
