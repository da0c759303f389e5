//! Python's values as settings: dictionaries, lists, texts and numbers, into the tree that TOML is read into.

use crate::mistakes;
use arqway_config::{Mistake, Mistakes, Node, Origin, Source, Table, Value, path_of_item, path_of_key, read_source};
use arqway_lab::experiment::GRAMMARS;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyMapping, PyString};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// How deep dictionaries and lists may lie in each other: no setting lies half as deep.
const DEEPEST: usize = 32;

/// Values as a text that is read like any other, and what no text can say.
pub(crate) fn to_source(name: &str, values: &Bound<'_, PyDict>) -> PyResult<(Arc<Source>, Mistakes)> {
    let mut reader = Reader { nowhere: Source::new(name, ""), wrong: Vec::new() };
    let tree = reader.node(values.as_any(), "", 0)?;
    let source = Source::of_values(name, &tree);
    let mut mistakes = Mistakes::new();
    mistakes.extend(reader.wrong.into_iter().map(|Wrong { path, message, help }| {
        let origin = Origin::of_path(&source, &path).unwrap_or_else(|| Origin::whole(&source));
        Mistake { origin, message, help: Some(help) }
    }));
    Ok((source, mistakes))
}

/// What was found wrong with values when they were turned into text, then with the text; of one place only the first, since
/// what stands there in its stead is not the user's.
pub(crate) fn merge(mut before: Mistakes, then: Mistakes) -> Mistakes {
    let places: Vec<String> = before.iter().map(|mistake| mistake.origin.to_string()).collect();
    before.extend(then.into_iter().filter(|mistake| !places.contains(&mistake.origin.to_string())));
    before
}

/// Values as a type.
pub(crate) fn read<T: DeserializeOwned + JsonSchema + 'static>(
    py: Python<'_>,
    name: &str,
    values: &Bound<'_, PyDict>,
) -> PyResult<T> {
    let (source, before) = to_source(name, values)?;
    let read = match read_source(&source, GRAMMARS) {
        Ok(value) => before.into_result(value),
        Err(found) => Err(merge(before, found)),
    };
    read.map_err(|mistakes| mistakes::exception(py, &mistakes))
}

/// Adds settings given as keywords, which cannot have the `-` of settings.
pub(crate) fn add_keywords(settings: &Bound<'_, PyDict>, keywords: &Bound<'_, PyDict>) -> PyResult<()> {
    keywords.iter().try_for_each(|(key, value)| settings.set_item(key.extract::<String>()?.replace('_', "-"), value))
}

/// A value that is no setting.
struct Wrong {
    path: String,
    message: String,
    help: String,
}

struct Reader {
    /// The tree is printed, and read again: where its nodes are said to stand does not matter.
    nowhere: Arc<Source>,
    wrong: Vec<Wrong>,
}

impl Reader {
    fn node(&mut self, value: &Bound<'_, PyAny>, path: &str, depth: usize) -> PyResult<Node> {
        let value = match self.value(value, path, depth)? {
            Ok(value) => value,
            Err(Unfit { message, help }) => {
                self.wrong.push(Wrong { path: path.to_owned(), message, help: help.to_owned() });
                Value::Text(String::new())
            }
        };
        Ok(Node::new(value, Origin::whole(&self.nowhere)))
    }

    fn value(&mut self, value: &Bound<'_, PyAny>, path: &str, depth: usize) -> PyResult<Result<Value, Unfit>> {
        if depth > DEEPEST {
            return Ok(Err(Unfit::new(
                "this is nested too deeply",
                "no setting is nested so deeply; does something contain itself?",
            )));
        }
        if let Ok(truth) = value.cast::<PyBool>() {
            return Ok(Ok(Value::Boolean(truth.is_true())));
        }
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Ok(Value::Text(text.to_str()?.to_owned())));
        }
        if let Ok(mapping) = value.cast::<PyMapping>() {
            return self.table(mapping, path, depth).map(|table| Ok(Value::Table(table)));
        }
        // Before numbers: an array of one is both.
        if value.hasattr("__getitem__")? && !value.hasattr("decode")? && value.len().is_ok() {
            let items = value.try_iter()?.enumerate();
            let items = items.map(|(index, item)| self.node(&item?, &path_of_item(path, index), depth + 1));
            return items.collect::<PyResult<Vec<_>>>().map(|items| Ok(Value::Array(items)));
        }
        if value.hasattr("__index__")? {
            match value.extract::<i64>() {
                Ok(number) => return Ok(Ok(Value::Integer(number))),
                Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
                    return Ok(Err(Unfit::new("this number is too large", "numbers have at most 64 bits")));
                }
                // An array without an extent, of what is no whole number, has the method all the same.
                Err(_) => {}
            }
        }
        if value.hasattr("__float__")? {
            return value.extract::<f64>().map(|number| Ok(Value::Float(number)));
        }
        if value.hasattr("__fspath__")? {
            return value.call_method0("__fspath__")?.extract::<String>().map(|text| Ok(Value::Text(text)));
        }
        let message = format!("`{}` is not a setting", value.repr()?);
        let help = if value.is_none() {
            "leave the key out"
        } else {
            "expected a string, a number, True or False, a list or a dict"
        };
        Ok(Err(Unfit::new(&message, help)))
    }

    fn table(&mut self, mapping: &Bound<'_, PyMapping>, path: &str, depth: usize) -> PyResult<Table> {
        let mut table = Table::new();
        for item in mapping.items()? {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let Ok(key) = key.cast::<PyString>() else {
                let message = format!("the key `{}` is not a string", key.repr()?);
                let help = "names of settings are strings".to_owned();
                self.wrong.push(Wrong { path: path.to_owned(), message, help });
                continue;
            };
            let key = key.to_str()?;
            let node = self.node(&value, &path_of_key(path, key), depth + 1)?;
            table.insert(key.to_owned(), node);
        }
        Ok(table)
    }
}

/// Why a value is no setting.
struct Unfit {
    message: String,
    help: &'static str,
}

impl Unfit {
    fn new(message: &str, help: &'static str) -> Self {
        Self { message: message.to_owned(), help }
    }
}
