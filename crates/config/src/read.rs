//! From a tree to a type, with every mistake told at once.
//!
//! One walk over the tree and the type's schema finds what a schema can tell ([`check`](crate::check)); then the type
//! reads what is right of it, and says what it refuses itself: bounds between settings, say. What one part refuses is
//! left out and the rest is read again, a limited number of times, since a type stops at the first.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::check::{Check, Rules};
use crate::deserialize::NodeReader;
use crate::mistakes::{Mistake, Mistakes};
use crate::node::{Node, NodeId, Value};
use crate::parse::parse;
use crate::schema::{Document, Grammar, UNITS, derive};
use crate::source::Source;

/// How many refusals of types are told at once; mistakes against their schemas are all told, however many.
const MOST_REFUSALS: usize = 32;

/// Reads a tree as a `T`, whose texts may have [grammars](Grammar) of their own.
///
/// # Errors
///
/// Every mistake: keys that `T` does not know (whether or not it says `deny_unknown_fields`), keys that are missing,
/// values of the wrong type or out of their range, and what the types themselves refuse.
pub fn read<T: DeserializeOwned + JsonSchema + 'static>(
    node: &Node,
    grammars: &'static [Grammar],
) -> Result<T, Mistakes> {
    let schema = schema_of::<T>(grammars);
    let rules = Rules { schema: &schema, grammars: &[grammars, UNITS] };
    let mut mistakes = Mistakes::new();
    let mut refused = BTreeSet::new();
    for pass in 0..MOST_REFUSALS {
        let mut check = Check::new(rules, &refused);
        let can_be_read = check.root(node);
        let Check { left_out, mistakes: found, .. } = check;
        if pass == 0 {
            mistakes = found;
        }
        match T::deserialize(NodeReader::new(node, &left_out)) {
            Ok(value) => return mistakes.into_result(value),
            Err(refusal) => {
                let place = refusal.place.unwrap_or(node);
                if !can_be_read && std::ptr::eq(place, node) || !refused.insert(std::ptr::from_ref(place)) {
                    break;
                }
                // What only follows from a part that was left out, or from a mistake already found, is not told.
                let is_known = !can_be_read && mistakes.iter().any(|known| lies_in(known, place));
                if !is_known && !holds_any(place, &left_out) {
                    mistakes.push(refusal.mistake(node));
                }
            }
        }
    }
    Err(if mistakes.is_empty() { Mistake::at_value(node, "this cannot be read").into() } else { mistakes })
}

/// Reads a text as a `T`: [`parse`], then [`read`].
///
/// # Errors
///
/// Every mistake of both, as far as it is clear what was meant.
pub fn read_source<T: DeserializeOwned + JsonSchema + 'static>(
    source: &Arc<Source>,
    grammars: &'static [Grammar],
) -> Result<T, Mistakes> {
    let mut mistakes = Mistakes::new();
    let Some(node) = parse(source, &mut mistakes) else { return Err(mistakes) };
    match read(&node, grammars) {
        Ok(value) => mistakes.into_result(value),
        Err(more) => {
            mistakes.extend(more);
            Err(mistakes)
        }
    }
}

/// Whether a mistake was found in what is written at a node.
fn lies_in(mistake: &Mistake, node: &Node) -> bool {
    Arc::ptr_eq(&mistake.origin.source, &node.origin.source)
        && (node.origin.span.start..=node.origin.span.end).contains(&mistake.origin.span.start)
}

/// Whether a node holds one of these parts.
fn holds_any(node: &Node, parts: &BTreeSet<NodeId>) -> bool {
    let inner = match &node.value {
        Value::Table(table) => table.iter().any(|(_, node)| holds_any(node, parts)),
        Value::Array(nodes) => nodes.iter().any(|node| holds_any(node, parts)),
        _ => false,
    };
    inner || parts.contains(&std::ptr::from_ref(node))
}

/// The schema of a type; derived once, since an experiment reads the same types again and again.
fn schema_of<T: JsonSchema + 'static>(grammars: &'static [Grammar]) -> Arc<Document> {
    type Schemas = BTreeMap<(TypeId, usize), Arc<Document>>;
    static KNOWN: Mutex<Schemas> = Mutex::new(Schemas::new());
    let key = (TypeId::of::<T>(), grammars.as_ptr().addr());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(known.entry(key).or_insert_with(|| Arc::new(derive::<T>(grammars, |_| ()))))
}
