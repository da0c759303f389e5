//! From a tree to a type, with every mistake told at once.
//!
//! Derived code stops at the first thing it cannot take. So the tree is read again and again: after each pass the part
//! that was complained about is left out, and a key that is missing gets a [stand-in](super::stand_in), until the
//! type is satisfied or nothing more can be left out. Each pass adds to one of two finite sets, parts left out and
//! stand-ins, so there is a last one. What was read is returned only if nothing was wrong.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::complaint::{Complaint, Place, What};
use super::mistakes::{Mistake, Mistakes};
use super::parse::parse;
use super::reader::NodeReader;
use super::source::Source;
use super::suggest::suggest;
use super::tree::{Node, Table, Value};
use super::wording;

/// Reads a tree as a `T`.
///
/// # Errors
///
/// Every mistake: keys that `T` does not know (whether or not it says `deny_unknown_fields`), keys that are missing,
/// values of the wrong type, and what the types themselves refuse.
pub fn read<T: DeserializeOwned>(node: &Node) -> Result<T, Mistakes> {
    let mut progress = Progress::default();
    loop {
        match T::deserialize(NodeReader::new(node, &progress)) {
            Ok(value) => return progress.told().into_result(value),
            Err(complaint) => {
                if !progress.learn(node, complaint) {
                    return Err(progress.told());
                }
            }
        }
    }
}

/// Reads a text as a `T`: [`parse`], then [`read`].
///
/// # Errors
///
/// Every mistake of both, as far as it is clear what was meant.
pub fn read_source<T: DeserializeOwned>(source: &Arc<Source>) -> Result<T, Mistakes> {
    let mut mistakes = Mistakes::new();
    let Some(node) = parse(source, &mut mistakes) else { return Err(mistakes) };
    match read(&node) {
        Ok(value) => mistakes.into_result(value),
        Err(more) => {
            mistakes.extend(more);
            Err(mistakes)
        }
    }
}

/// A node of the tree being read, which does not change meanwhile: its address tells it from all others. Never
/// followed, only compared.
type NodeId = *const Node;
/// A key that a table should have.
type KeyId = (NodeId, &'static str);

/// What earlier passes have learnt.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Parts of the tree that are left out.
    refused: BTreeSet<NodeId>,
    /// Keys whose values are made up.
    stand_ins: BTreeSet<KeyId>,
    /// Keys that are there, but misspelt.
    misspelt: BTreeSet<(NodeId, String)>,
    /// What a type expects where a stand-in was read.
    expected: RefCell<BTreeMap<KeyId, String>>,
    found: Vec<Found>,
}

/// A mistake, and which key it misses.
#[derive(Debug)]
struct Found {
    mistake: Mistake,
    missing: Option<KeyId>,
}

impl Progress {
    /// Whether a node is left out.
    pub(super) fn is_refused(&self, node: &Node) -> bool {
        self.refused.contains(&std::ptr::from_ref(node))
    }

    /// The keys of a table whose values are made up, by name.
    pub(super) fn stand_ins(&self, table: &Node) -> Vec<&'static str> {
        let table = std::ptr::from_ref(table);
        self.stand_ins.range((table, "")..).take_while(|(owner, _)| *owner == table).map(|(_, key)| *key).collect()
    }

    /// Takes note of what a type expects under a key that is missing.
    pub(super) fn note_expected(&self, table: &Node, key: &'static str, expected: String) {
        self.expected.borrow_mut().entry((std::ptr::from_ref(table), key)).or_insert(expected);
    }

    /// Takes note of a complaint. Whether another pass can find out more.
    fn learn<'tree>(&mut self, root: &'tree Node, complaint: Complaint<'tree>) -> bool {
        let place = complaint.place.unwrap_or(Place::value(root));
        let id = std::ptr::from_ref(place.refused);
        if self.is_news(&complaint.what, place.refused) {
            self.tell(root, &complaint.what, &place);
        }
        if let What::UnknownKey { key, known } = &complaint.what
            && let Some(meant) = suggest(key, known.iter().copied())
            && let Some(table) = root.parent_of(place.refused)
        {
            self.misspelt.insert((std::ptr::from_ref(table), meant.to_owned()));
        }
        if let What::MissingKey(key) = complaint.what
            && self.stand_ins.insert((id, key))
        {
            return true;
        }
        !std::ptr::eq(place.refused, root) && self.refused.insert(id)
    }

    /// Whether a complaint is more than a consequence of what was left out or made up.
    fn is_news(&self, what: &What, node: &Node) -> bool {
        let id = std::ptr::from_ref(node);
        match what {
            What::MissingKey(key) => {
                let refused = |table: &Table| table.get(key).is_some_and(|node| self.is_refused(node));
                !self.stand_ins.contains(&(id, *key))
                    && !self.misspelt.contains(&(id, (*key).to_owned()))
                    && !node.as_table().is_some_and(refused)
            }
            What::Whole(_) => !self.touches(node),
            What::Consequence => false,
            What::UnknownKey { .. } | What::UnknownKind { .. } | What::MissingKind { .. } | What::Wrong(_) => true,
        }
    }

    /// Whether something in a node was left out or made up.
    fn touches(&self, node: &Node) -> bool {
        let inner = match &node.value {
            Value::Table(table) => table.iter().any(|(_, node)| self.touches(node)),
            Value::Array(nodes) => nodes.iter().any(|node| self.touches(node)),
            _ => false,
        };
        inner || self.is_refused(node) || !self.stand_ins(node).is_empty()
    }

    fn tell(&mut self, root: &Node, what: &What, place: &Place<'_>) {
        let mut path = root.path_to(place.refused).unwrap_or_default();
        if matches!(what, What::UnknownKey { .. }) {
            path.pop();
        }
        let path: Vec<&str> = root.origin.key().into_iter().chain(path).collect();
        let missing = match what {
            What::MissingKey(key) => Some((std::ptr::from_ref(place.refused), *key)),
            _ => None,
        };
        self.found.push(Found { mistake: what.told(place, &path.join(".")), missing });
    }

    /// Everything that was found, with help where a type has said meanwhile what it expects.
    fn told(self) -> Mistakes {
        let expected = self.expected.into_inner();
        let mut mistakes = Mistakes::new();
        mistakes.extend(self.found.into_iter().map(|Found { mistake, missing }| {
            let expected = missing.and_then(|key| Some((key.1, expected.get(&key)?)));
            match expected {
                Some((key, expected)) => mistake.help(wording::instance(key, expected)),
                None => mistake,
            }
        }));
        mistakes
    }
}
