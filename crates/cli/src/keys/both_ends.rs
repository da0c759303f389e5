//! `arqway genkey --config`: keys and settings for both ends of a tunnel, ready to be used.
//!
//! ```text
//!     left     listens, and has an address that the other reaches
//!     right    calls it, from wherever it is
//! ```
//!
//! What is printed is a line of a shell for each end, so that pasting it there saves both files as they must be kept.

use super::{check_stdout, system};
use crate::addresses::{Address, addresses};
use crate::failure::Failure;
use crate::terminal::{note, print};
use arqway_session::PrivateKey;
use arqway_tunnel::settings::{BAUD, Endpoint};
use arqway_units::BitRate;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

const ADDRESSES: [&str; 2] = ["10.9.0.1/24", "10.9.0.2/24"];
/// Of no machine (RFC 5737): to be replaced.
const PLACEHOLDER: &str = "203.0.113.5:51820";
const NAMES: [&str; 2] = ["left", "right"];

#[derive(Debug, Default, clap::Args)]
pub(super) struct Options {
    /// Print keys and settings for both ends of a tunnel: a piece for each, to be pasted into a shell there
    #[arg(long)]
    pub(super) config: bool,
    /// Write them as left.toml, left.key, right.toml and right.key into this folder instead
    #[arg(long, value_name = "DIR", requires = "config", value_hint = clap::ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Where the right end reaches the left one [default: a placeholder]
    #[arg(long, value_name = "HOST:PORT", requires = "config", value_parser = endpoint)]
    endpoint: Option<Endpoint>,
    /// The serial line between the ends, in place of UDP, by the name that its device has at both, such as /dev/ttyUSB0
    #[arg(long, value_name = "DEVICE", requires = "config", requires = "baud", conflicts_with = "endpoint", value_hint = clap::ValueHint::FilePath)]
    serial: Option<PathBuf>,
    /// The rate of the serial line, such as 57600
    #[arg(long, value_name = "RATE", requires = "serial", value_parser = baud())]
    baud: Option<u32>,
    /// How fast each end sends, such as '10 Mbit/s': a little less than its line carries [default: found and followed]
    #[arg(long, value_name = "RATE", requires = "config", value_parser = rate)]
    rate: Option<BitRate>,
    /// How fast the right end, which calls, sends: a little less than the upload of its line, in place of --rate
    #[arg(long, value_name = "RATE", requires_all = ["config", "down"], conflicts_with = "rate", value_parser = rate)]
    up: Option<BitRate>,
    /// How fast the left end sends to it: a little less than the download of that line
    #[arg(long, value_name = "RATE", requires_all = ["config", "up"], conflicts_with = "rate", value_parser = rate)]
    down: Option<BitRate>,
    /// Addresses of the ends in the tunnel [default: 10.9.0.1/24,10.9.0.2/24]
    #[arg(long, value_name = "LEFT,RIGHT", requires = "config", value_delimiter = ',', num_args = 1)]
    addresses: Vec<String>,
}

fn baud() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(i64::from(*BAUD.start())..=i64::from(*BAUD.end()))
}

fn endpoint(text: &str) -> Result<Endpoint, String> {
    Endpoint::try_from(text.to_owned()).map_err(|error| error.to_string())
}

pub(crate) fn rate(text: &str) -> Result<BitRate, String> {
    text.parse().map_err(|error| format!("{error}; expected a rate such as '10 Mbit/s'"))
}

/// A file of an end, by its name.
pub(crate) type File = (String, String);

/// What `genkey --config --endpoint` writes, with `--up` and `--down` where these are given: settings and key of the end that listens, and
/// of the one that calls.
#[cfg(feature = "lab")]
pub(crate) fn both_ends(endpoint: Endpoint, [up, down]: [Option<BitRate>; 2]) -> Result<[[File; 2]; 2], Failure> {
    let options = Options { endpoint: Some(endpoint), up, down, ..Options::default() };
    made(&options)
}

fn made(options: &Options) -> Result<[[File; 2]; 2], Failure> {
    let addresses = addresses(&options.addresses, ADDRESSES)?;
    let keys = [PrivateKey::generate(&mut system()?), PrivateKey::generate(&mut system()?)];
    Ok([0, 1].map(|end| files(end, options, addresses, &keys)))
}

pub(super) fn write(options: &Options) -> Result<(), Failure> {
    let ends = made(options)?;
    match &options.out {
        Some(folder) => save(folder, ends.as_flattened(), options.serial.is_some())?,
        None => {
            check_stdout()?;
            print(&(piece(&ends[0], NAMES[0]) + "\n" + &piece(&ends[1], NAMES[1])))?;
        }
    }
    if options.endpoint.is_none() && options.serial.is_none() {
        note(format_args!(
            "{PLACEHOLDER} is a placeholder: in right.toml, set where the left end is reached, or use --endpoint"
        ));
    }
    Ok(())
}

/// The settings of an end, and its key.
fn files(end: usize, options: &Options, addresses: [Address; 2], keys: &[PrivateKey; 2]) -> [File; 2] {
    let (own, other) = (NAMES[end], NAMES[1 - end]);
    let [meets, calls] = meeting(end, options);
    let sends = if end == 0 { options.down } else { options.up };
    let rate = match (sends.or(options.rate), &options.serial) {
        (Some(rate), _) => format!("rate = \"{rate}\"\n"),
        // It follows from that of the line.
        (None, Some(_)) => String::new(),
        (None, None) => {
            "# rate = \"10 Mbit/s\"    what this end sends, in place of a rate that is found and followed\n".to_owned()
        }
    };
    let (address, peer) = (addresses[end], addresses[1 - end].address);
    let settings = format!(
        "private-key = \"{own}.key\"\n{meets}addresses = [\"{}/{}\"]\n{rate}\n[[peer]]\nname = \"{other}\"\n\
         public-key = \"{}\"\nallowed = [\"{peer}\"]\n{calls}",
        address.address,
        address.prefix,
        keys[1 - end].public()
    );
    [(format!("{own}.toml"), settings), (format!("{own}.key"), format!("{}\n", &*keys[end].to_text()))]
}

/// How an end meets the other one: in the settings of this end, and in those of its peer.
fn meeting(end: usize, options: &Options) -> [String; 2] {
    if let Some((serial, baud)) = options.serial.as_ref().zip(options.baud) {
        let device = serde_json::Value::from(serial.to_string_lossy());
        return [format!("line = {{ serial = {device}, baud = {baud} }}\n"), String::new()];
    }
    let endpoint = options.endpoint.as_ref().map_or_else(|| PLACEHOLDER.to_owned(), ToString::to_string);
    let port = endpoint.rsplit_once(':').map_or("", |(_, port)| port);
    if end == 0 {
        [format!("listen = {port}\n"), String::new()]
    } else {
        [String::new(), format!("endpoint = \"{endpoint}\"\nkeepalive = true\n")]
    }
}

/// What saves the files of an end when a shell reads it; nothing is overwritten.
fn piece(files: &[File], end: &str) -> String {
    let parts = files.iter().map(|(name, text)| format!("cat > {name} <<'.' &&\n{text}.\n"));
    format!(
        "# The {end} end: paste this into a shell there, then: arqway up {end}.toml\n(umask 077; set -C\n{}true)\n",
        parts.collect::<String>()
    )
}

/// Writes all of them, or none where one is there already.
fn save(folder: &Path, files: &[File], is_serial: bool) -> Result<(), Failure> {
    let failed = |path: &Path, error: io::Error| Failure::Failed(format!("cannot write {}: {error}", path.display()));
    if let Some(path) = files.iter().map(|(name, _)| folder.join(name)).find(|path| path.symlink_metadata().is_ok()) {
        return Err(Failure::Usage(format!(
            "--out: {} exists and is not overwritten; expected a folder without it",
            path.display()
        )));
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| failed(folder, error))?;
    for (number, (name, text)) in files.iter().enumerate() {
        let path = folder.join(name);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        // One that somebody else has just made stays; one of ours without its text does not.
        let made = number + usize::from(file.is_ok());
        if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
            // Those that are there are of no use without this one.
            files[..made].iter().for_each(|(name, _)| drop(fs::remove_file(folder.join(name))));
            return Err(failed(&path, error));
        }
    }
    let [left, right] = NAMES.map(|name| folder.join(name).display().to_string());
    let [listens, calls] =
        if is_serial { ["one end", "the other end"] } else { ["the end that listens", "the end that calls"] };
    print(&format!(
        "{left}.toml, {left}.key      for {listens}: arqway up left.toml\n\
         {right}.toml, {right}.key    for {calls}: arqway up right.toml\n"
    ))?;
    Ok(())
}
