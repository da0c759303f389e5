//! `arqway fit TRACE [ARRIVED]`: finds the channel behind a trace, or the rate behind a recording.

use crate::failure::Failure;
use crate::terminal::{note, print};
use arqway_config::{Mistakes, Source, read_octets};
use arqway_fit::read::{CaptureFile, Places, is_capture, is_recording, read_captures, read_table};
use arqway_fit::{Fit, WanderingFit};
use arqway_lab::experiment::mahimahi_moments;
use arqway_lab::output_folder::OutputFolder;
use arqway_units::{BitRate, Octets};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "A table is CSV with a header and a line for each frame: `sent`, in seconds; either `arrived`, in seconds and empty for a lost
frame, or `lost`, 0 or 1; and `octets`, the length on the link. Captures are pcapng or pcap. A packet is recognised at the
other end by its contents; all packets must travel one way, from TRACE to ARRIVED.

Examples:
  arqway fit trace.csv --rate \"2 Mbit/s\"
  arqway fit server.pcapng client.pcapng --out results/walk
  arqway fit cell.pcapng                           one capture with interfaces at both ends, as `arqway trace` writes it
  arqway fit cell.pcapng --from client             the other direction
  arqway fit Verizon-LTE-short.down                the rate behind a recording: a line for each millisecond at which 1,500 octets go

A table:
  sent,arrived,octets
  0.00000,0.08125,250
  0.03125,,250
  0.06250,0.14375,250";

/// A trace is read into memory: 2 GB are some 10 million frames of full length.
const LONGEST_TRACE: u64 = 2 << 30;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A table of frames (CSV), a capture at the sending end, or a recording of a rate as Mahimahi has it
    #[arg(value_name = "TRACE", value_hint = clap::ValueHint::FilePath)]
    trace: PathBuf,
    /// A capture at the receiving end, unless TRACE has both ends
    #[arg(value_name = "ARRIVED", value_hint = clap::ValueHint::FilePath)]
    arrived: Option<PathBuf>,
    /// Rate of the link [default: the rate at which the closest frames follow each other]
    #[arg(long, value_name = "RATE")]
    rate: Option<BitRate>,
    /// Length of every frame on the link [default: as in the trace]
    #[arg(long, value_name = "OCTETS", value_parser = frame)]
    frame: Option<Octets>,
    /// Interface of the capture at the sending end [default: the first]
    #[arg(long, value_name = "INTERFACE")]
    from: Option<String>,
    /// Interface of the capture at the receiving end [default: the other one]
    #[arg(long, value_name = "INTERFACE")]
    to: Option<String>,
    /// Folder for fit.csv, fit.toml, fit.losses and the figures
    #[arg(long, value_name = "DIR", default_value = "results", value_hint = clap::ValueHint::DirPath)]
    out: PathBuf,
}

/// No frame is longer.
const LONGEST_FRAME: u64 = 1 << 24;

/// `--frame 250octets`: the length of a frame.
fn frame(text: &str) -> Result<Octets, String> {
    let octets: Octets = text.parse().map_err(|error: arqway_units::UnitError| error.to_string())?;
    let is_one = (1..=LONGEST_FRAME).contains(&octets.as_u64());
    if is_one {
        Ok(octets)
    } else {
        Err(format!("expected the length of a frame, 1 to {LONGEST_FRAME} octets, such as \"250 octets\""))
    }
}

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    let bar = progress();
    bar.set_message(format!("reading {}", arguments.trace.display()));
    let (trace, name) = (read(&arguments.trace)?, name_of(&arguments.trace));
    if is_recording(&trace) {
        bar.finish_and_clear();
        return rate(arguments, &name, trace);
    }
    let frames = if is_capture(&trace) {
        let sent = CaptureFile { name: &name, octets: &trace };
        let far = arguments.arrived.as_deref();
        let (far, far_name) = (far.map(read).transpose()?, far.map(name_of).unwrap_or_default());
        let arrived = far.as_ref().map(|octets| CaptureFile { name: &far_name, octets });
        let places = Places { from: arguments.from.clone(), to: arguments.to.clone() };
        read_captures(&sent, arrived.as_ref(), &places, arguments.frame).map_err(Failure::usage)?
    } else {
        refuse_of_captures(arguments, &name)?;
        read_table(&arguments.trace.display().to_string(), &trace, arguments.frame).map_err(Failure::usage)?
    };
    drop(trace);
    frames.cut.iter().for_each(note);
    let _locked = OutputFolder::take(&arguments.out, &Fit::FILES)?;
    let fit = Fit::watched(&name, &frames, arguments.rate, |step| bar.set_message(step.to_owned()));
    bar.finish_and_clear();
    let fit = fit.map_err(Failure::usage)?;
    fit.write(&arguments.out)?;
    print(&fit.to_text())?;
    note(format_args!("the figures, the parameters and an experiment, fit.toml, are in {}", arguments.out.display()));
    Ok(())
}

/// The rate behind a recording of Mahimahi's.
fn rate(arguments: &Arguments, name: &str, recording: Vec<u8>) -> Result<(), Failure> {
    refuse_of_captures(arguments, name)?;
    if arguments.rate.is_some() || arguments.frame.is_some() {
        let what = if arguments.rate.is_some() { "--rate" } else { "--frame" };
        return Err(Failure::Usage(format!(
            "{what} applies to tables and captures only, and {name} is a recording of a rate"
        )));
    }
    let text = String::from_utf8(recording);
    let text = text.map_err(|_| Failure::Usage(format!("{name}: expected lines of milliseconds, such as 25")))?;
    let moments =
        mahimahi_moments(&Source::new(arguments.trace.display().to_string(), text)).map_err(Mistakes::from)?;
    let _locked = OutputFolder::take(&arguments.out, &Fit::FILES)?;
    let fit = WanderingFit::new(name, &moments).map_err(Failure::usage)?;
    fit.write(&arguments.out)?;
    print(&fit.to_text())?;
    note(format_args!("an experiment, fit.toml, is in {}", arguments.out.display()));
    Ok(())
}

/// What is being done, and for how long, on a terminal.
fn progress() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
    let bar = ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Refuses arguments that apply to captures only.
fn refuse_of_captures(arguments: &Arguments, name: &str) -> Result<(), Failure> {
    let said = [
        ("a second file", arguments.arrived.is_some()),
        ("--from", arguments.from.is_some()),
        ("--to", arguments.to.is_some()),
    ];
    match said.into_iter().find(|(_, is_said)| *is_said) {
        Some((what, _)) => {
            Err(Failure::Usage(format!("{what} applies to captures only, and {name} is not a pcapng or pcap capture")))
        }
        None => Ok(()),
    }
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_octets(path, LONGEST_TRACE).map_err(|error| Failure::Usage(format!("cannot read {}: {error}", path.display())))
}

/// The file name without its folder: results do not depend on paths.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
