//! `arqway up LINK.toml`: IP between hosts across bad links.

use crate::signals;
use crate::study::{Failure, read_source};
use crate::terminal::{note, print};
use arqway_link::bearer;
use arqway_net::Waker;
use arqway_session as session;
use arqway_tunnel::settings::Checked;
use arqway_tunnel::{Event, RunningTunnel, Told};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const EXAMPLES: &str = "Examples:
  arqway up home.toml                 until Ctrl-C
  arqway up --check home.toml         read the settings, and say what they mean

Settings, here of one end:
  private-key = \"home.key\"            umask 077; arqway genkey > home.key
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
    let (source, folder) = read_source(&arguments.settings)?;
    let name = arguments.settings.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let checked = Checked::read(&source, &name)?;
    if arguments.check {
        let keys = checked.read_keys(&folder).map_err(Failure::usage)?;
        print(&format!("{checked}  public key      {}\n", keys.private.public()))?;
        return Ok(ExitCode::SUCCESS);
    }
    run(&checked, &folder)
}

fn run(checked: &Checked, folder: &Path) -> Result<ExitCode, Failure> {
    let mut tunnel = RunningTunnel::start(checked, folder).map_err(Failure::failed)?;
    let stop = Arc::new(AtomicBool::new(false));
    let end = |stop: Arc<AtomicBool>, waker: Arc<Waker>| {
        move || {
            stop.store(true, Ordering::Relaxed);
            waker.wake();
        }
    };
    signals::watch(end(Arc::clone(&stop), tunnel.waker()), end(Arc::clone(&stop), tunnel.waker()))?;
    note(format_args!("{}: up, datagrams arrive at {}", checked.interface, tunnel.address()));
    tunnel.run(&stop, |told| tell(&told))?;
    Ok(ExitCode::SUCCESS)
}

/// One line for whatever happens to a peer.
fn tell(Told { peer, event }: &Told<'_>) {
    match event {
        Event::Session(session::Event::Established { restarted: false, .. }) => {}
        Event::Session(session::Event::Established { .. }) => note(format_args!("{peer}: has restarted")),
        Event::Session(session::Event::Refused { why, .. }) => note(format_args!("{peer}: {why}")),
        Event::Session(session::Event::Unreachable { unverified: false, .. }) => {
            note(format_args!("{peer}: no answer; expected one from its address, and that it knows our public key"));
        }
        Event::Session(session::Event::Unreachable { .. }) => {
            note(format_args!("{peer}: answers that do not verify; expected the same preshared key at both ends"));
        }
        Event::Session(session::Event::Moved { to, .. }) => note(format_args!("{peer}: now at {to}")),
        Event::Link(_, bearer::Event::Up) => note(format_args!("{peer}: link up")),
        Event::Link(_, bearer::Event::Down) => note(format_args!("{peer}: link down")),
        Event::Link(_, bearer::Event::Mtu(mtu)) => note(format_args!("{peer}: datagrams of up to {mtu}")),
        Event::Link(_, bearer::Event::PeerRestarted) => {}
    }
}
