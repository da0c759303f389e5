//! What `run` and `reproduce` share: the options, and the runs with their progress bar and Ctrl-C.

use crate::failure::{Failure, read_source};
use crate::interrupt;
use crate::terminal::note;
use crate::values;
use arqway_config::{Source, did_you_mean};
use arqway_lab::experiment::{Effort, Experiment, scenarios};
use arqway_lab::output::OutputError;
use arqway_lab::report::ReportHeader;
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::partial::{ResultStore, Shard};
use arqway_lab::run::plan::{Plan, Request, RequestError, Run};
use arqway_lab::run::precision::{MAX_REPLICATIONS, UnsettledMean, run_to_precision};
use arqway_lab::run::{Results, run_these};
use arqway_papers::Judged;
use arqway_papers::claims::{Claim, Record};
use arqway_papers::modern_tcp::{ModernTcp, Section};
use arqway_papers::options::{StudyOptions, quoted};
use arqway_papers::other_seeds::{self, SeedFinding};
use arqway_units::Ratio;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much is run, and where the results go.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Replications of each cell, at full length; a study has at most a million runs
    #[arg(long, value_name = "N", conflicts_with = "quick", value_parser = values::replications, allow_negative_numbers = true)]
    pub(crate) replications: Option<NonZeroU32>,
    /// Short runs and few replications, as the scenario's `[quick]` says
    #[arg(long)]
    pub(crate) quick: bool,
    /// Add replications until the 95 % confidence interval of every plotted mean is within this share of it, such as 2%
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub(crate) until: Option<Ratio>,
    #[command(flatten)]
    pub(crate) running: Running,
    #[command(flatten)]
    pub(crate) pieces: Pieces,
    /// Folder for rows.csv, rows.parquet, claims.csv, report.html and figures/
    #[arg(long, value_name = "DIR", default_value = "results", value_hint = clap::ValueHint::DirPath)]
    pub(crate) out: PathBuf,
}

/// The options of every command that can keep its finished runs.
#[derive(Debug, Clone, Args)]
pub(crate) struct Pieces {
    /// Keep finished runs in DIR/pieces, and continue from those already there
    #[arg(long)]
    pub(crate) resume: bool,
    /// Run only the i-th of n shares and keep it in DIR/pieces; `arqway merge` combines all shares
    #[arg(long, value_name = "i/n", conflicts_with = "resume")]
    pub(crate) shard: Option<Shard>,
}

/// The seed of the runs, and how many run in parallel.
#[derive(Debug, Clone, Args)]
pub(crate) struct Running {
    /// Seed of all random streams, instead of the experiment's
    #[arg(long, value_name = "S", value_parser = values::seed, allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Number of runs in parallel, at most four for each core [default: one for each core]
    #[arg(long, value_name = "J", value_parser = values::jobs, allow_negative_numbers = true)]
    jobs: Option<NonZeroUsize>,
}

impl Running {
    /// The option that changes results, as it was typed.
    pub(crate) fn as_typed(&self) -> String {
        self.seed.map_or_else(String::new, |seed| format!(" --seed {seed}"))
    }

    /// The requested number, or one for each core. More than a few for each core take memory and make nothing faster.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        const MOST_OF_A_CORE: usize = 4;
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let asked = self.jobs.unwrap_or(cores);
        let most = cores.saturating_mul(NonZeroUsize::MIN.saturating_add(MOST_OF_A_CORE - 1));
        if asked > most {
            note(format_args!(
                "--jobs {asked} is more than this machine can use: {most} runs in parallel, four for each core"
            ));
        }
        asked.min(most)
    }
}

/// A file, or the built-in scenario of that name; and the folder of the files that it names.
pub(crate) fn read_world(scenario: &Path) -> Result<(Arc<Source>, PathBuf), Failure> {
    let name = scenario.display().to_string();
    if !scenario.is_file() && scenario.extension().is_none() {
        return scenarios::scenario(&name).map(|source| (source, PathBuf::new())).ok_or_else(|| {
            let known = scenarios::names();
            let help = did_you_mean(&name, &known.iter().map(String::as_str).collect::<Vec<_>>());
            Failure::Usage(format!("no scenario is called `{name}`; {help}"))
        });
    }
    read_source(scenario)
}

/// The name of a file without its folder: results do not depend on paths.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

impl Options {
    /// The options that change results.
    pub(crate) fn asked(&self) -> StudyOptions {
        let Self { replications, quick, until, .. } = *self;
        StudyOptions { replications, quick, until, seed: self.running.seed, ..StudyOptions::default() }
    }

    /// The same, with results in this folder.
    pub(crate) fn into_folder(self, out: PathBuf) -> Self {
        Self { out, ..self }
    }

    pub(crate) fn request(&self) -> Request {
        Request { replications: self.replications.map(NonZeroU32::get), seed: self.running.seed, ..Request::default() }
    }
}

/// The words of a command line, quoted for a shell.
pub(crate) fn as_typed(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A study: the experiments, and what to do with their results.
pub(crate) struct Study {
    pub(crate) experiments: Vec<Experiment>,
    pub(crate) request: Request,
    pub(crate) claims: Vec<Claim>,
    /// Number of seeds from which each claim is judged.
    pub(crate) seeds: NonZeroU32,
    pub(crate) header: ReportHeader,
    /// The recorded verdicts, with `--strict`.
    pub(crate) strict: Option<(Record, Effort)>,
    /// The recorded verdicts, where one screen for whole papers is enough.
    pub(crate) on_a_screen: Option<(Record, Effort)>,
    /// The same experiments with today's TCP, with `--today`.
    pub(crate) today: Vec<Experiment>,
    /// The arguments after `arqway`, without those that change no result.
    pub(crate) words: Vec<String>,
    /// The files that it names, including the experiment's own.
    pub(crate) files: BTreeMap<String, String>,
}

/// Everything that a study runs.
pub(crate) struct Plans {
    pub(crate) plain: Plan,
    /// The cells that claims read, from the seeds that follow.
    pub(crate) other_seeds: Vec<Plan>,
    pub(crate) today: Option<Plan>,
}

impl Plans {
    pub(crate) fn new(study: &Study) -> Result<Self, Failure> {
        let Study { experiments, request, claims, seeds, today, .. } = study;
        let plain = Plan::new(experiments.clone(), request)?;
        RequestError::check_runs(u64::from(seeds.get()) * plain.runs.len() as u64)?;
        let today = if today.is_empty() { None } else { Some(Plan::new(today.clone(), request)?) };
        Ok(Self { other_seeds: other_seeds::plans(&plain, claims, *seeds), plain, today })
    }

    /// How many runs there are in all.
    pub(crate) fn runs(&self) -> usize {
        self.all().iter().map(|plan| plan.runs.len()).sum()
    }

    /// One after the other.
    pub(crate) fn all(&self) -> Vec<&Plan> {
        std::iter::once(&self.plain).chain(&self.other_seeds).chain(&self.today).collect()
    }
}

/// Runs a study in parallel, with a progress bar, until it is done or stopped by Ctrl-C.
pub(crate) struct Runs {
    jobs: NonZeroUsize,
    stop: &'static Cancellation,
    bar: ProgressBar,
    /// Where pieces of the study are kept, if they are.
    pub(crate) store: Option<ResultStore>,
    finished: usize,
    /// Runs that ended before their file transfer was complete.
    incomplete: usize,
    simulated_s: f64,
    events: u64,
}

impl Runs {
    pub(crate) fn new(jobs: NonZeroUsize, planned: usize) -> Result<Self, Failure> {
        let stop = interrupt::stop("stopping after the current runs; press Ctrl-C again to stop at once");
        let bar = ProgressBar::new(planned as u64).with_style(style());
        Ok(Self { jobs, stop, bar, store: None, finished: 0, incomplete: 0, simulated_s: 0.0, events: 0 })
    }

    /// Runs a part of a plan, except for runs that are already kept.
    pub(crate) fn run(&mut self, plan: &Plan, runs: &[Run]) -> Result<Results, Failure> {
        let (jobs, stop, bar) = (self.jobs, self.stop, &self.bar);
        let results = match &mut self.store {
            None => run_these(plan, runs, jobs, stop, || bar.inc(1))?,
            Some(store) => store.run(plan, runs, jobs, stop, || bar.inc(1))?,
        };
        self.count(&results);
        Ok(results)
    }

    pub(crate) fn all(
        &mut self,
        plan: &mut Plan,
        until: Option<Ratio>,
    ) -> Result<(Results, Vec<UnsettledMean>), Failure> {
        let (results, wide) = match until {
            None => (self.run(plan, &plan.runs)?, Vec::new()),
            Some(share) => {
                let (stop, bar) = (self.stop, self.bar.clone());
                let others = bar.length().unwrap_or_default().saturating_sub(plan.runs.len() as u64);
                let planned = |runs: u64| bar.set_length(others + runs);
                let out_of_reach = |means: &[UnsettledMean]| bar.suspend(|| tell_out_of_reach(means, share));
                run_to_precision(plan, share, stop, planned, out_of_reach, |plan, runs| self.run(plan, runs))?
            }
        };
        // After Ctrl-C it is no news that some means are not settled.
        let wide = if self.is_stopped() { Vec::new() } else { wide };
        Ok((results, wide))
    }

    /// The verdicts from other seeds; a seed whose runs were stopped is left out.
    pub(crate) fn other_seeds(&mut self, plans: &[Plan], claims: &[Claim]) -> Result<Vec<SeedFinding>, Failure> {
        if self.is_stopped() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for plan in plans {
            let results = self.run(plan, &plan.runs)?;
            if results.finished() == results.planned {
                found.push(SeedFinding::new(plan, &results, claims));
            }
        }
        Ok(found)
    }

    /// The same figures with today's TCP: adds their rows, and sections to the report.
    pub(crate) fn today(&mut self, plan: &Plan, plain: &Plan, judged: &mut Judged) -> Result<Vec<Section>, Failure> {
        if self.is_stopped() {
            return Ok(Vec::new());
        }
        let results = self.run(plan, &plan.runs)?;
        let claims: Vec<Claim> = judged.judgements.iter().map(|judgement| judgement.claim.clone()).collect();
        let today = ModernTcp::new(plan, &results, &claims);
        let sections = today.sections(plain, judged).map_err(OutputError::from)?;
        for section in &sections {
            judged.further.entry(section.paper.clone()).or_default().push(section.further());
        }
        judged.findings.rows.extend(today.rows);
        Ok(sections)
    }

    /// Counts what was run, for the summary at the end.
    pub(crate) fn count(&mut self, results: &Results) {
        let (seconds, events) = results.simulated();
        self.finished += results.finished();
        self.incomplete += results.incomplete();
        self.simulated_s += seconds;
        self.events += events;
    }

    /// For a caller that runs things itself and sets the length of the bar.
    pub(crate) fn watched(&self) -> (NonZeroUsize, &Cancellation, &ProgressBar) {
        (self.jobs, self.stop, &self.bar)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// How much is there after Ctrl-C, as an error; nothing where everything was run.
    pub(crate) fn unless_stopped(&self, what_is_kept: &str) -> Result<(), Failure> {
        if !self.is_stopped() {
            return Ok(());
        }
        let planned = self.bar.length().unwrap_or_default();
        Err(Failure::Stopped(format!("{} of {planned} runs are finished{what_is_kept}", self.finished)))
    }

    pub(crate) fn summarise(&self) {
        if self.incomplete > 0 {
            let runs = runs(self.incomplete);
            note(format_args!("{runs} reached the scenario's `duration` before the file transfer was complete"));
        }
        let (events, seconds) = (self.events as f64 / 1e6, self.bar.elapsed().as_secs_f64());
        let (finished, simulated) = (runs(self.finished), simulated(self.simulated_s));
        note(format_args!("{finished}, {simulated} simulated, {events:.1} million events in {seconds:.1} s"));
        if let Some(taken) = self.store.as_ref().map(ResultStore::reused).filter(|taken| *taken > 0) {
            note(format_args!("{} of these were already kept", runs(taken)));
        }
    }
}

/// Says which means `--until` does not wait for.
fn tell_out_of_reach(means: &[UnsettledMean], share: Ratio) {
    note(format_args!(
        "these means cannot be known to {share} with {MAX_REPLICATIONS} replications; the others go on:"
    ));
    means.iter().for_each(|mean| note(format_args!("  {mean}")));
}

fn runs(count: usize) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}

/// A length of simulated time, in the unit that suits it.
fn simulated(seconds: f64) -> String {
    match seconds {
        _ if seconds < 120.0 => format!("{seconds:.0} s"),
        _ if seconds < 7200.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.0} hours", seconds / 3600.0),
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{wide_bar} {pos} of {len} runs, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}
