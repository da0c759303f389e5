//! `arqway completions SHELL`: a script that teaches a shell to complete what one types after `arqway`.
//!
//! ```text
//!     $ arqway rep<TAB>              arqway reproduce
//!     $ arqway reproduce mon<TAB>    arqway reproduce monet08
//! ```
//!
//! The script holds all that it offers; it does not run `arqway` at every key. Names of papers and figures are completed
//! where the shell's script can: in bash and zsh.

use crate::study::Failure;
use crate::terminal::print;
use arqway_papers::library;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_complete::Shell;

const EXAMPLES: &str = "Examples:
  arqway completions bash > ~/.local/share/bash-completion/completions/arqway
  arqway completions zsh > ~/.zfunc/_arqway
  arqway completions fish > ~/.config/fish/completions/arqway.fish";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn main(arguments: &Arguments, command: Command) -> Result<(), Failure> {
    let mut command = with_names(command);
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "arqway", &mut script);
    Ok(print(&String::from_utf8_lossy(&script))?)
}

/// The command with the names that `reproduce` and `sensitivity` know. Only here: typed wrong, they get an answer of its own.
fn with_names(command: Command) -> Command {
    let figures = library::figures();
    let mut papers: Vec<String> = figures.iter().map(|name| name.paper.clone()).collect();
    papers.dedup();
    let mut names: Vec<String> = figures.into_iter().map(|name| name.figure).collect();
    names.sort();
    names.dedup();
    let one_of = |names: Vec<String>| move |argument: Arg| argument.value_parser(PossibleValuesParser::new(names));
    let command =
        command.mut_subcommand("sensitivity", |sensitivity| sensitivity.mut_arg("papers", one_of(papers.clone())));
    command.mut_subcommand("reproduce", |reproduce| {
        reproduce.mut_arg("paper", one_of(papers)).mut_arg("figures", one_of(names))
    })
}
