//! How well a fitted channel explains a trace: the simulator's own channel, sending the trace's frames at the trace's times,
//! again and again.
//!
//! The runs and gaps of all these traces together are what the channel gives. How far the observed ones lie from that
//! (Kolmogorov and Smirnov), beside how far those of each simulated trace lie, says whether it is chance. The parameters
//! are not fitted again to each simulated trace, so chance is given a little too much room: what is called a misfit is one.

use super::estimate::{Estimate, Z};
use super::family::Quantity;
use super::runs::{Runs, distance};
use super::timeline::{OnLine, Timeline};
use arqway_sim::Streams;
use arqway_sim::channel::{Channel, Direction, Impairments};
use arqway_units::{Span, Time};
use rayon::prelude::*;

/// A channel beside a trace.
#[derive(Debug, Clone)]
pub struct Check {
    /// The runs and gaps of all simulated traces.
    pub simulated: Runs,
    /// How runs of losses compare.
    pub runs: Comparison,
    /// How gaps between them compare.
    pub gaps: Comparison,
    /// Half of the 95 % interval by which the channel's loss, mean run and correlation at lag 1 vary from trace to trace.
    pub half_widths: [f64; 3],
}

/// How far lengths lie from what a channel gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The largest distance of the two survivals.
    pub distance: f64,
    /// Below which 19 of 20 simulated traces stay.
    pub usual: f64,
    /// Whether no simulated trace lies so far.
    pub is_beyond_all: bool,
}

impl Check {
    /// Whether the channel explains runs and gaps up to chance.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.runs.is_beyond_all && !self.gaps.is_beyond_all
    }
}

/// The root of the simulated traces' random streams.
const SEED: u64 = 1;
/// How many frames are simulated, in how many traces: of the best channel so many that one in a hundred can be told, of the
/// others as many as a curve needs; fewer of a long trace.
const OF_BEST: (u64, u64, u64) = (20_000_000, 39, 99);
const OF_OTHERS: (u64, u64, u64) = (4_000_000, 19, 39);

/// Simulates the trace under a fitted channel.
pub(super) fn check(estimate: &Estimate, is_best: bool, timeline: &Timeline, observed: &Runs) -> Check {
    let (frames, fewest, most) = if is_best { OF_BEST } else { OF_OTHERS };
    let traces = (frames / timeline.frames.len().max(1) as u64).clamp(fewest, most);
    let model = estimate.model();
    let times = times(estimate, timeline);
    let simulate = |trace: u64| {
        let streams = Streams::new(SEED, trace as u32);
        let mut channel = Channel::new(&model, &Impairments::default(), Direction::Down, &streams);
        let frames = timeline.frames.iter().zip(&times);
        Runs::of(frames.map(|(frame, start)| channel.loses(frame.octets, *start, timeline.rate)))
    };
    let traces: Vec<Runs> = (0..traces).into_par_iter().map(simulate).collect();
    let simulated = Runs::together(&traces);
    let compare = |lengths: fn(&Runs) -> &Vec<u32>| {
        let mut distances: Vec<f64> =
            traces.par_iter().map(|trace| distance(lengths(trace), lengths(&simulated))).collect();
        distances.sort_by(f64::total_cmp);
        let distance = distance(lengths(observed), lengths(&simulated));
        let usual = distances[distances.len() * 19 / 20];
        Comparison { distance, usual, is_beyond_all: distances.last().is_some_and(|furthest| distance > *furthest) }
    };
    let spread = |statistic: fn(&Runs) -> f64| Z * deviation(&traces.iter().map(statistic).collect::<Vec<_>>());
    Check {
        runs: compare(|runs| &runs.lost),
        gaps: compare(|runs| &runs.arrived),
        half_widths: [spread(Runs::loss), spread(Runs::mean_lost), spread(|runs| runs.correlation().unwrap_or(0.0))],
        simulated,
    }
}

/// When each frame starts, without what is idle for so long that the channel has forgotten what it was: to go through all of its
/// periods in an idle hour would take long, and change nothing.
fn times(estimate: &Estimate, timeline: &Timeline) -> Vec<Time> {
    let periods = estimate.family.parameters().iter().zip(&estimate.parameters);
    let longest: f64 =
        periods.filter(|(parameter, _)| parameter.quantity == Quantity::Length).map(|(_, found)| found.value).sum();
    let forgotten = Span::from_seconds(FORGOTTEN * longest);
    let mut spared = Span::ZERO;
    let mut start_of = |frame: &OnLine| {
        let start = Time::ZERO + (frame.start.since(Time::ZERO) - spared);
        spared += frame.gap.max(forgotten) - forgotten;
        start
    };
    timeline.frames.iter().map(&mut start_of).collect()
}

/// After so many of its periods a channel's state does not hang on what it was before.
const FORGOTTEN: f64 = 30.0;

fn deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0)).sqrt()
}
