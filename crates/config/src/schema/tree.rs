//! A schema as a tree that can be looked up: `{"$ref": "#/$defs/Room"}` stands for what is defined under that name.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Where definitions stand.
pub const DEFINITIONS: &str = "$defs";
/// Marks what is read later.
pub(crate) const READ_LATER: &str = "x-read-later";
/// Marks an alternative whose value stands under its name, since a table of one key looks the same.
pub(crate) const VALUE_UNDER_NAME: &str = "x-value-under-name";

/// A whole schema with its definitions.
#[derive(Debug)]
pub struct Document {
    /// All of it.
    pub root: Value,
}

impl Document {
    /// From what was derived.
    #[must_use]
    pub fn new(root: Value) -> Self {
        Self { root }
    }

    /// What is defined under a name.
    #[must_use]
    pub fn definition(&self, name: &str) -> Option<&Value> {
        self.root.get(DEFINITIONS)?.get(name)
    }

    /// Defines a name, in place of what it meant before.
    pub fn define(&mut self, name: &str, schema: Value) {
        self.root[DEFINITIONS][name] = schema;
    }

    /// The schema itself, or what it refers to.
    #[must_use]
    pub fn resolve<'tree>(&'tree self, schema: &'tree Value) -> &'tree Value {
        referred(schema).and_then(|name| self.definition(name)).map_or(schema, |defined| self.resolve(defined))
    }

    /// The whole without the definitions that nothing refers to.
    #[must_use]
    pub fn without_unused(mut self) -> Value {
        let mut used = BTreeSet::new();
        let mut todo: Vec<&Value> = self
            .root
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(key, _)| *key != DEFINITIONS)
            .map(|(_, schema)| schema)
            .collect();
        while let Some(node) = todo.pop() {
            match node {
                Value::Object(map) => {
                    if let Some(name) = referred(node)
                        && used.insert(name.to_owned())
                    {
                        todo.extend(self.definition(name));
                    }
                    todo.extend(map.values());
                }
                Value::Array(nodes) => todo.extend(nodes),
                _ => {}
            }
        }
        if let Some(definitions) = self.root.get_mut(DEFINITIONS).and_then(Value::as_object_mut) {
            definitions.retain(|name, _| used.contains(name));
            definitions.sort_keys();
        }
        self.root
    }
}

/// The name that a schema refers to, if it does.
#[must_use]
pub fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// A reference to a name.
#[must_use]
pub fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/{DEFINITIONS}/{name}") })
}

/// The keys of a table and their schemas.
pub fn properties(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, schema)| (key.as_str(), schema))
}

/// The schemas of which a value meets one; none where there is no such choice.
#[must_use]
pub fn alternatives(schema: &Value) -> &[Value] {
    let listed = ["oneOf", "anyOf"].iter().find_map(|keyword| schema.get(*keyword)?.as_array());
    listed.map_or(&[], Vec::as_slice)
}

/// A table that has these keys and no other; not all of them need be there.
#[must_use]
pub fn table(properties: Map<String, Value>) -> Value {
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}
