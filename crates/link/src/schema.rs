//! What an editor is told of the two settings that are texts with a grammar of their own: a protocol, and the short form
//! of a scheme. All others derive it.

use crate::ShortForm;
use crate::mux::Protocol;
use crate::short_form::forms;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

impl JsonSchema for Protocol {
    fn schema_name() -> Cow<'static, str> {
        "Protocol".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let number = "^([01]?[0-9]?[0-9]|2[0-4][0-9]|25[0-5])$";
        json_schema!({
            "description": "A protocol over IP, by name or by its assigned number",
            "anyOf": [
                { "type": "string", "enum": Self::names().collect::<Vec<_>>() },
                { "type": "string", "pattern": number, "examples": ["47"] },
            ],
        })
    }
}

impl JsonSchema for ShortForm {
    fn schema_name() -> Cow<'static, str> {
        "ShortForm".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let patterns: Vec<String> = forms().map(|(_, form)| form.pattern()).collect();
        let examples: Vec<(String, Option<&str>)> = forms().flat_map(|(_, form)| form.examples()).collect();
        let in_words = |(example, means): &(String, Option<&str>)| match means {
            Some(means) => alloc::format!("`{example}` for {means}"),
            None => alloc::format!("`{example}`"),
        };
        let description = examples.iter().map(in_words).collect::<Vec<_>>().join(", ");
        json_schema!({
            "description": alloc::format!("A scheme by its short form: {description}"),
            "type": "string",
            "pattern": alloc::format!("^({})$", patterns.join("|")),
            "examples": examples.iter().map(|(example, _)| example).collect::<Vec<_>>(),
        })
    }
}
