//! Texts of the link layer that have a grammar of their own, and how editors are told of it.
//!
//! A type of `link` derives a plain schema; the entry of its name here replaces that, both for editors and for whoever reads
//! a file ([`Grammar`]). Entries may be written as `fn(&mut SchemaGenerator) -> Schema`, as `JsonSchema` has them.

mod short_forms;

use crate::schema::Grammar;
use arqway_link::ShortForm;
use arqway_link::bearer::Rate;
use arqway_link::mux::{Addresses, Allocation, Ds, FlowLabel, Ports, Protocol, SubclassBit};
use arqway_link::selective_repeat::WindowSize;
use arqway_link::sscop::{Credit, ListLength};
use arqway_units::{BitRate, Ratio};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// The grammars of the settings of a link layer.
pub const LINK_LAYER: &[Grammar] = &[
    Grammar::of::<Addresses>("Addresses", addresses),
    Grammar::of::<Allocation>("Allocation", allocation),
    Grammar::of::<Ds>("Ds", ds),
    Grammar::of::<FlowLabel>("FlowLabel", flow_label),
    Grammar::of::<Ports>("Ports", ports),
    Grammar::of::<Protocol>("Protocol", protocol),
    Grammar::of::<ShortForm>("ShortForm", short_forms::schema),
    Grammar::of::<SubclassBit>("SubclassBit", subclass_bit),
    // Their schemas are right; their types say more of what is wrong than a range does.
    Grammar::derived::<Rate>("PathRate"),
    Grammar::derived::<Credit>("Credit"),
    Grammar::derived::<ListLength>("ListLength"),
    Grammar::derived::<WindowSize>("WindowSize"),
];

fn addresses(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "An IPv4 or IPv6 address or prefix",
        "type": "string",
        "pattern": r"^([0-9]+\.[0-9]+\.[0-9]+\.[0-9]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)(/\+?[0-9]+)?$",
        "examples": ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"],
    })
}

fn allocation(generator: &mut SchemaGenerator) -> Schema {
    let (rate, share) = (BitRate::json_schema(generator), Ratio::json_schema(generator));
    json_schema!({
        "description": "A reserved rate: in bits per second, or as a share of the link's",
        "anyOf": [rate, { "allOf": [{ "type": "string", "pattern": r"%\s*$" }, share] }],
    })
}

fn ds(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "A Differentiated Services codepoint, by name or number",
        "anyOf": [
            { "type": "string", "enum": Ds::names().collect::<Vec<_>>() },
            { "type": "string", "pattern": r"^\+?0*([0-9]|[1-5][0-9]|6[0-3])$" },
            { "type": "integer", "minimum": 0, "maximum": 63 },
        ],
    })
}

fn flow_label(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "An IPv6 flow label",
        "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": 1_048_575 },
            { "type": "string", "pattern": r"^\+?[0-9]+$" },
        ],
    })
}

fn ports(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "A port, or a range of ports",
        "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": 65535 },
            { "type": "string", "pattern": r"^\s*\+?[0-9]+\s*(-\s*\+?[0-9]+\s*)?$", "examples": ["5004-5020"] },
        ],
    })
}

fn protocol(_: &mut SchemaGenerator) -> Schema {
    let number = "^([01]?[0-9]?[0-9]|2[0-4][0-9]|25[0-5])$";
    json_schema!({
        "description": "An IP protocol, by name or assigned number",
        "anyOf": [
            { "type": "string", "enum": Protocol::names().collect::<Vec<_>>() },
            { "type": "string", "pattern": number, "examples": ["47"] },
            { "type": "integer", "minimum": 0, "maximum": 255 },
        ],
    })
}

fn subclass_bit(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "description": "A bit of a codepoint: 0 is the lowest", "type": "integer", "minimum": 0, "maximum": 5 })
}
