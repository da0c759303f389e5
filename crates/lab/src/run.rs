//! Runs a plan on all cores. Results do not depend on how many there are, nor on the order in which runs finish.

use crate::lengths::Lengths;
use crate::metrics::{Cell, Metric, metrics};
use crate::plan::{Plan, Run, Use};
use crate::rows::Row;
use crate::stop::Stop;
use arqway_link::mux::ConfigError;
use arqway_sim::{NoProbe, Outcome, Probe, Scenario, Streams, World};
use arqway_units::Time;
use rayon::iter::{ParallelBridge, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

/// What came out of the runs that finished.
#[derive(Debug)]
pub struct Results {
    finished: BTreeMap<Run, Measured>,
    /// How many runs were planned.
    pub planned: usize,
}

/// What is kept of a run: everything that rows and remarks are made of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    pub(crate) metrics: Vec<Metric>,
    /// When it ended.
    pub(crate) ended: Time,
    /// How many events it took.
    pub(crate) events: u64,
    /// Whether all of every file was there when it ended.
    pub(crate) file_complete: Option<bool>,
    /// How often the link toward the client lost frames; some in a row count once.
    pub(crate) losses: Option<f64>,
}

/// Why a plan could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The threads did not start.
    #[error("cannot start {jobs} threads: {source}")]
    Threads {
        /// How many were asked for.
        jobs: usize,
        /// What the system said.
        source: ThreadPoolBuildError,
    },
    /// A scenario has more services than a tag can tell apart.
    #[error(transparent)]
    Services(#[from] ConfigError),
}

/// Runs a plan with this many threads; calls `finished` after each run; `stop` ends it early.
///
/// # Errors
/// Threads that do not start, and worlds that cannot be built.
pub fn run(plan: &Plan, jobs: NonZeroUsize, stop: &Stop, finished: impl Fn() + Sync) -> Result<Results, RunError> {
    run_these(plan, &plan.runs, jobs, stop, finished)
}

/// Some of a plan's runs.
///
/// # Errors
/// As [`run`] has.
pub fn run_these(
    plan: &Plan,
    runs: &[Run],
    jobs: NonZeroUsize,
    stop: &Stop,
    finished: impl Fn() + Sync,
) -> Result<Results, RunError> {
    let threads = in_threads(jobs)?;
    let one = |run: &Run| -> Option<Result<(Run, Measured), RunError>> {
        let setting = plan.settings.get(run.setting)?;
        let streams = Streams::new(setting.seed, run.replication);
        let measured = measure(&setting.scenario, &streams, NoProbe, stop).transpose()?;
        finished();
        Some(measured.map(|measured| (*run, measured)))
    };
    // The runs are handed out in their order, and none after a stop, so that stopping leaves whole replications.
    let handed_out = runs.iter().take_while(|_| !stop.is_asked());
    let results: Result<BTreeMap<_, _>, _> = threads.install(|| handed_out.par_bridge().filter_map(one).collect());
    Ok(Results { finished: results?, planned: runs.len() })
}

/// So many threads.
pub(crate) fn in_threads(jobs: NonZeroUsize) -> Result<ThreadPool, RunError> {
    let threads = ThreadPoolBuilder::new().num_threads(jobs.get()).build();
    threads.map_err(|source| RunError::Threads { jobs: jobs.get(), source })
}

/// Runs one of a plan's runs with a probe watching: it is the run that [`run`] makes of it.
///
/// # Errors
/// A world that cannot be built.
pub fn watch(plan: &Plan, run: Run, probe: impl Probe) -> Result<Results, RunError> {
    let mut finished = BTreeMap::new();
    if let Some(setting) = plan.settings.get(run.setting) {
        let streams = Streams::new(setting.seed, run.replication);
        finished.extend(measure(&setting.scenario, &streams, probe, &Stop::new())?.map(|measured| (run, measured)));
    }
    Ok(Results { finished, planned: 1 })
}

/// One run; nothing where it was given up.
pub(crate) fn measure(
    scenario: &Scenario,
    streams: &Streams,
    probe: impl Probe,
    stop: &Stop,
) -> Result<Option<Measured>, RunError> {
    let mut lengths = Lengths::new();
    let world = World::new(scenario, streams, (&mut lengths, probe))?;
    let Some(outcome) = world.run_unless(|| stop.is_at_once()) else { return Ok(None) };
    let metrics = metrics(scenario, &outcome, &lengths);
    let losses = losses(&outcome);
    let Outcome { ended, events, file_complete, .. } = outcome;
    Ok(Some(Measured { metrics, ended, events, file_complete, losses }))
}

fn losses(outcome: &Outcome) -> Option<f64> {
    let frames = (outcome.access_point.frames_sent + outcome.access_point.frames_resent) as f64;
    Some(outcome.frame_loss_rate? * frames / outcome.frame_loss_run?)
}

impl Results {
    /// Those of some runs, of which so many were planned.
    pub(crate) fn of(finished: BTreeMap<Run, Measured>, planned: usize) -> Self {
        Self { finished, planned }
    }

    /// Those of no runs.
    pub fn none() -> Self {
        Self { finished: BTreeMap::new(), planned: 0 }
    }

    /// How many runs finished.
    #[must_use]
    pub fn finished(&self) -> usize {
        self.finished.len()
    }

    /// How many runs ended before their file was there: their throughput is that of the whole duration.
    #[must_use]
    pub fn incomplete(&self) -> usize {
        self.finished.values().filter(|measured| measured.file_complete == Some(false)).count()
    }

    /// How much simulated time passed, in seconds, and how many events happened.
    #[must_use]
    pub fn simulated(&self) -> (f64, u64) {
        let add = |(time, events), run: &Measured| (time + run.ended.as_seconds(), events + run.events);
        self.finished.values().fold((0.0, 0), add)
    }

    /// Adds the results of further runs of the same plan.
    pub fn extend(&mut self, further: Self) {
        self.finished.extend(further.finished);
        self.planned += further.planned;
    }

    /// How many runs of a setting ended before their file was there, and how many there are.
    pub fn cut_of_setting(&self, plan: &Plan, setting: usize) -> (usize, usize) {
        let replications = 0..plan.settings[setting].replications;
        let runs = replications.filter_map(|replication| self.finished.get(&Run { replication, setting }));
        runs.fold((0, 0), |(cut, all), run| (cut + usize::from(run.file_complete == Some(false)), all + 1))
    }

    /// How often the link toward the client lost frames in the runs of a setting; some in a row count once.
    pub fn losses_of_setting(&self, plan: &Plan, setting: usize) -> f64 {
        let replications = 0..plan.settings[setting].replications;
        replications.filter_map(|replication| self.finished.get(&Run { replication, setting })?.losses).sum()
    }

    /// The rows of one setting in all replications, as one of the cells that show it has them.
    pub fn rows_of_setting(&self, plan: &Plan, setting: usize, shown: Use) -> Vec<Row> {
        let mut rows = Vec::new();
        let replications = 0..plan.settings[setting].replications;
        Cell::new(plan, shown.experiment, shown.point, shown.scheme, setting)
            .rows(self.of_setting(setting, replications), &mut rows);
        rows
    }

    /// The rows of one experiment of the plan: by point, scheme, replication and metric.
    #[must_use]
    pub fn rows(&self, plan: &Plan, experiment: usize) -> Vec<Row> {
        let mut cells: Vec<_> = plan
            .settings
            .iter()
            .enumerate()
            .flat_map(|(index, setting)| {
                setting
                    .uses
                    .iter()
                    .filter(|shown| shown.experiment == experiment)
                    .map(move |shown| (shown.point, shown.scheme, index))
            })
            .collect();
        cells.sort_unstable();
        let replications: BTreeSet<u32> = plan.runs.iter().map(|run| run.replication).collect();
        let mut rows = Vec::new();
        for (point, scheme, setting) in cells {
            let runs = self.of_setting(setting, replications.iter().copied());
            Cell::new(plan, experiment, point, scheme, setting).rows(runs, &mut rows);
        }
        rows
    }

    /// The runs of a setting that are finished, each with its replication.
    fn of_setting(
        &self,
        setting: usize,
        replications: impl IntoIterator<Item = u32>,
    ) -> impl Iterator<Item = (u32, &Measured)> {
        let measured = move |replication| Some((replication, self.finished.get(&Run { replication, setting })?));
        replications.into_iter().filter_map(measured)
    }
}
