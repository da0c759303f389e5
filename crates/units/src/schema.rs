//! What an editor is told of a quantity: its text as a pattern, and examples of it. The units come from the table that
//! reads them, so that the two cannot disagree.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::text::{OCTETS, RATE, RATIO, SPAN, Table};
use crate::{BitRate, Octets, Ratio, Span};

/// A number without sign, as [`Table`] reads it: decimal, with `_` between its digits.
const NUMBER: &str = r"\+?([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)";

/// The text of a quantity, as a regular expression: a number, and one of the units after it.
fn pattern(table: &Table) -> String {
    let mut units: alloc::vec::Vec<&str> = table.units.iter().chain(table.also).map(|(name, _)| *name).collect();
    let may_be_bare = units.contains(&"");
    units.retain(|name| !name.is_empty());
    let unit = units.join("|");
    format!(r"^\s*{NUMBER}\s*({unit}){}\s*$", if may_be_bare { "?" } else { "" })
}

fn text(table: &Table, examples: [&str; 2]) -> Schema {
    json_schema!({
        "type": "string",
        "description": format!("{}{} with its unit", table.what[..1].to_uppercase(), &table.what[1..]),
        "pattern": pattern(table),
        "examples": examples,
    })
}

/// The schema of a quantity that is always text.
macro_rules! schema_of_text {
    ($($type:ident from $table:ident, such as $examples:expr;)*) => {$(
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                text(&$table, $examples)
            }
        }
    )*};
}

schema_of_text! {
    Span from SPAN, such as ["50 ms", "1.1 s"];
    BitRate from RATE, such as ["64 kbit/s", "10 Mbit/s"];
    Octets from OCTETS, such as ["250 octets", "10 MB"];
}

/// A share may also be a bare number.
impl JsonSchema for Ratio {
    fn schema_name() -> Cow<'static, str> {
        "Ratio".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A share or a probability: percent as text, or a number from 0 to 1",
            "anyOf": [text(&RATIO, ["5.4 %", "0.1 %"]), { "type": "number", "minimum": 0, "maximum": 1 }],
        })
    }
}
