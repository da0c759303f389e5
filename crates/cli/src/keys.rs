//! `arqway genkey`, `pubkey` and `genpsk`: keys for a session, as `wg` of WireGuard's tools makes them.
//!
//! A file that keeps a key is its owner's alone, or nothing is written to it and nothing read.

use crate::study::Failure;
use crate::terminal::print;
use arqway_session::{KeyFileError, PresharedKey, PrivateKey, check_key_file, read_private};
use std::fs;
use std::path::{Path, PathBuf};

const GENKEY: &str = "Examples:
  umask 077; arqway genkey > private.key          a key that only you can read
  arqway genkey | tee private.key | arqway pubkey > public.key";

const PUBKEY: &str = "Examples:
  arqway pubkey < private.key
  arqway pubkey private.key > public.key";

const GENPSK: &str = "Example:
  umask 077; arqway genpsk > preshared.key        for both ends, beside their own keys";

#[derive(Debug, clap::Args)]
#[command(after_help = GENKEY)]
pub(crate) struct Genkey {}

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

pub(crate) fn genkey() -> Result<(), Failure> {
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
    check_key_file(&behind("/dev/stdout")).map_err(refused)?;
    Ok(print(&format!("{secret}\n"))?)
}

/// The file that stands behind a stream, so that errors can name it; the stream itself if it is none.
fn behind(stream: &str) -> PathBuf {
    let file = fs::canonicalize(stream).ok().filter(|path| path.is_file());
    file.unwrap_or_else(|| Path::new(stream).to_owned())
}

fn refused(error: KeyFileError) -> Failure {
    Failure::Usage(error.to_string())
}

/// The system's randomness. Asked once before it is used: what follows cannot fail halfway.
fn system() -> Result<impl arqway_session::Random, Failure> {
    let mut drawn = [0; arqway_session::KEY];
    getrandom::fill(&mut drawn).map_err(|error| Failure::Usage(format!("no randomness from the system: {error}")))?;
    Ok(move |octets: &mut [u8]| octets.copy_from_slice(&drawn[..octets.len()]))
}
