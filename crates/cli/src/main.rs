//! The command `arqway`. Each subcommand is a file; what they share is in `study.rs`.
//!
//! Progress and notes go to stderr, results to stdout and the output folder. Exit code 0: done; 1: failed, or a verdict
//! is not what `--strict` expects; 2: the command line or a file is wrong, and nothing was run; 130: stopped by Ctrl-C.

#[cfg(target_os = "linux")]
mod addresses;
#[cfg(feature = "lab")]
mod advise;
#[cfg(all(target_os = "linux", feature = "lab"))]
mod classify;
mod completions;
#[cfg(all(target_os = "linux", feature = "lab"))]
mod demo;
#[cfg(all(test, feature = "lab"))]
mod documentation;
#[cfg(all(target_os = "linux", feature = "lab"))]
mod emulate;
mod failure;
#[cfg(feature = "lab")]
mod fit;
mod interrupt;
mod keys;
#[cfg(feature = "lab")]
mod list;
#[cfg(feature = "lab")]
mod manual;
#[cfg(feature = "lab")]
mod merge;
#[cfg(feature = "lab")]
mod produce;
#[cfg(target_os = "linux")]
mod ready;
#[cfg(feature = "lab")]
mod reproduce;
#[cfg(feature = "lab")]
mod run;
#[cfg(feature = "lab")]
mod schema;
#[cfg(feature = "lab")]
mod sensitivity;
#[cfg(feature = "lab")]
mod shards;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(feature = "lab")]
mod study;
mod terminal;
#[cfg(all(target_os = "linux", feature = "top"))]
mod top;
#[cfg(feature = "lab")]
mod trace;
#[cfg(target_os = "linux")]
mod tunnel_control;
#[cfg(target_os = "linux")]
mod tunnel_path;
#[cfg(target_os = "linux")]
mod tunnel_status;
#[cfg(target_os = "linux")]
mod up;
#[cfg(feature = "lab")]
mod values;

#[cfg(not(feature = "tunnel"))]
compile_error!("nothing is left without features: expected `tunnel`, or `lab`, which has that");

use arqway_config::one_line;
use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(name = "arqway", version, about, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[cfg(feature = "lab")]
const EXAMPLES: &str = "Examples:
  arqway reproduce monet08 fig2 fig3      two figures of a paper, with verdicts, in seconds
  arqway reproduce --full                 all figures, at full length
  arqway advise satellite                 which service suits a link and its traffic
  arqway run my-experiment.toml           a study of your own
  arqway list settings tcp                what a file can set of TCP";
#[cfg(not(feature = "lab"))]
const EXAMPLES: &str = "Examples:
  arqway genkey > boat.key                this end's private key
  arqway up boat.toml                     IP to the other ends that the file names
  arqway status boat                      how their links are
Experiments and the emulator are in builds with the feature `lab`.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Reproduce figures of the papers, and judge the claims about them
    #[cfg(feature = "lab")]
    Reproduce(reproduce::Arguments),
    /// Judge the claims again with other values for what a paper does not say
    #[cfg(feature = "lab")]
    Sensitivity(sensitivity::Arguments),
    /// Find the service that suits a link and its traffic
    #[cfg(feature = "lab")]
    Advise(advise::Arguments),
    /// Run an experiment of your own
    #[cfg(feature = "lab")]
    Run(run::Arguments),
    /// Merge the shards of a study into its results
    #[cfg(feature = "lab")]
    Merge(merge::Arguments),
    /// Look inside one run: a capture for Wireshark, a time-sequence plot
    #[cfg(feature = "lab")]
    Trace(trace::Arguments),
    /// Put a modelled link between two namespaces or interfaces, under real traffic
    #[cfg(all(target_os = "linux", feature = "lab"))]
    Emulate(emulate::Arguments),
    /// Show what programs get out of a bad link, plain and through a tunnel, at the same time
    #[cfg(all(target_os = "linux", feature = "lab"))]
    Demo(demo::Arguments),
    /// Carry IP to other hosts across a bad link
    #[cfg(target_os = "linux")]
    Up(up::Arguments),
    /// Say how a tunnel that runs is, and what each service makes of its link
    #[cfg(target_os = "linux")]
    Status(tunnel_status::Arguments),
    /// Watch the tunnels that run: lines, services, flows, and how their rates went
    #[cfg(all(target_os = "linux", feature = "top"))]
    Top(top::Arguments),
    /// Ask what the links of a path do, and which class can keep a promise on it
    #[cfg(target_os = "linux")]
    Path(tunnel_path::Arguments),
    /// Print what happens to a tunnel that runs, a line each
    #[cfg(target_os = "linux")]
    Events(tunnel_status::Events),
    /// Tell a tunnel that runs what its modem knows: the line goes down, is up again, or is another one
    #[cfg(target_os = "linux")]
    Hint(tunnel_control::Hint),
    /// End a tunnel that runs
    #[cfg(target_os = "linux")]
    Down(tunnel_control::Down),
    /// Find the error model behind a trace of a real link, its parameters, and how well it fits
    #[cfg(feature = "lab")]
    Fit(fit::Arguments),
    /// Say which service of a link layer carries which flow of a capture, and why
    #[cfg(all(target_os = "linux", feature = "lab"))]
    Classify(classify::Arguments),
    /// Make a private key; with --config, keys and settings for both ends of a tunnel
    Genkey(keys::Genkey),
    /// Print the public key of a private one
    Pubkey(keys::Pubkey),
    /// Make a key that two ends share beside their own
    Genpsk(keys::Genpsk),
    /// List what can be typed: papers, worlds, schemes, settings, metrics
    #[cfg(feature = "lab")]
    List(list::Arguments),
    /// Print the JSON schema with which editors complete and check files
    #[cfg(feature = "lab")]
    Schema(schema::Arguments),
    /// Print a completion script for a shell
    Completions(completions::Arguments),
    /// Write the man pages
    #[cfg(feature = "lab")]
    Manual(manual::Arguments),
}

fn main() -> ExitCode {
    let command = Arguments::try_parse().unwrap_or_else(refuse).command;
    run(&command).unwrap_or_else(|failure| {
        terminal::note(&failure);
        failure.exit_code()
    })
}

fn run(command: &Command) -> Result<ExitCode, failure::Failure> {
    // They do so themselves, when they have or have given up their privileges: watching takes a thread, and rights belong to threads.
    let watches_itself = match command {
        #[cfg(all(target_os = "linux", feature = "lab"))]
        Command::Emulate(_) | Command::Demo(_) => true,
        #[cfg(target_os = "linux")]
        Command::Up(_) => true,
        _ => false,
    };
    if !watches_itself {
        interrupt::watch()?;
    }
    match command {
        #[cfg(feature = "lab")]
        Command::Reproduce(arguments) => reproduce::main(arguments),
        #[cfg(feature = "lab")]
        Command::Sensitivity(arguments) => sensitivity::main(arguments),
        #[cfg(feature = "lab")]
        Command::Advise(arguments) => advise::main(arguments),
        #[cfg(feature = "lab")]
        Command::Run(arguments) => run::main(arguments),
        #[cfg(feature = "lab")]
        Command::Merge(arguments) => merge::main(arguments),
        #[cfg(feature = "lab")]
        Command::Trace(arguments) => trace::main(arguments),
        #[cfg(all(target_os = "linux", feature = "lab"))]
        Command::Emulate(arguments) => return emulate::main(arguments),
        #[cfg(all(target_os = "linux", feature = "lab"))]
        Command::Demo(arguments) => return demo::main(arguments),
        #[cfg(target_os = "linux")]
        Command::Up(arguments) => return up::main(arguments),
        #[cfg(target_os = "linux")]
        Command::Status(arguments) => return tunnel_status::main(arguments),
        #[cfg(all(target_os = "linux", feature = "top"))]
        Command::Top(arguments) => return top::main(arguments),
        #[cfg(target_os = "linux")]
        Command::Path(arguments) => tunnel_path::main(arguments),
        #[cfg(target_os = "linux")]
        Command::Events(arguments) => return tunnel_status::events(arguments),
        #[cfg(target_os = "linux")]
        Command::Hint(arguments) => tunnel_control::hint(arguments),
        #[cfg(target_os = "linux")]
        Command::Down(arguments) => tunnel_control::down(arguments),
        #[cfg(feature = "lab")]
        Command::Fit(arguments) => fit::main(arguments),
        #[cfg(all(target_os = "linux", feature = "lab"))]
        Command::Classify(arguments) => classify::main(arguments),
        Command::Genkey(arguments) => keys::genkey(arguments),
        Command::Pubkey(arguments) => keys::pubkey(arguments),
        Command::Genpsk(_) => keys::genpsk(),
        #[cfg(feature = "lab")]
        Command::List(arguments) => list::main(arguments),
        #[cfg(feature = "lab")]
        Command::Schema(arguments) => schema::main(arguments),
        Command::Completions(arguments) => completions::main(arguments, Arguments::command()),
        #[cfg(feature = "lab")]
        Command::Manual(arguments) => manual::main(arguments, Arguments::command()),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Says what is wrong with the command line, or shows the help that it asks for. What is quoted of it has what a terminal obeys
/// escaped, and is cut where it would fill the screen.
fn refuse(error: clap::Error) -> Arguments {
    const LONGEST_WORD: usize = 500;
    let words = std::env::args_os().map(|word| one_line(&word.to_string_lossy(), LONGEST_WORD).into_owned());
    Arguments::try_parse_from(words).err().unwrap_or(error).exit()
}
