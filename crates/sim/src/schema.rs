//! What an editor is told of recordings: they stand in the settings, or in a file of their own. All other settings derive it.

use crate::channel::{LossFile, Losses};
use crate::rate::StepRate;
use crate::recorded::TraceStep;
use alloc::borrow::Cow;
use alloc::format;
use arqway_units::BitRate;
use core::marker::PhantomData;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// The steps of a recording: a list, or a file of them.
pub(crate) struct Steps<S>(PhantomData<S>);

impl<S: TraceStep + JsonSchema> JsonSchema for Steps<S>
where
    S::File: JsonSchema,
{
    fn schema_name() -> Cow<'static, str> {
        format!("{}s", S::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (step, file) = (generator.subschema_for::<S>(), generator.subschema_for::<S::File>());
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
        let file = generator.subschema_for::<LossFile>();
        let digits = json_schema!({
            "type": "string",
            "description": "One digit for each frame, 0 if it arrived and 1 if it was lost; or runs of digits",
            "pattern": r"^(\s*[01](\*[0-9][0-9_]*)?|\s*#[^\n]*\n)+\s*$",
            "examples": ["0*31 1*4 0 1", "00100001"],
        });
        json_schema!({ "anyOf": [digits, file] })
    }
}
