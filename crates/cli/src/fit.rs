//! `arqway fit TRACE [ARRIVED]`: the channel behind a trace.

use crate::study::Failure;
use crate::terminal::{print, tell};
use arqway_fit::Fit;
use arqway_fit::read::{CaptureFile, Places, is_capture, read_captures, read_table};
use arqway_units::{BitRate, Octets};
use std::fs;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "A table has a line a frame, and a header: `sent`, in seconds; `arrived`, in seconds and empty for a frame that was lost, or `lost`,
0 or 1; and `octets`, the length on the link. Of captures, pcapng or pcap, a packet is known again at the other end by what it
holds; each must have been sent one way, from TRACE to ARRIVED.

Examples:
  arqway fit trace.csv --rate \"2 Mbit/s\"
  arqway fit server.pcapng client.pcapng --out results/walk
  arqway fit cell.pcapng                           one capture with an interface at each end, as `arqway trace` writes it
  arqway fit cell.pcapng --from client             what went the other way

A table:
  sent,arrived,octets
  0.00000,0.08125,250
  0.03125,,250
  0.06250,0.14375,250";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A table of frames (CSV), or a capture where they were sent
    #[arg(value_name = "TRACE", value_hint = clap::ValueHint::FilePath)]
    trace: PathBuf,
    /// A capture where they arrived, unless TRACE has both ends
    #[arg(value_name = "ARRIVED", value_hint = clap::ValueHint::FilePath)]
    arrived: Option<PathBuf>,
    /// How fast the link sends [default: as fast as the quickest frames followed each other]
    #[arg(long, value_name = "RATE")]
    rate: Option<BitRate>,
    /// How long every frame is on the link [default: as the trace says]
    #[arg(long, value_name = "OCTETS", value_parser = frame)]
    frame: Option<Octets>,
    /// The interface of a capture where frames were sent [default: the first]
    #[arg(long, value_name = "INTERFACE")]
    from: Option<String>,
    /// The interface of a capture where they arrived [default: the other one]
    #[arg(long, value_name = "INTERFACE")]
    to: Option<String>,
    /// Folder for fit.csv, fit.toml, fit.losses and the figures
    #[arg(long, value_name = "DIR", default_value = "results", value_hint = clap::ValueHint::DirPath)]
    out: PathBuf,
}

/// `--frame 250octets`: a length that a frame has.
fn frame(text: &str) -> Result<Octets, String> {
    let octets: Octets = text.parse().map_err(|error: arqway_units::UnitError| error.to_string())?;
    let is_one = (1..=1 << 24).contains(&octets.as_u64());
    if is_one { Ok(octets) } else { Err("right would be the length of a frame, such as \"250 octets\"".to_owned()) }
}

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    let (trace, name) = (read(&arguments.trace)?, name_of(&arguments.trace));
    let frames = if is_capture(&trace) {
        let sent = CaptureFile { name: &name, octets: &trace };
        let far = arguments.arrived.as_deref();
        let (far, far_name) = (far.map(read).transpose()?, far.map(name_of).unwrap_or_default());
        let arrived = far.as_ref().map(|octets| CaptureFile { name: &far_name, octets });
        let places = Places { from: arguments.from.clone(), to: arguments.to.clone() };
        read_captures(&sent, arrived.as_ref(), &places, arguments.frame)
            .map_err(|error| Failure::Usage(error.to_string()))?
    } else {
        refuse_of_captures(arguments, &name)?;
        read_table(&arguments.trace.display().to_string(), &trace, arguments.frame)
            .map_err(|error| Failure::Usage(error.to_string()))?
    };
    drop(trace);
    let fit = Fit::new(&name, &frames, arguments.rate).map_err(|error| Failure::Usage(error.to_string()))?;
    fit.write(&arguments.out)?;
    print(&fit.to_text())?;
    tell(format_args!("figures, parameters and an experiment, fit.toml, are in {}", arguments.out.display()));
    Ok(())
}

/// What is said of captures alone, beside a table.
fn refuse_of_captures(arguments: &Arguments, name: &str) -> Result<(), Failure> {
    let said = [
        ("a second file", arguments.arrived.is_some()),
        ("--from", arguments.from.is_some()),
        ("--to", arguments.to.is_some()),
    ];
    match said.into_iter().find(|(_, is_said)| *is_said) {
        Some((what, _)) => Err(Failure::Usage(format!(
            "{what} is for captures, and {name} is none; right would be pcapng or pcap, or the table alone"
        ))),
        None => Ok(()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::Usage(format!("cannot read {}: {error}", path.display())))
}

/// The file by its name alone, as results know no folders.
fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
