//! `arqway merge DIR ...`: merges the shards of a study into its results.

use crate::failure::Failure;
use crate::produce::conclude;
use crate::study::{Options, Plans, Runs, Study, as_typed};
use crate::{Command, reproduce, run, sensitivity};
use arqway_lab::output_folder::OutputFolder;
use arqway_lab::run::partial::{Manifest, PartialError, Refused, ResultStore, RunIndex, Shard, folder_of};
use arqway_lab::run::plan::{Plan, Run};
use arqway_papers::Judged;
use clap::Parser;
use std::path::PathBuf;

const EXAMPLES: &str =
    "Run each shard with the same command and another --shard, on any machine, into one folder or several:
  arqway run my-experiment.toml --replications 1000 --shard 1/3 --out first
  arqway run my-experiment.toml --replications 1000 --shard 2/3 --out second
  arqway run my-experiment.toml --replications 1000 --shard 3/3 --out third

Examples:
  arqway merge first second third --out results
  arqway merge results                              if all shards share a folder";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folders of the shards
    #[arg(value_name = "DIR", required = true, value_hint = clap::ValueHint::DirPath)]
    folders: Vec<PathBuf>,
    /// Folder for rows.csv, rows.parquet, claims.csv, report.html and figures/ [default: the first DIR]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: Option<PathBuf>,
}

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    let question = question(arguments)?;
    let words = ["arqway".to_owned()].into_iter().chain(question.arguments.clone());
    let asked = crate::Arguments::try_parse_from(words).map_err(|error| not_understood(&error.to_string()))?;
    match asked.command {
        Command::Run(asked) => merge(run::read_kept(&asked, &question.files)?, &asked.options, arguments, &question),
        Command::Reproduce(asked) => merge(reproduce::read(&asked)?, &asked.options, arguments, &question),
        Command::Sensitivity(asked) => {
            let asked = asked.into_folder(arguments.out());
            let questions = sensitivity::read(&asked)?;
            let store = complete(arguments, &sensitivity::plans(&questions), &question)?;
            sensitivity::produce(questions, &asked, Some(store))
        }
        _ => Err(not_understood("the command runs no study")),
    }
}

impl Arguments {
    /// The folder for the results.
    fn out(&self) -> PathBuf {
        self.out.as_ref().or(self.folders.first()).cloned().unwrap_or_default()
    }
}

fn not_understood(why: &str) -> Failure {
    Failure::Failed(format!("cannot read the command line of the shards: {why}"))
}

/// The study that the shards in all folders belong to.
fn question(arguments: &Arguments) -> Result<Manifest, Failure> {
    let Some((first, others)) = arguments.folders.split_first() else { return Err(Failure::Nothing) };
    let question = Manifest::read(first)?;
    for folder in others {
        question.is_that_of(&Manifest::read(folder)?, folder)?;
    }
    Ok(question)
}

/// Makes the results of a study from its pieces.
fn merge(study: Study, asked: &Options, arguments: &Arguments, question: &Manifest) -> Result<(), Failure> {
    let options = asked.clone().into_folder(arguments.out());
    let plans = Plans::new(&study)?;
    let store = complete(arguments, &plans.all(), question)?;
    let mut runs = Runs::new(options.running.jobs(), plans.runs())?;
    let _locked = OutputFolder::take(&options.out, &Judged::FILES)?;
    runs.store = Some(store);
    conclude(study, plans, runs, &options)
}

/// The pieces in all folders, where no run of these plans is missing.
fn complete(arguments: &Arguments, plans: &[&Plan], question: &Manifest) -> Result<ResultStore, Failure> {
    let folders: Vec<PathBuf> = arguments.folders.iter().map(|folder| folder_of(folder)).collect();
    let (store, refused) = ResultStore::open(&folders)?;
    check(plans, &store, &refused, question)?;
    Ok(store)
}

/// Checks that no run is missing, and that no piece belongs to another study.
fn check(plans: &[&Plan], store: &ResultStore, refused: &[Refused], question: &Manifest) -> Result<(), Failure> {
    let of_others = refused.iter().filter(|refused| matches!(refused.error, PartialError::Program { .. }));
    let mut wrong: Vec<String> = of_others.map(ToString::to_string).collect();
    let catalogues: Vec<RunIndex> = plans.iter().map(|plan| RunIndex::of(plan)).collect::<Result<_, _>>()?;
    let all: Vec<(&RunIndex, &[Run])> =
        catalogues.iter().zip(plans).map(|(catalogue, plan)| (catalogue, plan.runs.as_slice())).collect();
    let strangers = store.foreign_files(&all);
    wrong.extend(strangers.iter().map(|path| format!("{}: none of its runs belongs to this study", path.display())));
    if !wrong.is_empty() {
        let wrong = wrong.join("\n");
        return Err(Failure::Failed(format!(
            "{wrong}\nnothing was merged: these pieces belong to another study; remove them"
        )));
    }
    let damaged: String = refused.iter().map(|refused| format!("{refused}\n")).collect();
    let mut missing = String::new();
    for shard in Shard::all(question.shards) {
        let shares = shard.runs_of(plans);
        let missing_of = |(catalogue, share): (&RunIndex, &Vec<Run>)| store.collected().missing(catalogue, share).len();
        let runs: usize = catalogues.iter().zip(&shares).map(missing_of).sum();
        if runs > 0 {
            let (wanted, command) = (shares.iter().map(Vec::len).sum::<usize>(), as_typed(&question.arguments));
            missing.push_str(&format!(
                "\nshard {shard}: {runs} of {wanted} runs are missing; run them with: arqway {command} --shard {shard} --out DIR"
            ));
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(Failure::Failed(format!("{damaged}nothing was merged:{missing}"))) }
}
