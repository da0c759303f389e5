//! A file of claims: aliases first, then a table a claim.
//!
//! ```toml
//! [alias]                       # what a paper calls by one name and means differently from link to link
//! asr = { uniform = "asr:3+2", two-state = "asr:4+0" }
//!
//! [[claim]]
//! id = "monet08.fig18.asr-over-raw"
//! where = "Fig. 18"
//! app = "file-transfer"         # the columns of its rows
//! errors = "uniform"
//! beside = "none"
//! metric = "throughput"
//! kind = "gain"                 # what it says: here, by how much one scheme exceeds another
//! flr = 5.4
//! a = "asr"
//! b = "raw"
//! percent = 76.73
//! ```

use super::{Claim, Statement, Subject};
use arqway_config::{Mistake, Mistakes, Node, Source, Table, Value, read as read_node, read_source};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    alias: Aliases,
    claim: Vec<Node>,
}

/// A name, and the scheme it means under each error model.
type Aliases = BTreeMap<String, BTreeMap<String, String>>;

/// The keys that every kind of claim has. All others are those of its kind.
const OF_EVERY_CLAIM: [&str; 11] =
    ["id", "where", "app", "errors", "beside", "metric", "connections", "rate", "text", "inferred", "same-as"];

/// Reads a file of claims.
///
/// # Errors
/// Every mistake in it.
pub fn read(source: &Arc<Source>) -> Result<Vec<Claim>, Mistakes> {
    let File { alias, claim } = read_source(source, &[])?;
    let mut mistakes = Mistakes::new();
    let claims: Vec<Claim> = claim.iter().filter_map(|node| read_claim(node, &alias, &mut mistakes)).collect();
    mistakes.into_result(claims)
}

fn read_claim(node: &Node, aliases: &Aliases, mistakes: &mut Mistakes) -> Option<Claim> {
    let Some(table) = node.as_table() else {
        mistakes.push(Mistake::at_value(node, "a claim is a table: [[claim]]"));
        return None;
    };
    let part = |of_every_claim: bool| {
        let keys = table.iter().filter(|(key, _)| OF_EVERY_CLAIM.contains(&key.as_str()) == of_every_claim);
        // The point of a value is a loss rate or a bit error rate: the same to whoever judges it.
        let name = |key: &str| if key == "ber" { "flr" } else { key }.to_owned();
        let keys: Table = keys.map(|(key, node)| (name(key), node.clone())).collect();
        Node { value: Value::Table(keys), origin: node.origin.clone() }
    };
    let mut of_its_kind = part(false);
    if let Some(errors) = node.get_path("errors").and_then(Node::as_text) {
        resolve(&mut of_its_kind, aliases, errors, mistakes);
    }
    let about = read_node::<Subject>(&part(true), &[]).map_err(|found| mistakes.extend(found));
    let statement = read_node::<Statement>(&of_its_kind, &[]).map_err(|found| mistakes.extend(found));
    Some(Claim { about: about.ok()?, statement: statement.ok()? })
}

/// Puts in the place of each alias what it means under an error model.
fn resolve(node: &mut Node, aliases: &Aliases, errors: &str, mistakes: &mut Mistakes) {
    match &mut node.value {
        Value::Text(text) => match aliases.get(text).map(|meanings| meanings.get(errors)) {
            Some(Some(meaning)) => meaning.clone_into(text),
            Some(None) => {
                let message = format!("`{text}` means nothing where errors are `{errors}`");
                let help = format!("say what it means at the head of the file: {text} = {{ {errors} = \"...\" }}");
                mistakes.push(Mistake::at_value(node, message).help(help));
            }
            None => {}
        },
        Value::Array(nodes) => nodes.iter_mut().for_each(|node| resolve(node, aliases, errors, mistakes)),
        Value::Table(table) => {
            // Of a side that names another error model, its meaning there.
            let own = table.get("errors").and_then(Node::as_text).map(str::to_owned);
            let errors = own.as_deref().unwrap_or(errors);
            let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
            for key in keys {
                if let Some(node) = table.get_mut(&key) {
                    resolve(node, aliases, errors, mistakes);
                }
            }
        }
        _ => {}
    }
}

/// A list of at least so many.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Vec<T>", bound = "T: Deserialize<'de>")]
pub struct Several<T, const LEAST: usize>(Vec<T>);

impl<T: JsonSchema, const LEAST: usize> JsonSchema for Several<T, LEAST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{LEAST}_or_more_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "minItems": LEAST, "items": generator.subschema_for::<T>() })
    }
}

impl<T, const LEAST: usize> TryFrom<Vec<T>> for Several<T, LEAST> {
    type Error = String;

    fn try_from(list: Vec<T>) -> Result<Self, String> {
        if list.len() >= LEAST { Ok(Self(list)) } else { Err(format!("a list of at least {LEAST}")) }
    }
}

impl<T, const LEAST: usize> Deref for Several<T, LEAST> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}
