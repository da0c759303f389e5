//! `rows.csv`: RFC 4180 with line feeds, a header line, numbers as the shortest decimal that reads back the same.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::str::FromStr;
use std::sync::Arc;

use super::column::names;
use super::{COLUMNS, Row};

/// Why a text is not a table of rows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowsError {
    /// The first line does not name the columns, or not in their order.
    #[error("line 1: expected the columns {}", names().join(","))]
    Header,
    /// A record has too few or too many fields.
    #[error("line {line}: {found} fields where {} are expected", COLUMNS.len())]
    Width {
        /// Where the record begins; the header is line 1.
        line: usize,
        /// How many fields it has.
        found: usize,
    },
    /// A field of a column of numbers is no number of that kind.
    #[error("line {line}: {text:?} is not a valid {column}")]
    Number {
        /// Where the record begins.
        line: usize,
        /// The column's name.
        column: &'static str,
        /// What stands there.
        text: String,
    },
    /// A quoted field does not end, or goes on after its closing quote.
    #[error("line {line}: a quoted field is not closed before the comma or the end of the line")]
    Quote {
        /// Where the record begins.
        line: usize,
    },
}

/// Writes the header and the rows.
///
/// # Errors
///
/// Those of `output`.
pub fn write_csv<'a>(rows: impl IntoIterator<Item = &'a Row>, mut output: impl io::Write) -> io::Result<()> {
    writeln!(output, "{}", names().join(","))?;
    for row in rows {
        let [paper, app, errors, beside] = [&row.paper, &row.app, &row.errors, &row.beside].map(|word| quoted(word));
        let [scheme, variant, metric] = [&row.scheme, &row.variant, &row.metric].map(|word| quoted(word));
        let Row { rate_bps, connections, point, replication, value, .. } = row;
        write!(output, "{paper},{app},{errors},{beside},{rate_bps},{connections},{point},")?;
        writeln!(output, "{scheme},{variant},{replication},{metric},{value}")?;
    }
    Ok(())
}

/// Reads what [`write_csv`] wrote; carriage returns before line feeds are allowed.
///
/// # Errors
///
/// The first fault found, with its line.
pub fn read_csv(text: &str) -> Result<Vec<Row>, RowsError> {
    let mut records = Records { rest: text, line: 1 };
    let header = records.next().ok_or(RowsError::Header)??;
    if header.fields != names() {
        return Err(RowsError::Header);
    }
    let mut words = Words::default();
    records.map(|record| record?.into_row(&mut words)).collect()
}

/// The field as it stands in the file.
pub fn quoted(field: &str) -> Cow<'_, str> {
    if field.contains(['"', ',', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}

/// Gives equal words the same allocation.
#[derive(Default)]
struct Words(BTreeSet<Arc<str>>);

impl Words {
    fn share(&mut self, word: &str) -> Arc<str> {
        if let Some(known) = self.0.get(word) {
            return Arc::clone(known);
        }
        let word: Arc<str> = word.into();
        self.0.insert(Arc::clone(&word));
        word
    }
}

/// One record and the line on which it begins.
struct Record<'a> {
    line: usize,
    fields: Vec<Cow<'a, str>>,
}

impl Record<'_> {
    fn into_row(self, words: &mut Words) -> Result<Row, RowsError> {
        if self.fields.len() != COLUMNS.len() {
            return Err(RowsError::Width { line: self.line, found: self.fields.len() });
        }
        let mut word = |column: usize| words.share(&self.fields[column]);
        Ok(Row {
            paper: word(0),
            app: word(1),
            errors: word(2),
            beside: word(3),
            rate_bps: self.number(4)?,
            connections: self.number(5)?,
            point: self.number(6)?,
            scheme: word(7),
            variant: word(8),
            replication: self.number(9)?,
            metric: word(10),
            value: self.number(11)?,
        })
    }

    fn number<N: FromStr>(&self, column: usize) -> Result<N, RowsError> {
        let text = &self.fields[column];
        text.parse().map_err(|_| RowsError::Number {
            line: self.line,
            column: COLUMNS[column].name,
            text: text.clone().into_owned(),
        })
    }
}

/// Cuts a text into records.
struct Records<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, RowsError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let line = self.line;
        let mut fields = Vec::with_capacity(COLUMNS.len());
        loop {
            let Some(field) = self.take_field() else {
                self.rest = "";
                return Some(Err(RowsError::Quote { line }));
            };
            fields.push(field);
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
            } else {
                self.rest = without_line_end(self.rest).unwrap_or_default();
                self.line += 1;
                return Some(Ok(Record { line, fields }));
            }
        }
    }
}

impl<'a> Records<'a> {
    /// The next field, leaving the comma or line end behind it; `None` where quotes do not match.
    fn take_field(&mut self) -> Option<Cow<'a, str>> {
        let Some(mut inside) = self.rest.strip_prefix('"') else {
            let end = self.rest.find([',', '\n']).unwrap_or(self.rest.len());
            let (field, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Some(Cow::Borrowed(field.strip_suffix('\r').unwrap_or(field)));
        };
        let mut field = String::new();
        loop {
            let (part, rest) = inside.split_once('"')?;
            field.push_str(part);
            let Some(after_pair) = rest.strip_prefix('"') else {
                self.rest = rest;
                break;
            };
            field.push('"');
            inside = after_pair;
        }
        self.line += field.matches('\n').count();
        let closed = self.rest.is_empty() || self.rest.starts_with(',') || without_line_end(self.rest).is_some();
        closed.then_some(Cow::Owned(field))
    }
}

/// What follows the line end with which `text` begins.
fn without_line_end(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n'))
}
