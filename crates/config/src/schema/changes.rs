//! Settings that are laid over others: what a table in `set` says need not be the whole.
//!
//! `"wireless.queue" = { packets = 10 }` changes the room of whatever queue the base has, so a choice may go without its
//! `kind`, and a table without the keys that it otherwise requires.

use super::tree::{Document, alternatives, properties, reference, referred, table};
use serde_json::{Map, Value, json};

/// The schema of what may be laid over a value of this schema.
pub fn over(document: &mut Document, schema: &Value) -> Value {
    if let Some(name) = referred(schema) {
        let changes = format!("{name}Changes");
        let Some(whole) = document.definition(name).cloned() else { return schema.clone() };
        if document.definition(&changes).is_none() {
            let over_whole = over(document, &whole);
            if over_whole == whole {
                return schema.clone();
            }
            document.define(&changes, over_whole);
        }
        let mut changed = schema.clone();
        changed["$ref"] = reference(&changes)["$ref"].clone();
        return changed;
    }
    let keyword = if schema.get("oneOf").is_some() { "oneOf" } else { "anyOf" };
    let mut changed = schema.clone();
    if schema.get("properties").is_some() {
        changed["properties"] = Value::Object(settings_over(document, schema));
        match schema["properties"].get("kind") {
            Some(_) => changed["required"] = json!(["kind"]),
            None => changed.as_object_mut().map_or((), |changed| drop(changed.remove("required"))),
        }
    } else if alternatives(schema).iter().any(|alternative| alternative.get("properties").is_some()) {
        let mut list: Vec<Value> = alternatives(schema).iter().map(|one| over(document, one)).collect();
        list.push(of_any_kind(&list));
        changed[keyword] = Value::Array(list);
    }
    changed
}

fn settings_over(document: &mut Document, schema: &Value) -> Map<String, Value> {
    properties(schema).map(|(key, schema)| (key.to_owned(), over(document, schema))).collect()
}

/// The settings of all kinds, without saying which: the base has said it.
fn of_any_kind(alternatives: &[Value]) -> Value {
    let mut settings: Map<String, Value> = Map::new();
    for (key, schema) in alternatives.iter().flat_map(properties).filter(|(key, _)| *key != "kind") {
        settings.entry(key).or_insert_with(|| schema.clone());
    }
    table(settings)
}
