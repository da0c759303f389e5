//! What an editor is told of recordings: they stand in the settings, or in a file of their own. All other settings derive it.

use crate::channel::Losses;
use crate::rate::{Step, StepRate};
use alloc::borrow::Cow;
use alloc::string::String;
use arqway_units::BitRate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// The file of a recording, relative to the experiment.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is wanted")]
struct Recording {
    /// The file, relative to the experiment.
    file: String,
}

/// The steps of a rate: a list, or a file of them.
pub(crate) struct Steps;

impl JsonSchema for Steps {
    fn schema_name() -> Cow<'static, str> {
        "Steps".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (step, file) = (generator.subschema_for::<Step>(), generator.subschema_for::<Recording>());
        json_schema!({ "anyOf": [{ "type": "array", "items": step, "minItems": 1 }, file] })
    }
}

impl JsonSchema for StepRate {
    fn schema_name() -> Cow<'static, str> {
        "StepRate".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BitRate::json_schema(generator)
    }
}

impl JsonSchema for Losses {
    fn schema_name() -> Cow<'static, str> {
        "Losses".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let file = generator.subschema_for::<Recording>();
        let digits = json_schema!({
            "type": "string",
            "description": "One digit for each frame, 0 if it arrived and 1 if it was lost; or runs of digits",
            "pattern": r"^(\s*[01](\*[0-9][0-9_]*)?|\s*#[^\n]*\n)+\s*$",
            "examples": ["0*31 1*4 0 1", "00100001"],
        });
        json_schema!({ "anyOf": [digits, file] })
    }
}
