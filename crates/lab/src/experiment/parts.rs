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
