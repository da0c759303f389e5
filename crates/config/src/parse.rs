//! From TOML text to a tree; every mistake of syntax is told, not only the first.

use std::collections::BTreeSet;
use std::num::IntErrorKind;
use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

use super::mistakes::{Mistake, Mistakes};
use super::node::{Node, Value};
use super::shown::is_obeyed;
use super::source::{Origin, Source};

/// Reads a text as a tree and adds what is wrong with it to `mistakes`.
///
/// After some mistakes what was meant is still clear: text without its quotes, a key given twice. Then the tree is
/// returned all the same, so that the rest of it can be checked too. `None` when it is anybody's guess.
#[must_use]
pub fn parse(source: &Arc<Source>, mistakes: &mut Mistakes) -> Option<Node> {
    let (document, mut errors) = DeTable::parse_recoverable(source.text());
    errors.sort_by_key(|error| error.span().map(|at| at.start));
    let mut builder = Builder { source, errors: &errors, unquoted: Vec::new(), mistakes };
    let value = builder.table(document.into_inner());
    let mut clear = true;
    let root = Node { value, origin: Origin::whole(source) };
    let mut keys = BTreeSet::new();
    if !errors.is_empty() {
        collect_keys(&root, &mut keys);
    }
    for error in &errors {
        clear &= builder.tell(error, &keys);
    }
    clear.then_some(root)
}

struct Builder<'a> {
    source: &'a Arc<Source>,
    errors: &'a [toml::de::Error],
    /// Values that are text without quotes.
    unquoted: Vec<Range<usize>>,
    mistakes: &'a mut Mistakes,
}

impl Builder<'_> {
    /// Tells an error of the parser, in its words unless ours help more. Whether it is clear what was meant.
    fn tell(&mut self, error: &toml::de::Error, keys: &BTreeSet<&str>) -> bool {
        let span = error.span().unwrap_or_default();
        let text = self.source.text();
        if let Some(value) = self.unquoted.iter().find(|value| is_within(&span, value)).cloned() {
            let written = &text[value.clone()];
            self.push(value, format!("`{written}` needs quotes"), Some(format!("write {written:?}")));
            return true;
        }
        let written = text.get(span.clone()).unwrap_or_default();
        // Only a key that stands twice is a complaint about a whole key; the first of the two is kept.
        if keys.contains(written) {
            self.push(span, format!("`{written}` is given twice"), None);
            return true;
        }
        let before = text.get(..span.start).unwrap_or_default().trim_end_matches([' ', '\t']);
        let message = match error.message() {
            _ if before.ends_with('=') && written.trim().is_empty() => "the value is missing",
            // The parser follows 80 levels.
            limit if limit.contains("recurs") => "this is nested too deeply",
            other => other,
        };
        self.push(span, message.to_owned(), None);
        false
    }

    fn push(&mut self, span: Range<usize>, message: String, help: Option<String>) {
        let origin = Origin { source: Arc::clone(self.source), span, key_span: None };
        self.mistakes.push(Mistake { origin, message, help });
    }

    /// What is written in place of a value, if the parser complains about it and it is text without quotes: `5.4 %`, `fig3`.
    fn text_without_quotes(&self, span: &Range<usize>) -> Option<String> {
        let text = self.source.text().get(span.clone())?;
        (self.has_error(span) && is_words(text)).then(|| text.to_owned())
    }

    /// Whether the parser complains about something within a value.
    fn has_error(&self, value: &Range<usize>) -> bool {
        let first = self.errors.partition_point(|error| error.span().is_none_or(|at| at.start < value.start));
        self.errors.get(first).and_then(toml::de::Error::span).is_some_and(|at| is_within(&at, value))
    }

    fn table(&mut self, table: DeTable<'_>) -> Value {
        let mut entries: Vec<_> = table.into_iter().collect();
        // The parser sorts by name; the author's order is that of the keys' places.
        entries.sort_by_key(|(key, _)| key.span().start);
        let entries = entries.into_iter().map(|(key, value)| {
            let span = key.span();
            let origin = Origin { source: Arc::clone(self.source), span: span.clone(), key_span: None };
            self.refuse_control_characters(key.get_ref(), &origin, "this key");
            (key.into_inner().into_owned(), self.node(value, Some(span)))
        });
        Value::Table(entries.collect())
    }

    fn node(&mut self, value: Spanned<DeValue<'_>>, key_span: Option<Range<usize>>) -> Node {
        let origin = Origin { source: Arc::clone(self.source), span: value.span(), key_span };
        let is_plain = !matches!(value.get_ref(), DeValue::Array(_) | DeValue::Table(_));
        if let Some(text) = self.text_without_quotes(&origin.span).filter(|_| is_plain) {
            self.unquoted.push(origin.span.clone());
            return Node::text(text, origin);
        }
        let value = match value.into_inner() {
            DeValue::String(text) => {
                self.refuse_control_characters(&text, &origin, "this text");
                Value::Text(text.into_owned())
            }
            DeValue::Integer(number) => self.integer(&number, &origin),
            DeValue::Float(number) => self.float(&number, &origin),
            DeValue::Boolean(value) => Value::Boolean(value),
            DeValue::Datetime(value) => Value::DateTime(value.to_string()),
            DeValue::Array(values) => Value::Array(values.into_iter().map(|value| self.node(value, None)).collect()),
            DeValue::Table(table) => self.table(table),
        };
        Node { value, origin }
    }

    /// Names and titles are printed: what a terminal obeys must not be among them. Lines may be broken.
    fn refuse_control_characters(&mut self, text: &str, origin: &Origin, what: &str) {
        let found = text.chars().find(|found| is_obeyed(*found) && !matches!(found, '\n' | '\r' | '\t'));
        if let Some(found) = found {
            let message = format!("{what} has the control character U+{:04X}", u32::from(found));
            self.push(origin.span.clone(), message, Some("leave it out: results are shown on terminals".to_owned()));
        }
    }

    fn integer(&mut self, number: &DeInteger<'_>, origin: &Origin) -> Value {
        let value = i64::from_str_radix(number.as_str(), number.radix());
        if let Err(error) = &value {
            let too_large = matches!(error.kind(), IntErrorKind::PosOverflow | IntErrorKind::NegOverflow);
            self.not_a_number(origin, too_large);
        }
        Value::Integer(value.unwrap_or_default())
    }

    fn float(&mut self, number: &DeFloat<'_>, origin: &Origin) -> Value {
        let value = number.as_str().parse::<f64>();
        let too_large = value.as_ref().is_ok_and(|value| value.is_infinite()) && !number.as_str().contains("inf");
        if value.is_err() || too_large {
            self.not_a_number(origin, too_large);
        }
        Value::Float(value.unwrap_or_default())
    }

    /// Tells of a number that the parser let pass; where it has complained itself, that will do.
    fn not_a_number(&mut self, origin: &Origin, too_large: bool) {
        if !self.has_error(&origin.span) {
            let message = if too_large { "this number is too large" } else { "this is not a number" };
            self.push(origin.span.clone(), message.to_owned(), None);
        }
    }
}

/// All keys, as they were written.
fn collect_keys<'a>(node: &'a Node, keys: &mut BTreeSet<&'a str>) {
    keys.extend(node.origin.key_span.clone().and_then(|span| node.origin.source.text().get(span)));
    match &node.value {
        Value::Table(table) => table.iter().for_each(|(_, node)| collect_keys(node, keys)),
        Value::Array(nodes) => nodes.iter().for_each(|node| collect_keys(node, keys)),
        _ => {}
    }
}

/// Whether an error's place lies in a value; just behind it is outside.
fn is_within(place: &Range<usize>, value: &Range<usize>) -> bool {
    value.start <= place.start && place.start < value.end && place.end <= value.end
}

/// Whether something without quotes is rather words than a number or a boolean with a slip in it.
fn is_words(text: &str) -> bool {
    let lower = text.to_lowercase();
    let constant = ["true", "false", "inf", "nan"].contains(&lower.trim_start_matches(['+', '-']));
    let begins_otherwise = ["\"", "'", "0x", "0o", "0b"].iter().any(|start| lower.starts_with(start));
    // An `e` alone may be an exponent.
    let has_words = lower.chars().any(|character| character == '%' || (character.is_alphabetic() && character != 'e'));
    has_words && !constant && !begins_otherwise
}
