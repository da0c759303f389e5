//! `arqway hint LINK` and `arqway down LINK`: what a tunnel that runs is told.

use crate::failure::Failure;
use crate::tunnel_status::failure;
use arqway_tunnel::{Answers, LineHint, ask};

const HINT: &str = "For scripts of a modem, which know before anybody else. While the line is announced to be down, no packet is sent and
no timer of a service runs: packets wait in their queues, and go on where they were. The peer need not be told.

Examples:
  arqway hint boat down                 the antenna turns away
  arqway hint boat up                   the same line is back
  arqway hint boat handoff              the line is another one now: another cell, another address
  arqway hint hub down --peer boat      only the line to this peer
  arqway hint boat down --line 1        only this one of several lines: others carry on";

const DOWN: &str = "It ends in good order, as with Ctrl-C; this command returns once it has ended.

Example:
  arqway down home";

#[derive(Debug, clap::Args)]
#[command(after_help = HINT)]
pub(crate) struct Hint {
    /// The interface of a tunnel that runs in this network namespace
    #[arg(value_name = "LINK")]
    link: String,
    /// What happens to the line
    #[arg(value_name = "HINT")]
    hint: Word,
    /// The line to this peer alone [default: to all peers]
    #[arg(long, value_name = "NAME")]
    peer: Option<String>,
    /// One line of several, by the number that `arqway status` shows [default: all]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(0..8))]
    line: Option<u8>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Word {
    /// It goes down, now or so soon that nothing more should be sent
    Down,
    /// It is up again
    Up,
    /// It is up, and another one than before
    Handoff,
}

#[derive(Debug, clap::Args)]
#[command(after_help = DOWN)]
pub(crate) struct Down {
    /// The interface of a tunnel that runs in this network namespace
    #[arg(value_name = "LINK")]
    link: String,
}

pub(crate) fn hint(arguments: &Hint) -> Result<(), Failure> {
    let hint = match arguments.hint {
        Word::Down => LineHint::Down,
        Word::Up => LineHint::Up,
        Word::Handoff => LineHint::Handoff,
    };
    if arguments.peer.as_ref().is_some_and(|peer| peer.contains(char::is_control)) {
        return Err(Failure::usage("--peer: expected the name of a peer, as `arqway status` shows it"));
    }
    let peer = arguments.peer.as_ref().map(|peer| format!(" {peer}")).unwrap_or_default();
    let request = arguments.line.map_or_else(|| "hint".to_owned(), |line| format!("hint-line {line}"));
    ask(&arguments.link, &format!("{request} {hint}{peer}")).and_then(Answers::only).map(drop).map_err(failure)
}

pub(crate) fn down(arguments: &Down) -> Result<(), Failure> {
    ask(&arguments.link, "down").and_then(Answers::until_it_ends).map_err(failure)
}
