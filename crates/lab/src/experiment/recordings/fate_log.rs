//! What became of each frame of an emulated link, as `arqway emulate --log` writes it.
//!
//! ```text
//!     # what was emulated
//!     direction,frame,octets,offered_s,start_s,arrival_s,copy_s,fate,lateness_s
//!     down,0,1400,0.000000000,0.000000000,0.270560000,,delivered,0.000031000
//!     down,,1400,0.000100000,,,,queue-full,
//!     down,1,1400,0.000200000,0.000560000,,,lost,
//! ```
//!
//! Rows stand in any order; `frame` counts those that went out in a direction, so what the queue dropped has none.

use super::{mistake, origin};
use arqway_config::{Mistake, Node, Source, did_you_mean};
use arqway_sim::channel::Direction;
use csv::{ErrorKind, Position, StringRecord};
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

const HEADER: &str = "direction,frame,octets,offered_s,start_s,arrival_s,copy_s,fate,lateness_s";
// The columns that say which frames a channel loses.
const DIRECTION: usize = 0;
const FRAME: usize = 1;
const FATE: usize = 7;

/// A frame that went out.
struct Sent {
    number: u64,
    is_lost: bool,
    /// Where its number stands.
    place: Range<usize>,
}

/// The first line of a text that is neither a comment nor blank.
pub(super) fn header(text: &str) -> &str {
    text.lines().find(|line| !is_before_header(line)).unwrap_or_default()
}

fn is_before_header(line: &str) -> bool {
    line.starts_with('#') || line.trim().is_empty()
}

/// The fates of the frames that went out in one direction, in their order, as a recording of losses.
pub(super) fn losses(source: &Arc<Source>, direction: Direction) -> Result<Node, Mistake> {
    let text = source.text();
    let start: usize = text.split_inclusive('\n').take_while(|line| is_before_header(line)).map(str::len).sum();
    let (header, table) = (header(text), &text[start..]);
    let of_header = start..start + header.len();
    if header != HEADER {
        let mistake = mistake(source, of_header, "this is not the header of a fate log");
        return Err(mistake.help(format!("expected {HEADER}")));
    }
    let mut sent = Vec::new();
    // Without quotes a cell stands where its length says.
    for record in csv::ReaderBuilder::new().quoting(false).from_reader(table.as_bytes()).records() {
        let record = record.map_err(|error| unreadable(source, start, &error))?;
        let row = Row { source, start: row_start(text, start, record.position()), record };
        sent.extend(row.sent(direction.name())?);
    }
    sent.sort_by_key(|sent| sent.number);
    if sent.is_empty() {
        return Err(mistake(source, of_header, format!("no frame went out in the direction `{}`", direction.name())));
    }
    for (expected, sent) in (0..).zip(&sent) {
        if sent.number != expected {
            let is_second = sent.number < expected;
            let message = if is_second {
                format!("a second row of frame {}", sent.number)
            } else {
                format!("frame {expected} is missing")
            };
            let help = "expected one row for each frame that went out, counted from 0 in each direction";
            return Err(mistake(source, sent.place.clone(), message).help(help));
        }
    }
    let mut runs = String::new();
    for run in sent.chunk_by(|one, next| one.is_lost == next.is_lost) {
        let _ = write!(runs, "{}*{} ", u8::from(run[0].is_lost), run.len());
    }
    Ok(Node::text(runs, origin(source, of_header)))
}

/// Where the row stands that is read at a position of the table.
fn row_start(text: &str, table: usize, position: Option<&Position>) -> usize {
    let start = position.and_then(|position| usize::try_from(position.byte()).ok()).map_or(table, |byte| table + byte);
    let blank = text[start..].len() - text[start..].trim_start_matches(['\r', '\n']).len();
    start + blank
}

fn unreadable(source: &Arc<Source>, table: usize, error: &csv::Error) -> Mistake {
    let start = row_start(source.text(), table, error.position());
    let message = match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => format!("{len} cells; the header has {expected_len}"),
        _ => error.to_string(),
    };
    let line = source.text()[start..].lines().next().unwrap_or_default();
    mistake(source, start..start + line.len(), message)
}

/// A row, and where it begins.
struct Row<'source> {
    source: &'source Arc<Source>,
    start: usize,
    record: StringRecord,
}

impl Row<'_> {
    /// The frame of this row, if it went out in this direction.
    fn sent(&self, direction: &str) -> Result<Option<Sent>, Mistake> {
        let is_wanted = self.one_of(DIRECTION, "a direction", &["down", "up"])? == direction;
        let is_lost = match self.one_of(FATE, "a fate", &["delivered", "lost", "outage", "queue-full"])? {
            "delivered" => false,
            "queue-full" => return Ok(None),
            _ => true,
        };
        if !is_wanted {
            return Ok(None);
        }
        let number = self.record[FRAME].parse().map_err(|_| {
            let help = "expected a whole number, counted from 0 among the frames that went out in this direction";
            self.mistake(FRAME, "the number of a frame").help(help)
        })?;
        Ok(Some(Sent { number, is_lost, place: self.place(FRAME) }))
    }

    fn one_of(&self, column: usize, what: &str, known: &[&str]) -> Result<&str, Mistake> {
        let cell = &self.record[column];
        if known.contains(&cell) { Ok(cell) } else { Err(self.mistake(column, what).help(did_you_mean(cell, known))) }
    }

    fn mistake(&self, column: usize, what: &str) -> Mistake {
        mistake(self.source, self.place(column), format!("`{}` is not {what}", &self.record[column]))
    }

    /// Where a cell stands.
    fn place(&self, column: usize) -> Range<usize> {
        let before: usize = self.record.iter().take(column).map(|cell| cell.len() + 1).sum();
        let start = self.start + before;
        start..start + self.record[column].len()
    }
}
