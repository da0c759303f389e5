//! `arqway genkey`, `pubkey` and `genpsk`: keys for a session, as `wg` of WireGuard's tools makes them; in `both_ends.rs`, what two ends
//! of a tunnel need.
//!
//! A file that keeps a key is its owner's alone, or nothing is written to it and nothing read.

#[cfg(target_os = "linux")]
mod both_ends;

#[cfg(all(target_os = "linux", feature = "lab"))]
pub(crate) use both_ends::{File, both_ends, rate};

use crate::failure::Failure;
use crate::terminal::print;
use arqway_session::{KeyFileError, PresharedKey, PrivateKey, check_key_file, read_private};
use std::fs;
use std::path::{Path, PathBuf};

const GENKEY: &str = "Examples:
  umask 077; arqway genkey > private.key          a key that only you can read
  arqway genkey | tee private.key | arqway pubkey > public.key
  arqway genkey --config --endpoint home.example.org:51820 --rate '10 Mbit/s'
  arqway genkey --config --endpoint home.example.org:51820 --up '9 Mbit/s' --down '45 Mbit/s'
  arqway genkey --config --out tunnel             keys and settings of both ends of a tunnel, as files
  arqway genkey --config --serial /dev/ttyUSB0 --baud 57600";

const PUBKEY: &str = "Examples:
  arqway pubkey < private.key
  arqway pubkey private.key > public.key";

const GENPSK: &str = "Example:
  umask 077; arqway genpsk > preshared.key        for both ends, beside their own keys";

#[derive(Debug, clap::Args)]
#[command(after_help = GENKEY)]
pub(crate) struct Genkey {
    #[cfg(target_os = "linux")]
    #[command(flatten)]
    ends: both_ends::Options,
}

#[derive(Debug, clap::Args)]
#[command(after_help = PUBKEY)]
pub(crate) struct Pubkey {
    /// The file with the private key [default: stdin]
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = GENPSK)]
pub(crate) struct Genpsk {}

pub(crate) fn genkey(
    #[cfg_attr(not(target_os = "linux"), expect(unused_variables))] arguments: &Genkey,
) -> Result<(), Failure> {
    #[cfg(target_os = "linux")]
    if arguments.ends.config {
        return both_ends::write(&arguments.ends);
    }
    show(&PrivateKey::generate(&mut system()?).to_text())
}

pub(crate) fn genpsk() -> Result<(), Failure> {
    show(&PresharedKey::generate(&mut system()?).to_text())
}

pub(crate) fn pubkey(arguments: &Pubkey) -> Result<(), Failure> {
    let path = arguments.file.clone().unwrap_or_else(|| behind("/dev/stdin"));
    if path.to_str().is_some_and(|text| text.parse::<PrivateKey>().is_ok()) {
        // An error of the system would repeat it.
        let told = "FILE: this is a key; expected the name of a file that has one. Others can see what is typed: make a new key";
        return Err(Failure::Usage(told.to_owned()));
    }
    let private = read_private(&path).map_err(refused)?;
    Ok(print(&format!("{}\n", private.public()))?)
}

/// Prints a secret, unless that ends in a file that others can read.
fn show(secret: &str) -> Result<(), Failure> {
    check_stdout()?;
    Ok(print(&format!("{secret}\n"))?)
}

/// Refuses a stdout that ends in a file that others can read.
fn check_stdout() -> Result<(), Failure> {
    check_key_file(&behind("/dev/stdout")).map_err(refused)
}

/// The file that stands behind a stream, so that errors can name it; the stream itself if it is none.
fn behind(stream: &str) -> PathBuf {
    let file = fs::canonicalize(stream).ok().filter(|path| path.is_file());
    file.unwrap_or_else(|| Path::new(stream).to_owned())
}

fn refused(error: KeyFileError) -> Failure {
    Failure::Usage(error.to_string())
}

/// The system's randomness for one key. Asked once before it is used: what follows cannot fail halfway.
pub(crate) fn system() -> Result<impl arqway_session::Random, Failure> {
    let mut drawn = [0; arqway_session::KEY];
    getrandom::fill(&mut drawn).map_err(|error| Failure::Usage(format!("no randomness from the system: {error}")))?;
    Ok(move |octets: &mut [u8]| octets.copy_from_slice(&drawn[..octets.len()]))
}
