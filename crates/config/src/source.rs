//! Texts that settings come from, and places in them.

use super::shown::{one_line, printable};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// So many characters of a line are shown: those around the place.
const MOST_SHOWN: usize = 160;
/// So many characters of a name or a path are.
const MOST_OF_NAME: usize = 400;

/// A text that settings come from: a file, or an option of the command line.
#[derive(PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    /// Where its lines begin.
    lines: Vec<usize>,
    /// Where a program made it: at which place stands the value of which path, in the order of the places.
    paths: Vec<(Range<usize>, String)>,
}

impl Source {
    /// A text under the name by which its author knows it, such as the path as it was typed.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        let text: String = text.into();
        // A byte order mark is no part of the first line: columns count what an editor shows.
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(line_break, _)| line_break + 1)).collect();
        Arc::new(Self { name: name.into(), text, lines, paths: Vec::new() })
    }

    /// The same text, whose places are told as paths.
    pub(super) fn with_paths(&self, paths: Vec<(Range<usize>, String)>) -> Arc<Self> {
        Arc::new(Self { name: self.name.clone(), text: self.text.clone(), lines: self.lines.clone(), paths })
    }

    /// The name as it was typed.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The nearest place at or before `offset` where a character begins.
    fn character_at(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// What is shown of a place: its line, or where a program made the settings, the value there with its key, since a line may hold
    /// whole tables.
    fn excerpt_around(&self, offset: usize) -> Range<usize> {
        let line = self.line_around(offset);
        let behind = self.paths.partition_point(|(place, _)| place.start <= offset);
        let Some((_, path)) = behind.checked_sub(1).and_then(|last| self.paths.get(last)) else { return line };
        let places = || self.paths.iter().filter(|(_, known)| known == path).map(|(place, _)| place);
        let start = places().map(|place| place.start).min().unwrap_or(line.start);
        let end = places().map(|place| place.end).max().unwrap_or(line.end);
        start.clamp(line.start, line.end)..end.clamp(line.start, line.end)
    }

    /// Where the line around `offset` begins and ends, without its line break.
    fn line_around(&self, offset: usize) -> Range<usize> {
        let next = self.lines.partition_point(|start| *start <= offset);
        let start = next.checked_sub(1).map_or(0, |line| self.lines[line]);
        let end = self.lines.get(next).map_or(self.text.len(), |next| next - 1);
        let line = self.text[start..end].trim_end_matches('\r');
        start..start + line.len()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Source({:?}, {} octets)", self.name, self.text.len())
    }
}

/// A line and a column of a text, both counted from 1; columns count characters, not octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character of the line.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.line, self.column)
    }
}

/// Where something was written.
///
/// A span that is out of the text, or cuts a character in two, is moved to the nearest place that exists: an origin
/// built by hand never makes a report fail.
#[derive(Clone, PartialEq, Eq)]
pub struct Origin {
    /// The text it stands in.
    pub source: Arc<Source>,
    /// The octets of the text that hold the value; `0..0` stands for the text as a whole.
    pub span: Range<usize>,
    /// The octets that hold the value's key, where it has one.
    pub key_span: Option<Range<usize>>,
}

impl Origin {
    /// The text as a whole.
    #[must_use]
    pub fn whole(source: &Arc<Source>) -> Self {
        Self { source: Arc::clone(source), span: 0..0, key_span: None }
    }

    /// The value at a path of settings that a program made.
    #[must_use]
    pub fn of_path(source: &Arc<Source>, path: &str) -> Option<Self> {
        let (span, _) = source.paths.iter().rfind(|(_, known)| known == path)?;
        Some(Self { source: Arc::clone(source), span: span.clone(), key_span: None })
    }

    /// The place of the key; that of the value where there is no key.
    #[must_use]
    pub fn of_key(&self) -> Self {
        Self { span: self.key_span.clone().unwrap_or_else(|| self.span.clone()), ..self.clone() }
    }

    /// The key as it was written, without its quotes.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        let span = self.key_span.as_ref()?;
        let key = self.source.text.get(span.clone())?;
        Some(key.trim_matches(['"', '\'']))
    }

    /// The path of the value that stands there, where a program made the settings; empty for all of them.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        let paths = &self.source.paths;
        let behind = paths.partition_point(|(place, _)| place.start <= self.span.start);
        paths.get(behind.checked_sub(1)?).map(|(_, path)| path.as_str())
    }

    /// Where the value begins.
    #[must_use]
    pub fn position(&self) -> Position {
        let start = self.source.character_at(self.span.start);
        let line = self.source.line_around(start);
        let line_number = self.source.lines.partition_point(|begin| *begin <= start);
        // Past the end of a line lies its line break, which may be two characters: the column stays behind the text.
        let column = self.source.text[line.start..start.min(line.end)].chars().count() + 1;
        Position { line: line_number, column }
    }

    /// The first line of the place, as much of it as a terminal shows, and, below it, a mark under the place; nothing where the
    /// whole text is meant.
    pub(super) fn excerpt(&self) -> Option<(String, String)> {
        if self.span == (0..0) {
            return None;
        }
        let line = self.source.excerpt_around(self.span.start);
        let start = self.source.character_at(self.span.start).min(line.end);
        let end = self.source.character_at(self.span.end).clamp(start, line.end);
        let text = self.source.text.as_str();
        if text[line.clone()].trim().is_empty() {
            return None;
        }
        let characters: Vec<char> = text[line.clone()].chars().collect();
        let column = text[line.start..start].chars().count();
        let first = column.saturating_sub(MOST_SHOWN / 2).min(characters.len().saturating_sub(MOST_SHOWN));
        let last = characters.len().min(first + MOST_SHOWN);
        let marked_to = (column + text[start..end].chars().count()).min(last);
        let shown = |part: Range<usize>| printable(&characters[part].iter().collect::<String>()).into_owned();
        let (before, marked, behind) = (shown(first..column), shown(column..marked_to), shown(marked_to..last));
        let cut = |is_cut: bool| if is_cut { "…" } else { "" };
        let (cut_before, cut_behind) = (cut(first > 0), cut(last < characters.len()));
        // A tab stays a tab, so that the mark stands under the place however wide the reader's tabs are.
        let blank = |character: char| if character == '\t' { '\t' } else { ' ' };
        let mut mark: String = cut_before.chars().chain(before.chars()).map(blank).collect();
        mark.push_str(&"^".repeat(marked.chars().count().max(1)));
        Some((format!("{cut_before}{before}{marked}{behind}{cut_behind}"), mark))
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self}")
    }
}

/// Prints file, line and column, `bad.toml:2:1`; the path where nobody wrote lines.
impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path() {
            None => write!(out, "{}:{}", one_line(&self.source.name, MOST_OF_NAME), self.position()),
            Some("") => out.write_str(&one_line(&self.source.name, MOST_OF_NAME)),
            Some(path) => out.write_str(&one_line(path, MOST_OF_NAME)),
        }
    }
}
