//! Texts with a grammar of their own: `"5004-5020"`, `"10.0.0.0/8"`, `"sr:1.1"`.
//!
//! The type that reads such a text knows nothing of schemas; what it derives is the schema of its fields, which nobody
//! writes. So whoever asks for a schema gives a table of grammars, and each replaces the definition of its name:
//!
//! ```
//! use arqway_config::schema::{Grammar, generate};
//! use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
//!
//! #[derive(serde::Deserialize, JsonSchema)]
//! #[serde(try_from = "String")]
//! struct Ports {
//!     first: u16,
//!     last: u16,
//! }
//! # impl TryFrom<String> for Ports {
//! #     type Error = std::num::ParseIntError;
//! #     fn try_from(text: String) -> Result<Self, Self::Error> {
//! #         let (first, last) = text.split_once('-').unwrap_or((&text, &text));
//! #         Ok(Self { first: first.parse()?, last: last.parse()? })
//! #     }
//! # }
//!
//! const GRAMMARS: &[Grammar] = &[Grammar::of::<Ports>("Ports", ports)];
//!
//! fn ports(_: &mut SchemaGenerator) -> Schema {
//!     json_schema!({
//!         "description": "A port, or a range of ports",
//!         "type": "string",
//!         "pattern": "^[0-9]+(-[0-9]+)?$",
//!         "examples": ["5004-5020"],
//!     })
//! }
//!
//! let schema = generate::<Vec<Ports>>(GRAMMARS, |_| ());
//! assert_eq!(schema.definition("Ports").unwrap()["type"], "string");
//! GRAMMARS.iter().for_each(|grammar| assert_eq!(grammar.refused_examples(), Vec::<String>::new()));
//! ```

use crate::deserialize::NodeReader;
use crate::{Mistake, Node, Origin, Source};
use arqway_units::{BitRate, Octets, Ratio, Span};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::marker::PhantomData;

use super::tree::{Document, READ_LATER, VALUE_UNDER_NAME};
use super::written::AsWritten;

/// How values of one definition are written. They are read on the spot when settings are checked, so that every wrong one
/// is told.
#[derive(Debug, Clone, Copy)]
pub struct Grammar {
    /// The definition that it replaces: the name of the type in schemas.
    pub name: &'static str,
    /// The schema, unless the derived one is right.
    schema: Option<fn(&mut SchemaGenerator) -> Schema>,
    read: fn(&Node) -> Result<(), Mistake>,
}

/// The grammars of quantities, which every reader knows. Their types derive the right schemas.
pub(crate) const UNITS: &[Grammar] = &[
    Grammar::derived::<BitRate>("BitRate"),
    Grammar::derived::<Octets>("Octets"),
    Grammar::derived::<Ratio>("Ratio"),
    Grammar::derived::<Span>("Span"),
];

impl Grammar {
    /// The grammar of a type, which takes the place of the schema that it derives.
    #[must_use]
    pub const fn of<T: DeserializeOwned>(name: &'static str, schema: fn(&mut SchemaGenerator) -> Schema) -> Self {
        Self { schema: Some(schema), ..Self::derived::<T>(name) }
    }

    /// The grammar of a type whose own schema is right.
    #[must_use]
    pub const fn derived<T: DeserializeOwned>(name: &'static str) -> Self {
        Self { name, schema: None, read: read::<T> }
    }

    /// What its type refuses in a value.
    pub(crate) fn read(&self, node: &Node) -> Result<(), Mistake> {
        (self.read)(node)
    }

    /// Those examples and names of the schema that the type refuses: none, or the schema is wrong.
    #[must_use]
    pub fn refused_examples(&self) -> Vec<String> {
        let Some(schema) = self.schema else { return Vec::new() };
        let schema = schema(&mut SchemaGenerator::default()).to_value();
        let mut examples = Vec::new();
        collect_examples(&schema, &mut examples);
        let nowhere = Origin::whole(&Source::new("", ""));
        examples.retain(|text| (self.read)(&Node::text(text.as_str(), nowhere.clone())).is_err());
        examples
    }
}

/// The texts that a schema gives as examples, or by name.
fn collect_examples(schema: &Value, examples: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            for (key, value) in map {
                match key.as_str() {
                    "examples" | "enum" => {
                        let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                        examples.extend(texts.map(str::to_owned));
                    }
                    _ => collect_examples(value, examples),
                }
            }
        }
        Value::Array(schemas) => schemas.iter().for_each(|schema| collect_examples(schema, examples)),
        _ => {}
    }
}

fn read<T: DeserializeOwned>(node: &Node) -> Result<(), Mistake> {
    T::deserialize(NodeReader::new(node, &BTreeSet::new())).map(drop).map_err(|refusal| refusal.mistake(node))
}

/// The schema of a type for editors, with grammars in place of what their types derive; `more` may ask for definitions
/// that the type does not mention.
pub fn generate<T: JsonSchema>(grammars: &[Grammar], more: impl FnOnce(&mut SchemaGenerator)) -> Document {
    let mut document = derive::<T>(grammars, more);
    without_marks(&mut document.root);
    document
}

/// The same for our own reader, with marks.
pub(crate) fn derive<T: JsonSchema>(grammars: &[Grammar], more: impl FnOnce(&mut SchemaGenerator)) -> Document {
    let mut generator = SchemaSettings::draft2020_12().with_transform(AsWritten::default()).into_generator();
    generator.subschema_for::<T>();
    more(&mut generator);
    for Grammar { name, schema, .. } in grammars {
        if let Some(schema) = schema.filter(|_| generator.definitions().contains_key(*name)) {
            let schema = schema(&mut generator).to_value();
            generator.definitions_mut().insert((*name).to_owned(), schema);
        }
    }
    Document::new(generator.into_root_schema_for::<T>().to_value())
}

/// The schema of a setting that a file's reader takes as it is and reads later, as a `T`: what defaults it has is known by
/// then. Only editors are told of it.
#[derive(Debug)]
pub struct Later<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Later<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = generator.subschema_for::<T>();
        schema.insert(READ_LATER.to_owned(), true.into());
        schema
    }
}

fn without_marks(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.shift_remove(READ_LATER);
            map.shift_remove(VALUE_UNDER_NAME);
            // The types of Rust mean nothing to others.
            if map.get("format").is_some_and(Value::is_string) {
                map.shift_remove("format");
            }
            map.values_mut().for_each(without_marks);
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(without_marks),
        _ => {}
    }
}
