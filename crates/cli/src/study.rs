//! What `run` and `reproduce` share: the options, the run with its progress bar and Ctrl-C, the output.

use arqway_lab::claims::Claim;
use arqway_lab::document::Mistakes;
use arqway_lab::experiment::{Effort, Experiment};
use arqway_lab::output::{Findings, Frame, OutputError};
use arqway_lab::plan::{Plan, Request, RequestError};
use arqway_lab::run::{RunError, run};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How much is run, and where the results go.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Replications of each cell, each run at full length
    #[arg(long, value_name = "N", conflicts_with = "quick")]
    pub(crate) replications: Option<NonZeroU32>,
    /// Shortened runs and few replications, as the world's file says
    #[arg(long)]
    pub(crate) quick: bool,
    /// Root of all random streams, instead of the experiment's
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// How many runs at a time [default: one for each core]
    #[arg(long, value_name = "J")]
    jobs: Option<NonZeroUsize>,
    /// Folder for rows.csv, rows.parquet, claims.csv, report.html and figures/
    #[arg(long, value_name = "DIR", default_value = "results", value_hint = clap::ValueHint::DirPath)]
    out: PathBuf,
}

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Mistakes(Mistakes),
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("cannot watch for Ctrl-C: {0}")]
    Signal(#[from] ctrlc::Error),
    #[error("cannot print: {0}")]
    Print(#[from] io::Error),
    #[error("cannot write into {folder}: {error}", folder = folder.display())]
    Write { folder: PathBuf, error: io::Error },
    #[error("stopped before any run was finished: there are no results")]
    Nothing,
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Mistakes(_) | Self::Usage(_) | Self::Request(_) => ExitCode::from(2),
            Self::Run(_) | Self::Output(_) | Self::Signal(_) | Self::Print(_) | Self::Write { .. } | Self::Nothing => {
                ExitCode::FAILURE
            }
        }
    }
}

impl Options {
    /// The options that change results, as they were typed.
    pub(crate) fn as_typed(&self) -> String {
        let mut typed = String::new();
        if let Some(replications) = self.replications {
            typed.push_str(&format!(" --replications {replications}"));
        }
        if self.quick {
            typed.push_str(" --quick");
        }
        if let Some(seed) = self.seed {
            typed.push_str(&format!(" --seed {seed}"));
        }
        typed
    }

    pub(crate) fn request(&self) -> Request {
        Request { replications: self.replications.map(NonZeroU32::get), seed: self.seed, ..Request::default() }
    }

    fn jobs(&self) -> NonZeroUsize {
        self.jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }
}

/// Runs experiments, prints their tables and writes their files.
pub(crate) fn study(
    experiments: Vec<Experiment>,
    request: &Request,
    claims: &[Claim],
    frame: &Frame,
    options: &Options,
) -> Result<(), Failure> {
    let plan = Plan::new(experiments, request)?;
    if plan.runs.is_empty() {
        eprintln!("nothing is left to run");
        return Ok(());
    }
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            // Asked twice: whoever presses Ctrl-C again does not want to wait for the runs under way.
            std::process::exit(130);
        }
        eprintln!("stopping after the runs under way; again to stop at once");
    })?;
    let progress = ProgressBar::new(plan.runs.len() as u64).with_style(style());
    let results = run(&plan, options.jobs(), &stop, || progress.inc(1))?;
    progress.finish_and_clear();
    if results.finished() == 0 {
        return Err(Failure::Nothing);
    }
    let findings = Findings::new(&plan, &results, claims);
    findings.write(&plan, frame, &options.out)?;
    print(&findings.to_text(&plan))?;
    if results.finished() < results.planned {
        eprintln!("stopped: {} of {} runs are finished and kept", results.finished(), results.planned);
    }
    if results.incomplete() > 0 {
        eprintln!("{} runs ended by the scenario's `duration`, before their file was there", results.incomplete());
    }
    let (seconds, events) = results.simulated();
    eprintln!(
        "{} runs, {:.0} hours simulated, {:.1} million events in {:.1} s",
        results.finished(),
        seconds / 3600.0,
        events as f64 / 1e6,
        progress.elapsed().as_secs_f64()
    );
    eprintln!("report, figures and rows are in {}", options.out.display());
    Ok(())
}

/// Whoever stops reading half way, as `head` does, has what he wants.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{wide_bar} {pos} of {len} runs, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Reads experiments, or tells every mistake in all of them.
pub(crate) fn read_all<'a>(
    sources: impl Iterator<Item = &'a Arc<arqway_lab::document::Source>>,
    folder: &std::path::Path,
    effort: Effort,
) -> Result<Vec<Experiment>, Failure> {
    let mut mistakes = Mistakes::new();
    let mut experiments = Vec::new();
    for source in sources {
        match Experiment::read(source, folder, effort) {
            Ok(experiment) => experiments.push(experiment),
            Err(found) => mistakes.extend(found),
        }
    }
    mistakes.into_result(experiments).map_err(Failure::Mistakes)
}
