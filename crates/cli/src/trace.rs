//! `arqway trace EXPERIMENT --scheme S --point P --replication R`: repeats one run, as a capture, as a time-sequence plot, as a timeline of
//! the link's rate.

use crate::failure::{Failure, read_source};
use crate::interrupt;
use crate::study::file_name;
use crate::terminal::{note, print};
use crate::values;
use arqway_config::Source;
use arqway_lab::experiment::overlay::Overlay;
use arqway_lab::experiment::{Effort, Files, read_all};
use arqway_lab::figure::{number, png};
use arqway_lab::output::OutputError;
use arqway_lab::quantity::Quantity;
use arqway_lab::results::rows::Row;
use arqway_lab::run::cell::{Cell, CellName};
use arqway_lab::run::plan::Request;
use arqway_lab::trace::About;
use arqway_lab::trace::capture::{Capture, Place};
use arqway_lab::trace::sequence::{self, fixed_timeout};
use arqway_lab::trace::timeline::{self, Link};
use arqway_lab::whole_file::{WholeFile, remove_strays};
use arqway_papers::library::{self, FigureName};
use arqway_papers::options::quoted;
use arqway_units::{Span, Time};
use std::io::{self, BufWriter, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXAMPLES: &str =
    "The run is exactly the one behind the rows of `arqway run` with the same options: same seed, same random streams.

Examples:
  arqway trace my-experiment.toml --scheme sr:0.9 --point 5.4 --replication 3 --out cell.pcapng
  arqway trace monet08/fig3 --scheme sr:0.9 --point 5.4 --sequence collapse.svg --from 0s --to 60s
  arqway trace monet08/fig3 --scheme raw --point 5.4 --at server-ip --out tcp.pcapng    TCP as its sender sees it
  arqway trace found-rate.toml --scheme \"raw found\" --point 6e6 --timeline rate.svg    what the link carries, and what is sent

To read the frames:
  wireshark -X lua_script:wireshark/arqway.lua cell.pcapng";

#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    group = clap::ArgGroup::new("output").args(["out", "sequence", "timeline"]).required(true).multiple(true),
    group = clap::ArgGroup::new("plot").args(["sequence", "timeline"]).multiple(true)
)]
pub(crate) struct Arguments {
    /// An experiment file, or a built-in figure such as monet08/fig3
    #[arg(value_name = "EXPERIMENT")]
    experiment: PathBuf,
    /// The scheme, named as in the rows or the figures
    #[arg(long, value_name = "SCHEME")]
    scheme: Option<String>,
    /// The point of the sweep, named as in the rows
    #[arg(long, value_name = "POINT", value_parser = values::point, allow_negative_numbers = true)]
    point: Option<f64>,
    /// The replication, counted from 0
    #[arg(long, value_name = "R", default_value_t = 0, value_parser = values::replication, allow_negative_numbers = true)]
    replication: u32,
    /// Seed of all random streams, instead of the experiment's
    #[arg(long, value_name = "S", value_parser = values::seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Number of replications of the study, instead of the experiment's
    #[arg(long, value_name = "N", conflicts_with = "quick", value_parser = values::replications, allow_negative_numbers = true)]
    replications: Option<NonZeroU32>,
    /// Trace the short run of `arqway run --quick`
    #[arg(long)]
    quick: bool,
    /// Write a capture for Wireshark
    #[arg(long, value_name = "FILE.pcapng")]
    out: Option<PathBuf>,
    /// Where to capture: frames at the ends of the link, or packets at the hosts
    #[arg(long, value_name = "PLACE,...", value_delimiter = ',', default_values = ["access-point", "client"], requires = "out")]
    at: Vec<At>,
    /// Draw a time-sequence plot of Selective Repeat toward the client; as PNG if the name ends in .png
    #[arg(long, value_name = "FILE.svg")]
    sequence: Option<PathBuf>,
    /// Draw what the link toward the client can carry, what is sent into it, and how long that waits; as PNG if the name ends in .png
    #[arg(long, value_name = "FILE.svg")]
    timeline: Option<PathBuf>,
    /// Start of a plot [default: the start of the run]
    #[arg(long, value_name = "TIME", requires = "plot")]
    from: Option<Span>,
    /// End of a plot [default: the end of the run]
    #[arg(long, value_name = "TIME", requires = "plot")]
    to: Option<Span>,
}

/// The places of a capture, by their names on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum At {
    /// Frames at the access point
    AccessPoint,
    /// Frames at the client
    Client,
    /// Packets at the server's network layer
    ServerIp,
    /// Packets at the client's network layer
    ClientIp,
}

impl At {
    fn place(self) -> Place {
        match self {
            Self::AccessPoint => Place::AccessPoint,
            Self::Client => Place::Client,
            Self::ServerIp => Place::ServerIp,
            Self::ClientIp => Place::ClientIp,
        }
    }
}

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    for (option, path) in [("--sequence", &arguments.sequence), ("--timeline", &arguments.timeline)] {
        path.as_deref().map_or(Ok(()), |path| check_picture(option, path))?;
    }
    let cell = find(arguments)?;
    let shown = shown(arguments)?;
    let recorders = (sequence_recorder(arguments, &cell, shown)?, timeline_recorder(arguments, shown));
    // Before the first file: who stops the command leaves none.
    let stop = interrupt::stop("stopping the run");
    // Before the run, like the capture: a plot that cannot be written should not cost one.
    let capture = match &arguments.out {
        Some(path) => Some(begin(path, arguments, &cell)?),
        None => None,
    };
    let pictures = [begin_picture(arguments.sequence.as_deref())?, begin_picture(arguments.timeline.as_deref())?];
    let mut watching = (capture, recorders);
    let Some(rows) = cell.watch(&mut watching, stop)? else {
        return Err(Failure::Stopped("the run has not ended, and nothing was written".to_owned()));
    };
    let (capture, (sequence, timeline)) = watching;
    if let (Some(capture), Some(path)) = (capture, &arguments.out) {
        let finish = |(packets, file): (u64, BufWriter<WholeFile>)| file.into_inner()?.finish().map(|()| packets);
        let packets = capture.finish().and_then(finish).map_err(|source| cannot_write(path, source))?;
        note(format_args!("{packets} frames and packets are in {}", path.display()));
    }
    let drawn = [
        sequence.map(|recorder| draw_sequence(arguments, &cell, &recorder)).transpose()?,
        timeline.map(|recorder| draw_timeline(arguments, &cell, &recorder)).transpose()?,
    ];
    for ((path, mut file), Picture { id, svg }) in pictures.into_iter().flatten().zip(drawn.into_iter().flatten()) {
        let octets = if path.extension().is_some_and(|extension| extension == "png") {
            png::to_png(&svg, 2.0).map_err(|source| OutputError::Png { id, source })?
        } else {
            svg.into_bytes()
        };
        let written = file.write_all(&octets).and_then(|()| file.finish());
        written.map_err(|source| cannot_write(&path, source))?;
        note(format_args!("the plot is in {}", path.display()));
    }
    Ok(print(&results(&cell.name, &rows))?)
}

/// The file of a plot, if one was requested.
fn begin_picture(path: Option<&Path>) -> Result<Option<(PathBuf, WholeFile)>, Failure> {
    path.map(|path| Ok((path.to_owned(), create(path)?))).transpose()
}

/// Refuses a file name whose ending promises another format.
fn check_picture(option: &str, path: &Path) -> Result<(), Failure> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg" | "png") => Ok(()),
        _ => Err(Failure::Usage(format!(
            "{option} writes SVG or PNG: expected a name that ends in .svg or .png, not {}",
            path.display()
        ))),
    }
}

/// The cell to trace.
fn find(arguments: &Arguments) -> Result<Cell, Failure> {
    let (source, folder) = source(&arguments.experiment)?;
    let effort = if arguments.quick { Effort::Quick } else { Effort::Full };
    let experiments = read_all(&[source], &Files::beside(&folder), effort, &Overlay::default())?;
    let Some(experiment) = experiments.into_iter().next() else { return Err(Failure::Nothing) };
    let request = Request {
        replications: arguments.replications.map(NonZeroU32::get),
        seed: arguments.seed,
        scheme: arguments.scheme.clone(),
        point: arguments.point,
        replication: Some(arguments.replication),
    };
    Cell::find(experiment, &request).map_err(Failure::usage)
}

/// A file, or the built-in figure of that name; and the folder of the files that it names.
fn source(experiment: &Path) -> Result<(Arc<Source>, PathBuf), Failure> {
    let name = experiment.display().to_string();
    let figure = name.split_once('/').filter(|_| !name.ends_with(".toml") && !experiment.exists());
    if let Some((paper, figure)) = figure {
        let built_in = library::experiment(&FigureName { paper: paper.to_owned(), figure: figure.to_owned() });
        return built_in.map(|source| (source, PathBuf::new())).ok_or_else(|| {
            let known = library::figures().into_iter().map(|known| format!("{}/{}", known.paper, known.figure));
            let known = known.collect::<Vec<_>>().join(", ");
            Failure::Usage(format!("no figure is called `{name}`; expected a file, or one of {known}"))
        });
    }
    read_source(experiment)
}

fn begin(path: &Path, arguments: &Arguments, cell: &Cell) -> Result<Capture<BufWriter<WholeFile>>, Failure> {
    let mut places = Vec::new();
    for place in arguments.at.iter().map(|at| at.place()) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Capture::new(BufWriter::new(create(path)?), &cell.name.to_string(), &cell.scenario().link_layer, &places)
        .map_err(|source| cannot_write(path, source))
}

/// Begins a file, and removes what killed runs left beside it.
fn create(path: &Path) -> Result<WholeFile, Failure> {
    remove_strays(path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")));
    WholeFile::create(path).map_err(|source| cannot_write(path, source))
}

/// From when to when a plot shows the run.
fn shown(arguments: &Arguments) -> Result<(Time, Time), Failure> {
    let from = Time::ZERO + arguments.from.unwrap_or(Span::ZERO);
    let to = arguments.to.map_or(Time::MAX, |to| Time::ZERO + to);
    if from >= to {
        return Err(Failure::Usage(format!(
            "the plot from {} s to {} s is empty: --to must be later than --from",
            from.as_seconds(),
            to.as_seconds()
        )));
    }
    Ok((from, to))
}

/// The recorder of the time-sequence plot, if one was requested.
fn sequence_recorder(
    arguments: &Arguments,
    cell: &Cell,
    (from, to): (Time, Time),
) -> Result<Option<sequence::Recorder>, Failure> {
    if arguments.sequence.is_none() {
        return Ok(None);
    }
    let recorder = sequence::Recorder::new(&cell.scenario().link_layer, from, to);
    let scheme = &cell.name.scheme;
    recorder.map(Some).ok_or_else(|| {
        Failure::Usage(format!(
            "--sequence plots the sequence numbers of Selective Repeat, and `{scheme}` has none; expected a scheme such as sr:0.9"
        ))
    })
}

fn timeline_recorder(arguments: &Arguments, (from, to): (Time, Time)) -> Option<timeline::Recorder> {
    arguments.timeline.is_some().then(|| timeline::Recorder::new(from, to))
}

/// A plot that is drawn.
struct Picture {
    id: String,
    svg: String,
}

/// Refuses a plot that begins after the run's end.
fn check_end(arguments: &Arguments, end: Time) -> Result<(), Failure> {
    let (from, end) = (arguments.from.map_or(0.0, Span::as_seconds), end.as_seconds());
    if from >= end {
        return Err(Failure::Usage(format!("nothing is sent after --from {from} s: the run ended at {end:.1} s")));
    }
    Ok(())
}

fn draw_sequence(arguments: &Arguments, cell: &Cell, recorder: &sequence::Recorder) -> Result<Picture, Failure> {
    check_end(arguments, recorder.end())?;
    let CellName { experiment, scheme, label, point, replication, seed } = &cell.name;
    let about = About {
        id: format!("{experiment}-{scheme}-{point}-{replication}"),
        title: format!("{label}, frame by frame: {experiment}, point {point}, replication {replication}, seed {seed}"),
        source: format!("arqway trace {} --sequence FILE.svg", typed(arguments, &cell.name)),
    };
    let timeout = fixed_timeout(&cell.scenario().link_layer);
    Ok(Picture { svg: recorder.to_svg(&about, timeout), id: about.id })
}

fn draw_timeline(arguments: &Arguments, cell: &Cell, recorder: &timeline::Recorder) -> Result<Picture, Failure> {
    check_end(arguments, recorder.end())?;
    let CellName { experiment, scheme, label, point, replication, seed } = &cell.name;
    let about = About {
        id: format!("{experiment}-{scheme}-{point}-{replication}-timeline"),
        title: format!(
            "{label}, what is sent into the link toward the client: {experiment}, point {point}, replication {replication}, seed {seed}"
        ),
        source: format!("arqway trace {} --timeline FILE.svg", typed(arguments, &cell.name)),
    };
    let link = Link { wireless: &cell.scenario().wireless, streams: cell.streams() };
    Ok(Picture { svg: recorder.to_svg(&about, &link), id: about.id })
}

/// The command line of the same run, with the file name without its folder: results do not depend on paths.
fn typed(arguments: &Arguments, name: &CellName) -> String {
    let file = &arguments.experiment;
    let file = match file.extension() {
        Some(_) => file_name(file),
        None => file.display().to_string(),
    };
    let scheme = quoted(&name.scheme);
    let mut typed = format!("{file} --scheme {scheme} --point {} --replication {}", name.point, name.replication);
    let options = [
        ("seed", arguments.seed.map(|seed| seed.to_string())),
        ("replications", arguments.replications.map(|replications| replications.to_string())),
        ("from", arguments.from.map(|from| format!("{}s", from.as_seconds()))),
        ("to", arguments.to.map(|to| format!("{}s", to.as_seconds()))),
    ];
    for (option, value) in options {
        if let Some(value) = value {
            typed.push_str(&format!(" --{option} {value}"));
        }
    }
    if arguments.quick {
        typed.push_str(" --quick");
    }
    typed
}

fn cannot_write(path: &Path, source: io::Error) -> Failure {
    Failure::Output(OutputError::File { path: path.to_owned(), source })
}

/// The cell's results, as its rows have them, with their units.
fn results(name: &CellName, rows: &[Row]) -> String {
    let mut text = format!("{name}\n");
    for Row { app, metric, value, .. } in rows {
        // A series has its place behind an `@`.
        let quantity = Quantity::of(&format!("{app}.{}", metric.split('@').next().unwrap_or_default()));
        let unit = match quantity.map_or("", |quantity| quantity.unit()) {
            "share" => format!(" ({} %)", number::significant(value * 100.0, 3)),
            unit => format!(" {unit}"),
        };
        text.push_str(format!("{app}.{metric} {value}{unit}").trim_end());
        text.push('\n');
    }
    text
}
