//! From serde's representation to that of the [reader](crate::read):
//!
//! | | serde | the reader |
//! | --- | --- | --- |
//! | a choice | `{"uniform": {"loss": ...}}` | `{ kind = "uniform", loss = ... }` |
//! | one without settings | `"none"` | `"none"` or, beside others that have some, `{ kind = "none" }` |
//! | one whose settings may all be left out | `{"raw": {}}` | `{ kind = "raw" }` or `"raw"` |
//! | a setting that may be left out | its value or null | its value |
//! | an unknown key | as the type says | refused |
//!
//! Defaults are rewritten alike. Those of whole tables go where their keys have their own.

use super::tree::{DEFINITIONS, VALUE_UNDER_NAME, alternatives, properties, referred};
use schemars::Schema;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Map, Value, json};

/// Rewrites a schema and all within it.
#[derive(Debug, Clone, Default)]
pub(super) struct AsWritten {
    /// The definitions as they were derived.
    derived: Map<String, Value>,
}

impl Transform for AsWritten {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::Object(definitions)) = schema.get(DEFINITIONS) {
            self.derived = definitions.clone();
        }
        without_null(schema);
        if let Some(default) = schema.get("default").cloned() {
            match self.default_as_written(&default, schema.as_value()) {
                Some(written) => schema.insert("default".to_owned(), written),
                None => schema.remove("default"),
            };
        }
        self.write_choice(schema);
        tidy(schema);
        transform_subschemas(self, schema);
    }
}

impl AsWritten {
    /// The schema itself, or the derived one that it refers to.
    fn resolve<'tree>(&'tree self, schema: &'tree Value) -> &'tree Value {
        referred(schema).and_then(|name| self.derived.get(name)).unwrap_or(schema)
    }

    /// Turns each alternative that is named by its only key into one that is named by its `kind`.
    fn write_choice(&self, schema: &mut Schema) {
        let keyword = if schema.get("oneOf").is_some() { "oneOf" } else { "anyOf" };
        let Some(Value::Array(derived)) = schema.get(keyword) else { return };
        if !derived.iter().any(|alternative| named(alternative).is_some()) {
            return;
        }
        let (mut texts, mut tables) = (Vec::new(), Vec::new());
        for alternative in derived {
            match named(alternative) {
                Some((_, content)) if self.resolve(content).get("type") != Some(&json!("object")) => {
                    let mut under_name = alternative.clone();
                    under_name[VALUE_UNDER_NAME] = json!(true);
                    tables.push(under_name);
                }
                Some((name, content)) => {
                    let table = self.with_kind(name, self.resolve(content), alternative);
                    if table["required"] == json!(["kind"]) {
                        texts.push(text(name, alternative));
                    }
                    tables.push(table);
                }
                None => {
                    if let Some(name) = alternative.get("const").and_then(Value::as_str) {
                        tables.push(self.with_kind(name, &json!({}), alternative));
                    }
                    texts.push(alternative.clone());
                }
            }
        }
        texts.append(&mut tables);
        schema.insert(keyword.to_owned(), Value::Array(texts));
    }

    /// A table with its kind, and beside it the settings of that kind.
    fn with_kind(&self, name: &str, content: &Value, alternative: &Value) -> Value {
        let mut settings = Map::from_iter([("kind".to_owned(), json!({ "type": "string", "const": name }))]);
        settings.extend(properties(content).map(|(key, schema)| (key.to_owned(), schema.clone())));
        let mut required = vec![json!("kind")];
        required.extend(content.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
        let mut table = json!({ "type": "object", "properties": settings, "required": required });
        if let Some(description) = alternative.get("description") {
            table["description"] = description.clone();
        }
        table
    }

    /// A default in the reader's form; `None` where there is none, or where the keys of the table have their own.
    fn default_as_written(&self, value: &Value, schema: &Value) -> Option<Value> {
        let Value::Object(map) = value else { return (!value.is_null()).then(|| value.clone()) };
        let schema = self.resolve(schema);
        let chosen = alternatives(schema).iter().filter_map(named).find_map(|(name, content)| {
            let settings = map.get(name)?.as_object()?;
            Some((name, self.resolve(content), settings))
        });
        let (mut table, content, settings) = match chosen {
            Some((name, content, settings)) => (Map::from_iter([("kind".to_owned(), json!(name))]), content, settings),
            None => (Map::new(), schema, map),
        };
        let is_known = |(key, value): (&String, &Value)| content["properties"][key].get("default") == Some(value);
        if settings.iter().all(is_known) {
            return chosen.map(|(name, ..)| json!(name));
        }
        for (key, value) in settings {
            let written = self.default_as_written(value, &content["properties"][key]);
            table.extend(written.map(|written| (key.clone(), written)));
        }
        Some(Value::Object(table))
    }
}

/// The name and the settings of a choice as serde writes it, a table under its name.
fn named(alternative: &Value) -> Option<(&str, &Value)> {
    let mut settings = properties(alternative);
    let (name, content) = settings.next()?;
    let is_only = settings.next().is_none() && alternative["required"] == json!([name]) && name != "kind";
    is_only.then_some((name, content))
}

/// A choice by its bare name.
fn text(name: &str, alternative: &Value) -> Value {
    let mut text = json!({ "type": "string", "const": name });
    if let Some(description) = alternative.get("description") {
        text["description"] = description.clone();
    }
    text
}

/// TOML has no null: a setting that may be left out is just left out.
fn without_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    for keyword in ["anyOf", "oneOf", "enum"] {
        let Some(Value::Array(alternatives)) = schema.get_mut(keyword) else { continue };
        alternatives.retain(|alternative| !alternative.is_null() && alternative.get("type") != Some(&json!("null")));
        if let [Value::Object(only)] = alternatives.as_slice() {
            let only = only.clone();
            schema.remove(keyword);
            for (key, value) in only {
                // What is said of the setting goes before what is said of its type.
                if schema.get(&key).is_none() {
                    schema.insert(key, value);
                }
            }
        }
    }
}

/// Refuses unknown keys, as the reader does whether or not the type says so; leaves out what only Rust knows.
fn tidy(schema: &mut Schema) {
    if schema.get("properties").is_some() {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = plain(text);
    }
}

/// The first paragraph of a doc comment as one reads it: its lines joined, its links just their text. What follows is for
/// those who read the code.
fn plain(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let text = paragraph.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, label, after)) = next_link(rest) {
        plain.push_str(before);
        plain.push_str(label);
        rest = after;
    }
    plain + rest
}

/// What stands before the first link, its text, and what stands behind it. A link's text is code, as rustdoc's are.
fn next_link(text: &str) -> Option<(&str, &str, &str)> {
    let (before, from_label) = text.split_once("[`")?;
    let (label, after) = from_label.split_once("`]")?;
    let label = &text[before.len() + 1..before.len() + 3 + label.len()];
    let target_end = after.strip_prefix('(').and_then(|target| target.find(')'));
    Some((before, label, target_end.map_or(after, |end| &after[end + 2..])))
}
