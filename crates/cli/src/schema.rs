//! `arqway schema [experiment|scenario|tunnel]`: the JSON schemas with which editors complete and check these files.

use crate::failure::Failure;
use crate::terminal::print;
use arqway_lab::schema;

const EXAMPLES: &str = "Examples:
  arqway schema > experiment.schema.json
  arqway schema scenario > scenario.schema.json

With `#:schema experiment.schema.json` as the first line of an experiment, editors that use taplo (\"Even Better
TOML\" in VS Code, Helix, Neovim, Zed) complete its keys and values, and mark mistakes.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The kind of file
    #[arg(value_name = "FILE", value_enum, default_value_t = File::Experiment)]
    file: File,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum File {
    /// A file for `arqway run`
    Experiment,
    /// A file that an experiment's `base` names
    Scenario,
    /// A file for `arqway up`
    #[cfg(target_os = "linux")]
    Tunnel,
}

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    let schema = match arguments.file {
        File::Experiment => schema::experiment(),
        File::Scenario => schema::scenario(),
        #[cfg(target_os = "linux")]
        File::Tunnel => arqway_tunnel::settings::schema().root,
    };
    Ok(print(&schema::to_text(&schema))?)
}
