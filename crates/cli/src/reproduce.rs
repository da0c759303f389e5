//! `arqway reproduce [PAPER [FIGURE ...]]`

use crate::failure::Failure;
use crate::produce::produce;
use crate::study::{Options, Study};
use crate::terminal::note;
use crate::values;
use arqway_config::did_you_mean;
use arqway_lab::experiment::overlay::Overlay;
use arqway_lab::experiment::{Effort, Experiment};
use arqway_link::ShortForm;
use arqway_papers::claims::Record;
use arqway_papers::library::{self, FigureName};
use arqway_papers::modern_tcp;
use arqway_papers::options::{StudyOptions, header_of_reproduction};
use arqway_papers::with;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

const EXAMPLES: &str = "Without --full or --replications the run is quick: short runs, few replications.

Examples:
  arqway reproduce monet08 fig2 fig3
  arqway reproduce monet08 --full --out results/monet08
  arqway reproduce monet08 fig3 --quick --seed 2
  arqway reproduce monet08 --full --seeds 3     do the verdicts depend on the seed?
  arqway reproduce monet08 --today              does it still matter with today's TCP?
  arqway reproduce monet08 --with snoop         where would another scheme be in the paper's figures?
  arqway reproduce monet08 --full --strict      exit code 1 if a verdict has changed";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The paper, such as monet08 [default: all papers]
    #[arg(value_name = "PAPER")]
    paper: Option<String>,
    /// Its figures, such as fig3 or secIII [default: all figures]
    #[arg(value_name = "FIGURE")]
    figures: Vec<String>,
    /// Run what the papers ran: full length, and as many replications as the paper had
    #[arg(long, conflicts_with_all = ["quick", "replications"])]
    full: bool,
    /// Fail if a verdict differs from the recorded one (claims/recorded/)
    #[arg(long)]
    strict: bool,
    /// Number of seeds from which each claim is judged [default: 3 in a quick run, 1 at full length]
    #[arg(long, value_name = "N", value_parser = values::seeds, allow_negative_numbers = true)]
    seeds: Option<NonZeroU32>,
    /// Also run everything with today's TCP: do the claims still matter?
    #[arg(long, conflicts_with = "until")]
    today: bool,
    /// Add this scheme, such as snoop or sr:0.7, to every figure and table and to the rows; claims are not about it. May be repeated
    #[arg(long, value_name = "SCHEME", value_parser = with::read)]
    with: Vec<ShortForm>,
    /// Print every table and every claim, also for a whole paper; the report has them in any case
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    pub(crate) options: Options,
}

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    produce(read(arguments)?, &arguments.options)
}

/// The study that the arguments ask for.
pub(crate) fn read(arguments: &Arguments) -> Result<Study, Failure> {
    let Arguments { options, .. } = arguments;
    let names = choose(arguments)?;
    let effort = if arguments.full || options.replications.is_some() { Effort::Full } else { Effort::Quick };
    let mut experiments = library::experiments_of(&names, effort, &Overlay::default())?;
    let plain = experiments.len();
    if arguments.today {
        experiments.extend(with_todays_tcp(&names, effort)?);
    }
    let told =
        with::add(&mut experiments, &arguments.with).map_err(|error| Failure::Usage(format!("--with: {error}")))?;
    told.iter().for_each(|told| note(format_args!("--with: {told}")));
    let today = experiments.split_off(plain);
    let claims = library::claims_of(&names)?;
    for (option, is_given) in [("--seeds", arguments.seeds.is_some()), ("--strict", arguments.strict)] {
        if is_given && claims.is_empty() {
            return Err(Failure::Usage(format!(
                "{option} is about verdicts, and there are no claims on these figures"
            )));
        }
    }
    let papers: Vec<&str> = names.iter().map(|name| name.paper.as_str()).collect();
    let header = header_of_reproduction(arguments.paper.as_deref(), &arguments.figures, effort, &arguments.asked());
    let strict = if arguments.strict { Some((recorded(&papers)?, effort)) } else { None };
    let on_a_screen = match arguments.figures.is_empty() && !arguments.verbose && !claims.is_empty() {
        true => Some((recorded(&papers)?, effort)),
        false => None,
    };
    let (request, seeds) = (options.request(), arguments.seeds.unwrap_or(seeds_by_default(effort)));
    let words = arguments.words();
    Ok(Study { experiments, request, claims, seeds, header, strict, on_a_screen, today, words, files: BTreeMap::new() })
}

impl Arguments {
    /// The options that change results.
    fn asked(&self) -> StudyOptions {
        let Self { full, seeds, today, .. } = *self;
        StudyOptions { full, seeds, today, with: self.with.clone(), ..self.options.asked() }
    }

    /// The arguments after `arqway` that give the same results and the same exit code.
    fn words(&self) -> Vec<String> {
        let mut words = vec!["reproduce".to_owned()];
        words.extend(self.paper.iter().chain(&self.figures).cloned());
        words.extend(self.asked().words());
        words.extend(self.strict.then(|| "--strict".to_owned()));
        words
    }
}

/// The verdicts of a quick run depend on chance, so it shows by how much.
const fn seeds_by_default(effort: Effort) -> NonZeroU32 {
    match effort {
        Effort::Quick => NonZeroU32::MIN.saturating_add(2),
        Effort::Full => NonZeroU32::MIN,
    }
}

/// The same experiments with today's TCP, in the same order; a paper whose scenario has no `[today]` is left out.
fn with_todays_tcp(names: &[FigureName], effort: Effort) -> Result<Vec<Experiment>, Failure> {
    let mut papers: Vec<&str> = names.iter().map(|name| name.paper.as_str()).collect();
    papers.dedup();
    let mut experiments = Vec::new();
    for paper in papers {
        let of_paper: Vec<FigureName> = names.iter().filter(|name| name.paper == paper).cloned().collect();
        match modern_tcp::overlay(paper)? {
            Some(overlay) => experiments.extend(library::experiments_of(&of_paper, effort, &overlay)?),
            None => note(format_args!("{paper} is left out of --today: its scenario has no [today]")),
        }
    }
    if experiments.is_empty() {
        return Err(Failure::Usage("--today needs `[today]` in the scenario of a paper that is run".to_owned()));
    }
    Ok(experiments)
}

/// The recorded verdicts of these papers.
fn recorded(papers: &[&str]) -> Result<Record, Failure> {
    let mut all = Record::default();
    for source in papers.iter().filter_map(|paper| library::recorded(paper)) {
        all.extend(Record::read(&source)?);
    }
    Ok(all)
}

/// The requested figures.
fn choose(arguments: &Arguments) -> Result<Vec<FigureName>, Failure> {
    let all = library::figures();
    let Some(paper) = &arguments.paper else { return Ok(all) };
    let of_paper: Vec<FigureName> = all.iter().filter(|name| name.paper == *paper).cloned().collect();
    let papers = library::papers()?;
    if !papers.iter().any(|known| known.id == *paper) {
        let known: Vec<&str> = papers.iter().map(|paper| paper.id.as_str()).collect();
        let hint: String = all
            .iter()
            .filter(|name| means_figure(name, paper))
            .map(|name| format!("\nto run that figure: arqway reproduce {} {}", name.paper, name.figure))
            .collect();
        return Err(Failure::Usage(unknown_paper(paper, &known) + &hint));
    }
    if of_paper.is_empty() {
        return Err(Failure::Usage(format!("{paper} has no figures")));
    }
    if arguments.figures.is_empty() {
        return Ok(of_paper);
    }
    let known: Vec<&str> = of_paper.iter().map(|name| name.figure.as_str()).collect();
    let unknown = arguments.figures.iter().filter(|asked| !of_paper.iter().any(|name| is_asked(name, asked)));
    let unknown: Vec<String> =
        unknown.map(|asked| format!("{paper} has no figure `{asked}`; {}", did_you_mean(asked, &known))).collect();
    if !unknown.is_empty() {
        return Err(Failure::Usage(unknown.join("\n")));
    }
    Ok(of_paper.into_iter().filter(|name| arguments.figures.iter().any(|asked| is_asked(name, asked))).collect())
}

/// The error for an unknown paper.
pub(crate) fn unknown_paper(typed: &str, known: &[&str]) -> String {
    format!("no paper is called `{typed}`; {}", did_you_mean(typed, known))
}

/// `fig16-17` answers to its whole name, to `fig16` and to `fig17`.
fn is_asked(name: &FigureName, asked: &str) -> bool {
    if name.figure == asked {
        return true;
    }
    let Some((first, second)) = name.figure.split_once('-') else { return false };
    let letters = first.trim_end_matches(|c: char| c.is_ascii_digit());
    first == asked || format!("{letters}{second}") == asked
}

/// Whether the name typed for a paper is one of a figure: `fig3`, or `monet08/fig3` as `arqway trace` has it.
fn means_figure(name: &FigureName, typed: &str) -> bool {
    let figure = typed.strip_prefix(&*name.paper).and_then(|rest| rest.strip_prefix('/')).unwrap_or(typed);
    is_asked(name, figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn a_double_figure_is_asked_for_by_either_of_its_names() {
        let name = FigureName { paper: "shikama06".to_owned(), figure: "fig16-17".to_owned() };
        assert!(["fig16-17", "fig16", "fig17"].iter().all(|asked| is_asked(&name, asked)));
        assert!(!["fig1", "fig18", "17"].iter().any(|asked| is_asked(&name, asked)));
    }

    #[derive(Debug, Parser)]
    struct Typed {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn study_of(words: &[&str]) -> Study {
        let typed = Typed::try_parse_from(["arqway"].iter().chain(words)).expect("options");
        read(&typed.arguments).expect("built in")
    }

    #[test]
    fn in_full_every_paper_has_its_own_replications_and_one_seed() {
        let replications = |study: &Study| study.experiments.iter().map(|e| e.replications).collect::<Vec<_>>();
        let full = study_of(&["shikama06", "fig8", "--full"]);
        assert_eq!((replications(&full), full.request.replications, full.seeds.get()), (vec![10], None, 1));
        assert_eq!(replications(&study_of(&["monet08", "fig2", "--full"])), [30]);
        let quick = study_of(&["shikama06", "fig8"]);
        assert!(replications(&quick) < replications(&full) && quick.seeds.get() == 3, "{quick:?}", quick = quick.seeds);
    }
}
