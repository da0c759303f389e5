//! `arqway up LINK.toml`: IP between hosts across bad links.
//!
//! ```text
//!     this thread      the data path, alone
//!     notes            what is said of it: a terminal that is held, or a pipe that nobody reads, holds up no packet
//!     control, client  those who ask how it is
//! ```

use crate::failure::{Failure, read_source};
use crate::terminal::{Notes, note, print};
use crate::{interrupt, ready, signals};
use arqway_net::{Waker, give_back_freed_memory, protect_memory};
use arqway_tunnel::settings::{Checked, Keys, check_owner};
use arqway_tunnel::{RunningTunnel, StartError, What};
use std::path::PathBuf;
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const EXAMPLES: &str = "Examples:
  arqway up home.toml                 until Ctrl-C
  arqway up --check home.toml         read the settings, and say what they mean

Settings, here of one end:
  private-key = \"home.key\"            arqway genkey --config makes all of it, for both ends
  listen = 51820
  addresses = [\"10.9.0.1/24\"]
  rate = \"950 kbit/s\"                 what this end sends: a little less than its line carries

  [[peer]]
  name = \"boat\"
  public-key = \"...\"                  arqway pubkey boat.key
  endpoint = \"203.0.113.5:51820\"
  allowed = [\"10.9.0.2\"]";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The settings of this end
    #[arg(value_name = "LINK.toml", value_hint = clap::ValueHint::FilePath)]
    settings: PathBuf,
    /// Only read the settings and the keys, and say what they mean
    #[arg(long)]
    check: bool,
}

pub(crate) fn main(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // Before there is a key in it.
    protect_memory()?;
    give_back_freed_memory();
    let (source, folder) = read_source(&arguments.settings)?;
    let is_shown = check_owner(&arguments.settings).map_err(Failure::usage)?;
    let name = arguments.settings.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let checked = Checked::read(&source, &name)?;
    let keys = checked.read_keys(&folder).map_err(Failure::usage)?;
    let path = arguments.settings.display();
    let shown = is_shown.then(|| {
        format!("{path}: all users can read who the peers are, and where; if they should not: chmod go-r '{path}'")
    });
    let warnings = shown.into_iter().chain(checked.warnings().into_iter().map(|warning| warning.to_string()));
    if arguments.check {
        warnings.for_each(note);
        print(&format!("{checked}  public key      {}\n", keys.private.public()))?;
        return Ok(ExitCode::SUCCESS);
    }
    run(&checked, keys, warnings)
}

/// How it was told to end.
#[derive(Debug, Default)]
struct End {
    stop: AtomicBool,
    by_interrupt: AtomicBool,
}

impl End {
    /// Asks it to end in good order; whoever asks once more does not want to wait.
    fn ask(&self, waker: &Waker) {
        if self.stop.swap(true, Ordering::Relaxed) {
            process::exit(i32::from(interrupt::EXIT_CODE));
        }
        waker.wake();
    }
}

/// Runs a tunnel. What is to be said first is said once its thread can wait for a terminal, in place of the data path.
fn run(checked: &Checked, keys: Keys, warnings: impl Iterator<Item = String>) -> Result<ExitCode, Failure> {
    let tell = |what: &str| note(format_args!("{}: {what}", checked.interface));
    let mut tunnel = RunningTunnel::start(checked, keys, tell).map_err(|error| match error {
        // What settings say of peers is no better at the next try.
        StartError::Peer { .. } => Failure::usage(error),
        _ => Failure::failed(error),
    })?;
    interrupt::watch()?;
    let end = Arc::new(End::default());
    let [(interrupted, first), (terminated, second)] = [0; 2].map(|_| (Arc::clone(&end), tunnel.waker()));
    let interrupt = move || {
        interrupted.by_interrupt.store(true, Ordering::Relaxed);
        interrupted.ask(&first);
    };
    signals::watch(interrupt, move |_| terminated.ask(&second))?;
    let mut notes = Notes::start()?;
    warnings.for_each(|warning| notes.note(warning));
    notes.note(format!("{}: up, listening on {}", checked.interface, tunnel.place()));
    if let Err(error) = ready::tell() {
        notes.note(format!("{}: cannot tell systemd that it is up: {error}", checked.interface));
    }
    let outcome = tunnel.run(&end.stop, |event| {
        if event.what != What::Keys {
            notes.note(event.to_string());
        }
    });
    if outcome.is_ok() && !end.stop.load(Ordering::Relaxed) {
        notes.note(format!("{}: ended by `arqway down`", checked.interface));
    }
    // Before anybody is waited for who reads slowly.
    drop(tunnel);
    notes.finish();
    outcome?;
    let is_interrupted = end.by_interrupt.load(Ordering::Relaxed);
    Ok(if is_interrupted { ExitCode::from(interrupt::EXIT_CODE) } else { ExitCode::SUCCESS })
}
