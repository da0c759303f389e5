//! `arqway completions SHELL`: a script that lets a shell complete the arguments of `arqway`.
//!
//! ```text
//!     $ arqway rep<TAB>              arqway reproduce
//!     $ arqway reproduce mon<TAB>    arqway reproduce monet08
//! ```
//!
//! The script contains everything it offers, so the shell need not run `arqway` at every key; but for tunnels that run, which the
//! kernel lists. In bash and zsh it also completes the names of papers, figures and worlds.

use crate::failure::Failure;
use crate::terminal::print;
#[cfg(feature = "lab")]
use arqway_papers::library;
use clap::Command;
use clap::builder::PossibleValuesParser;
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
    let mut command = with_tunnels(with_names(command));
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "arqway", &mut script);
    let script = String::from_utf8_lossy(&script);
    Ok(print(&match arguments.shell {
        Shell::Bash => script.replace(RUNNING, &format!("$({LIST})")),
        Shell::Zsh => script.replace(&format!("({RUNNING})"), &format!("{{compadd -- $({LIST})}}")),
        _ => script.replace(RUNNING, ""),
    })?)
}

/// Stands for the tunnels that run in this network namespace, whose names the kernel lists (proc_net(5)).
const RUNNING: &str = "ARQWAY_RUNNING";
const LIST: &str = "sed -n \"s|.*@arqway/||p\" /proc/net/unix 2>/dev/null";

/// The command with the tunnels that run as values of whatever asks one.
fn with_tunnels(mut command: Command) -> Command {
    for name in ["status", "top", "path", "events", "hint", "down"] {
        if command.find_subcommand(name).is_some() {
            command = command.mut_subcommand(name, |asks| {
                asks.mut_arg("link", |link| link.value_parser(PossibleValuesParser::new([RUNNING])))
            });
        }
    }
    command
}

#[cfg(not(feature = "lab"))]
fn with_names(command: Command) -> Command {
    command
}

/// The command with the names of papers, figures and worlds as possible values. Only here: on the command line, an unknown name gets a better
/// error than clap's.
#[cfg(feature = "lab")]
fn with_names(command: Command) -> Command {
    use arqway_lab::experiment::scenarios;
    use clap::Arg;
    let figures = library::figures();
    let mut papers: Vec<String> = figures.iter().map(|name| name.paper.clone()).collect();
    papers.dedup();
    let mut names: Vec<String> = figures.into_iter().map(|name| name.figure).collect();
    names.sort();
    names.dedup();
    let one_of = |names: Vec<String>| move |argument: Arg| argument.value_parser(PossibleValuesParser::new(names));
    let command =
        command.mut_subcommand("sensitivity", |sensitivity| sensitivity.mut_arg("papers", one_of(papers.clone())));
    let command = command.mut_subcommand("list", |list| list.mut_arg("of", one_of(papers.clone())));
    #[cfg(target_os = "linux")]
    let command = command.mut_subcommand("demo", |demo| {
        demo.mut_arg("link", |link| one_of(scenarios::names())(link).value_hint(clap::ValueHint::Unknown))
    });
    command.mut_subcommand("reproduce", |reproduce| {
        reproduce.mut_arg("paper", one_of(papers)).mut_arg("figures", one_of(names))
    })
}
