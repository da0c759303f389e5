//! What editors are told of experiments and scenarios: JSON schemas (draft 2020-12) from the very types that read them.
//!
//! An editor that knows the schema offers keys and values while one types, shows what each means, and marks what is
//! wrong. Two steps lead from a type to what one writes in a file:
//!
//! ```text
//!     Scenario, Header, ...   derived: serde's representation     { "uniform": { "loss": "5.4 %" } }
//!         | written           the reader's                        { kind = "uniform", loss = "5.4 %" }
//!         v paths             `set` and `[sweep]`                 "wireless.errors.loss" = "5.4 %"
//!     schema
//! ```
//!
//! The schema refuses less than the reader: it does not know what a base sets, nor that a figure's axis is what is
//! swept, nor every range. Of a choice it knows the two ways in which the documentation writes it, `"raw"` and
//! `{ kind = "raw", ... }`.

mod grammars;
mod paths;

use crate::experiment::Shape;
use crate::experiment::scenarios;
use crate::experiment::world::{Quick, Today};
use crate::quantity::Quantity;
use arqway_config::schema::{DEFINITIONS, generate};
use arqway_sim::Scenario;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use std::borrow::Cow;

/// What can be part of a file's name: no path, and nothing hidden.
pub(crate) const FILE_NAME: &str = r"^[^./\\][^/\\]*$";

/// The schema of an experiment's file.
#[must_use]
pub fn experiment() -> Value {
    finish::<Shape>("An experiment of Arqway", |_| ())
}

/// The schema of a scenario's file: a world, and what `--quick` and `--today` make of it.
#[must_use]
pub fn scenario() -> Value {
    finish::<Scenario>("A scenario of Arqway", |root| {
        let quick = json!({ "description": "What a first look changes.", "$ref": format!("#/{DEFINITIONS}/Quick") });
        root["properties"]["quick"] = quick;
        let today = json!({ "description": "What makes it today's world.", "$ref": format!("#/{DEFINITIONS}/Today") });
        root["properties"]["today"] = today;
    })
}

/// A schema as the text that the command prints and that stands in `docs/schema/`.
#[must_use]
pub fn to_text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

fn finish<T: JsonSchema>(title: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut document = generate::<T>(grammars::GRAMMARS, |generator| {
        // Also where `T` does not mention them: paths lead into the first, and the others are part of a scenario's file.
        generator.subschema_for::<Scenario>();
        generator.subschema_for::<Quick>();
        generator.subschema_for::<Today>();
    });
    document.root["title"] = json!(title);
    change(&mut document.root);
    paths::define(&mut document);
    document.without_unused()
}

/// The base of a world.
pub(crate) struct Base;

impl JsonSchema for Base {
    fn schema_name() -> Cow<'static, str> {
        "Base".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A scenario by its name, or a file beside the experiment",
            "anyOf": [
                { "type": "string", "enum": scenarios::names() },
                { "type": "string", "pattern": r"\.toml$", "examples": ["my-world.toml"] },
            ],
        })
    }
}

/// A quantity by its name.
impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let named = Self::names().into_iter().filter_map(Self::of);
        let one_of: Vec<Value> = named.map(|one| json!({ "const": one.name, "description": one.label })).collect();
        json_schema!({ "type": "string", "oneOf": one_of })
    }
}

/// Types whose schemas list the paths of a scenario, which [`paths`] fills in when the scenario's is known.
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
