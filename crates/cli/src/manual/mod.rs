//! `arqway manual`: a man page of the command and one of each subcommand, from what `--help` says; or all of them as one
//! Markdown document.
//!
//! ```text
//!     man/arqway.1  man/arqway-run.1  man/arqway-reproduce.1  ...
//! ```
//!
//! In the text after the options, each heading (`Examples:`) becomes a section, and indented lines stay as they are.
//! What all pages share, such as the exit status, is in this file.

mod markdown;

use crate::failure::Failure;
use crate::terminal::{note, print};
use arqway_lab::output::save;
use arqway_lab::output_folder::OutputFolder;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  arqway manual && man -l man/arqway-run.1
  arqway manual --out ~/.local/share/man/man1
  arqway manual --markdown > commands.md";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Folder for the pages
    #[arg(long, value_name = "DIR", default_value = "man", value_hint = clap::ValueHint::DirPath)]
    out: PathBuf,
    /// Print all pages as one Markdown document instead
    #[arg(long, conflicts_with = "out")]
    markdown: bool,
}

/// The exit codes of every command.
const EXIT_STATUS: [(&str, &str); 3] = [
    ("0", "Done."),
    ("1", "A run failed, or its results could not be written."),
    ("2", "The command line or a file is wrong. Nothing was run; every mistake is reported with its place."),
];

/// The exit code after Ctrl-C.
const INTERRUPTED: [(&str, &str); 1] = [(
    "130",
    "Ctrl-C was pressed: the runs under way are finished, and the results of all finished runs are written. Pressed again, it \
     stops at once; then only what --resume or --shard kept is there.",
)];

/// What `arqway trace` writes.
const TRACES: [(&str, &str); 3] = [
    ("FILE.pcapng", "The capture, with --out."),
    ("FILE.svg, FILE.png", "The plots, with --sequence and --timeline."),
    ("", "The same cell gives the same bytes."),
];

/// What `arqway fit` writes below `--out`.
const FITS: [(&str, &str); 5] = [
    ("fit.csv", "One row for each parameter of a family: value, interval, and the family's likelihood."),
    ("fit.toml", "An experiment with the best channel, for arqway run."),
    ("fit.losses", "The losses, frame by frame, for errors of kind trace."),
    (
        "fit-runs.svg, fit-runs.png, fit-gaps.svg, fit-gaps.png",
        "Loss runs and the gaps between them, measured and fitted.",
    ),
    ("", "The same trace and options give the same bytes."),
];

/// What a study writes below `--out`, and what is in it.
const RESULTS: [(&str, &str); 5] = [
    ("rows.csv, rows.parquet", "One row for each metric of each cell."),
    ("claims.csv", "One row for each claim of a paper, with its verdict."),
    ("report.html", "Plots, tables, verdicts and settings on one self-contained page."),
    ("figures/NAME.svg, figures/NAME.png", "Each figure."),
    ("", "They depend only on the version, the arguments and the files read: the same command gives the same bytes."),
];

/// What `arqway sensitivity` writes below `--out`.
const VERDICTS: [(&str, &str); 4] = [
    ("sensitivity.csv", "One row for each verdict on a claim with each alternative."),
    ("sensitivity.html", "The verdicts of all papers on one self-contained page."),
    ("figures/PAPER-sensitivity.svg, figures/PAPER-sensitivity.png", "The verdicts as a heat map."),
    ("", "The same command gives the same bytes."),
];

/// What `arqway advise` writes below `--out`.
const ADVICE: [(&str, &str); 4] = [
    ("advise.svg, advise.png", "A plot of the ranking."),
    ("advise.toml", "An experiment that checks the advice, for arqway run."),
    ("rows.csv, rows.parquet", "One row for each metric of each cell."),
    ("", "The same question gives the same bytes."),
];

/// What `--strict` makes of the exit status.
const STRICT: &str = "With --strict, also 1 if a verdict differs from the recorded one.";

pub(crate) fn main(arguments: &Arguments, command: Command) -> Result<(), Failure> {
    let command = complete(command);
    if arguments.markdown {
        return Ok(print(&markdown::document(&command))?);
    }
    let folder = &arguments.out;
    let _locked = OutputFolder::take(folder, &[])?;
    let mut written = String::new();
    for (name, text) in pages(&command)? {
        let path = folder.join(name);
        save(&path, &text)?;
        written.push_str(&format!("{}\n", path.display()));
    }
    print(&written)?;
    note(format_args!("to read one: man -l {}", folder.join("arqway.1").display()));
    Ok(())
}

/// The command with all that clap adds to it, but for `help`.
fn complete(command: Command) -> Command {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    command
}

/// The name and the text of each page.
fn pages(command: &Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let source = format!("arqway {}", command.get_version().unwrap_or_default());
    let all = [command].into_iter().chain(command.get_subcommands());
    all.map(|page| render(page, command, &source)).collect()
}

fn render(page: &Command, root: &Command, source: &str) -> io::Result<(String, Vec<u8>)> {
    // No date, so that the same version writes the same bytes; an empty one would shift the fields after it.
    let man = Man::new(page.clone()).date(" ").source(source).manual("Arqway Manual");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if page.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    let mut roff = Roff::new();
    if let Some(files) = files_written(page) {
        section(&mut roff, "FILES", files);
    }
    section(&mut roff, "EXIT STATUS", &EXIT_STATUS);
    if can_be_interrupted(page) {
        list(&mut roff, &INTERRUPTED);
    }
    if has(page, "strict") {
        roff.control("PP", []).text([roman(STRICT)]);
    }
    if let Some(help) = page.get_after_help() {
        remarks(&mut roff, &help.to_string());
    }
    see_also(&mut roff, page, root);
    roff.to_writer(&mut text)?;
    Ok((man.get_filename(), text))
}

/// Whether a command makes the results of a study: `merge`, and all that have `--until`.
fn writes_results(page: &Command) -> bool {
    has(page, "until") || has(page, "folders")
}

/// Whether Ctrl-C leaves results.
fn can_be_interrupted(page: &Command) -> bool {
    files_written(page).is_some() && !has(page, "trace") && !has(page, "sequence")
}

/// The files that a command writes, where a page lists them.
fn files_written(page: &Command) -> Option<&'static [(&'static str, &'static str)]> {
    if writes_results(page) {
        Some(&RESULTS)
    } else if advises(page) {
        Some(&ADVICE)
    } else if has(page, "only") {
        Some(&VERDICTS)
    } else if has(page, "sequence") {
        Some(&TRACES)
    } else if page.get_name() == "fit" {
        Some(&FITS)
    } else {
        None
    }
}

fn advises(page: &Command) -> bool {
    has(page, "media_within")
}

fn has(page: &Command, option: &str) -> bool {
    page.get_arguments().any(|argument| argument.get_id() == option)
}

/// A section of names and what each means.
fn section(roff: &mut Roff, heading: &str, entries: &[(&str, &str)]) {
    roff.control("SH", [heading]);
    list(roff, entries);
}

fn list(roff: &mut Roff, entries: &[(&str, &str)]) {
    for (name, meaning) in entries {
        if name.is_empty() {
            roff.control("PP", []);
        } else {
            roff.control("TP", []).text([roman(*name)]);
        }
        roff.text([roman(*meaning)]);
    }
}

/// The text after the options: headings, paragraphs, and indented blocks.
fn remarks(roff: &mut Roff, help: &str) {
    let is_indented = |line: &str| line.starts_with(' ');
    // A paragraph without a heading goes under one of ours.
    if help.lines().next().is_some_and(|line| !line.ends_with(':')) {
        roff.control("SH", ["NOTES"]);
    }
    let mut lines = help.lines().peekable();
    while let Some(line) = lines.next() {
        if is_indented(line) {
            roff.control("nf", []).text([roman(line)]);
            // A blank line between indented lines belongs to the block.
            while let Some(line) = lines.next_if(|line| is_indented(line) || line.is_empty()) {
                roff.text([roman(line)]);
            }
            roff.control("fi", []);
        } else if let Some(heading) = line.strip_suffix(':') {
            roff.control("SH", [heading.to_uppercase().as_str()]);
        } else if line.is_empty() {
            roff.control("PP", []);
        } else {
            roff.text([roman(line)]);
        }
    }
}

fn see_also(roff: &mut Roff, page: &Command, root: &Command) {
    let name = |command: &Command| command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let others = [root].into_iter().chain(root.get_subcommands()).map(name).filter(|other| *other != name(page));
    let others: Vec<String> = others.map(|other| format!("{other}(1)")).collect();
    roff.control("SH", ["SEE ALSO"]).text([roman(others.join(", "))]);
}
