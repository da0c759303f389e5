//! Recordings beside an experiment: settings too long to stand in it.
//!
//! ```toml
//! "wireless.errors" = { kind = "trace", losses = { file = "walk.losses" } }
//! "wireless.up.errors" = { kind = "trace", losses = { file = "walk.csv", direction = "up" } }
//! "wireless.down.rate" = { kind = "trace", steps = { file = "drive.rates" } }
//! "wireless.up.rate" = { kind = "trace", steps = { file = "drive.up", format = "mahimahi" } }
//! "wireless.delay" = { kind = "trace", steps = { file = "drive.delays" } }
//! ```
//!
//! The simulator reads no files. So what a file says is put into the tree in the place of its name, each part with the
//! line and column where it stands in the file, and then read as if it had been written in the experiment.

mod fate_log;
mod mahimahi;

use super::files::Files;
use super::parts::part;
use arqway_config::{LONGEST_RECORDING, Mistake, Mistakes, Node, Origin, Source, Table, Value};
use arqway_sim::channel::{LossFile, Losses};
use arqway_sim::{DelayFile, RateFile, RateFormat};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::ops::Range;
use std::sync::Arc;

/// The tables that may name a recording, within a scenario.
const LINKS: [&str; 4] = ["wireless", "wireless.down", "wireless.up", "mobility.change"];

/// A fate log has a line for each frame, but only the runs of their fates are kept.
const LONGEST_FATE_LOG: u64 = 128 << 20;

/// Puts every recording that a scenario names into it.
pub(super) fn insert(scenario: &mut Node, files: &Files, mistakes: &mut Mistakes) {
    for link in LINKS {
        let mut recordings = Recordings { scenario, files, mistakes };
        recordings.insert(&format!("{link}.errors.losses"), "0", losses);
        recordings.insert(&format!("{link}.rate.steps"), "1 s, 1 bit/s", |named: &RateFile, source, _| {
            match named.format {
                RateFormat::Steps => steps(source, "rate", "64 kbit/s"),
                RateFormat::Mahimahi => mahimahi::steps(source),
            }
        });
        recordings.insert(&format!("{link}.delay.steps"), "1 s, 1 s", |_: &DelayFile, source, _| {
            steps(source, "delay", "22 ms")
        });
    }
}

/// The moments of a recording of Mahimahi's, in milliseconds: at each, 1,500 octets can be sent. There is one at least, and the last is not 0.
///
/// # Errors
/// The first line that is no such moment, and where.
pub fn mahimahi_moments(source: &Arc<Source>) -> Result<Vec<u64>, Mistake> {
    Ok(mahimahi::moments(source)?.into_iter().map(|(moment, _)| moment).collect())
}

struct Recordings<'a> {
    scenario: &'a mut Node,
    files: &'a Files,
    mistakes: &'a mut Mistakes,
}

impl Recordings<'_> {
    /// Puts what a file says in the place of the table that names it: what `read` makes of the table and the file.
    /// `harmless` is the text of a file without mistakes.
    fn insert<T: DeserializeOwned + JsonSchema + Default + 'static>(
        &mut self,
        path: &str,
        harmless: &str,
        read: fn(&T, &Arc<Source>, &Node) -> Result<Node, Mistake>,
    ) {
        let Some(table) = self.scenario.get_path(path) else { return };
        let Some(file) = table.get_path("file") else { return };
        let named: Option<T> = part(Some(table), self.mistakes);
        let node = named.zip(file.as_text()).and_then(|(named, name)| {
            let is_log = table.get_path("direction").is_some();
            let text = self.files.read(name, if is_log { LONGEST_FATE_LOG } else { LONGEST_RECORDING });
            let text = text.map_err(|error| Mistake::at_value(file, format!("cannot read `{name}`: {error}")));
            let node = text.and_then(|text| read(&named, &Source::new(name, text), table));
            node.map_err(|mistake| self.mistakes.push(mistake)).ok()
        });
        // With something harmless in its place, the rest of the scenario is read and its mistakes are told as well.
        let harmless = || read(&T::default(), &Source::new("", harmless), table).unwrap_or_else(|_| table.clone());
        let node = node.unwrap_or_else(harmless);
        self.scenario.set_path(path, node);
    }
}

/// A place in a file.
fn origin(source: &Arc<Source>, span: Range<usize>) -> Origin {
    Origin { source: Arc::clone(source), span, key_span: None }
}

/// A mistake at a place in a file.
fn mistake(source: &Arc<Source>, span: Range<usize>, message: impl Into<String>) -> Mistake {
    Mistake { origin: origin(source, span), message: message.into(), help: None }
}

/// Losses are one text, or the fates of one direction's frames.
fn losses(named: &LossFile, source: &Arc<Source>, table: &Node) -> Result<Node, Mistake> {
    let (name, header) = (source.name(), fate_log::header(source.text()));
    match named.direction {
        Some(direction) if header.contains(',') => fate_log::losses(source, direction),
        Some(_) => {
            let message = format!("`{name}` is not a fate log, and only a fate log has directions");
            let place = table.get_path("direction").unwrap_or(table);
            Err(Mistake::at_value(place, message).help("leave out `direction` for a recording of 0s and 1s"))
        }
        None if header.starts_with("direction,") => {
            let message = format!("`{name}` is a fate log, which has the frames of both directions");
            Err(Mistake::at_value(table, message).help("say which to take: direction = \"down\" or \"up\""))
        }
        None => match source.text().parse::<Losses>() {
            Ok(_) => Ok(Node::text(source.text(), origin(source, 0..0))),
            Err(error) => Err(mistake(source, error.span, error.message)),
        },
    }
}

/// Steps stand one on a line, `10 s, 64 kbit/s`: a list of tables, each knowing its line.
fn steps(source: &Arc<Source>, key: &str, example: &str) -> Result<Node, Mistake> {
    let mut steps = Vec::new();
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        let content = line.split('#').next().unwrap_or_default();
        let whole = trimmed(content, start);
        if let Some((length, value)) = content.split_once(',') {
            let part = |text: &str, start| Node::text(text.trim(), origin(source, trimmed(text, start)));
            steps.push(step(part(length, start), key, part(value, start + length.len() + 1), origin(source, whole)));
        } else if !whole.is_empty() {
            let help = format!("expected a time and a {key}, such as `10 s, {example}`");
            return Err(mistake(source, whole, "this is not a step").help(help));
        }
        start += line.len();
    }
    Ok(Node::new(Value::Array(steps), origin(source, 0..0)))
}

/// A step of a recording as it would stand in the settings.
fn step(length: Node, key: &str, value: Node, origin: Origin) -> Node {
    Node::new(Table::from_iter([("for".to_owned(), length), (key.to_owned(), value)]), origin)
}

/// Where a text that begins at `start` stands without the blanks around it; what is blank stands at its start.
fn trimmed(text: &str, start: usize) -> Range<usize> {
    let content = text.trim();
    let begin = if content.is_empty() { start } else { start + text.len() - text.trim_start().len() };
    begin..begin + content.len()
}
