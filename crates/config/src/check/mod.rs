//! The one walk over settings and the schema of what they should be, side by side: it finds every mistake that a schema
//! can tell.
//!
//! ```text
//!     { kind = "drop-tail", limit = "50" }        oneOf: "unbounded", { kind: "drop-tail", limit: integer }
//!       |                    |                                          |                   |
//!       +--------------------|---- which alternative is meant ----------+                   |
//!                            +---- expected a whole number, 1 or more, found text "50" -----+
//! ```
//!
//! Texts such as `"64 kbit/s"` are read on the spot by their types ([`Grammar`]).
//!
//! A part with a mistake is left out of what the types read afterwards, so that they can say what they refuse in all
//! the rest; a part that cannot go without takes what holds it along.

mod alternatives;
mod describe;
mod rules;

pub(crate) use rules::Rules;

use std::collections::BTreeSet;
use std::mem::take;
use std::sync::LazyLock;

use serde_json::{Value as Json, json};

use crate::mistakes::{Mistake, Mistakes};
use crate::node::{KIND, Node, NodeId, Table, Value, found};
use crate::schema::{READ_LATER, alternatives as schema_alternatives, properties, referred};
use crate::suggest::{did_you_mean, suggest};
use alternatives::{Alternatives, Settings};
use describe::{Range, example};

/// The settings of a kind that has none.
static NO_SETTINGS: LazyLock<Json> = LazyLock::new(|| json!({ "properties": { KIND: true } }));
static NO_KEYS: LazyLock<Table> = LazyLock::new(Table::new);

/// A walk on its way.
pub(crate) struct Check<'a> {
    rules: Rules<'a>,
    /// Parts that their types have refused in an earlier pass.
    refused: &'a BTreeSet<NodeId>,
    /// The keys that lead to where the walk is; numbers in lists are left out.
    path: Vec<&'a str>,
    /// Parts that are not to be read.
    pub(crate) left_out: BTreeSet<NodeId>,
    pub(crate) mistakes: Mistakes,
}

impl<'a> Check<'a> {
    pub(crate) fn new(rules: Rules<'a>, refused: &'a BTreeSet<NodeId>) -> Self {
        Self { rules, refused, path: Vec::new(), left_out: BTreeSet::new(), mistakes: Mistakes::new() }
    }

    /// Checks the whole of it. Whether there is something to read.
    pub(crate) fn root(&mut self, node: &'a Node) -> bool {
        self.path.extend(node.origin.key());
        self.value(node, &self.rules.schema.root)
    }

    /// Checks a value. Whether it can be read, perhaps without some of its parts.
    fn value(&mut self, node: &'a Node, schema: &'a Json) -> bool {
        if self.refused.contains(&std::ptr::from_ref(node)) {
            return false;
        }
        if schema.get(READ_LATER).is_some() {
            return true;
        }
        if let Some(grammar) = self.rules.grammar(schema) {
            return grammar.read(node).map_err(|mistake| self.mistakes.push(mistake)).is_ok();
        }
        if let Some(defined) = referred(schema).and_then(|name| self.rules.schema.definition(name)) {
            return self.value(node, defined);
        }
        if let Some(alternatives) = Alternatives::of(self.rules, schema) {
            return self.choice(node, &alternatives);
        }
        if !self.rules.take(schema, node) || !Range::of(schema).contains(node) {
            return self.expected(node, &self.rules.described(schema));
        }
        match &node.value {
            Value::Table(table) => self.table(node, table, schema, None),
            Value::Array(items) => self.list(node, items, schema),
            _ => true,
        }
    }

    fn expected(&mut self, node: &Node, expected: &str) -> bool {
        self.wrong(Mistake::at_value(node, format!("expected {expected}, found {}", found(node))))
    }

    /// Tells a mistake after which nothing can be read.
    fn wrong(&mut self, mistake: Mistake) -> bool {
        self.mistakes.push(mistake);
        false
    }

    /// ` in `wireless.queue``, nothing at the top.
    fn inside(&self) -> String {
        if self.path.is_empty() { String::new() } else { format!(" in `{}`", self.path.join(".")) }
    }

    fn below(&mut self, key: &'a str, node: &'a Node, schema: &'a Json) -> bool {
        self.path.push(key);
        let can_be_read = self.value(node, schema);
        self.path.pop();
        can_be_read
    }

    /// Checks the keys of a table; `kind` is none of them where it says which alternative the table is. `chosen` are
    /// those among which it is.
    fn table(&mut self, node: &'a Node, table: &'a Table, schema: &'a Json, chosen: Option<&Alternatives<'a>>) -> bool {
        let known = schema.get("properties").and_then(Json::as_object);
        let others = match schema.get("additionalProperties") {
            Some(Json::Bool(false)) => None,
            None if known.is_some() => None,
            others => Some(others.unwrap_or(&Json::Null)),
        };
        let required =
            || schema.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
        let mut can_be_read = true;
        let mut misspelt = BTreeSet::new();
        for (key, child) in table.iter() {
            let Some(schema) = known.and_then(|known| known.get(key)).or(others) else {
                let names: Vec<&str> = properties(schema).map(|(name, _)| name).filter(|name| *name != KIND).collect();
                misspelt.extend(suggest(key, names.iter().copied()));
                let mistake = Mistake::at_key(child, format!("unknown key `{key}`{}", self.inside()));
                let of_another = chosen.and_then(|alternatives| self.kind_first(key, alternatives));
                self.mistakes.push(mistake.help(of_another.unwrap_or_else(|| did_you_mean(key, &names))));
                self.left_out.insert(child);
                continue;
            };
            if !self.below(key, child, schema) {
                self.left_out.insert(child);
                can_be_read &= !required().any(|name| name == key);
            }
        }
        for key in required().filter(|key| *key != KIND && !table.contains_key(*key)) {
            can_be_read = false;
            if !misspelt.contains(key) {
                let mistake = Mistake::at_key(node, format!("missing `{key}`{}", self.inside()));
                let schema = known.and_then(|known| known.get(key)).unwrap_or(&Json::Null);
                self.mistakes.push(mistake.help(self.rules.instance(key, schema)));
            }
        }
        can_be_read
    }

    fn list(&mut self, node: &'a Node, items: &'a [Node], schema: &'a Json) -> bool {
        let bound = |name: &str| schema.get(name).and_then(Json::as_u64).and_then(|bound| usize::try_from(bound).ok());
        let (least, most) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(usize::MAX));
        if items.len() < least || items.len() > most {
            let expected = self.rules.described(schema);
            let mistake = format!("expected {expected}, found a list of {}", items.len());
            return self.wrong(Mistake::at_value(node, mistake));
        }
        let mut can_be_read = true;
        let of_place = schema.get("prefixItems").and_then(Json::as_array);
        for (index, item) in items.iter().enumerate() {
            let schema = of_place.and_then(|schemas| schemas.get(index)).or_else(|| schema.get("items"));
            if !schema.is_none_or(|schema| self.value(item, schema)) {
                self.left_out.insert(item);
                can_be_read &= least == 0;
            }
        }
        can_be_read
    }

    /// Checks one of several alternatives: which is meant, and then that one.
    fn choice(&mut self, node: &'a Node, alternatives: &Alternatives<'a>) -> bool {
        match &node.value {
            Value::Text(name) => {
                if let Some(settings) = alternatives.kind(name) {
                    return self.kind(name, node, &NO_KEYS, settings, alternatives);
                }
                let other = alternatives.others.iter().any(|other| self.rules.take(other, node));
                if other { self.first_fitting(node, alternatives) } else { self.unknown_kind(name, node, alternatives) }
            }
            Value::Table(table) if !alternatives.kinds.is_empty() => self.chosen_by_table(node, table, alternatives),
            _ => self.first_fitting(node, alternatives),
        }
    }

    /// `{ kind = "fixed", ... }`, `{ fixed = ... }`, or a table that is an alternative itself.
    fn chosen_by_table(&mut self, node: &'a Node, table: &'a Table, alternatives: &Alternatives<'a>) -> bool {
        if let Some(kind) = table.get(KIND) {
            let Some(name) = kind.as_text() else {
                return self.expected(kind, &format!("one of {}", alternatives.names().join(", ")));
            };
            return match alternatives.kind(name) {
                Some(settings) => self.kind(name, node, table, settings, alternatives),
                None => self.unknown_kind(name, kind, alternatives),
            };
        }
        let names = alternatives.names();
        let mut chosen = table.iter().filter(|(key, _)| names.contains(&key.as_str()));
        match (chosen.next(), chosen.next()) {
            (Some((first, _)), Some((second, _))) => {
                self.wrong(Mistake::at_key(node, format!("`{first}` and `{second}` exclude each other")))
            }
            (Some((name, settings)), None) if table.iter().len() == 1 => self.under_name(name, settings, alternatives),
            _ if alternatives.others.iter().any(|other| self.rules.take(other, node)) => {
                self.first_fitting(node, alternatives)
            }
            _ => match table.iter().next() {
                // A name that resembles none is rather a setting of a choice that was not made.
                Some((name, settings)) if table.iter().len() == 1 && suggest(name, names.iter().copied()).is_some() => {
                    self.unknown_kind_at(name, Mistake::at_key(settings, ""), alternatives)
                }
                _ => {
                    let mistake = Mistake::at_key(node, format!("missing `{KIND}`{}", self.inside()));
                    let of_key = table.keys().next().and_then(|key| self.kind_first(key, alternatives));
                    self.wrong(mistake.help(of_key.unwrap_or_else(|| format!("known here: {}", names.join(", ")))))
                }
            },
        }
    }

    /// `{ fixed = ... }`
    fn under_name(&mut self, name: &'a str, node: &'a Node, alternatives: &Alternatives<'a>) -> bool {
        let settings = alternatives.kind(name).unwrap_or(Settings::None);
        if let Settings::Value(schema) = settings {
            return self.below(name, node, schema);
        }
        let Value::Table(table) = &node.value else {
            return match settings {
                Settings::None => self.wrong(Mistake::at_value(node, format!("`{name}` takes no value"))),
                _ => self.expected(node, "a table"),
            };
        };
        self.path.push(name);
        let can_be_read = self.kind(name, node, table, settings, alternatives);
        self.path.pop();
        can_be_read
    }

    /// The settings of a kind, `kind` itself among them or not.
    fn kind(
        &mut self,
        name: &str,
        node: &'a Node,
        table: &'a Table,
        settings: Settings<'a>,
        alternatives: &Alternatives<'a>,
    ) -> bool {
        match settings {
            Settings::None => self.table(node, table, &NO_SETTINGS, Some(alternatives)),
            Settings::Table(schema) => self.table(node, table, schema, Some(alternatives)),
            Settings::Value(schema) => {
                let value =
                    example(self.rules.schema.resolve(schema)).map_or("...".to_owned(), |text| format!("{text:?}"));
                let expected = self.rules.described(schema);
                let message = format!("`{name}` needs a value: {expected}; write `{{ {name} = {value} }}`");
                self.wrong(Mistake::at_value(node, message))
            }
        }
    }

    /// What to do about a key that only some of several kinds know.
    fn kind_first(&self, key: &str, alternatives: &Alternatives<'a>) -> Option<String> {
        let (kinds, schema) = alternatives.with_key(key)?;
        let schema = self.rules.schema.resolve(schema);
        let text = example(schema).or_else(|| schema_alternatives(schema).iter().find_map(example));
        let value = text.map_or("...".to_owned(), |text| format!("{text:?}"));
        let such_as = format!("{{ {KIND} = \"{}\", {key} = {value} }}", kinds[0]);
        // `{ raw = { window = 3 } }`: the name of the kind is no part of what has a kind.
        let is_kind = |key: &&str| alternatives.kind(key).is_some();
        let path = &self.path[..self.path.len() - usize::from(self.path.last().is_some_and(is_kind))];
        let (kinds, path) = (kinds.join(", "), path.join("."));
        Some(format!("`{key}` goes with {kinds}: set `{path}` to such a kind first, for instance {such_as}"))
    }

    fn unknown_kind(&mut self, name: &str, node: &Node, alternatives: &Alternatives<'_>) -> bool {
        self.unknown_kind_at(name, Mistake::at_value(node, ""), alternatives)
    }

    fn unknown_kind_at(&mut self, name: &str, mistake: Mistake, alternatives: &Alternatives<'_>) -> bool {
        let message = match self.path.last() {
            Some(of) if alternatives.have_settings() => format!("`{name}` is not a kind of {of}"),
            Some(of) => format!("`{name}` is not a value of `{of}`"),
            None => format!("`{name}` is not a known kind"),
        };
        self.wrong(Mistake { message, ..mistake }.help(did_you_mean(name, &alternatives.names())))
    }

    /// Checks the first of the other alternatives that takes the value; of several that might, the first mistakes are told.
    fn first_fitting(&mut self, node: &'a Node, alternatives: &Alternatives<'a>) -> bool {
        let fitting: Vec<_> = alternatives.others.iter().filter(|other| self.rules.take(other, node)).collect();
        if fitting.is_empty() {
            return self.expected(node, &self.rules.described_choice(alternatives));
        }
        let (told, left_out) = (take(&mut self.mistakes), take(&mut self.left_out));
        let mut best = None;
        for schema in fitting {
            let can_be_read = self.value(node, schema);
            let found = (can_be_read, take(&mut self.mistakes), take(&mut self.left_out));
            let is_right = found.1.is_empty();
            if is_right || best.is_none() {
                best = Some(found);
            }
            if is_right {
                break;
            }
        }
        (self.mistakes, self.left_out) = (told, left_out);
        best.is_some_and(|(can_be_read, told, left_out)| {
            self.mistakes.extend(told);
            self.left_out.extend(left_out);
            can_be_read
        })
    }
}
