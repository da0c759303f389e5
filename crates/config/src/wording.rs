//! serde's words for what it expects and finds, in the words of those who write settings.

use serde::de::{Expected, Unexpected};

/// What a type expects: `u8` becomes "a whole number from 0 to 255".
pub(super) fn expected(expected: &dyn Expected) -> String {
    let words = expected.to_string();
    let (number, from) = match words.strip_prefix("a nonzero ") {
        Some(number) => (number, 1),
        None => (words.as_str(), 0),
    };
    let list = ["a tuple of size ", "an array of length "].into_iter().find_map(|start| words.strip_prefix(start));
    if let Some(length) = list {
        return format!("a list of {length}");
    }
    let plain = match number {
        "u8" => return format!("a whole number from {from} to {}", u8::MAX),
        "u16" => return format!("a whole number from {from} to {}", u16::MAX),
        "u32" => return format!("a whole number from {from} to {}", u32::MAX),
        "u64" | "usize" => return format!("a whole number, {from} or more"),
        "i8" => return format!("a whole number from {} to {}", i8::MIN, i8::MAX),
        "i16" => return format!("a whole number from {} to {}", i16::MIN, i16::MAX),
        "i32" => return format!("a whole number from {} to {}", i32::MIN, i32::MAX),
        "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "text",
        "a character" => "a single character",
        "a sequence" => "a list",
        "a map" => "a table",
        words if words.starts_with("struct ") => "a table",
        _ => return words,
    };
    plain.to_owned()
}

/// What was written instead.
pub(super) fn found(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Float(number) => format!("{number:?}"),
        Unexpected::Char(character) => format!("{character:?}"),
        Unexpected::Str(text) => format!("text {text:?}"),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}

/// The example that a type gives in the words for what it expects: the part in quotes of `a rate with its unit, such
/// as "64 kbit/s"`.
pub(super) fn example(expected: &str) -> Option<&str> {
    let (_, example) = expected.split_once("such as \"")?;
    example.split_once('"').map(|(example, _)| example)
}

/// A line of help for a key that is missing.
pub(super) fn instance(key: &str, expected: &str) -> String {
    match example(expected) {
        Some(example) => format!("for instance `{key} = \"{example}\"`"),
        None => format!("`{key}` is {expected}"),
    }
}
