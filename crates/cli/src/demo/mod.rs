//! `arqway demo`: what programs get out of a bad link, plain and through the tunnel, at the same time.
//!
//! ```text
//!     plain     client ------------ emulated link ------------ server
//!     arqway    client - arqway up - emulated link - arqway up - server       the same world, the same seed
//! ```
//!
//! | file | concept |
//! | --- | --- |
//! | `world.rs` | what the world says: the link, its bound, the call |
//! | `site.rs` | a copy of the link between two namespaces |
//! | `tunnel.rs` | the tunnel across one, as a user runs it |
//! | `period.rs` | the time in which loads run, and what ends it before |
//! | `loads.rs` | all of them at once, on both paths |
//! | `bulk.rs`, `call.rs`, `ping.rs` | a load each: another one is another file |
//! | `rows.rs` | what is told in the end: a table, or JSON |

mod bulk;
mod call;
mod loads;
mod period;
mod ping;
mod rows;
mod site;
mod tunnel;
mod world;

use crate::failure::Failure;
use crate::terminal::{note, print};
use crate::{interrupt, signals, values};
use arqway_emulate::serve;
use arqway_net::{Clock, Privileges, leftovers, privileges};
use arqway_units::Span;
use loads::Way;
use period::Run;
use rows::{Outcome, Row};
use site::Site;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use tunnel::Tunnel;
use world::World;

const EXAMPLES: &str = "Two copies of an emulated link, with the same seed, carry the same loads at the same time: a TCP connection (CUBIC), a call
and a ping. One is plain, the other one has `arqway up` at both ends. Needs root; nothing is left behind.

Examples:
  sudo arqway demo                       a satellite, 45 s
  sudo arqway demo --link lte
  sudo arqway demo --link radio --json";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The link: satellite, lte, radio, another built-in world, or a file with `[wireless]`
    #[arg(long, value_name = "LINK", default_value = "satellite", value_hint = clap::ValueHint::FilePath)]
    link: PathBuf,
    /// How long the loads run
    #[arg(long = "for", value_name = "TIME", default_value = "45 s", value_parser = length)]
    length: Span,
    /// Seed of all random streams [default: the file's, or 1]
    #[arg(long, value_name = "S", value_parser = values::seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `--for '10 s'`: shorter ones measure nothing.
fn length(text: &str) -> Result<Span, String> {
    let length = values::positive_time(text)?;
    if length >= Span::from_milliseconds(1000) {
        Ok(length)
    } else {
        Err("expected at least 1 s, such as '45 s'".to_owned())
    }
}

pub(crate) fn main(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let world = World::read(&arguments.link, arguments.seed)?;
    if privileges()? != Privileges::Machine {
        return Err(Failure::Failed(
            "the demo needs root, since it makes network namespaces and devices in them: sudo arqway demo".to_owned(),
        ));
    }
    interrupt::watch()?;
    leftovers().iter().for_each(note);
    let run = Arc::new(Run::new(Clock::start(), arguments.length));
    let [first, second] = [0; 2].map(|_| Arc::clone(&run));
    signals::watch(move || first.end(), move |_| second.end())?;
    note(&world.about);
    let rows = demonstrate(&world, &run)?;
    if run.is_over() {
        return Ok(ExitCode::from(interrupt::EXIT_CODE));
    }
    print(&if arguments.json { rows::json(&rows) } else { rows::table(&rows) })?;
    Ok(ExitCode::SUCCESS)
}

/// Both ways, with all loads; what is made for them is gone in the end.
fn demonstrate(world: &World, run: &Run) -> Result<Vec<Row>, Failure> {
    let sites = [Site::make(world)?, Site::make(world)?];
    let mut tunnel = Tunnel::start(&sites[1], world)?;
    sites[0].server().within(|| serve(site::ADDRESSES[1]))?.map_err(Failure::failed)?;
    tunnel.wait_until_up(&sites[1], run)?;
    if run.is_over() {
        tunnel.end();
        return Ok(Vec::new());
    }
    let ways =
        [Way { site: &sites[0], addresses: site::ADDRESSES }, Way { site: &sites[1], addresses: tunnel::ADDRESSES }];
    note("packets cross both links: the loads begin");
    let outcomes: [Outcome; 2] = loads::all_loads(run, &ways, world)?;
    tunnel.end();
    let [plain, arqway] = sites.map(Site::remove);
    let reports = [plain?, arqway?];
    if reports.iter().any(arqway_emulate::Report::is_too_late) {
        note("this machine was too slow for two links at once: expect other numbers on a quiet one");
    }
    Ok(rows::rows(&outcomes, world.bound(&reports)))
}
