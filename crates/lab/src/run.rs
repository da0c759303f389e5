//! Runs a plan on all cores. Results do not depend on how many there are, nor on the order in which runs finish.

use crate::plan::{Plan, Run, Use};
use crate::rows::Row;
use arqway_link::mux::ConfigError;
use arqway_sim::channel::Direction;
use arqway_sim::{NoProbe, Outcome, Probe, Scenario, Streams, World};
use arqway_units::{Span, Time};
use hdrhistogram::Histogram;
use rayon::iter::{ParallelBridge, ParallelIterator};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What came out of the runs that finished.
#[derive(Debug)]
pub struct Results {
    finished: BTreeMap<Run, Measured>,
    /// How many runs were planned.
    pub planned: usize,
}

#[derive(Debug)]
struct Measured {
    outcome: Outcome,
    media_delay_p95_s: Option<f64>,
    web_response_p95_s: Option<f64>,
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
        source: rayon::ThreadPoolBuildError,
    },
    /// A scenario has more services than a tag can tell apart.
    #[error(transparent)]
    Services(#[from] ConfigError),
}

/// Runs a plan with this many threads; calls `finished` after each run; begins no run once `stop` is set.
///
/// # Errors
/// Threads that do not start, and worlds that cannot be built.
pub fn run(
    plan: &Plan,
    jobs: NonZeroUsize,
    stop: &AtomicBool,
    finished: impl Fn() + Sync,
) -> Result<Results, RunError> {
    run_these(plan, &plan.runs, jobs, stop, finished)
}

/// Some of a plan's runs.
pub(crate) fn run_these(
    plan: &Plan,
    runs: &[Run],
    jobs: NonZeroUsize,
    stop: &AtomicBool,
    finished: impl Fn() + Sync,
) -> Result<Results, RunError> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs.get()).build();
    let threads = threads.map_err(|source| RunError::Threads { jobs: jobs.get(), source })?;
    let one = |run: &Run| -> Option<Result<(Run, Measured), RunError>> {
        let setting = plan.settings.get(run.setting)?;
        let measured = measure(&setting.scenario, &Streams::new(setting.seed, run.replication), NoProbe);
        finished();
        Some(measured.map(|measured| (*run, measured)))
    };
    // The runs are handed out in their order, and none after a stop, so that stopping leaves whole replications.
    let handed_out = runs.iter().take_while(|_| !stop.load(Ordering::Relaxed));
    let results: Result<BTreeMap<_, _>, _> = threads.install(|| handed_out.par_bridge().filter_map(one).collect());
    Ok(Results { finished: results?, planned: runs.len() })
}

/// Runs one of a plan's runs with a probe watching: it is the run that [`run`] makes of it.
///
/// # Errors
/// A world that cannot be built.
pub fn watch(plan: &Plan, run: Run, probe: impl Probe) -> Result<Results, RunError> {
    let mut finished = BTreeMap::new();
    if let Some(setting) = plan.settings.get(run.setting) {
        finished.insert(run, measure(&setting.scenario, &Streams::new(setting.seed, run.replication), probe)?);
    }
    Ok(Results { finished, planned: 1 })
}

fn measure(scenario: &Scenario, streams: &Streams, probe: impl Probe) -> Result<Measured, RunError> {
    let mut lengths = Lengths { media_delay: Distribution::new(), web_response: Distribution::new() };
    let outcome = World::new(scenario, streams, (&mut lengths, probe))?.run();
    let media_delay_p95_s = lengths.media_delay.quantile_s(0.95);
    Ok(Measured { outcome, media_delay_p95_s, web_response_p95_s: lengths.web_response.quantile_s(0.95) })
}

/// How long what takes its time takes.
struct Lengths {
    media_delay: Distribution,
    web_response: Distribution,
}

impl Probe for Lengths {
    fn media_received(&mut self, delay: Span, _now: Time) {
        self.media_delay.record(delay);
    }

    fn page_loaded(&mut self, response: Span, _now: Time) {
        self.web_response.record(response);
    }
}

/// The distribution of a length of time, in microseconds, to three digits: its size does not grow with the run.
struct Distribution(Option<Histogram<u64>>);

/// No run lasts longer than this; a length beyond it would count as it.
const LONGEST_MICROSECONDS: u64 = 1_000_000_000_000;

impl Distribution {
    fn new() -> Self {
        Self(Histogram::new_with_max(LONGEST_MICROSECONDS, 3).ok())
    }

    fn record(&mut self, length: Span) {
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(length.as_nanoseconds() / 1000);
        }
    }

    fn quantile_s(&self, quantile: f64) -> Option<f64> {
        let histogram = self.0.as_ref().filter(|histogram| !histogram.is_empty())?;
        Some(histogram.value_at_quantile(quantile) as f64 / 1e6)
    }
}

impl Results {
    /// How many runs finished.
    #[must_use]
    pub fn finished(&self) -> usize {
        self.finished.len()
    }

    /// How many runs ended before their file was there: their throughput is that of the whole duration.
    #[must_use]
    pub fn incomplete(&self) -> usize {
        self.finished.values().filter(|measured| measured.outcome.file_complete == Some(false)).count()
    }

    /// How much simulated time passed, in seconds, and how many events happened.
    #[must_use]
    pub fn simulated(&self) -> (f64, u64) {
        let outcomes = self.finished.values().map(|measured| &measured.outcome);
        outcomes.fold((0.0, 0), |(time, events), outcome| (time + outcome.ended.as_seconds(), events + outcome.events))
    }

    /// Adds the results of further runs of the same plan.
    pub(crate) fn extend(&mut self, further: Self) {
        self.finished.extend(further.finished);
        self.planned += further.planned;
    }

    /// The rows of one setting in all replications, as one of the cells that show it has them.
    pub(crate) fn rows_of_setting(&self, plan: &Plan, setting: usize, shown: Use) -> Vec<Row> {
        let mut rows = Vec::new();
        for replication in 0..plan.settings[setting].replications {
            if let Some(measured) = self.finished.get(&Run { replication, setting }) {
                Cell::new(plan, shown.experiment, shown.point, shown.scheme, setting, replication)
                    .rows(measured, &mut rows);
            }
        }
        rows
    }

    /// The rows of one setting's first replication, as each of the cells that show it has them.
    pub(crate) fn first_rows(&self, plan: &Plan, setting: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        let run = Run { replication: 0, setting };
        if let Some(measured) = self.finished.get(&run) {
            for shown in &plan.settings[setting].uses {
                Cell::new(plan, shown.experiment, shown.point, shown.scheme, setting, 0).rows(measured, &mut rows);
            }
        }
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
            for &replication in &replications {
                if let Some(measured) = self.finished.get(&Run { replication, setting }) {
                    let cell = Cell::new(plan, experiment, point, scheme, setting, replication);
                    cell.rows(measured, &mut rows);
                }
            }
        }
        rows
    }
}

/// What all rows of a cell in one replication share.
struct Cell {
    common: Row,
    /// The applications at work.
    apps: Vec<&'static str>,
    /// How many standard deviations the media's delay lies above the mean.
    delay_deviations: f64,
}

impl Cell {
    fn new(plan: &Plan, experiment: usize, point: usize, scheme: usize, setting: usize, replication: u32) -> Self {
        let (experiment, scenario) = (&plan.experiments[experiment], &plan.settings[setting].scenario);
        let empty: Arc<str> = Arc::from("");
        let common = Row {
            paper: experiment.paper.as_str().into(),
            app: empty.clone(),
            errors: experiment.errors.into(),
            beside: empty.clone(),
            rate_bps: scenario.wireless.rate(Direction::Down).mean().as_bits_per_second(),
            connections: connections(scenario),
            point: experiment.points[point].value,
            scheme: experiment.schemes[scheme].name.as_str().into(),
            variant: experiment.variant_of(&experiment.schemes[scheme]).into(),
            replication,
            metric: empty,
            value: 0.0,
        };
        let apps = [
            ("file-transfer", scenario.file_transfer.enabled),
            ("web", scenario.web.enabled),
            ("media", scenario.media.enabled),
            ("channel", scenario.channel.enabled),
        ];
        let apps = apps.into_iter().filter(|(_, enabled)| *enabled).map(|(app, _)| app).collect();
        Self { common, apps, delay_deviations: scenario.media.delay_deviations }
    }

    fn rows(&self, measured: &Measured, rows: &mut Vec<Row>) {
        let Measured { outcome, media_delay_p95_s, web_response_p95_s } = measured;
        let of_file = [
            ("throughput", outcome.throughput_bps),
            ("timeouts", outcome.tcp_timeouts),
            ("link-timeouts", link_timeouts(outcome)),
            ("flr", outcome.frame_loss_rate),
        ];
        let web = outcome.web.as_ref();
        let of_web = [
            ("throughput", web.map(|web| web.throughput_bps)),
            ("response", web.and_then(|web| web.response_s)),
            ("response-p95", *web_response_p95_s),
            ("transactions", web.map(|web| web.pages as f64)),
            ("timeouts", web.and_then(|web| web.timeouts)),
            ("link-timeouts", link_timeouts(outcome)),
            ("flr", outcome.frame_loss_rate),
        ];
        let of_media = [
            ("delay", self.media_delay_s(outcome)),
            ("delay-mean", outcome.media_delay_s.filter(|_| self.delay_deviations > 0.0)),
            ("delay-p95", *media_delay_p95_s),
            ("loss", outcome.media_loss),
            ("offered", outcome.media_offered_bps),
        ];
        let of_channel = [("loss", outcome.frame_loss_rate), ("burst", outcome.frame_loss_run)];
        self.rows_of("file-transfer", &of_file, rows);
        self.rows_of("web", &of_web, rows);
        self.rows_of("media", &of_media, rows);
        self.rows_of("channel", &of_channel, rows);
    }

    /// The mean, or what the world's deviations put on top of it.
    fn media_delay_s(&self, outcome: &Outcome) -> Option<f64> {
        let mean = outcome.media_delay_s?;
        if self.delay_deviations > 0.0 {
            return Some(mean + self.delay_deviations * outcome.media_delay_deviation_s?);
        }
        Some(mean)
    }

    /// What else uses the link: `none`, another application, or `all` of several.
    fn beside(&self, app: &str) -> &'static str {
        let others: Vec<_> = self.apps.iter().filter(|other| **other != app).collect();
        match others.as_slice() {
            [] => "none",
            [other] => other,
            _ => "all",
        }
    }

    fn rows_of(&self, app: &str, metrics: &[(&str, Option<f64>)], rows: &mut Vec<Row>) {
        if !self.apps.contains(&app) {
            return;
        }
        let (app, beside): (Arc<str>, Arc<str>) = (app.into(), self.beside(app).into());
        for (metric, value) in metrics {
            if let Some(value) = value {
                let (app, beside) = (app.clone(), beside.clone());
                rows.push(Row { app, beside, metric: (*metric).into(), value: *value, ..self.common.clone() });
            }
        }
    }
}

/// How many files at once; one where there is none.
fn connections(scenario: &Scenario) -> u32 {
    let transfer = &scenario.file_transfer;
    if transfer.enabled { transfer.connections.get().into() } else { 1 }
}

/// How often the access point's retransmission timers expired, for each frame that it sent for the first time.
fn link_timeouts(outcome: &Outcome) -> Option<f64> {
    let frames = outcome.access_point.frames_sent;
    (frames > 0).then(|| outcome.access_point.timeouts as f64 / frames as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_delays_of_a_congested_lecture_are_told_apart() {
        let mut delays = Distribution::new();
        for milliseconds in 1..=10_000 {
            delays.record(Span::from_milliseconds(milliseconds));
        }
        let quantile = delays.quantile_s(0.95).expect("there are delays");
        assert!((quantile - 9.5).abs() < 0.01, "three digits: {quantile}");
    }
}
