//! `arqway run EXPERIMENT.toml`

use crate::failure::Failure;
use crate::produce::produce;
use crate::study::{Options, Study, as_typed, file_name};
use crate::values;
use arqway_config::{LONGEST_SETTINGS, Source, read_text};
use arqway_lab::experiment::overlay::Overlay;
use arqway_lab::experiment::{Effort, Files, read_all};
use arqway_lab::report::ReportHeader;
use arqway_papers::library;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Examples:
  arqway run my-experiment.toml --out results/first
  arqway run my-experiment.toml --until 2%       as many replications as are needed
  arqway run my-experiment.toml --scheme sr:0.9 --point 5.4 --replication 3    a single run

An experiment:
  [experiment]
  id = \"how-long-a-timeout\"

  [scenario]
  base = \"monet08\"
  set = { \"media.enabled\" = true, \"wireless.errors\" = { kind = \"uniform\", loss = \"5.4 %\" } }

  [sweep]
  \"wireless.rate\" = [\"64 kbit/s\", \"128 kbit/s\"]

  [[scheme]]
  use = \"sr:0.9\"

  [[figure]]
  id = \"throughput\"
  x = \"wireless.rate\"
  y = \"file-transfer.throughput\"";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The experiment's file
    #[arg(value_name = "EXPERIMENT.toml", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Run only this scheme, named as in the rows or the figures
    #[arg(long, value_name = "SCHEME")]
    scheme: Option<String>,
    /// Run only this point of the sweep, named as in the rows
    #[arg(long, value_name = "POINT", value_parser = values::point, allow_negative_numbers = true)]
    point: Option<f64>,
    /// Run only this replication, counted from 0
    #[arg(long, value_name = "R", conflicts_with = "until", value_parser = values::replication, allow_negative_numbers = true)]
    replication: Option<u32>,
    #[command(flatten)]
    pub(crate) options: Options,
}

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    let file = &arguments.file;
    let name = file.display().to_string();
    let text = read_text(file, LONGEST_SETTINGS).map_err(|error| Failure::Usage(unreadable(&name, &error)))?;
    let files = Files::beside(file.parent().unwrap_or(Path::new("")));
    produce(read(arguments, name, text, &files)?, &arguments.options)
}

/// The study of a shard, from the files that were kept with it.
pub(crate) fn read_kept(arguments: &Arguments, files: &BTreeMap<String, String>) -> Result<Study, Failure> {
    let name = file_name(&arguments.file);
    let text = files.get(&name).cloned().ok_or_else(|| Failure::Usage(format!("the shards do not contain {name}")))?;
    read(arguments, name, text, &Files::kept(files.clone()))
}

fn read(arguments: &Arguments, name: String, text: String, files: &Files) -> Result<Study, Failure> {
    let options = &arguments.options;
    let effort = if options.quick { Effort::Quick } else { Effort::Full };
    let source = Source::new(name, text);
    let experiments = read_all(std::slice::from_ref(&source), files, effort, &Overlay::default())?;
    let mut request = options.request();
    request.scheme.clone_from(&arguments.scheme);
    request.point = arguments.point;
    request.replication = arguments.replication;
    let title = experiments.first().map_or("", |experiment| experiment.title.as_str());
    let words = words(arguments);
    let header = ReportHeader::of_run(title, format!("arqway {}", as_typed(&words)));
    let mut files = files.texts();
    files.insert(file_name(&arguments.file), source.text().to_owned());
    Ok(Study {
        experiments,
        request,
        claims: Vec::new(),
        seeds: NonZeroU32::MIN,
        header,
        strict: None,
        on_a_screen: None,
        today: Vec::new(),
        words,
        files,
    })
}

/// The error for a file that cannot be read, with a hint if it names a built-in figure.
fn unreadable(name: &str, error: &std::io::Error) -> String {
    let built_in = library::figures().into_iter().find(|known| format!("{}/{}", known.paper, known.figure) == name);
    let hint = built_in
        .map(|known| format!("\nto run the built-in figure: arqway reproduce {} {}", known.paper, known.figure));
    format!("cannot read {name}: {error}{}", hint.unwrap_or_default())
}

/// The arguments after `arqway` that give the same results.
fn words(arguments: &Arguments) -> Vec<String> {
    let mut words = vec!["run".to_owned(), file_name(&arguments.file)];
    words.extend(arguments.options.asked().words());
    let only = [
        ("--scheme", arguments.scheme.clone()),
        ("--point", arguments.point.map(|point| point.to_string())),
        ("--replication", arguments.replication.map(|replication| replication.to_string())),
    ];
    words.extend(only.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value?])).flatten());
    words
}
