//! Settings as a tree whose every value knows where it was written, also after one tree was laid over another.

use indexmap::IndexMap;

use super::source::Origin;

/// The key that says which of several choices a table makes: `{ kind = "drop-tail", frames = 20 }`.
pub(super) const KIND: &str = "kind";

/// A value and where it was written.
#[derive(Debug, Clone)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it was written.
    pub origin: Origin,
}

/// What can be written in TOML.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Text in quotes.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A date, a time or both, as TOML prints them.
    DateTime(String),
    /// A list, or the tables of a `[[header]]`.
    Array(Vec<Node>),
    /// A table, under a `[header]` or in braces.
    Table(Table),
}

/// Keys and their values, in the order in which they were written.
pub type Table = IndexMap<String, Node>;

/// Whether a table makes another choice than the one below it, so that the two have no settings in common.
fn chooses_otherwise(above: &Table, below: &Table) -> bool {
    above.get(KIND).is_some_and(|kind| below.get(KIND) != Some(kind))
}

/// Two nodes are equal when their values are, wherever they were written.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Node {
    /// A value made in code, said to be written at `origin`.
    #[must_use]
    pub fn new(value: impl Into<Value>, origin: Origin) -> Self {
        Self { value: value.into(), origin }
    }

    /// Text made in code, said to be written at `origin`.
    #[must_use]
    pub fn text(text: impl Into<String>, origin: Origin) -> Self {
        Self::new(Value::Text(text.into()), origin)
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The table, if it is one.
    #[must_use]
    pub fn as_table(&self) -> Option<&Table> {
        if let Value::Table(table) = &self.value { Some(table) } else { None }
    }

    /// The nodes of a list, if it is one.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Value::Array(nodes) = &self.value { Some(nodes) } else { None }
    }

    /// The node at a dotted path; a number leads into a list: `scheme.0.label`.
    #[must_use]
    pub fn get_path(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |node, key| match &node.value {
            Value::Table(table) => table.get(key),
            Value::Array(nodes) => nodes.get(key.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Puts `node` at a dotted path, in place of what stood there.
    ///
    /// Tables on the way are made where they are missing. On the way, a text is the short form of the table that
    /// chooses it: below `queue = "drop-tail"`, setting `queue.frames` gives `{ kind = "drop-tail", frames = ... }`.
    /// Any other value on the way is replaced by a table, said to be written where the key of `node` was, so that a
    /// mistake points to the override and not to what it overrides.
    pub fn set_path(&mut self, path: &str, node: Self) {
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let slot = self.child(first, &node.origin.of_key());
        match rest {
            Some(rest) => slot.set_path(rest, node),
            None => *slot = node,
        }
    }

    /// Lays another tree over this one: tables are merged key by key, anything else is replaced.
    ///
    /// A table whose `kind` differs from that below it is another choice and replaces it whole. A text below a table
    /// that has no `kind` is taken as the `kind`, as in [`set_path`](Self::set_path).
    pub fn overlay(&mut self, above: Self) {
        let Value::Table(upper) = above.value else {
            *self = above;
            return;
        };
        if upper.get(KIND).is_none() {
            self.lengthen(&above.origin.of_key());
        }
        match &mut self.value {
            Value::Table(lower) if !chooses_otherwise(&upper, lower) => {
                for (key, node) in upper {
                    match lower.get_mut(&key) {
                        Some(slot) => slot.overlay(node),
                        None => drop(lower.insert(key, node)),
                    }
                }
            }
            _ => *self = Self { value: Value::Table(upper), origin: above.origin },
        }
    }

    /// The node under a key, or the one with that number in a list; made where it is missing.
    fn child(&mut self, key: &str, origin: &Origin) -> &mut Self {
        let number = key.parse::<usize>().ok().filter(|number| self.as_array().is_some_and(|all| *number < all.len()));
        self.lengthen(origin);
        if number.is_none() && self.as_table().is_none() {
            *self = Self::new(Table::new(), origin.clone());
        }
        match (&mut self.value, number) {
            (Value::Array(nodes), Some(number)) => &mut nodes[number],
            (Value::Table(table), _) => {
                table.entry(key.to_owned()).or_insert_with(|| Self::new(Table::new(), origin.clone()))
            }
            _ => unreachable!("what is neither a table nor a list with that number was made a table"),
        }
    }

    /// Turns the short form of a choice into the long one, `"raw"` into `{ kind = "raw" }`, because of what is written
    /// at `origin`.
    fn lengthen(&mut self, origin: &Origin) {
        if self.as_text().is_some() {
            let table = Table::from_iter([(KIND.to_owned(), self.clone())]);
            *self = Self::new(table, origin.clone());
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A [`Value`] from each of the types that it wraps.
macro_rules! value_from {
    ($($type:ty => $variant:ident),* $(,)?) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        }
    )*};
}

value_from!(String => Text, i64 => Integer, f64 => Float, bool => Boolean, Vec<Node> => Array, Table => Table);

/// A node of the tree being read, which does not change meanwhile: its address tells it from all others. Never
/// followed, only compared.
pub(crate) type NodeId = *const Node;

/// What was written, in words, where something else was expected.
pub(crate) fn found(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => format!("text {text:?}"),
        Value::DateTime(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Boolean(value) => value.to_string(),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}
