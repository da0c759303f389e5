//! What an editor is told of the settings that are texts with a grammar of their own: what a class asks of a packet, and the
//! short form of a scheme. All others derive it.

use crate::ShortForm;
use crate::ip::{Addresses, Ds, FlowLabel, Ports, Protocol};
use crate::mux::Allocation;
use crate::registry::forms;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use arqway_units::{BitRate, Ratio};
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
                { "type": "integer", "minimum": 0, "maximum": 255 },
            ],
        })
    }
}

impl JsonSchema for Ports {
    fn schema_name() -> Cow<'static, str> {
        "Ports".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A port, or a range of ports",
            "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": 65535 },
                { "type": "string", "pattern": r"^\s*\+?[0-9]+\s*(-\s*\+?[0-9]+\s*)?$", "examples": ["5004-5020"] },
            ],
        })
    }
}

impl JsonSchema for Ds {
    fn schema_name() -> Cow<'static, str> {
        "Ds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A codepoint of Differentiated Services, by name or by its number",
            "anyOf": [
                { "type": "string", "enum": Self::names().collect::<Vec<_>>() },
                { "type": "string", "pattern": r"^\+?0*([0-9]|[1-5][0-9]|6[0-3])$" },
                { "type": "integer", "minimum": 0, "maximum": 63 },
            ],
        })
    }
}

impl JsonSchema for FlowLabel {
    fn schema_name() -> Cow<'static, str> {
        "FlowLabel".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A flow label of IPv6",
            "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": 1_048_575 },
                { "type": "string", "pattern": r"^\+?[0-9]+$" },
            ],
        })
    }
}

impl JsonSchema for Addresses {
    fn schema_name() -> Cow<'static, str> {
        "Addresses".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An address of IPv4 or IPv6, or a prefix",
            "type": "string",
            "pattern": r"^([0-9]+\.[0-9]+\.[0-9]+\.[0-9]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)(/\+?[0-9]+)?$",
            "examples": ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"],
        })
    }
}

impl JsonSchema for Allocation {
    fn schema_name() -> Cow<'static, str> {
        "Allocation".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (rate, share) = (BitRate::json_schema(generator), Ratio::json_schema(generator));
        json_schema!({
            "description": "What of the link is set aside: a rate, or a share of the link's",
            "anyOf": [rate, { "allOf": [{ "type": "string", "pattern": r"%\s*$" }, share] }],
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
