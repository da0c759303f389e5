//! `arqway demo`: what programs get out of a bad link, plain and through the tunnel, at the same time.
//!
//! ```text
//!     plain     client ------------ emulated link ------------ server
//!     arqway    client - arqway up - emulated link - arqway up - server       the same world, the same seed
//! ```
//!
//! Of several links each has a plain copy by itself, and the tunnel has all of them at once.
//!
//! | file | concept |
//! | --- | --- |
//! | `world.rs` | what the world says: the link, its bound, the call |
//! | `site.rs` | a copy of the link between two namespaces |
//! | `tunnel.rs` | the tunnel across one, as a user runs it |
//! | `period.rs` | the time in which loads run, and what ends it before |
//! | `loads.rs` | all of them at once, on all paths |
//! | `bulk.rs`, `stream.rs`, `ping.rs`, `page.rs` | a load each: another one is another file |
//! | `rows.rs` | what is told in the end: a table, or JSON |

mod bulk;
mod loads;
mod page;
mod period;
mod ping;
mod rows;
mod site;
mod stream;
mod tunnel;
mod world;

use crate::emulate::links::NamedLink;
use crate::failure::{Failure, read_source};
use crate::terminal::{note, print};
use crate::{interrupt, signals, values};
use arqway_emulate::serve;
use arqway_net::{Clock, Privileges, leftovers, privileges};
use arqway_tunnel::settings::check_link_layer;
use arqway_units::{BitRate, Span, Time};
use loads::{Load, Wanted, Way};
use period::Run;
use rows::Row;
use site::Site;
use std::path::PathBuf;
use std::process::ExitCode;
use std::slice::from_ref;
use std::sync::Arc;
use tunnel::Tunnel;
use world::{Cut, World};

const EXAMPLES: &str = "Two copies of an emulated link, with the same seed, carry the same loads at the same time: a TCP connection (CUBIC), a call
and a ping. One is plain, the other one has `arqway up` at both ends. Needs root; nothing is left behind.

Examples:
  sudo arqway demo                       a satellite, 45 s
  sudo arqway demo --link lte
  sudo arqway demo --link radio --json
  sudo arqway demo --link lte --runs 5                   medians of five seeds
  sudo arqway demo --link lte,satellite                  each by itself, and a tunnel over both
  sudo arqway demo --link lte --for '60 s' --cut '5 s'   what an outage of 5 s costs
  sudo arqway demo --loads tcp,call,page,udp --connections 10
  sudo arqway demo --link-layer classes.toml             a link layer of your own, in the tunnel";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The link: satellite, lte, radio, another built-in world, or a file with `[wireless]`; or several, which the tunnel has at once
    #[arg(long, value_name = "LINK", value_delimiter = ',', num_args = 1, default_value = "satellite", value_hint = clap::ValueHint::FilePath)]
    link: Vec<PathBuf>,
    /// How long the loads run
    #[arg(long = "for", value_name = "TIME", default_value = "45 s", value_parser = length)]
    length: Span,
    /// Seed of all random streams [default: the file's, or 1]
    #[arg(long, value_name = "S", value_parser = values::seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Run so many times, with seeds that follow one another, and print medians and ranges
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100))]
    runs: u64,
    /// Only these loads; `page` is one of 290 kB each five seconds, by six connections, `udp` a stream that is of use for 300 ms, and both only run
    /// where they are asked for
    #[arg(long, value_name = "LOAD", value_delimiter = ',', num_args = 1, default_value = "tcp,call,ping")]
    loads: Vec<Load>,
    /// How many TCP connections the load `tcp` is
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    connections: u32,
    /// How fast the load `udp` is, in packets of 1,200 octets, or as large as the link carries
    #[arg(long, value_name = "RATE", default_value = "1 Mbit/s", value_parser = crate::keys::rate)]
    udp: BitRate,
    /// Only the plain copy, without a tunnel
    #[arg(long, conflicts_with_all = ["tunnel", "link_layer"])]
    plain: bool,
    /// Only the copy with the tunnel
    #[arg(long)]
    tunnel: bool,
    /// Cut the link, of several the first one, for so long in the middle of the loads, without a word, in place of outages of its own; it tells
    /// how soon each load is back
    #[arg(long, value_name = "TIME", value_parser = values::positive_time)]
    cut: Option<Span>,
    /// The services of both ends: a file with a `[link-layer]`
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    link_layer: Option<PathBuf>,
    /// How fast the tunnel's end at the client sends, in place of a rate that is found and followed
    #[arg(long, value_name = "RATE", requires = "down", conflicts_with = "plain", value_parser = crate::keys::rate)]
    up: Option<BitRate>,
    /// How fast the tunnel's end at the server sends
    #[arg(long, value_name = "RATE", requires = "up", conflicts_with = "plain", value_parser = crate::keys::rate)]
    down: Option<BitRate>,
    /// Print JSON: a row for each load, path and run
    #[arg(long)]
    json: bool,
}

/// Loads run before a cut, and after it, for so long at least.
const BESIDE_CUT: Span = Span::from_milliseconds(10_000);

impl Arguments {
    fn cut(&self) -> Result<Option<Cut>, Failure> {
        let Some(lasts) = self.cut else { return Ok(None) };
        let least = (BESIDE_CUT + lasts) * 2;
        if self.length < least {
            return Err(Failure::Usage(format!(
                "--cut '{lasts}': expected --for '{least}' at least, for what comes before and after"
            )));
        }
        Ok(Some(Cut::of(self.length, lasts)))
    }

    /// What stands behind the settings of both ends.
    fn more(&self) -> Result<String, Failure> {
        let Some(file) = &self.link_layer else { return Ok(String::new()) };
        let (source, _) = read_source(file)?;
        for rate in [self.up, self.down] {
            check_link_layer(&source, rate)?;
        }
        Ok(format!("\n{}", source.text()))
    }
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
    let mut world = World::read(&arguments.link, arguments.seed, arguments.cut()?)?;
    if arguments.up.is_some() && world.links.len() > 1 {
        let what = "--up, --down: expected one link; the rates of several are found";
        return Err(Failure::Usage(what.to_owned()));
    }
    let more = arguments.more()?;
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
    let mut rows = Vec::new();
    for _ in 0..arguments.runs {
        note(world.about());
        rows.extend(demonstrate(arguments, &world, &more, &run)?);
        if run.is_over() {
            return Ok(ExitCode::from(interrupt::EXIT_CODE));
        }
        world.seed += 1;
    }
    print(&if arguments.json { rows::json(&rows) } else { rows::table(&rows) })?;
    Ok(ExitCode::SUCCESS)
}

/// All ways, with their loads; what is made for them is gone in the end.
fn demonstrate(arguments: &Arguments, world: &World, more: &str, run: &Run) -> Result<Vec<Row>, Failure> {
    let begun = run.clock.now();
    let of_plain = if arguments.tunnel { &[][..] } else { &world.links[..] };
    let plain = of_plain.iter().map(|link| Site::make(world, from_ref(link))).collect::<Result<Vec<_>, _>>()?;
    let sealed = if arguments.plain { None } else { Some(Site::make(world, &world.links)?) };
    for site in &plain {
        site.server().within(|| serve(site::ADDRESSES[1]))?.map_err(Failure::failed)?;
    }
    let mut tunnel =
        sealed.as_ref().map(|site| Tunnel::start(site, [arguments.up, arguments.down], more)).transpose()?;
    if let Some((tunnel, site)) = tunnel.as_mut().zip(sealed.as_ref()) {
        tunnel.wait_until_up(site, run)?;
    }
    if run.is_over() {
        tunnel.into_iter().for_each(Tunnel::end);
        return Ok(Vec::new());
    }
    let plain_way = |site| Way { site, addresses: site::ADDRESSES, path: "plain" };
    let sealed_way = |site| Way { site, addresses: tunnel::ADDRESSES, path: "arqway" };
    let ways: Vec<Way<'_>> = plain.iter().map(plain_way).chain(sealed.iter().map(sealed_way)).collect();
    note("packets cross the links: the loads begin");
    let wanted = Wanted {
        loads: &arguments.loads,
        connections: arguments.connections,
        call: world.call,
        udp: loads::udp(arguments.udp, world.mtu),
    };
    let back = world.cut.map(|cut| begun + cut.at + cut.lasts);
    let (outcomes, measured) = loads::all_loads(run, &ways, (&wanted, back))?;
    let paths: Vec<_> = ways.iter().map(|way| way.path).collect();
    drop(ways);
    let period = measured.map(|at| Time::ZERO + at.since(begun));
    tunnel.into_iter().for_each(Tunnel::end);
    // Of each link, of its plain copy and of the tunnel's.
    let plain = plain.into_iter().map(Site::remove).collect::<Result<Vec<_>, _>>()?;
    let sealed = sealed.map(Site::remove).transpose()?;
    if plain.iter().chain(&sealed).flatten().any(arqway_emulate::Report::is_too_late) {
        note("this machine was too slow for the links: expect other numbers on a quiet one");
    }
    let bound = |(number, link): (usize, &NamedLink)| {
        let copies = plain.get(number).and_then(|reports| reports.first());
        world.bound(link, copies.into_iter().chain(sealed.iter().filter_map(|all| all.get(number))), period.into())
    };
    let bounds: Vec<f64> = world.links.iter().enumerate().map(bound).collect();
    let of_link = |(link, bound_bps): (&NamedLink, &f64)| (link.name.clone(), *bound_bps);
    let of_all = (World::names(&world.links), bounds.iter().sum());
    let links = world.links.iter().zip(&bounds).take(plain.len()).map(of_link).chain([of_all]);
    let ways = paths.into_iter().zip(links).zip(outcomes);
    let ways = ways.map(|((path, (link, bound_bps)), outcome)| rows::Measured { path, link, bound_bps, outcome });
    Ok(rows::rows(&ways.collect::<Vec<_>>(), world.seed))
}
