//! The parameters of a family that make a trace likeliest, and how far each can be trusted.
//!
//! The search starts from several links that might have made the trace, as far as its runs and gaps say; the likeliest of
//! them on the first part of the trace are climbed from there, and the best then on all of it. Intervals come from how the
//! likelihood bends at its highest point, in the logarithms of lengths and errors and in the logits of shares. Where it
//! hardly bends, the trace does not tell the parameter: what can be said then is where the likelihood has fallen by 1.92,
//! with all other parameters free, if it falls at all on that side.

use super::chain::Chain;
use super::family::{self, Family, Scales};
use super::runs::Runs;
use super::search::{Found, climb, inverse};
use super::tape::Tape;
use super::timeline::Timeline;
use arqway_sim::channel::ErrorModel;

/// A channel of a family, fitted.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// The family.
    pub family: Family,
    /// Each parameter of the family, in its order.
    pub parameters: Vec<Estimated>,
    /// The natural logarithm of the trace's probability.
    pub log_likelihood: f64,
    /// Schwarz's criterion, which is lowest for the best family: parameters times the logarithm of frames, minus twice
    /// the log likelihood.
    pub bic: f64,
}

/// A parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimated {
    /// In seconds, or a share; four digits of it.
    pub value: f64,
    /// The lower end of the 95 % interval, if the trace tells.
    pub low: Option<f64>,
    /// The upper end, likewise.
    pub high: Option<f64>,
}

impl Estimate {
    /// As settings.
    #[must_use]
    pub fn model(&self) -> ErrorModel {
        family::model(self.family, &self.parameters.iter().map(|parameter| parameter.value).collect::<Vec<_>>())
    }
}

/// With fewer losses, or fewer arrivals, there is no memory to be told.
const FEWEST: usize = 5;
/// On how many matrices of the trace starts are compared.
const START: usize = 40_000;
/// From how many starts is climbed.
const CLIMBS: usize = 4;
/// Above this many matrices the one-sided limits would take too long.
const LONGEST_FOR_LIMITS: usize = 400_000;
/// The quantile of the normal distribution behind 95 %.
pub(super) const Z: f64 = 1.959_964;

/// The share of lost frames, with Wilson's interval.
fn uniform(lost: u64, frames: u64) -> Estimate {
    let (lost, n) = (lost as f64, frames as f64);
    let share = lost / n;
    let (low, high) = wilson(lost, n);
    let log = |count: f64, share: f64| if count > 0.0 { count * libm::log(share) } else { 0.0 };
    let value = Estimated { value: rounded(share), low: Some(low), high: Some(high) };
    let log_likelihood = log(lost, share) + log(n - lost, 1.0 - share);
    let bic = bic(1, log_likelihood, frames as usize);
    Estimate { family: Family::Uniform, parameters: vec![value], log_likelihood, bic }
}

fn wilson(lost: f64, n: f64) -> (f64, f64) {
    let (share, z2) = (lost / n, Z * Z);
    let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

/// All families, from the one with fewest parameters on. Those with memory are left out where hardly anything was lost, or
/// hardly anything arrived: there is nothing to tell memory by.
pub(super) fn all(timeline: &Timeline) -> Vec<Estimate> {
    let frames = timeline.frames.len();
    let lost = timeline.frames.iter().filter(|frame| frame.lost).count();
    let uniform = uniform(lost as u64, frames as u64);
    if lost.min(frames - lost) < FEWEST {
        return vec![uniform];
    }
    let scales = Scales::of(timeline);
    let all = Tape::new(timeline, &timeline.frames);
    let first = beginning(timeline, &all);
    let first = first.as_ref().unwrap_or(&all);
    let runs = Runs::of(timeline.frames.iter().map(|frame| frame.lost));
    let (of_two, of_four) =
        (|numbers: &[f64]| family::two_state(numbers, &scales), |numbers: &[f64]| family::four_state(numbers, &scales));
    let two = best(&all, first, starts_of_two(&runs, &scales), of_two);
    let four = best(&all, first, starts_of_four(&two.at, &runs, &scales), of_four);
    let bics = [bic(4, two.value, frames), bic(8, four.value, frames)];
    let lowest = bics[0].min(bics[1]).min(uniform.bic);
    let has_limits = |bic: f64| bic == lowest && all.len() <= LONGEST_FOR_LIMITS;
    vec![
        uniform,
        Estimate { bic: bics[0], ..finish(Family::TwoState, two, &all, &scales, has_limits(bics[0]), of_two) },
        Estimate { bic: bics[1], ..finish(Family::FourState, four, &all, &scales, has_limits(bics[1]), of_four) },
    ]
}

fn bic(parameters: usize, log_likelihood: f64, frames: usize) -> f64 {
    parameters as f64 * libm::log(frames as f64) - 2.0 * log_likelihood
}

/// The first part of a long trace; `None` if all of it is short.
fn beginning(timeline: &Timeline, all: &Tape) -> Option<Tape> {
    let part = (all.len() > START).then(|| timeline.frames.len() / all.len().div_ceil(START))?;
    let frames = &timeline.frames[..part];
    let tells = frames.iter().filter(|frame| frame.lost).count() > 100;
    tells.then(|| Tape::new(timeline, frames))
}

fn starts_of_two(runs: &Runs, scales: &Scales) -> Vec<Vec<f64>> {
    let loss = runs.loss();
    let mut starts = Vec::new();
    let seen = runs.mean_lost().max(1.2);
    for length in [1.5, seen, 4.0 * seen, 20.0 * seen, 100.0 * seen] {
        for in_bad in [0.97, 0.6, 0.25] {
            for of_good in [0.02, 0.4] {
                let in_good = loss * of_good;
                // The share of time that has to be bad for the whole to lose what it does.
                let bad_time = (loss - in_good) / (in_bad - in_good);
                if bad_time > 0.0 && bad_time < 0.97 {
                    let bad = length * scales.spacing;
                    let good = bad * (1.0 - bad_time) / bad_time;
                    starts.push(family::numbers_of_two(good, bad, in_good, in_bad).to_vec());
                }
            }
        }
    }
    if starts.is_empty() {
        // Nearly everything is lost: what arrives comes in the good periods.
        let good = runs.mean_arrived() * scales.spacing;
        starts.push(family::numbers_of_two(good, good * loss / (1.0 - loss), 0.1, 0.99).to_vec());
    }
    starts
}

fn starts_of_four(two: &[f64], runs: &Runs, scales: &Scales) -> Vec<Vec<f64>> {
    let [good, bad] = [two[0], two[1]].map(libm::exp);
    let errors = [two[2], two[3]];
    // A mean, split into two that have it.
    let split = |mean: f64, ratio: f64, share: f64| {
        let short = mean / (1.0 - share + share * ratio);
        (short, ratio * short, share)
    };
    let mut starts = Vec::new();
    for (of_good, of_bad) in [(8.0, 1.5), (1.5, 8.0), (5.0, 5.0), (30.0, 5.0), (5.0, 30.0), (30.0, 30.0)] {
        for share in [0.5, 0.15] {
            starts
                .push(family::numbers_of_four(split(good, of_good, share), split(bad, of_bad, share), errors).to_vec());
        }
    }
    // As if every frame of a bad period were lost, and hardly one of a good one: runs and gaps are the periods then.
    let seconds = |(short, long): (f64, f64)| (short * scales.spacing, long * scales.spacing);
    for (share, in_bad) in [(0.5, 0.95), (0.25, 0.95), (0.1, 0.95), (0.5, 0.8), (0.25, 0.8)] {
        let ((good_short, good_long), (bad_short, bad_long)) =
            (seconds(runs.halves_of_arrived(share)), seconds(runs.halves_of_lost(share)));
        let [_, _, in_good, in_bad] =
            family::numbers_of_two(1.0, 1.0, 0.1 * runs.loss() / (runs.mean_lost() + 1.0), in_bad);
        let (good, bad) = ((good_short, good_long, share), (bad_short, bad_long, share));
        starts.push(family::numbers_of_four(good, bad, [in_good, in_bad]).to_vec());
        starts.push(family::numbers_of_four(good, bad, errors).to_vec());
    }
    starts
}

/// The likeliest parameters from any start.
fn best<const N: usize>(
    all: &Tape,
    first: &Tape,
    mut starts: Vec<Vec<f64>>,
    chain: impl Fn(&[f64]) -> Chain<N>,
) -> Found {
    let mut ranked: Vec<(f64, Vec<f64>)> =
        starts.drain(..).map(|start| (first.log_likelihood(&chain(&start)), start)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let climbed = ranked.iter().take(CLIMBS).map(|(_, start)| climb(start, |numbers| first.gradient(numbers, &chain)));
    let mut best: Option<Found> = None;
    for found in climbed {
        if best.as_ref().is_none_or(|best| found.value > best.value) {
            best = Some(found);
        }
    }
    let best = best.unwrap_or(Found { at: Vec::new(), value: f64::NEG_INFINITY });
    if std::ptr::eq(all, first) { best } else { climb(&best.at, |numbers| all.gradient(numbers, &chain)) }
}

/// Values and intervals of what was found.
fn finish<const N: usize>(
    family: Family,
    mut found: Found,
    tape: &Tape,
    scales: &Scales,
    has_limits: bool,
    chain: impl Fn(&[f64]) -> Chain<N>,
) -> Estimate {
    family::in_order(family, &mut found.at);
    let errors = standard_errors(&found, |numbers| tape.gradient(numbers, &chain));
    let value = |index: usize, number: f64| family::value(family, index, number, scales);
    let estimated = |(index, number): (usize, &f64)| {
        let value = |number: f64| value(index, number);
        let (low, high) = match errors[index] {
            Some(error) => (Some(value(number - Z * error)), Some(value(number + Z * error))),
            None if has_limits => {
                let limit = |side: f64| limit(&found, index, side, |numbers| tape.gradient(numbers, &chain)).map(value);
                (limit(-1.0), limit(1.0))
            }
            None => (None, None),
        };
        Estimated { value: rounded(value(*number)), low, high }
    };
    let parameters = found.at.iter().enumerate().map(estimated).collect();
    Estimate { family, parameters, log_likelihood: found.value, bic: f64::INFINITY }
}

/// The standard error of each number that the trace tells.
fn standard_errors(found: &Found, function: impl Fn(&[f64]) -> (f64, Vec<f64>)) -> Vec<Option<f64>> {
    const STEP: f64 = 1e-3;
    /// A 95 % interval by such an error would span a factor of fifty up and down.
    const LARGEST: f64 = 2.0;
    let count = found.at.len();
    let slopes = |index: usize, step: f64| {
        let mut moved = found.at.clone();
        moved[index] += step;
        function(&moved).1
    };
    let bends: Vec<Vec<f64>> = (0..count)
        .map(|index| {
            let (up, down) = (slopes(index, STEP), slopes(index, -STEP));
            up.iter().zip(&down).map(|(up, down)| (down - up) / (2.0 * STEP)).collect()
        })
        .collect();
    let information = |row: usize, column: usize| f64::midpoint(bends[row][column], bends[column][row]);
    let mut told: Vec<usize> =
        (0..count).filter(|index| information(*index, *index) > 1.0 / (LARGEST * LARGEST)).collect();
    loop {
        let matrix: Vec<Vec<f64>> =
            told.iter().map(|&row| told.iter().map(|&column| information(row, column)).collect()).collect();
        let covariance = inverse(&matrix);
        let error =
            |place: usize| covariance.as_ref().map_or(f64::INFINITY, |covariance| covariance[place][place].sqrt());
        let worst = (0..told.len()).map(|place| (place, error(place))).max_by(|a, b| a.1.total_cmp(&b.1));
        match worst {
            // Without an inverse the least told goes.
            Some((_, error)) if error == f64::INFINITY => {
                let least = told.iter().copied().min_by(|a, b| information(*a, *a).total_cmp(&information(*b, *b)));
                told.retain(|index| Some(*index) != least);
            }
            Some((place, error)) if error > LARGEST => {
                told.remove(place);
            }
            _ => {
                let error_of = |index| told.iter().position(|told| *told == index).map(error);
                return (0..count).map(error_of).collect();
            }
        }
    }
}

/// Where on this side the likelihood has fallen by 1.92 with all other numbers free; `None` if it does not.
fn limit(found: &Found, index: usize, side: f64, function: impl Fn(&[f64]) -> (f64, Vec<f64>)) -> Option<f64> {
    /// Half of the 95 % quantile of chi-square with one degree of freedom.
    const FALL: f64 = 1.920_73;
    const FURTHEST: f64 = 16.0;
    let full = |others: &[f64], distance: f64| {
        let mut numbers = others.to_vec();
        numbers.insert(index, found.at[index] + side * distance);
        numbers
    };
    let mut others = found.at.clone();
    others.remove(index);
    let fallen = |distance: f64| {
        let best = climb(&others, |others| {
            let (value, mut slopes) = function(&full(others, distance));
            slopes.remove(index);
            (value, slopes)
        });
        found.value - best.value > FALL
    };
    let mut far = 0.25;
    while !fallen(far) {
        far *= 2.0;
        if far > FURTHEST {
            return None;
        }
    }
    let mut near = if far > 0.25 { far / 2.0 } else { 0.0 };
    for _ in 0..4 {
        let middle = f64::midpoint(near, far);
        if fallen(middle) { far = middle } else { near = middle }
    }
    Some(found.at[index] + side * f64::midpoint(near, far))
}

/// Four significant digits: no trace tells more.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
