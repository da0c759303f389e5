//! What settings should be: which texts have a grammar of their own, and which values a schema takes.

use serde_json::Value as Json;

use crate::node::{Node, Value};
use crate::schema::{Document, Grammar, alternatives, referred};

/// What settings should be: a schema, and the texts that have a grammar of their own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) schema: &'a Document,
    pub(crate) grammars: &'a [&'a [Grammar]],
}

impl<'a> Rules<'a> {
    /// The grammar that a schema refers to.
    pub(crate) fn grammar(self, schema: &Json) -> Option<&'a Grammar> {
        let name = referred(schema)?;
        self.grammars.iter().copied().flatten().find(|grammar| grammar.name == name)
    }

    /// Whether a value is of a type that a schema allows: a text, a number, a table ...
    pub(crate) fn take(self, schema: &Json, node: &Node) -> bool {
        let schema = self.schema.resolve(schema);
        let several = alternatives(schema);
        if !several.is_empty() && schema.get("properties").is_none() {
            return several.iter().any(|one| self.take(one, node));
        }
        match schema.get("type") {
            Some(Json::String(name)) => is_of_type(node, name),
            Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).any(|name| is_of_type(node, name)),
            _ => schema.get("const").is_none_or(|name| node.as_text() == name.as_str()),
        }
    }
}

fn is_of_type(node: &Node, name: &str) -> bool {
    match &node.value {
        Value::Text(_) | Value::DateTime(_) => name == "string",
        Value::Integer(_) => name == "integer" || name == "number",
        Value::Float(_) => name == "number",
        Value::Boolean(_) => name == "boolean",
        Value::Array(_) => name == "array",
        Value::Table(_) => name == "object",
    }
}
