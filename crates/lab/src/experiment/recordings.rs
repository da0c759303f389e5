//! Recordings beside an experiment: settings too long to stand in it.
//!
//! ```toml
//! "wireless.errors" = { kind = "trace", losses = { file = "walk.losses" } }
//! "wireless.down.rate" = { kind = "trace", steps = { file = "drive.rates" } }
//! ```
//!
//! The simulator reads no files. So what a file says is put into the tree in the place of its name, each part with the
//! line and column where it stands in the file, and then read as if it had been written in the experiment.

use super::files::Files;
use arqway_config::{LONGEST_RECORDING, Mistake, Mistakes, Node, Origin, Source, Table, Value};
use arqway_sim::channel::Losses;
use std::ops::Range;
use std::sync::Arc;

/// The tables that may name a recording, within a scenario.
const LINKS: [&str; 3] = ["wireless", "wireless.down", "wireless.up"];

/// Puts every recording that a scenario names into it.
pub(super) fn insert(scenario: &mut Node, files: &Files, mistakes: &mut Mistakes) {
    for link in LINKS {
        insert_one(scenario, &format!("{link}.errors.losses"), files, mistakes, losses);
        insert_one(scenario, &format!("{link}.rate.steps"), files, mistakes, steps);
    }
}

/// What a recording becomes in the tree, or what is wrong with it.
type Insert = fn(&Arc<Source>) -> Result<Node, Mistake>;

fn insert_one(scenario: &mut Node, path: &str, files: &Files, mistakes: &mut Mistakes, insert: Insert) {
    let Some(file) = scenario.get_path(path).and_then(file_of) else { return };
    let Some(name) = file.as_text() else {
        mistakes
            .push(Mistake::at_value(file, "a file name must be a string").help("such as { file = \"walk.losses\" }"));
        return;
    };
    let read = files
        .read(name, LONGEST_RECORDING)
        .map_err(|error| Mistake::at_value(file, format!("cannot read `{name}`: {error}")))
        .and_then(|text| insert(&Source::new(name, text)));
    // With something harmless in its place, the rest of the scenario is read and its mistakes are told as well.
    let node = read.unwrap_or_else(|mistake| {
        mistakes.push(mistake);
        let harmless = if path.ends_with("losses") { "0" } else { "10 s, 1 bit/s" };
        insert(&Source::new(name, harmless)).unwrap_or_else(|_| file.clone())
    });
    scenario.set_path(path, node);
}

/// The value of the only key of `{ file = ... }`.
fn file_of(node: &Node) -> Option<&Node> {
    let table = node.as_table()?;
    table.get("file").filter(|_| table.iter().len() == 1)
}

/// Losses are one text.
fn losses(source: &Arc<Source>) -> Result<Node, Mistake> {
    let origin = |span| Origin { source: Arc::clone(source), span, key_span: None };
    match source.text().parse::<Losses>() {
        Ok(_) => Ok(Node::text(source.text(), origin(0..0))),
        Err(error) => Err(Mistake { origin: origin(error.span), message: error.message, help: None }),
    }
}

/// Steps stand one on a line, `10 s, 64 kbit/s`: a list of tables, each knowing its line.
fn steps(source: &Arc<Source>) -> Result<Node, Mistake> {
    let origin = |span: Range<usize>| Origin { source: Arc::clone(source), span, key_span: None };
    let mut steps = Vec::new();
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        let content = line.split('#').next().unwrap_or_default();
        let whole = trimmed(content, start);
        if let Some((length, rate)) = content.split_once(',') {
            let part = |text: &str, start| Node::text(text.trim(), origin(trimmed(text, start)));
            let rate = part(rate, start + length.len() + 1);
            let step = Table::from_iter([("for".to_owned(), part(length, start)), ("rate".to_owned(), rate)]);
            steps.push(Node::new(step, origin(whole)));
        } else if !whole.is_empty() {
            let mistake = Mistake { origin: origin(whole), message: "this is not a step".to_owned(), help: None };
            return Err(mistake.help("expected a time and a rate, such as `10 s, 64 kbit/s`"));
        }
        start += line.len();
    }
    Ok(Node::new(Value::Array(steps), origin(0..0)))
}

/// Where a text that begins at `start` stands without the blanks around it.
fn trimmed(text: &str, start: usize) -> Range<usize> {
    let begin = start + text.len() - text.trim_start().len();
    begin..begin + text.trim().len()
}
