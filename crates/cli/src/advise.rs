//! `arqway advise SCENARIO.toml`

use crate::failure::Failure;
use crate::study::{Running, Runs, file_name, read_world};
use crate::terminal::{note, print};
use crate::values;
use arqway_advise::{
    Advice, AdviceOptions, Application, Caution, MAX_REPLICATIONS, Question, SecondLine, Watcher, advise,
};
use arqway_lab::output_folder::OutputFolder;
use arqway_units::Span;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Every service is tried on the link and with the traffic that the file describes, with settings for that link. Candidates
that are significantly worse drop out until the best is known.

Examples:
  arqway advise satellite                          a built-in scenario
  arqway advise your-link.toml --out results/advice
  arqway advise your-link.toml --for media --media-within '200 ms'
  arqway advise lte --second satellite             also what both would carry as two lines of one link
  arqway run results/advice/advise.toml            check the advice, from another seed and at full length

A link with a file transfer and a voice stream:
  [scenario]
  base = \"satellite\"
  set = { \"media.enabled\" = true, \"wireless.rate\" = \"2 Mbit/s\", \"wireless.errors\" = { kind = \"uniform\", loss = \"3 %\" } }";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The link and its traffic: a scenario file, an experiment file without a sweep, or a built-in scenario
    #[arg(value_name = "SCENARIO.toml", value_hint = clap::ValueHint::FilePath)]
    scenario: PathBuf,
    /// Judge only these applications [default: all that the file enables]
    #[arg(long = "for", value_name = "APPLICATION,...", value_delimiter = ',')]
    applications: Vec<For>,
    /// Deadline of a media packet [default: the file's `media.within`, or 150 ms, or 100 ms more than the path takes]
    #[arg(long, value_name = "TIME", value_parser = values::positive_time)]
    media_within: Option<Span>,
    /// Also say what this link as a second line would bring: a scenario file, or a built-in scenario
    #[arg(long, value_name = "SCENARIO.toml", value_hint = clap::ValueHint::FilePath)]
    second: Option<PathBuf>,
    /// Maximum number of replications of a candidate
    #[arg(long, value_name = "N", default_value_t = NonZeroU32::new(MAX_REPLICATIONS).unwrap_or(NonZeroU32::MIN), value_parser = values::replications, allow_negative_numbers = true)]
    replications: NonZeroU32,
    #[command(flatten)]
    running: Running,
    /// Folder for advise.svg, advise.png, advise.toml, second-line.toml, rows.csv and rows.parquet
    #[arg(long, value_name = "DIR", default_value = "results", value_hint = clap::ValueHint::DirPath)]
    out: PathBuf,
}

/// The applications, by their names on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum For {
    /// File transfers
    FileTransfer,
    /// Greedy sources
    TcpBulk,
    /// Web pages
    Web,
    /// A voice or video stream
    Media,
}

impl For {
    fn application(self) -> Application {
        match self {
            Self::FileTransfer => Application::FileTransfer,
            Self::TcpBulk => Application::TcpBulk,
            Self::Web => Application::Web,
            Self::Media => Application::Media,
        }
    }
}

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    let question = question(arguments)?;
    let second = arguments.second.as_deref().map(second_line).transpose()?;
    let mut runs = Runs::new(arguments.running.jobs(), 0)?;
    let _locked = OutputFolder::take(&arguments.out, &Advice::FILES)?;
    let advice = {
        let (jobs, stop, bar) = runs.watched();
        let (planned, finished) = (|runs| bar.inc_length(runs as u64), || bar.inc(1));
        let watcher = Watcher { jobs, stop, planned: &planned, finished: &finished };
        advise(question, second.as_ref(), arguments.replications.get(), &watcher)
    };
    runs.finish();
    let advice: Advice = advice?;
    advice.write(&arguments.as_typed(), &arguments.out)?;
    print(&advice.to_text())?;
    advice.results.iter().for_each(|results| runs.count(results));
    runs.summarise();
    note(format_args!(
        "the plot, the rows and the experiment that checks the advice are in {}",
        arguments.out.display()
    ));
    if advice.cautions.contains(&Caution::Stopped) {
        return Err(Failure::Stopped("the advice rests on the runs that are finished".to_owned()));
    }
    Ok(())
}

fn question(arguments: &Arguments) -> Result<Question, Failure> {
    let (source, folder) = read_world(&arguments.scenario)?;
    let mut applications: Vec<Application> = Vec::new();
    for application in arguments.applications.iter().map(|one| one.application()) {
        if !applications.contains(&application) {
            applications.push(application);
        }
    }
    let asked = AdviceOptions { applications, within: arguments.media_within, seed: arguments.running.seed };
    Question::read(&source, &folder, &asked).map_err(Failure::usage)
}

/// A line that might be had beside the link.
fn second_line(world: &Path) -> Result<SecondLine, Failure> {
    let (source, folder) = read_world(world)?;
    SecondLine::read(&source, &folder).map_err(Failure::usage)
}

impl Arguments {
    /// The command line that gives the same results, with the file name without its folder: results do not depend on paths.
    fn as_typed(&self) -> String {
        let mut typed = format!("arqway advise {}", file_name(&self.scenario));
        if !self.applications.is_empty() {
            let names = self.applications.iter().map(|one| one.application().name()).collect::<Vec<_>>();
            typed.push_str(&format!(" --for {}", names.join(",")));
        }
        if let Some(within) = self.media_within {
            typed.push_str(&format!(" --media-within '{within}'"));
        }
        if let Some(second) = &self.second {
            typed.push_str(&format!(" --second {}", file_name(second)));
        }
        typed.push_str(&format!(" --replications {}", self.replications));
        typed + &self.running.as_typed()
    }
}
