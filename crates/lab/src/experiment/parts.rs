//! Parts of a file: each is read by itself, so that a mistake in one hides none in another.

use super::grammars::GRAMMARS;
use arqway_config::{Mistake, Mistakes, Node, read};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;

/// Reads a part if it is there, and notes what is wrong with it.
pub(super) fn part<T: DeserializeOwned + JsonSchema + 'static>(
    node: Option<&Node>,
    mistakes: &mut Mistakes,
) -> Option<T> {
    read(node?, GRAMMARS).map_err(|found| mistakes.extend(found)).ok()
}

/// The tables of an array of tables.
pub(super) fn each<'tree>(tree: &'tree Node, key: &str) -> impl Iterator<Item = &'tree Node> {
    tree.get_path(key).and_then(Node::as_array).unwrap_or_default().iter()
}

/// Rows, curves and files are named after these, so no name may occur twice.
pub(super) fn no_name_twice<'tree>(
    names: impl Iterator<Item = (&'tree Node, String)>,
    what: &str,
    mistakes: &mut Mistakes,
) {
    let mut known = BTreeSet::new();
    for (node, name) in names {
        if known.contains(&name) {
            let message = format!("{what} named `{name}` exists already");
            mistakes
                .push(Mistake::at_value(node, message).help("rows and files are named after it, so it must be unique"));
        }
        known.insert(name);
    }
}

/// The most cells of an experiment: each point has its world in memory, some tens of kilobytes.
const MOST_CELLS: usize = 20_000;

/// Whether points and schemes make more cells than an experiment may have; that is told before they are read.
pub(super) fn has_too_many_cells(tree: &Node, mistakes: &mut Mistakes) -> bool {
    let sweep = tree.get_path("sweep").and_then(Node::as_table).and_then(|table| table.iter().next());
    let points = sweep.and_then(|(_, values)| values.as_array()).map_or(1, <[Node]>::len).max(1);
    let schemes = each(tree, "scheme").count().max(1);
    let is_too_many = points.saturating_mul(schemes) > MOST_CELLS;
    if is_too_many {
        let message = format!("points: {points}, schemes: {schemes}; expected at most {MOST_CELLS} cells in all");
        let place = sweep.map_or(tree, |(_, values)| values);
        mistakes.push(Mistake::at_key(place, message).help("sweep fewer values, or compare fewer schemes"));
    }
    is_too_many
}

/// The longest part of a file's name, in octets: a figure's file has two of them and an ending, and 255 is what systems take.
const LONGEST_PART: usize = 100;

/// What becomes part of a file's name must not be a path, nor too long.
pub(super) fn names_files(node: &Node, mistakes: &mut Mistakes) {
    let plain = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    let Some(text) = node.as_text() else { return };
    if text.is_empty() || text.starts_with('.') || !text.chars().all(plain) {
        let help = "files are named after it: use letters, digits, `-` and `_`";
        mistakes.push(Mistake::at_value(node, "this cannot be part of a file name").help(help));
    } else if text.len() > LONGEST_PART {
        let help = format!("files are named after it: use at most {LONGEST_PART} letters and digits");
        mistakes.push(Mistake::at_value(node, "this is too long for a file name").help(help));
    }
}
