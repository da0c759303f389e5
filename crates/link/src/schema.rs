//! What an editor is told of the two settings that are texts with a grammar of their own: a protocol, and the short form
//! of a scheme. All others derive it.

use crate::ShortForm;
use crate::mux::Protocol;
use alloc::borrow::Cow;
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
                { "type": "string", "enum": Self::names().collect::<alloc::vec::Vec<_>>() },
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
        let number = r"\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?";
        json_schema!({
            "description": "A scheme by its short form: `raw`, `sr`, `sr:1.1` for a timeout of 1.1 s, or `asr:3+2` for one of 3 srtt + 2 srttvar",
            "type": "string",
            "pattern": alloc::format!(r"^(raw|sr(:{number})?|asr:{number}\+{number})$"),
            "examples": ["raw", "sr", "sr:1.1", "asr:3+2"],
        })
    }
}
