//! Runs a plan on all cores. Results do not depend on how many there are, nor on the order in which runs finish.
//!
//! | file | concept |
//! | --- | --- |
//! | `plan.rs` | experiments expanded to runs, each cell once |
//! | `measured.rs`, `results.rs` | what is kept of a run, and of all of them |
//! | `delays.rs` | the distributions of what a user waits for |
//! | `cell_rows.rs` | the rows of a cell's runs |
//! | `cell.rs` | one cell again, with somebody watching |
//! | `precision.rs` | as many replications as it takes |
//! | `partial/` | runs spread over processes and machines, or kept for later |
//! | `cancellation.rs` | how runs are stopped from outside |

pub mod cancellation;
pub mod cell;
pub mod cell_rows;
pub(crate) mod delays;
pub(crate) mod measured;
pub mod partial;
pub mod plan;
pub mod precision;
mod results;
#[cfg(test)]
pub(crate) mod small_study;
#[cfg(test)]
mod tests;

pub use results::Results;

use arqway_link::mux::ConfigError;
use arqway_sim::{NoProbe, Probe, Scenario, Streams, World};
use cancellation::Cancellation;
use delays::Delays;
use measured::Measured;
use plan::{Plan, Run};
use rayon::iter::{ParallelBridge, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

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
pub fn run(
    plan: &Plan,
    jobs: NonZeroUsize,
    stop: &Cancellation,
    finished: impl Fn() + Sync,
) -> Result<Results, RunError> {
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
    stop: &Cancellation,
    finished: impl Fn() + Sync,
) -> Result<Results, RunError> {
    run_in_threads(plan, runs, jobs, stop, &finished)
}

/// Not generic, so that the simulated network is compiled in this crate alone, and not by everyone who calls [`run`].
fn run_in_threads(
    plan: &Plan,
    runs: &[Run],
    jobs: NonZeroUsize,
    stop: &Cancellation,
    finished: &(dyn Fn() + Sync),
) -> Result<Results, RunError> {
    let threads = in_threads(jobs)?;
    let one = |run: &Run| {
        let measured = measure_run(plan, *run, NoProbe, &|| stop.is_immediate()).transpose()?;
        finished();
        Some(measured)
    };
    // The runs are handed out in their order, and none after a stop, so that stopping leaves whole replications.
    let handed_out = runs.iter().take_while(|_| !stop.is_requested());
    let results: Result<BTreeMap<_, _>, _> = threads.install(|| handed_out.par_bridge().filter_map(one).collect());
    Ok(Results::of(results?, runs.len()))
}

/// So many threads.
pub(crate) fn in_threads(jobs: NonZeroUsize) -> Result<ThreadPool, RunError> {
    let threads = ThreadPoolBuilder::new().num_threads(jobs.get()).build();
    threads.map_err(|source| RunError::Threads { jobs: jobs.get(), source })
}

/// Runs one of a plan's runs with a probe watching: it is the run that [`run`] makes of it. Nothing after a stop, which does
/// not wait for its end.
///
/// # Errors
/// A world that cannot be built.
pub fn watch(plan: &Plan, run: Run, probe: impl Probe, stop: &Cancellation) -> Result<Option<Results>, RunError> {
    let measured = measure_run(plan, run, probe, &|| stop.is_requested())?;
    Ok(measured.map(|one| Results::of([one].into(), 1)))
}

/// One of a plan's runs, by name; nothing where the plan has no such run, or it was given up.
fn measure_run(
    plan: &Plan,
    run: Run,
    probe: impl Probe,
    is_given_up: &dyn Fn() -> bool,
) -> Result<Option<(Run, Measured)>, RunError> {
    let Some(setting) = plan.settings.get(run.setting) else { return Ok(None) };
    let streams = Streams::new(setting.seed, run.replication);
    Ok(measure_watched(&setting.scenario, &streams, probe, is_given_up)?.map(|measured| (run, measured)))
}

/// One run; nothing where it was given up.
pub(crate) fn measure(
    scenario: &Scenario,
    streams: &Streams,
    stop: &Cancellation,
) -> Result<Option<Measured>, RunError> {
    measure_watched(scenario, streams, NoProbe, &|| stop.is_immediate())
}

fn measure_watched(
    scenario: &Scenario,
    streams: &Streams,
    probe: impl Probe,
    is_given_up: &dyn Fn() -> bool,
) -> Result<Option<Measured>, RunError> {
    let mut delays = Delays::default();
    let world = World::new(scenario, streams, (&mut delays, probe))?;
    let Some(outcome) = world.run_unless(is_given_up) else { return Ok(None) };
    Ok(Some(Measured::new(scenario, &outcome, &delays)))
}
