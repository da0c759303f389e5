//! Settings that a program made, not an author: a dictionary of a notebook. They have no lines, so places in them are told
//! as paths: `scheme[0].use`, `sweep["wireless.loss"][2]`.
//!
//! They are written as a text all the same, and read like any other: whatever is wrong is found and told alike, and the text
//! is an experiment that can be kept.

use super::mistakes::Mistakes;
use super::node::{Node, Value};
use super::parse::parse;
use super::source::Source;
use std::ops::Range;
use std::sync::Arc;

/// The path of a value below another: in brackets where its key is no plain word.
#[must_use]
pub fn path_of_key(above: &str, key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match above {
        _ if key.is_empty() || !key.chars().all(plain) => format!("{above}[{key:?}]"),
        "" => key.to_owned(),
        _ => format!("{above}.{key}"),
    }
}

/// The path of an item of a list.
#[must_use]
pub fn path_of_item(above: &str, index: usize) -> String {
    format!("{above}[{index}]")
}

impl Source {
    /// The text of settings that a program made, under the name by which its user knows them.
    #[must_use]
    pub fn of_values(name: impl Into<String>, tree: &Node) -> Arc<Self> {
        let written = Self::new(name, tree.to_toml_text());
        // What was printed from a tree has no mistakes of syntax.
        let tree = parse(&written, &mut Mistakes::new());
        let mut paths = vec![(0..0, String::new())];
        tree.iter().for_each(|tree| note(tree, "", &mut paths));
        // Of values that begin at the same place the innermost was noted last; a stable sort keeps it so.
        paths.sort_by_key(|(place, _)| place.start);
        written.with_paths(paths)
    }
}

/// Notes where a value's children stand, and theirs.
fn note(node: &Node, path: &str, paths: &mut Vec<(Range<usize>, String)>) {
    let mut child = |child: &Node, path: String| {
        let places = child.origin.key_span.iter().chain([&child.origin.span]);
        paths.extend(places.map(|place| (place.clone(), path.clone())));
        note(child, &path, paths);
    };
    match &node.value {
        Value::Table(table) => table.iter().for_each(|(key, node)| child(node, path_of_key(path, key))),
        Value::Array(nodes) => {
            nodes.iter().enumerate().for_each(|(index, node)| child(node, path_of_item(path, index)));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, read_source};
    use schemars::JsonSchema;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its mistakes are looked at")]
    struct Settings {
        sweep: BTreeMap<String, Vec<u32>>,
        scheme: Vec<Scheme>,
        empty: String,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its mistakes are looked at")]
    struct Scheme {
        timeout: u32,
    }

    #[test]
    fn places_are_told_as_paths_in_the_order_of_the_values() {
        let written = Source::new(
            "typed",
            "empty = 1\n[sweep]\n\"wireless.loss\" = [1, 'two']\n[[scheme]]\ntimeout = 3\n[[scheme]]\ntimeuot = 4\n",
        );
        let tree = parse(&written, &mut Mistakes::new()).expect("a tree");
        let source = Source::of_values("settings", &tree);
        let mistakes = read_source::<Settings>(&source, &[]).expect_err("three mistakes");
        let paths: Vec<_> = mistakes.iter().map(|mistake| mistake.origin.path().expect("a path").to_owned()).collect();
        assert_eq!(paths, ["empty", "sweep[\"wireless.loss\"][1]", "scheme[1].timeuot"]);
        let told = mistakes.to_string();
        assert!(told.starts_with("empty: "), "{told}");
        // The value alone with its key, and not the line that holds the whole list.
        assert!(told.contains("\n    timeuot = 4\n    ^^^^^^^\n"), "{told}");
        for path in paths {
            assert_eq!(Origin::of_path(&source, &path).expect("it is there").path(), Some(path.as_str()));
        }
    }

    #[test]
    fn what_concerns_all_settings_is_told_by_their_name() {
        let empty = Node::new(crate::Table::new(), Origin::whole(&Source::new("", "")));
        let source = Source::of_values("settings", &empty);
        let mistakes = read_source::<Settings>(&source, &[]).expect_err("everything is missing");
        assert!(mistakes.to_string().starts_with("settings: missing"), "{mistakes}");
    }
}
