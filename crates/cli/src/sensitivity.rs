//! `arqway sensitivity [PAPER ...]`

use crate::failure::Failure;
use crate::reproduce::unknown_paper;
use crate::shards;
use crate::study::{Pieces, Running, Runs, as_typed};
use crate::terminal::{note, print};
use crate::values;
use arqway_config::Mistakes;
use arqway_lab::experiment::Effort;
use arqway_lab::experiment::overlay::Overlay;
use arqway_lab::experiment::scenarios;
use arqway_lab::output_folder::OutputFolder;
use arqway_lab::run::partial::ResultStore;
use arqway_lab::run::plan::{Plan, Request};
use arqway_papers::library::{self, FigureName};
use arqway_papers::sensitivity::{self, AlternativeFinding, Matrix, Parameter, Questions, Worlds};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;

const EXAMPLES: &str =
    "For each parameter that a paper does not give (sensitivity/PAPER.toml), every claim is judged again with other values
of it, from the same seeds. Without --replications the run is quick: short runs, few replications.

Examples:
  arqway sensitivity monet08
  arqway sensitivity monet08 --only 'TCP: maximum window'
  arqway sensitivity --out results/sensitivity        all papers
  arqway sensitivity monet08 --replications 30 --resume    hours, and it may be interrupted";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The papers, such as monet08 [default: all papers]
    #[arg(value_name = "PAPER")]
    papers: Vec<String>,
    /// Vary only this parameter, named as in the table
    #[arg(long, value_name = "PARAMETER")]
    only: Option<String>,
    /// Replications of each cell, at full length
    #[arg(long, value_name = "N", value_parser = values::replications, allow_negative_numbers = true)]
    replications: Option<NonZeroU32>,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    pieces: Pieces,
    /// Folder for sensitivity.csv, sensitivity.html and figures/
    #[arg(long, value_name = "DIR", default_value = "results", value_hint = clap::ValueHint::DirPath)]
    out: PathBuf,
}

/// The questions about one paper, and the worlds that answer them.
pub(crate) struct PaperQuestions {
    paper: String,
    parameters: Vec<Parameter>,
    /// The worlds after the plain one: the changed parameter, and its value.
    others: Vec<(usize, String)>,
    worlds: Worlds,
}

/// How many other seeds the plain world is judged from, to know which verdicts turn by chance.
const OTHER_SEEDS: u64 = 2;

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    let asked = read(arguments)?;
    let Arguments { pieces, running, out, .. } = arguments;
    if let Some(shard) = pieces.shard {
        return shards::shard(&arguments.words(), BTreeMap::new(), &plans(&asked), shard, running, out);
    }
    let store = if pieces.resume { Some(shards::open(out)?) } else { None };
    produce(asked, arguments, store)
}

/// The questions that the arguments ask.
pub(crate) fn read(arguments: &Arguments) -> Result<Vec<PaperQuestions>, Failure> {
    let questions = questions(arguments)?;
    questions.into_iter().map(|(paper, questions)| PaperQuestions::new(arguments, paper, questions)).collect()
}

/// Everything that they run, a plan a paper.
pub(crate) fn plans(asked: &[PaperQuestions]) -> Vec<&Plan> {
    asked.iter().map(|one| one.worlds.plan()).collect()
}

/// Runs what is missing, prints tables and writes files.
pub(crate) fn produce(
    asked: Vec<PaperQuestions>,
    arguments: &Arguments,
    store: Option<ResultStore>,
) -> Result<(), Failure> {
    let planned = plans(&asked).iter().map(|plan| plan.runs.len()).sum();
    let mut runs = Runs::new(arguments.running.jobs(), planned)?;
    let _locked = OutputFolder::take(&arguments.out, &sensitivity::FILES)?;
    runs.store = store;
    let mut matrices = Vec::new();
    for one in asked {
        matrices.extend(one.answer(&mut runs)?);
        if runs.is_stopped() {
            break;
        }
    }
    runs.finish();
    if matrices.is_empty() {
        return Err(Failure::Nothing);
    }
    let effort = match arguments.replications {
        Some(replications) => format!("All runs have full length; each cell has {replications} replications."),
        None => "This is a quick look: runs are short and few, so intervals are wide, and some verdicts differ from those at \
                 full length. Use --replications 30 for as many as most papers have."
            .to_owned(),
    };
    let typed = format!("arqway {}", as_typed(&arguments.words()));
    sensitivity::write(&matrices, &typed, &effort, &arguments.out)?;
    let texts: Vec<String> = matrices.iter().map(Matrix::to_text).collect();
    print(&texts.join("\n"))?;
    runs.summarise();
    note(format_args!("the page, the figures and the verdicts are in {}", arguments.out.display()));
    runs.unless_stopped(match runs.store {
        Some(_) => " and kept; the same command continues",
        None => "; those of an alternative that was not finished are in no result: --resume keeps them",
    })
}

impl Arguments {
    /// The same, with results in this folder.
    pub(crate) fn into_folder(self, out: PathBuf) -> Self {
        Self { out, ..self }
    }

    /// The arguments after `arqway` that give the same results.
    fn words(&self) -> Vec<String> {
        let mut words = vec!["sensitivity".to_owned()];
        words.extend(self.papers.iter().cloned());
        let options = [
            ("--only", self.only.clone()),
            ("--replications", self.replications.map(|replications| replications.to_string())),
            ("--seed", self.running.seed.map(|seed| seed.to_string())),
        ];
        words.extend(options.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value?])).flatten());
        words
    }
}

impl PaperQuestions {
    /// Reads the experiments of all worlds, or reports every mistake in them.
    fn new(arguments: &Arguments, paper: String, questions: Questions) -> Result<Self, Failure> {
        let names: Vec<FigureName> = library::figures().into_iter().filter(|name| name.paper == paper).collect();
        let (effort, all) = match arguments.replications {
            Some(_) => (Effort::Full, Overlay::default()),
            None => (Effort::Quick, questions.quick.clone()),
        };
        let request = Request {
            replications: arguments.replications.map(NonZeroU32::get),
            seed: arguments.running.seed,
            ..Request::default()
        };
        let claims = library::claims_of(&names)?;
        let experiments = library::experiments_of(&names, effort, &all)?;
        let mut worlds = Worlds::new(experiments, claims, &request)?;
        let seeds = (1..=OTHER_SEEDS).map(|after| (0, format!("seed {}", worlds.add_another_seed(after))));
        let mut others: Vec<(usize, String)> = seeds.collect();
        for (parameter, alternative, overlay) in questions.overlays(&all) {
            let experiments = library::experiments_of(&names, effort, &overlay)?;
            worlds.add(experiments, &request)?;
            others.push((parameter + 1, alternative.label.clone()));
        }
        let parameters = std::iter::once(Parameter::chance()).chain(questions.parameters).collect();
        Ok(Self { paper, parameters, others, worlds })
    }

    /// Runs the worlds one after the other; returns nothing if no run of the plain one finished.
    fn answer(self, runs: &mut Runs) -> Result<Option<Matrix>, Failure> {
        let Self { paper, parameters, others, mut worlds } = self;
        let results = runs.run(worlds.plan(), &worlds.plan().runs)?;
        if results.finished() == 0 {
            return Ok(None);
        }
        worlds.finish(results);
        let asked = others.len();
        let whole = others.into_iter().zip(1..).filter(|(_, world)| worlds.is_whole(0) && worlds.is_whole(*world));
        let finding = |((parameter, label), world)| AlternativeFinding {
            parameter,
            label,
            judgements: worlds.judge(world),
            touched: worlds.touched(world),
        };
        let alternatives = whole.map(finding).collect();
        let (plain, is_whole) = (worlds.judge(0), worlds.is_whole(0));
        Ok(Some(Matrix { paper, parameters, plain, is_whole, alternatives, asked }))
    }
}

/// The questions about the requested papers, or what is wrong with the request.
fn questions(arguments: &Arguments) -> Result<Vec<(String, Questions)>, Failure> {
    let papers = library::papers()?;
    let known: Vec<&str> = papers.iter().map(|paper| paper.id.as_str()).collect();
    for asked in &arguments.papers {
        if !known.contains(&asked.as_str()) {
            return Err(Failure::Usage(unknown_paper(asked, &known)));
        }
    }
    let (mut questions, mut mistakes) = (Vec::new(), Mistakes::new());
    for paper in
        known.iter().filter(|paper| arguments.papers.is_empty() || arguments.papers.iter().any(|one| one == *paper))
    {
        match (library::sensitivity(paper), scenarios::scenario(paper)) {
            (Some(source), Some(scenario)) => match sensitivity::read(&source, &scenario) {
                Ok(read) => questions.push(((*paper).to_owned(), read)),
                Err(found) => mistakes.extend(found),
            },
            _ => note(format_args!("{paper} is left out: there is no sensitivity/{paper}.toml yet")),
        }
    }
    let questions = mistakes.into_result(questions)?;
    match &arguments.only {
        Some(name) => only(questions, name),
        None => Ok(questions),
    }
}

/// The questions about one parameter, in every paper that has it.
fn only(questions: Vec<(String, Questions)>, name: &str) -> Result<Vec<(String, Questions)>, Failure> {
    let mut help = String::new();
    let mut kept = Vec::new();
    for (paper, questions) in questions {
        match questions.only(name) {
            Ok(questions) => kept.push((paper, questions)),
            Err(known) => help.push_str(&format!("\n{paper}: {known}")),
        }
    }
    if kept.is_empty() { Err(Failure::Usage(format!("no parameter is called `{name}`{help}"))) } else { Ok(kept) }
}
