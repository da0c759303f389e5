//! Settings by their paths, as `set` and `[sweep]` name them: `wireless.errors.loss`, `link-layer.classes.0.service`.
//!
//! All paths of a scenario are listed, so that editors offer them. A path may lead into a choice, whichever it is: it is
//! the base that chooses. Numbers of a list are a pattern.

use arqway_config::schema::{Document, alternatives, over, properties, reference, table};
use serde_json::{Map, Value, json};

/// A setting by its path.
#[derive(Debug)]
struct Setting {
    path: String,
    /// What may stand there; several where the kinds of a choice have a key in common.
    schemas: Vec<Value>,
}

/// How a number of a list is written in a pattern.
const NUMBER: &str = "[0-9]+";

/// Defines `Settings`, `Sweep` and `Path` by the paths of the scenario.
pub(super) fn define(document: &mut Document) {
    let mut settings = Vec::new();
    collect(document, &reference("Scenario"), "", &mut settings);
    let set = by_path(&settings, |setting| setting.laid_over(document));
    document.define("Settings", described(set, "Settings by their paths, which override others."));
    let mut sweep = by_path(&settings, |setting| setting.swept(document));
    sweep["maxProperties"] = json!(1);
    document.define("Sweep", described(sweep, "The path of the swept setting, and its values."));
    document.define("Path", any_path(&settings));
}

fn described(mut schema: Value, description: &str) -> Value {
    schema["description"] = json!(description);
    schema
}

/// Every path below a schema, the tables on the way included.
fn collect(document: &Document, schema: &Value, path: &str, settings: &mut Vec<Setting>) {
    let resolved = document.resolve(schema);
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    for (key, schema) in [resolved].into_iter().chain(alternatives(resolved)).flat_map(properties) {
        note(settings, below(key), schema);
        collect(document, schema, &below(key), settings);
    }
    if let Some(items) = resolved.get("items") {
        collect(document, items, &below(NUMBER), settings);
    }
}

fn note(settings: &mut Vec<Setting>, path: String, schema: &Value) {
    match settings.iter_mut().find(|known| known.path == path) {
        Some(known) if known.schemas.contains(schema) => {}
        Some(known) => known.schemas.push(schema.clone()),
        None => settings.push(Setting { path, schemas: vec![schema.clone()] }),
    }
}

/// A table whose keys are the paths.
fn by_path(settings: &[Setting], mut schema_of: impl FnMut(&Setting) -> Value) -> Value {
    let (mut keys, mut patterns) = (Map::new(), Map::new());
    for setting in settings {
        let schema = schema_of(setting);
        match setting.pattern() {
            Some(pattern) => patterns.insert(pattern, schema),
            None => keys.insert(setting.path.clone(), schema),
        };
    }
    let mut table = table(keys);
    if !patterns.is_empty() {
        table["patternProperties"] = Value::Object(patterns);
    }
    table
}

/// Any of the paths as a text.
fn any_path(settings: &[Setting]) -> Value {
    let named: Vec<&str> =
        settings.iter().filter(|setting| setting.pattern().is_none()).map(|setting| setting.path.as_str()).collect();
    let patterns = settings.iter().filter_map(Setting::pattern).map(|pattern| json!({ "pattern": pattern }));
    let any_of: Vec<Value> = [json!({ "enum": named })].into_iter().chain(patterns).collect();
    json!({ "description": "The path of a setting.", "type": "string", "anyOf": any_of })
}

impl Setting {
    /// The path as a regular expression, if it leads into a list.
    fn pattern(&self) -> Option<String> {
        let leads_into_list = self.path.split('.').any(|key| key == NUMBER);
        leads_into_list.then(|| format!("^{}$", self.path.replace('.', r"\.")))
    }

    /// What `set` may say.
    fn laid_over(&self, document: &mut Document) -> Value {
        let schemas: Vec<Value> = self.schemas.iter().map(|schema| over(document, schema)).collect();
        any_of(&schemas)
    }

    /// The values of a sweep: numbers, with their units where they have one, or anything that says which point it is.
    fn swept(&self, document: &Document) -> Value {
        let value = any_of(&self.schemas);
        let mut items = Vec::new();
        if self.schemas.iter().any(|schema| is_number(document, schema)) {
            items.push(json!({ "allOf": [value, { "type": ["number", "string"], "pattern": r"^\s*[+.0-9]" }] }));
        }
        let named =
            json!({ "point": { "description": "Its value in rows and on axes.", "type": "number" }, "value": value });
        items.push(json!({
            "type": "object", "properties": named, "required": ["point", "value"], "additionalProperties": false,
        }));
        let mut list = json!({ "type": "array", "minItems": 1, "items": { "anyOf": items } });
        if let Some(description) = value.get("description") {
            list["description"] = description.clone();
        }
        list
    }
}

/// One of these; the choice is left out where there is none. What all mean is said once more where editors look for it.
fn any_of(schemas: &[Value]) -> Value {
    match schemas {
        [only] => only.clone(),
        several => {
            let mut choice = json!({ "anyOf": several });
            let mut meanings = several.iter().map(|schema| schema.get("description"));
            if let Some(Some(meaning)) = meanings.next()
                && meanings.all(|other| other == Some(meaning))
            {
                choice["description"] = meaning.clone();
            }
            choice
        }
    }
}

/// Whether some value is a number, bare or with a unit.
fn is_number(document: &Document, schema: &Value) -> bool {
    let schema = document.resolve(schema);
    let is_text = schema["type"] == "string" && schema.get("pattern").is_some();
    let is_bare = schema["type"] == "number" || schema["type"] == "integer";
    is_text || is_bare || alternatives(schema).iter().any(|one| is_number(document, one))
}
