//! `arqway list WHAT [OF]`: what can be typed elsewhere, each with half a line of explanation.
//!
//! ```text
//!     on a terminal     aligned, in 80 columns
//!     in a pipe         a line of heads, then a line an entry, its fields between tabs
//!     --json            an array of objects
//! ```

use crate::failure::Failure;
use crate::reproduce::unknown_paper;
use crate::terminal::{print, wrapped};
use arqway_config::suggest;
use arqway_lab::experiment::overlay::Overlay;
use arqway_lab::experiment::{Effort, scenarios};
use arqway_lab::quantity::Quantity;
use arqway_lab::schema::{self, ListedScheme, ListedSetting};
use arqway_papers::library::{self, FigureName};
use clap::ValueEnum as _;
use clap::builder::PossibleValue;
use serde_json::{Map, Value};
use std::io::IsTerminal;

const EXAMPLES: &str = "Into a pipe or a file, the entries are lines with tabs between the fields.

Examples:
  arqway list                     what can be listed
  arqway list papers              the papers; `arqway list papers monet08` has its figures
  arqway list worlds              what `base` of an experiment and `arqway advise` name
  arqway list schemes             what `use` of an experiment and --scheme name
  arqway list settings tcp        what `set` and `[sweep]` name, here below tcp
  arqway list metrics --json      what `y` of a figure names";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// What to list [default: what can be listed]
    #[arg(value_name = "WHAT", value_enum)]
    what: Option<What>,
    /// Only the figures of this paper, or the entries whose name contains this
    #[arg(value_name = "OF")]
    of: Option<String>,
    /// As JSON, an object an entry
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// The papers that can be reproduced; with the name of one, its figures
    Papers,
    /// The worlds to study
    Worlds,
    /// The schemes to compare
    Schemes,
    /// The settings of a world
    Settings,
    /// What is measured
    Metrics,
}

/// Entries, with a head for each of their fields: the last is the explanation.
struct List {
    heads: Vec<&'static str>,
    entries: Vec<Vec<String>>,
}

pub(crate) fn main(arguments: &Arguments) -> Result<(), Failure> {
    let mut list = match (arguments.what, &arguments.of) {
        (None, _) => whats(),
        (Some(What::Papers), None) => papers()?,
        (Some(What::Papers), Some(paper)) => figures(paper)?,
        (Some(What::Worlds), _) => worlds(),
        (Some(What::Schemes), _) => schemes(),
        (Some(What::Settings), _) => settings(),
        (Some(What::Metrics), _) => metrics(),
    };
    if let Some(of) = arguments.of.as_ref().filter(|_| arguments.what != Some(What::Papers)) {
        list.keep(of)?;
    }
    let text = match arguments.json {
        true => list.to_json(),
        false if std::io::stdout().is_terminal() => list.to_screen(),
        false => list.to_tabs(),
    };
    Ok(print(&text)?)
}

/// What can be listed.
fn whats() -> List {
    let values = What::value_variants().iter().filter_map(What::to_possible_value);
    let entry = |value: PossibleValue| {
        let about = value.get_help().map(ToString::to_string).unwrap_or_default();
        vec![value.get_name().to_owned(), about]
    };
    List { heads: vec!["what", "about"], entries: values.map(entry).collect() }
}

fn papers() -> Result<List, Failure> {
    let figures = library::figures();
    let count = |paper: &str| figures.iter().filter(|figure| figure.paper == paper).count().to_string();
    let papers = library::papers()?.into_iter();
    let entries = papers.map(|paper| vec![paper.id.clone(), count(&paper.id), paper.citation]).collect();
    Ok(List { heads: vec!["paper", "figures", "about"], entries })
}

fn figures(paper: &str) -> Result<List, Failure> {
    let papers = library::papers()?;
    let known: Vec<&str> = papers.iter().map(|known| known.id.as_str()).collect();
    if !known.contains(&paper) {
        return Err(Failure::Usage(unknown_paper(paper, &known)));
    }
    let names: Vec<FigureName> = library::figures().into_iter().filter(|name| name.paper == paper).collect();
    let experiments = library::experiments_of(&names, Effort::Quick, &Overlay::default())?;
    let entries = names.into_iter().zip(experiments).map(|(name, experiment)| vec![name.figure, experiment.title]);
    Ok(List { heads: vec!["figure", "about"], entries: entries.collect() })
}

fn worlds() -> List {
    let entries = scenarios::names().into_iter().map(|name| {
        let about = scenarios::about(&name);
        vec![name, about]
    });
    List { heads: vec!["world", "about"], entries: entries.collect() }
}

fn schemes() -> List {
    let entry = |ListedScheme { name, short, meaning }| vec![name, short, meaning];
    List { heads: vec!["scheme", "short form", "about"], entries: schema::schemes().into_iter().map(entry).collect() }
}

fn settings() -> List {
    let entries = schema::settings().into_iter().map(|setting| {
        let ListedSetting { path, kind, unit, default, range, meaning } = setting;
        vec![path, kind.to_owned(), unit.to_owned(), default, range, meaning]
    });
    List { heads: vec!["setting", "type", "unit", "default", "range", "about"], entries: entries.collect() }
}

fn metrics() -> List {
    let entry = |quantity: Quantity| [quantity.name, quantity.unit(), quantity.meaning()].map(str::to_owned).to_vec();
    List { heads: vec!["metric", "unit in rows", "about"], entries: Quantity::all().map(entry).collect() }
}

impl List {
    /// Only entries whose name contains this.
    fn keep(&mut self, of: &str) -> Result<(), Failure> {
        let names = || self.entries.iter().map(|entry| entry[0].as_str());
        if !names().any(|name| name.contains(of)) {
            // What is misspelt may be a whole name, or its first part.
            let parts = names().filter_map(|name| name.split('.').next());
            let near = suggest(of, names().chain(parts));
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            return Err(Failure::Usage(format!("no {} has `{of}` in its name{near}", self.heads[0])));
        }
        self.entries.retain(|entry| entry[0].contains(of));
        Ok(())
    }

    fn to_json(&self) -> String {
        let object = |entry: &Vec<String>| {
            let fields = self.heads.iter().zip(entry);
            let fields: Map<String, Value> =
                fields.map(|(head, field)| ((*head).to_owned(), Value::from(field.as_str()))).collect();
            Value::Object(fields)
        };
        format!("{:#}\n", Value::Array(self.entries.iter().map(object).collect()))
    }

    fn to_tabs(&self) -> String {
        let line = |fields: Vec<&str>| fields.join("\t") + "\n";
        let entries = self.entries.iter().map(|entry| line(entry.iter().map(String::as_str).collect()));
        std::iter::once(line(self.heads.clone())).chain(entries).collect()
    }

    /// Columns side by side, the explanation wrapped; where there are more than three, a block an entry.
    fn to_screen(&self) -> String {
        if self.heads.len() > 3 {
            return self.entries.iter().flat_map(|entry| self.block(entry)).map(|line| line + "\n").collect();
        }
        let heads: Vec<String> = self.heads.iter().map(|head| (*head).to_owned()).collect();
        let lines = || std::iter::once(&heads).chain(&self.entries);
        let width = |column: usize| lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let columns = self.heads.len() - 1;
        let indent = (0..columns).map(|column| width(column) + 2).sum();
        let mut text = String::new();
        for line in lines() {
            let fields: String = (0..columns).map(|column| format!("{:<1$}  ", line[column], width(column))).collect();
            let about = wrapped(&line[columns], indent).join("\n");
            text.push_str(&format!("{fields}{}\n", about.trim_start()));
        }
        text
    }

    /// `tcp.tick  time, default 10 ms, ...` and below it what that is.
    fn block(&self, entry: &[String]) -> Vec<String> {
        let [name, kind, unit, default, range, about] = entry else { return vec![entry.join("  ")] };
        let unit = if unit.is_empty() { String::new() } else { format!(" in {unit}") };
        let default = if default.is_empty() { String::new() } else { format!(", default {default}") };
        let range = match range.as_str() {
            "" => String::new(),
            range if range.starts_with("or ") => format!(", {range}"),
            range => format!(": {range}"),
        };
        let mut lines = vec![name.clone()];
        lines.extend(wrapped(&format!("{kind}{unit}{range}{default}"), 4));
        lines.extend(wrapped(about, 4));
        lines
    }
}
