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

mod listed;
mod paths;

pub use listed::{ListedScheme, ListedSetting, schemes, settings};

use crate::experiment::sections::{Quick, Today};
use crate::experiment::{GRAMMARS, Shape};
use arqway_config::schema::{DEFINITIONS, generate};
use arqway_sim::Scenario;
use schemars::JsonSchema;
use serde_json::{Value, json};

/// The schema of an experiment's file.
#[must_use]
pub fn experiment() -> Value {
    finish::<Shape>("An experiment of Arqway", |_| ())
}

/// The schema of a scenario's file: a world, and what `--quick` and `--today` make of it.
#[must_use]
pub fn scenario() -> Value {
    finish::<Scenario>("A scenario of Arqway", |root| {
        let quick = json!({ "description": "Changes for a quick run.", "$ref": format!("#/{DEFINITIONS}/Quick") });
        root["properties"]["quick"] = quick;
        let today = json!({ "description": "Changes for today's TCP.", "$ref": format!("#/{DEFINITIONS}/Today") });
        root["properties"]["today"] = today;
    })
}

/// A schema as the text that the command prints and that stands in `docs/schema/`.
#[must_use]
pub fn to_text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

fn finish<T: JsonSchema>(title: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut document = generate::<T>(GRAMMARS, |generator| {
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
