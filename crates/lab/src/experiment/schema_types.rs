//! What the schema says where a type alone does not: names of files, bases, quantities, and settings by their paths.

use super::scenarios;
use crate::quantity::Quantity;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use std::borrow::Cow;

/// What can be part of a file's name: no path, and nothing hidden.
pub(crate) const FILE_NAME: &str = r"^[^./\\][^/\\]*$";

/// The base of a world.
pub(crate) struct Base;

impl JsonSchema for Base {
    fn schema_name() -> Cow<'static, str> {
        "Base".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The name of a scenario, or a file relative to the experiment",
            "anyOf": [
                { "type": "string", "enum": scenarios::names() },
                { "type": "string", "pattern": r"\.toml$", "examples": ["my-world.toml"] },
            ],
        })
    }
}

/// A quantity by its name.
pub(crate) struct QuantityName;

impl JsonSchema for QuantityName {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let name = |one: Quantity| json!({ "const": one.name, "description": one.label });
        let one_of: Vec<Value> = Quantity::all().map(name).collect();
        json_schema!({ "type": "string", "oneOf": one_of })
    }
}

/// Types whose schemas list the paths of a scenario, which [`schema`](crate::schema) fills in when the scenario's is known.
macro_rules! filled_in_later {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!(true)
            }
        }
    )*};
}

filled_in_later! {
    /// A setting's path: `wireless.errors.loss`.
    Path;
    /// Settings by their paths.
    Settings;
    /// A setting's path, and the values that it is to have.
    Sweep;
}
