//! What the schemas know, as lines of a list: the settings of a world, and the schemes.

use super::scenario;
use crate::experiment::legend;
use arqway_config::schema::{Document, alternatives, properties, reference, referred};
use arqway_link::scheme_names;
use serde_json::Value;
use std::collections::BTreeMap;

/// A setting of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSetting {
    /// As `set` and `[sweep]` name it: `wireless.errors.loss`.
    pub path: String,
    /// `time`, `rate`, `size`, `share`, `number`, `whole number`, `choice`, `boolean`, `list`, `recording`, `service`, `text` or `table`.
    pub kind: &'static str,
    /// The units that it may be written with; empty if it has none.
    pub unit: &'static str,
    /// As a file writes it; empty where there is none, or where it follows from a profile.
    pub default: String,
    /// Which values it takes: an interval, or the kinds of a choice; empty if the kind says all.
    pub range: String,
    /// What it is.
    pub meaning: String,
}

/// The settings whose form is that of another list, so what is below them is not listed.
const LEAVES: [(&str, &str, &str); 7] = [
    ("Losses", "recording", ""),
    ("RateSteps", "recording", ""),
    ("DelaySteps", "recording", ""),
    ("Ratio", "share", "0 % to 100 %"),
    ("ServiceConfig", "service", "a scheme or a table"),
    ("Class", "table", ""),
    ("PathRate", "rate", "or automatic, unpaced, or { least, most }"),
];

/// Every setting of a world, in the order of the schema. What only one kind of a choice has, says so.
#[must_use]
pub fn settings() -> Vec<ListedSetting> {
    let document = Document::new(scenario());
    let mut lister = Lister { document: &document, listed: Vec::new() };
    for (key, schema) in properties(&document.root).filter(|(key, _)| !["quick", "today"].contains(key)) {
        lister.list(key, schema, schema.get("default"), "");
    }
    lister.listed
}

/// A scheme by its short form, or one of its family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedScheme {
    /// As figures call it: `SR 1.1 s`.
    pub name: String,
    /// As experiments and rows name it: `sr:1.1`.
    pub short: String,
    /// Its service, and what stands behind the colon.
    pub meaning: String,
}

/// Every short form, those with a value by an example.
#[must_use]
pub fn schemes() -> Vec<ListedScheme> {
    let document = Document::new(scenario());
    let defaults = reference("WorldDefaults");
    let services: BTreeMap<&str, &Value> = properties(document.resolve(&defaults)).collect();
    let examples = scheme_names().flat_map(|(kind, scheme)| scheme.examples().map(move |example| (kind, example)));
    let listed = |(kind, (short, means)): (&'static str, (String, Option<&str>))| {
        let name = short.parse().map_or_else(|_| short.clone(), |form| legend(&form));
        let service = services.get(kind).map(|schema| sentence(schema)).unwrap_or_default();
        let means = means.map_or_else(String::new, |means| format!("; here {means}"));
        ListedScheme { name, short, meaning: format!("{}{means}", service.trim_end_matches('.')) }
    };
    examples.map(listed).collect()
}

struct Lister<'a> {
    document: &'a Document,
    listed: Vec<ListedSetting>,
}

impl<'a> Lister<'a> {
    /// A setting, and those below it; `of` is the kind of the choice that alone has it.
    fn list(&mut self, path: &str, schema: &'a Value, default: Option<&'a Value>, of: &str) {
        let resolved = self.document.resolve(schema);
        let is_leaf = referred(schema).is_some_and(|name| LEAVES.iter().any(|(leaf, ..)| *leaf == name));
        if !is_leaf && resolved.get("properties").is_some() {
            for (key, inner) in properties(resolved) {
                let default = inner.get("default").or_else(|| default?.get(key));
                self.list(&format!("{path}.{key}"), inner, default, of);
            }
            return;
        }
        let (kind, unit, range) = self.form(schema);
        let meaning = Some(sentence(schema)).filter(|text| !text.is_empty()).unwrap_or_else(|| sentence(resolved));
        let meaning = if of.is_empty() { meaning } else { format!("{meaning} Of {of} only.") };
        let default = default.map(literal).unwrap_or_default();
        self.listed.push(ListedSetting { path: path.to_owned(), kind, unit, default, range, meaning });
        for choice in alternatives(resolved).iter().filter(|_| !is_leaf).map(|choice| self.document.resolve(choice)) {
            let of = kind_of(choice).unwrap_or_default();
            for (key, inner) in properties(choice).filter(|(key, _)| *key != "kind") {
                self.list(&format!("{path}.{key}"), inner, inner.get("default"), of);
            }
        }
    }

    /// What kind of value a schema takes, in which units, and within which limits.
    fn form(&self, schema: &Value) -> (&'static str, &'static str, String) {
        if let Some((_, kind, range)) = referred(schema).and_then(|name| LEAVES.iter().find(|(leaf, ..)| *leaf == name))
        {
            return (kind, if *kind == "share" { "%" } else { "" }, (*range).to_owned());
        }
        let resolved = self.document.resolve(schema);
        let choices = alternatives(resolved);
        if !choices.is_empty() {
            return self.choice(choices);
        }
        match resolved["type"].as_str().unwrap_or_default() {
            "boolean" => ("boolean", "", "true or false".to_owned()),
            "integer" => ("whole number", "", limits(resolved)),
            "number" => ("number", "", limits(resolved)),
            "array" => ("list", "", String::new()),
            "string" => match resolved.get("enum").and_then(Value::as_array) {
                Some(values) => ("choice", "", values.iter().map(literal).collect::<Vec<_>>().join(", ")),
                None => text(resolved["pattern"].as_str().unwrap_or_default()),
            },
            _ => ("table", "", String::new()),
        }
    }

    /// The kinds of a choice, or a value that may also be written as a table.
    fn choice(&self, choices: &[Value]) -> (&'static str, &'static str, String) {
        let mut kinds: Vec<&str> = Vec::new();
        let mut plain = None;
        for choice in choices {
            match kind_of(self.document.resolve(choice)) {
                Some(kind) if kinds.contains(&kind) => {}
                Some(kind) => kinds.push(kind),
                None => plain = plain.or_else(|| Some(self.form(choice))),
            }
        }
        let kinds = kinds.join(", ");
        match plain {
            None => ("choice", "", kinds),
            Some(plain) if kinds.is_empty() => plain,
            Some((kind, unit, _)) => (kind, unit, format!("or a table of kind {kinds}")),
        }
    }
}

/// A text that is a quantity with its unit, by the units that its pattern lists.
fn text(pattern: &str) -> (&'static str, &'static str, String) {
    let (kind, unit) = match pattern {
        _ if pattern.contains("kbit/s") => ("rate", "bit/s, kbit/s, Mbit/s, Gbit/s"),
        _ if pattern.contains("octets") => ("size", "octets, kB, MB, GB"),
        _ if pattern.contains("|ms|") => ("time", "us, ms, s, min, h"),
        _ if pattern.contains("(%)") => ("share", "%"),
        _ => ("text", ""),
    };
    (kind, unit, String::new())
}

fn kind_of(schema: &Value) -> Option<&str> {
    schema.get("const").or_else(|| schema.get("properties")?.get("kind")?.get("const"))?.as_str()
}

fn limits(schema: &Value) -> String {
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(low), None) => format!("at least {low}"),
        (None, Some(high)) => format!("at most {high}"),
        (None, None) => String::new(),
    }
}

/// A description without the sentences after the first, on one line.
fn sentence(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default().replace('\n', " ");
    text.split_once(". ").map_or(text.clone(), |(first, _)| format!("{first}."))
}

/// A default as a file writes it, but for the quotes of a text.
fn literal(value: &Value) -> String {
    let inner = |value: &Value| match value {
        Value::String(_) => value.to_string(),
        other => literal(other),
    };
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => format!("[{}]", values.iter().map(inner).collect::<Vec<_>>().join(", ")),
        Value::Object(table) => {
            let keys: Vec<String> = table.iter().map(|(key, value)| format!("{key} = {}", inner(value))).collect();
            format!("{{ {} }}", keys.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_listed_with_its_kind_unit_default_and_range() {
        let settings = settings();
        let of = |path: &str| {
            let found: Vec<_> = settings.iter().filter(|setting| setting.path == path).collect();
            assert_eq!(found.len(), 1, "{path}: {found:?}");
            let ListedSetting { kind, unit, default, range, .. } = found[0];
            [*kind, *unit, default.as_str(), range.as_str()]
        };
        assert_eq!(of("wireless.delay"), ["time", "us, ms, s, min, h", "50 ms", "or a table of kind trace"]);
        assert_eq!(
            of("wireless.rate"),
            ["rate", "bit/s, kbit/s, Mbit/s, Gbit/s", "64 kbit/s", "or a table of kind wandering, trace"]
        );
        assert_eq!(of("tcp.maximum-window"), ["whole number", "", "", "1 to 32767"]);
        assert_eq!(of("services.selective-repeat.window"), ["whole number", "", "127", "1 to 128"]);
        assert_eq!(of("link-layer.service")[0], "service");
        let kinds = of("wireless.errors")[3];
        assert!(kinds.starts_with("none") && kinds.contains(", uniform, two-state"), "{kinds}");
        assert!(settings.iter().all(|setting| !setting.meaning.is_empty()), "{settings:#?}");
    }

    #[test]
    fn every_setting_that_is_listed_is_a_path_that_files_may_name() {
        let known = super::super::experiment();
        let known = known["$defs"]["Settings"]["properties"].as_object().expect("a table").clone();
        for ListedSetting { path, .. } in settings() {
            assert!(known.contains_key(&path), "{path}");
        }
        assert!(settings().len() > 150, "{}", settings().len());
    }

    #[test]
    fn a_scheme_is_listed_by_the_name_of_figures_its_short_form_and_its_service() {
        let schemes = schemes();
        let of = |short: &str| {
            let found = schemes.iter().find(|scheme| scheme.short == short).expect("listed");
            [found.name.as_str(), found.meaning.as_str()]
        };
        assert_eq!(of("raw"), ["Raw Link", "No recovery"]);
        assert_eq!(of("sr")[0], "SR");
        assert!(schemes.iter().all(|scheme| !scheme.meaning.is_empty() && !scheme.meaning.starts_with(';')));
    }
}
