//! `arqway schema [experiment|scenario]`: what an editor needs to complete and check these files.

use crate::study::Failure;
use crate::terminal::print;
use arqway_lab::schema;

const EXAMPLES: &str = "Examples:
  arqway schema > experiment.schema.json
  arqway schema scenario > scenario.schema.json

With `#:schema experiment.schema.json` as the first line of an experiment, editors that speak taplo (\"Even Better
TOML\" in VS Code, Helix, Neovim, Zed) offer its keys and values, and mark what is wrong.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Which kind of file
    #[arg(value_name = "FILE", value_enum, default_value_t = File::Experiment)]
    file: File,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum File {
    /// What `arqway run` takes
    Experiment,
    /// The world that an experiment's `base` names
    Scenario,
}

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    let schema = match arguments.file {
        File::Experiment => schema::experiment(),
        File::Scenario => schema::scenario(),
    };
    Ok(print(&schema::to_text(&schema))?)
}
