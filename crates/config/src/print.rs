//! From a tree to TOML text, always the same for the same tree.

use std::fmt::{self, Write};

use super::node::{Node, Table, Value};

impl Node {
    /// The tree as TOML: plain values first, then each table of the top under its `[header]`, each list of tables
    /// under `[[header]]`s; what lies deeper stands in braces. Keys keep their order. A node that is no table is
    /// printed as a value.
    #[must_use]
    pub fn to_toml_text(&self) -> String {
        let Some(table) = self.as_table() else { return Inline(self).to_string() };
        let mut text = String::new();
        write_document(&mut text, table).expect("writing to a string cannot fail");
        text
    }
}

fn write_document(out: &mut String, table: &Table) -> fmt::Result {
    let plain = |node: &Node| node.as_table().is_none() && !is_list_of_tables(node);
    write_lines(out, table.iter().filter(|(_, node)| plain(node)))?;
    for (key, node) in table.iter().filter(|(_, node)| !plain(node)) {
        let (open, close) = if is_list_of_tables(node) { ("[[", "]]") } else { ("[", "]") };
        for section in node.as_array().unwrap_or(std::slice::from_ref(node)) {
            let blank = if out.is_empty() { "" } else { "\n" };
            writeln!(out, "{blank}{open}{}{close}", Key(key))?;
            write_lines(out, section.as_table().into_iter().flat_map(Table::iter))?;
        }
    }
    Ok(())
}

fn write_lines<'a>(out: &mut String, mut entries: impl Iterator<Item = (&'a String, &'a Node)>) -> fmt::Result {
    entries.try_for_each(|(key, node)| writeln!(out, "{} = {}", Key(key), Inline(node)))
}

fn is_list_of_tables(node: &Node) -> bool {
    node.as_array().is_some_and(|nodes| !nodes.is_empty() && nodes.iter().all(|node| node.as_table().is_some()))
}

/// A key, in quotes where TOML asks for them.
struct Key<'a>(&'a str);

impl fmt::Display for Key<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !self.0.is_empty() && self.0.chars().all(bare) { out.write_str(self.0) } else { Quoted(self.0).fmt(out) }
    }
}

/// Text in quotes.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' => out.write_str("\\\"")?,
                '\\' => out.write_str("\\\\")?,
                '\n' => out.write_str("\\n")?,
                '\r' => out.write_str("\\r")?,
                '\t' => out.write_str("\\t")?,
                control if control.is_control() => write!(out, "\\u{:04X}", u32::from(control))?,
                other => out.write_char(other)?,
            }
        }
        out.write_char('"')
    }
}

/// A value on one line.
struct Inline<'a>(&'a Node);

impl fmt::Display for Inline<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.value {
            Value::Text(text) => Quoted(text).fmt(out),
            Value::Integer(number) => number.fmt(out),
            Value::Float(number) if number.is_nan() => out.write_str("nan"),
            // Debug, because it always shows a point or an exponent: 3.0 must not read back as a whole number.
            Value::Float(number) => write!(out, "{number:?}"),
            Value::Boolean(value) => value.fmt(out),
            Value::DateTime(text) => out.write_str(text),
            Value::Array(nodes) => {
                out.write_char('[')?;
                separated(out, nodes.iter(), |out, node| Inline(node).fmt(out))?;
                out.write_char(']')
            }
            Value::Table(table) if table.is_empty() => out.write_str("{}"),
            Value::Table(table) => {
                out.write_str("{ ")?;
                separated(out, table.iter(), |out, (key, node)| write!(out, "{} = {}", Key(key), Inline(node)))?;
                out.write_str(" }")
            }
        }
    }
}

/// Writes items with commas between them.
fn separated<I: Iterator>(
    out: &mut fmt::Formatter<'_>,
    items: I,
    write_item: impl Fn(&mut fmt::Formatter<'_>, I::Item) -> fmt::Result,
) -> fmt::Result {
    for (number, item) in items.enumerate() {
        if number > 0 {
            out.write_str(", ")?;
        }
        write_item(out, item)?;
    }
    Ok(())
}
