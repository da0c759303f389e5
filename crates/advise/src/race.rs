//! Replications in batches: who is behind drops out, until the best is known.
//!
//! ```text
//!     all candidates x 5 replications --> who is significantly behind the best drops out --> five more for the others ...
//! ```
//!
//! Two candidates are compared by the paired differences of their scores, replication by replication: both met the same channel.
//! At each look each candidate still in the race is compared with the one that leads. The leader may change, the comparisons
//! are many, and looks too; so each comparison has the confidence that the race as a whole has to 95 % (Bonferroni's
//! inequality over candidates and looks). Who is known to lie within 1 % of the leader is as good, and does not drop out however
//! surely it is behind by less. The race ends when all that are left are as good, or when the replications or the events are
//! used up. Events are counted, not seconds, so that the same question has the same answer on every host.
//!
//! Of those that are as good the best of the first service is advised: services stand in the order of what they ask of a link,
//! from nothing at all.

use super::criterion::{Application, Values, best_of, scores};
use super::watcher::Watcher;
use arqway_lab::results::stats::{Comparison, Summary, summarise};
use arqway_lab::run::plan::{Plan, Use};
use arqway_lab::run::{Results, RunError, run, run_these};
use std::cmp::Ordering;

/// How many replications each candidate has at least.
pub(super) const FIRST: u32 = 5;
/// How many are added at a time.
const BATCH: u32 = 5;
/// How many each candidate has at most, where nobody says otherwise.
pub const MAX_REPLICATIONS: u32 = 40;
/// How sure the race as a whole is of those that it drops.
const CONFIDENCE: f64 = 0.95;
/// Differences that nobody would change a service for, as a share of the leader's score.
pub(super) const MARGIN: f64 = 0.01;

/// How far a race may go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Replications of a candidate.
    pub(super) replications: u32,
    /// Events of all runs, after which no batch begins.
    pub(super) events: u64,
}

/// Why a race ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// All but one are behind.
    Decided,
    /// Those left are known to differ by 1 % at most.
    Alike,
    /// The replications are used up.
    Replications,
    /// The events are used up.
    Events,
    /// No candidate has carried anything.
    NothingArrived,
    /// It was stopped.
    Stopped,
}

/// What the race says of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It is the simplest of the best.
    Advised,
    /// It has the best mean score, or is known to be within 1 % of it.
    AsGood,
    /// It is not significantly behind the best.
    NotTold,
    /// It is.
    Behind,
}

/// A candidate after the race.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Which scheme of the trial it is.
    pub(super) entry: usize,
    /// What each application got, in the units of its quantity.
    pub values: Vec<Option<Summary>>,
    /// The score, 1 for a candidate that nothing beats at anything.
    pub score: Summary,
    /// The score less the best candidate's, paired, as a share of the latter; none for the best itself.
    pub difference: Option<Summary>,
    /// What is said of it.
    pub verdict: Verdict,
}

/// A race over the schemes of a plan that has one experiment with one point.
pub(super) struct Race<'a> {
    plan: &'a mut Plan,
    services: Vec<usize>,
    applications: &'a [Application],
    limits: Limits,
    /// The setting of each scheme.
    settings: Vec<usize>,
    is_behind: Vec<bool>,
    /// Of one comparison, so that the race as a whole has its own.
    confidence: f64,
    results: Results,
}

impl<'a> Race<'a> {
    /// Of each scheme: which service it is, the simplest first.
    pub(super) fn new(
        plan: &'a mut Plan,
        services: Vec<usize>,
        applications: &'a [Application],
        limits: Limits,
    ) -> Self {
        let schemes = plan.experiments.first().map_or(0, |experiment| experiment.schemes.len());
        let setting_of = |scheme: usize| {
            plan.settings.iter().position(|setting| setting.uses.iter().any(|shown| shown.scheme == scheme))
        };
        let settings: Vec<usize> = (0..schemes).filter_map(setting_of).collect();
        let looks = limits.replications.saturating_sub(FIRST).div_ceil(BATCH) + 1;
        let comparisons = f64::from(looks) * settings.len().saturating_sub(1).max(1) as f64;
        let confidence = 1.0 - (1.0 - CONFIDENCE) / comparisons;
        let (is_behind, results) = (vec![false; settings.len()], Results::none());
        Self { plan, services, applications, limits, settings, is_behind, confidence, results }
    }

    /// Runs until the race is over.
    pub(super) fn run(&mut self, watcher: &Watcher<'_>) -> Result<Ended, RunError> {
        let Watcher { jobs, stop, planned, finished } = *watcher;
        planned(self.plan.runs.len());
        self.results = run(self.plan, jobs, stop, finished)?;
        loop {
            if stop.is_requested() {
                return Ok(Ended::Stopped);
            }
            if best_of(&self.values(), self.applications).iter().all(|best| *best <= 0.0) {
                return Ok(Ended::NothingArrived);
            }
            self.drop_who_is_behind();
            if let Some(ended) = self.ended() {
                return Ok(ended);
            }
            let mut left: Vec<usize> = self.left().map(|entry| self.settings[entry]).collect();
            left.sort_unstable();
            left.dedup();
            let added = self.plan.add_replications(BATCH, self.limits.replications, &left);
            planned(added.len());
            self.results.extend(run_these(self.plan, &added, jobs, stop, finished)?);
        }
    }

    /// The candidates still in the race.
    fn left(&self) -> impl Iterator<Item = usize> {
        (0..self.settings.len()).filter(|entry| !self.is_behind[*entry])
    }

    fn drop_who_is_behind(&mut self) {
        let scores = self.scores();
        let leader = self.leader(&scores);
        for entry in self.left().collect::<Vec<_>>() {
            let difference = relative(&scores[entry], &scores[leader], self.confidence);
            self.is_behind[entry] = difference
                .is_some_and(|difference| difference.versus_zero() == Comparison::Below && !is_within(&difference));
        }
    }

    fn ended(&self) -> Option<Ended> {
        let scores = self.scores();
        let leader = self.leader(&scores);
        let is_alike = |entry: usize| {
            relative(&scores[entry], &scores[leader], self.confidence).is_some_and(|difference| is_within(&difference))
        };
        if self.left().count() == 1 {
            Some(Ended::Decided)
        } else if self.left().all(is_alike) {
            Some(Ended::Alike)
        } else if scores[leader].len() >= self.limits.replications as usize {
            Some(Ended::Replications)
        } else {
            (self.results.simulated().1 >= self.limits.events).then_some(Ended::Events)
        }
    }

    /// Of those left the one with the best mean; of equals the first.
    fn leader(&self, scores: &[Vec<f64>]) -> usize {
        let mut left = self.left();
        let first = left.next().unwrap_or(0);
        left.fold(first, |best, entry| if mean(&scores[entry]) > mean(&scores[best]) { entry } else { best })
    }

    /// The best of the simplest service.
    fn simplest(&self, entries: impl Iterator<Item = usize>, scores: &[Vec<f64>]) -> Option<usize> {
        let service = |entry: usize| self.services.get(entry).copied().unwrap_or(usize::MAX);
        entries.reduce(|best, entry| {
            let is_better = mean(&scores[entry]) > mean(&scores[best]);
            match service(entry).cmp(&service(best)) {
                Ordering::Less => entry,
                Ordering::Equal if is_better => entry,
                _ => best,
            }
        })
    }

    /// What each candidate gave the applications.
    fn values(&self) -> Vec<Values> {
        let of = |(entry, setting): (usize, &usize)| {
            let shown = Use { experiment: 0, point: 0, scheme: entry };
            Values::of(&self.results.rows_of_setting(self.plan, *setting, shown), self.applications)
        };
        self.settings.iter().enumerate().map(of).collect()
    }

    fn scores(&self) -> Vec<Vec<f64>> {
        let values = self.values();
        let best = best_of(&values, self.applications);
        values.iter().map(|values| scores(values, &best, self.applications)).collect()
    }

    /// The candidates in order: the one that is advised, those that are as good, those that are without a significant difference from the best, the
    /// others; within each by how far they are behind.
    pub(super) fn standings(&self) -> Vec<Standing> {
        let (values, all) = (self.values(), self.scores());
        let leader = self.leader(&all);
        let is_as_good = |entry: usize| {
            let within = relative(&all[entry], &all[leader], self.confidence).is_some_and(|one| is_within(&one));
            entry == leader || (within && !self.is_behind[entry])
        };
        let advised = self.simplest((0..self.settings.len()).filter(|entry| is_as_good(*entry)), &all);
        let standing = |entry: usize| {
            let verdict = match (is_as_good(entry), self.is_behind[entry]) {
                (true, _) if advised == Some(entry) => Verdict::Advised,
                (true, _) => Verdict::AsGood,
                (false, false) => Verdict::NotTold,
                (false, true) => Verdict::Behind,
            };
            let shown = |(application, values): (&Application, &Vec<Option<f64>>)| {
                let factor = application.quantity().map_or(1.0, |quantity| quantity.factor);
                summarise(&values.iter().flatten().map(|value| value * factor).collect::<Vec<_>>())
            };
            Some(Standing {
                entry,
                values: self.applications.iter().zip(&values[entry].measured).map(shown).collect(),
                score: summarise(&all[entry])?,
                difference: if entry == leader { None } else { relative(&all[entry], &all[leader], CONFIDENCE) },
                verdict,
            })
        };
        let mut standings: Vec<Standing> = (0..self.settings.len()).filter_map(standing).collect();
        // Not by the scores themselves: who dropped out early has those of other replications.
        let behind = |one: &Standing| one.difference.map_or(0.0, |difference| -difference.mean);
        standings.sort_by(|one, other| {
            let by_difference = behind(one).total_cmp(&behind(other));
            one.verdict.cmp(&other.verdict).then(by_difference).then(one.entry.cmp(&other.entry))
        });
        standings
    }

    pub(super) fn into_results(self) -> Results {
        self.results
    }

    /// How many runs of a candidate were cut before the file was there, and how many it had.
    pub(super) fn cut(&self, entry: usize) -> (usize, usize) {
        self.settings.get(entry).map_or((0, 0), |setting| self.results.cut_of_setting(self.plan, *setting))
    }

    /// How often the link toward the client lost something in the runs of a candidate.
    pub(super) fn losses_seen(&self, entry: usize) -> f64 {
        self.settings.get(entry).map_or(0.0, |setting| self.results.losses_of_setting(self.plan, *setting))
    }
}

fn mean(values: &[f64]) -> f64 {
    summarise(values).map_or(0.0, |summary| summary.mean)
}

/// Whether a difference is known to be no more than anybody would mind.
fn is_within(difference: &Summary) -> bool {
    difference.interval().is_some_and(|(low, _)| low >= -MARGIN)
}

/// One candidate's scores less another's as a share of the other's mean, over the replications that both have.
fn relative(one: &[f64], other: &[f64], confidence: f64) -> Option<Summary> {
    let paired = one.len().min(other.len());
    let scale = mean(&other[..paired]);
    let share = |difference: f64| if scale > 0.0 { difference / scale } else { difference };
    let differences: Vec<f64> = one.iter().zip(other).map(|(one, other)| share(one - other)).collect();
    Summary::with_confidence(&differences, confidence)
}
