//! `arqway emulate LINK`: real packets over a modelled link, or over several between the same ends.
//!
//! ```text
//!     this thread      signals, the command's end, what is printed
//!     emulation        the data path of a link, alone: nobody who reads our output slowly holds up a packet
//! ```
//!
//! A link of several lines is several links.

pub(crate) mod ends;
pub(crate) mod links;
mod screen;
mod session;

use crate::failure::Failure;
use crate::study::file_name;
use crate::terminal::{note, wrapped};
use crate::values;
use crate::{interrupt, signals};
use arqway_emulate::{EmulatedLink, Emulation, Outcome, Progress, QUEUE};
use arqway_net::{Clock, Interface, NetError, Privileges, Waker, leftovers, privileges};
use arqway_sim::channel::Direction;
use arqway_units::Span;
use ends::{Around, Ends, Wanted};
use links::{Links, NamedLink};
use session::Session;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

const EXAMPLES: &str = "Packets between two ends meet the link of a world: its rate, delay, queue, errors and outages, as the simulator has them. Without
other options, the ends are two network namespaces: arqway-client and arqway-server.

Examples:
  arqway emulate satellite -- sh -c 'ping -c 20 $ARQWAY_PEER'
  arqway emulate lte --servers -- bash                a shell at the client's end; echo and discard answer at $ARQWAY_PEER
  arqway emulate my-link.toml --log fates.csv         until Ctrl-C; meanwhile: ip netns exec arqway-client ...
  arqway emulate starlink --interfaces eth1,eth2      between two machines
  arqway emulate radio --taps tap0,tap1 --bridges br0,br1
  arqway emulate --links lte,satellite -- bash        two links at once: arq0 and arq1, both ways to $ARQWAY_PEER

A link of your own:
  [wireless]
  rate = \"2 Mbit/s\"
  delay = \"40 ms\"
  queue = { kind = \"drop-tail\", packets = 50 }
  errors = { kind = \"uniform\", loss = \"3 %\" }

  [wireless.up]
  rate = \"256 kbit/s\"";

#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    group = clap::ArgGroup::new("ends").args(["namespaces", "taps", "interfaces"])
)]
pub(crate) struct Arguments {
    /// The link: a file with `[wireless]`, or a built-in world
    #[arg(value_name = "LINK.toml", value_hint = clap::ValueHint::FilePath, required_unless_present = "links")]
    link: Option<PathBuf>,
    /// Several links at once between the same ends, at most eight
    #[arg(long, value_name = "LINK,LINK", value_delimiter = ',', num_args = 1, conflicts_with = "link", value_hint = clap::ValueHint::FilePath)]
    links: Vec<PathBuf>,
    /// Make two network namespaces of these names: the client's and the server's end
    #[arg(long, value_name = "CLIENT,SERVER", value_delimiter = ',', num_args = 1)]
    namespaces: Vec<String>,
    /// Make two TAP devices of these names
    #[arg(long, value_name = "CLIENT,SERVER", value_delimiter = ',', num_args = 1)]
    taps: Vec<String>,
    /// Make the TAP devices ports of these two bridges
    #[arg(long, value_name = "CLIENT,SERVER", value_delimiter = ',', num_args = 1, requires = "taps", conflicts_with_all = ["namespaces", "interfaces"])]
    bridges: Vec<String>,
    /// Join two Ethernet interfaces that exist
    #[arg(long, value_name = "CLIENT,SERVER", value_delimiter = ',', num_args = 1)]
    interfaces: Vec<String>,
    /// Addresses of the ends in the namespaces [default: 10.81.0.1/24,10.81.0.2/24]
    #[arg(long, value_name = "CLIENT,SERVER", value_delimiter = ',', num_args = 1, conflicts_with_all = ["taps", "interfaces"])]
    addresses: Vec<String>,
    /// Largest packet of the interfaces that are made
    #[arg(long, value_name = "OCTETS", default_value_t = 1500, value_parser = clap::value_parser!(u32).range(576..=65_535), conflicts_with = "interfaces")]
    mtu: u32,
    /// Run servers at the server's end: echo (port 7) and discard (port 9), over TCP and UDP
    #[arg(long, conflicts_with_all = ["taps", "interfaces"])]
    servers: bool,
    /// Seed of all random streams [default: the file's, or 1]
    #[arg(long, value_name = "S", value_parser = values::seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// End after this time [default: with the command, or at Ctrl-C]
    #[arg(long = "for", value_name = "TIME", value_parser = values::positive_time)]
    length: Option<Span>,
    /// Print a line each second also while a command runs
    #[arg(long)]
    every_second: bool,
    /// Print statistics as JSON, one object a line
    #[arg(long)]
    json: bool,
    /// Write the fate of each packet; `arqway run` replays it. Of several links: once for each
    #[arg(long, value_name = "FILE.csv", value_hint = clap::ValueHint::FilePath)]
    log: Vec<PathBuf>,
    /// Write a capture of both ends for Wireshark. Of several links: once for each
    #[arg(long, value_name = "FILE.pcapng", value_hint = clap::ValueHint::FilePath)]
    capture: Vec<PathBuf>,
    /// Run this at the client's end, and end with it; $ARQWAY_PEER is the address of the server's end
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["taps", "interfaces"])]
    command: Vec<OsString>,
}

/// What this thread hears of.
#[derive(Debug)]
enum Message {
    /// Of a link, by number.
    Progress(usize, Progress),
    /// The emulation of a link has ended.
    Ended(usize, Box<Outcome>),
    /// The command has ended.
    Command(Result<ExitStatus, NetError>),
    /// Ctrl-C.
    Interrupt,
    /// Another signal that asks this process to end.
    Terminate(i32),
}

pub(crate) fn main(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Links { links, seed } = Links::read(arguments.files(), arguments.seed)?;
    let wanted = Wanted::read(arguments, links.len())?;
    for (option, files) in [("--log", &arguments.log), ("--capture", &arguments.capture)] {
        check_files(option, files, links.len())?;
    }
    obtain_privileges(arguments, &wanted)?;
    interrupt::watch()?;
    leftovers().iter().for_each(note);
    let (messages, heard) = mpsc::channel();
    // Nobody listens at the very end.
    let (of_interrupt, of_end) = (messages.clone(), messages.clone());
    signals::watch(
        move || drop(of_interrupt.send(Message::Interrupt)),
        move |signal| drop(of_end.send(Message::Terminate(signal))),
    )?;
    let Ends { links: ends, around } = wanted.make()?;
    let clock = Clock::start();
    let emulation = |(number, (link, [client, server])): (usize, (&NamedLink, [Interface; 2]))| {
        let about = match links.len() {
            1 => format!("arqway emulate {} --seed {seed}", link.name),
            _ => format!("arqway emulate --links {}: {}, --seed {seed}", arguments.names(), link.name),
        };
        let names = [client.name().to_owned(), server.name().to_owned()];
        let mut emulation = Emulation::new(EmulatedLink::new(&link.settings, seed), client, server, clock);
        if let Some(path) = arguments.log.get(number) {
            emulation.log(path, &about).map_err(Failure::failed)?;
        }
        if let Some(path) = arguments.capture.get(number) {
            emulation.capture(path, &about, [&names[0], &names[1]]).map_err(Failure::failed)?;
        }
        Ok(emulation)
    };
    let emulations = links.iter().zip(ends).enumerate().map(emulation).collect::<Result<Vec<_>, Failure>>()?;
    let stop = Arc::new(Waker::new()?);
    announce(&links, seed, &around);
    let start = |(number, emulation)| start((number, emulation), &stop, &messages);
    let threads = emulations.into_iter().enumerate().map(start).collect::<Result<Vec<_>, Failure>>();
    let session = Session::new(arguments, &stop, links.iter().map(|link| link.name.clone()).collect());
    let ended = threads.and_then(|threads| {
        let ended = around.start(&arguments.command, &messages).and_then(|()| session.follow(&heard));
        stop.wake();
        // What they had to say has been heard.
        threads.into_iter().for_each(|thread| drop(thread.join()));
        ended
    });
    stop.wake();
    around.remove()?;
    ended
}

impl Arguments {
    /// What the files of all links are called.
    fn names(&self) -> String {
        let names: Vec<String> = self.files().map(file_name).collect();
        names.join(",")
    }

    /// The files of all links.
    fn files(&self) -> impl Iterator<Item = &Path> {
        self.link.iter().chain(&self.links).map(PathBuf::as_path)
    }
}

/// Refuses files that are not one for each link, and one that cannot be written at once.
fn check_files(option: &str, files: &[PathBuf], links: usize) -> Result<(), Failure> {
    if !files.is_empty() && files.len() != links {
        return Err(Failure::Usage(format!(
            "{option}: expected it once for each of {links} links, not {} times",
            files.len()
        )));
    }
    files.iter().try_for_each(|path| refuse_pipe(path))
}

/// Refuses a named pipe or a device in the place of a file: who opens or writes one may have to wait for ever.
fn refuse_pipe(path: &Path) -> Result<(), Failure> {
    let is_other = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    let refused = || Failure::Usage(format!("{}: it is a device or a named pipe, not a file", path.display()));
    if is_other { Err(refused()) } else { Ok(()) }
}

/// Does without root where that is possible: for a command, whose ends have no names.
fn obtain_privileges(arguments: &Arguments, wanted: &Wanted) -> Result<(), Failure> {
    match (privileges()?, wanted.needs_root()) {
        (Privileges::UserNamespace, Some(what)) => Err(Failure::Failed(format!(
            "{what} need root: sudo arqway emulate ...; without root, run a command: arqway emulate {} -- COMMAND",
            arguments.link.as_deref().unwrap_or(Path::new("--links LINK,LINK")).display()
        ))),
        (Privileges::Machine | Privileges::UserNamespace, _) => Ok(()),
    }
}

fn announce(links: &[NamedLink], seed: u64, around: &Around) {
    let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
    note(format_args!("emulating {}, seed {seed}: {around}", names.join(" and ")));
    let are_several = links.len() > 1;
    for link in links {
        if are_several {
            note(format_args!("  {}", link.name));
        }
        for (name, way) in [("down", Direction::Down), ("up", Direction::Up)] {
            note(format_args!("  {name:<5}{}", link.settings.about(way)));
        }
    }
    if links.iter().any(|link| !link.changed.is_empty()) {
        let why = "an interface has no back-pressured queue, as this world has";
        note(wrapped(&format!("{why}: a drop-tail queue of {QUEUE} packets takes its place"), 0).join("\n"));
    }
}

fn start(
    (number, emulation): (usize, Emulation<Interface, Clock>),
    stop: &Arc<Waker>,
    messages: &Sender<Message>,
) -> Result<JoinHandle<()>, Failure> {
    let (stop, messages) = (Arc::clone(stop), messages.clone());
    let run = move || {
        let progress = messages.clone();
        // Who does not listen any more has ended.
        let outcome = emulation.run(&stop, |what| drop(progress.send(Message::Progress(number, what))));
        messages.send(Message::Ended(number, Box::new(outcome))).ok();
    };
    thread::Builder::new().name("emulation".to_owned()).spawn(run).map_err(Failure::failed)
}
