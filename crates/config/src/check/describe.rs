//! Schemas in words: what was expected.

use serde_json::Value as Json;

use super::alternatives::Alternatives;
use super::rules::Rules;
use crate::node::{Node, Value};

impl<'a> Rules<'a> {
    /// What a schema asks for, such as "a whole number from 2 to 64".
    pub(crate) fn described(self, schema: &'a Json) -> String {
        let resolved = self.schema.resolve(schema);
        if let (Some(what), Some(example)) = (resolved.get("description").and_then(Json::as_str), example(resolved)) {
            let (first, rest) = what.split_at(what.chars().next().map_or(0, char::len_utf8));
            return format!("{}{}, such as {example:?}", first.to_lowercase(), rest.trim_end_matches('.'));
        }
        if let Some(alternatives) = Alternatives::of(self, schema) {
            return self.described_choice(&alternatives);
        }
        let range = Range::of(resolved);
        match resolved.get("type").and_then(Json::as_str).unwrap_or_default() {
            "string" => "text".to_owned(),
            "boolean" => "true or false".to_owned(),
            "integer" => format!("a whole number{}", range.described()),
            "number" => format!("a number{}", range.described()),
            "array" => described_list(resolved),
            "object" => "a table".to_owned(),
            _ => "something else".to_owned(),
        }
    }

    /// What one may choose from.
    pub(crate) fn described_choice(self, choice: &Alternatives<'a>) -> String {
        let mut words: Vec<String> = choice.others.iter().map(|other| self.described(other)).collect();
        let names = choice.names();
        if !names.is_empty() {
            words.push(format!("one of {}", names.join(", ")));
        }
        words.dedup();
        words.join(" or ")
    }

    /// A line of help for a key that is missing.
    pub(crate) fn instance(self, key: &str, schema: &'a Json) -> String {
        match example(self.schema.resolve(schema)) {
            Some(example) => format!("for instance `{key} = {example:?}`"),
            None => format!("`{key}` is {}", self.described(schema)),
        }
    }
}

/// The first example that a schema gives of a text.
pub(crate) fn example(schema: &Json) -> Option<&str> {
    schema.pointer("/examples/0")?.as_str()
}

fn described_list(schema: &Json) -> String {
    let [least, most] = ["minItems", "maxItems"].map(|bound| schema.get(bound).and_then(Json::as_u64));
    match (least, most) {
        (Some(least), Some(most)) if least == most => format!("a list of {least}"),
        (Some(least), Some(most)) => format!("a list of {least} to {most}"),
        (Some(least), None) if least > 0 => format!("a list of {least} or more"),
        (_, Some(most)) => format!("a list of at most {most}"),
        _ => "a list".to_owned(),
    }
}

/// The least and the greatest number that a schema allows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    least: Option<f64>,
    most: Option<f64>,
}

impl Range {
    pub(crate) fn of(schema: &Json) -> Self {
        // What schemars says of Rust's types without bounds of its own.
        let (format_least, format_most) = match schema.get("format").and_then(Json::as_str) {
            Some("uint8") => (Some(0.0), Some(f64::from(u8::MAX))),
            Some("uint16") => (Some(0.0), Some(f64::from(u16::MAX))),
            Some("uint32") => (Some(0.0), Some(f64::from(u32::MAX))),
            Some("uint64" | "uint") => (Some(0.0), None),
            Some("int8") => (Some(f64::from(i8::MIN)), Some(f64::from(i8::MAX))),
            Some("int16") => (Some(f64::from(i16::MIN)), Some(f64::from(i16::MAX))),
            Some("int32") => (Some(f64::from(i32::MIN)), Some(f64::from(i32::MAX))),
            _ => (None, None),
        };
        let bound = |name: &str| schema.get(name).and_then(Json::as_f64);
        Self { least: bound("minimum").or(format_least), most: bound("maximum").or(format_most) }
    }

    /// Whether a number lies in it; what is not a number does.
    pub(crate) fn contains(self, node: &Node) -> bool {
        let number = match node.value {
            Value::Integer(number) => number as f64,
            Value::Float(number) => number,
            _ => return true,
        };
        self.least.is_none_or(|least| number >= least) && self.most.is_none_or(|most| number <= most)
    }

    fn described(self) -> String {
        match (self.least, self.most) {
            (Some(least), Some(most)) => format!(" from {least} to {most}"),
            (Some(least), None) => format!(", {least} or more"),
            (None, Some(most)) => format!(", {most} or less"),
            (None, None) => String::new(),
        }
    }
}
