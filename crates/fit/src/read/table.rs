//! A table of frames, as comma-separated values with a header.
//!
//! ```text
//!     sent,arrived,octets          or        sent,lost
//!     0.00000,0.08125,250                    0.00000,0
//!     0.03125,,250                           0.03125,1
//! ```
//!
//! `sent` and `arrived` are seconds of any clock; a frame that never arrived has nothing there. Columns of other names are
//! left alone, and lines may stand in any order: frames are taken in the order in which they were sent.

use crate::frames::{Fate, Frames, SentFrame};
use arqway_config::suggest;
use arqway_units::{Octets, Time};
use csv::StringRecord;
use std::fmt;

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// It has lines that are wrong.
    #[error("{}", listed(.0))]
    Mistakes(Vec<TableMistake>),
    /// It has no frames.
    #[error("{0} has a header and no frames")]
    Empty(String),
}

/// Something that is wrong in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableMistake {
    /// The file.
    pub file: String,
    /// Its line, counted from 1.
    pub line: u64,
    /// What is wrong and what was expected.
    pub text: String,
}

impl fmt::Display for TableMistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.file, self.line, self.text)
    }
}

fn listed(mistakes: &[TableMistake]) -> String {
    let mut text: Vec<String> = mistakes.iter().take(MOST_MISTAKES).map(ToString::to_string).collect();
    if mistakes.len() > MOST_MISTAKES {
        text.push("and more like these".to_owned());
    }
    text.join("\n")
}

/// More are not told.
const MOST_MISTAKES: usize = 10;
/// No frame is longer; a column of something else would be.
const LONGEST_FRAME: u64 = 1 << 24;

/// Where the columns are.
struct Columns {
    sent: usize,
    fate: FateColumn,
    octets: Option<usize>,
}

#[derive(Clone, Copy)]
enum FateColumn {
    Arrived(usize),
    Lost(usize),
}

/// A line: when it was sent in nanoseconds of its clock, how long it is, what became of it.
type Line = (i64, Octets, Fate);

pub(super) fn read(name: &str, file: &[u8], octets: Option<Octets>) -> Result<Frames, TableError> {
    let mistake = |line: u64, text: String| TableMistake { file: name.to_owned(), line, text };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(file);
    let header = reader.headers().map_err(|error| TableError::Mistakes(vec![mistake(1, unreadable(&error))]))?.clone();
    let columns = columns(&header, octets)
        .map_err(|wrong| TableError::Mistakes(wrong.into_iter().map(|text| mistake(1, text)).collect()))?;
    let (mut lines, mut mistakes) = (Vec::new(), Vec::new());
    for record in reader.records() {
        match record {
            Ok(record) => match line(&record, &columns, octets) {
                Ok(line) => lines.push(line),
                Err(text) => mistakes.push(mistake(record.position().map_or(0, csv::Position::line), text)),
            },
            Err(error) => mistakes.push(mistake(error.position().map_or(0, csv::Position::line), unreadable(&error))),
        }
        if mistakes.len() > MOST_MISTAKES {
            break;
        }
    }
    match (mistakes.is_empty(), lines.is_empty()) {
        (false, _) => Err(TableError::Mistakes(mistakes)),
        (true, true) => Err(TableError::Empty(name.to_owned())),
        (true, false) => Ok(frames(lines)),
    }
}

fn frames(mut lines: Vec<Line>) -> Frames {
    lines.sort_by_key(|(sent, ..)| *sent);
    let first = lines.first().map_or(0, |(sent, ..)| *sent);
    let frame =
        |(sent, octets, fate): Line| SentFrame { at: Time::from_nanoseconds(sent.abs_diff(first)), octets, fate };
    Frames { frames: lines.into_iter().map(frame).collect(), ..Frames::default() }
}

fn unreadable(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} cells; the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => {
            "this is not text; expected a table of comma-separated values, or a capture".to_owned()
        }
        _ => error.to_string(),
    }
}

fn columns(header: &StringRecord, octets: Option<Octets>) -> Result<Columns, Vec<String>> {
    // Excel writes a mark of the order of octets in front of everything.
    let names: Vec<String> =
        header.iter().map(|name| name.trim_start_matches('\u{FEFF}').to_ascii_lowercase()).collect();
    let place = |wanted: &str| names.iter().position(|name| name == wanted);
    let hint = |wanted: &str| {
        let known = suggest(wanted, names.iter().map(String::as_str));
        known.map_or_else(String::new, |found| format!("; did you mean `{found}` by it?"))
    };
    if let Some(delimiter) = other_delimiter(&names) {
        return Err(vec![format!(
            "the columns are separated by {delimiter}; expected commas, as in sent,arrived,octets"
        )]);
    }
    let mut wrong = Vec::new();
    let sent = place("sent");
    if sent.is_none() {
        wrong.push(format!("no column is called `sent`, the seconds at which each frame was sent{}", hint("sent")));
    }
    let fate = match (place("arrived"), place("lost")) {
        (Some(arrived), None) => Some(FateColumn::Arrived(arrived)),
        (None, Some(lost)) => Some(FateColumn::Lost(lost)),
        (Some(_), Some(_)) => {
            wrong.push("`arrived` and `lost` both say which frames were lost; expected one of them".to_owned());
            None
        }
        (None, None) => {
            wrong.push(format!(
                "no column is called `arrived`, the seconds at which each frame arrived, empty if it did not, or `lost`, 0 or 1{}",
                hint("arrived")
            ));
            None
        }
    };
    let of_octets = place("octets");
    if of_octets.is_none() && octets.is_none() {
        wrong.push(format!(
            "no column is called `octets`, the length of each frame; without it, say how long all are: --frame \"250 octets\"{}",
            hint("octets")
        ));
    }
    match (sent, fate) {
        (Some(sent), Some(fate)) if wrong.is_empty() => Ok(Columns { sent, fate, octets: of_octets }),
        _ => Err(wrong),
    }
}

/// What separates the columns of a header in place of commas.
fn other_delimiter(names: &[String]) -> Option<&'static str> {
    let [only] = names else { return None };
    let separates =
        |letter: char| only.contains(letter) && only.split(letter).any(|name| name.trim().trim_matches('"') == "sent");
    let known = [(';', "semicolons"), ('\t', "tabs"), ('|', "vertical bars"), (':', "colons"), (' ', "blanks")];
    known.into_iter().find(|(letter, _)| separates(*letter)).map(|(_, name)| name)
}

fn line(record: &StringRecord, columns: &Columns, octets: Option<Octets>) -> Result<Line, String> {
    let cell = |place: usize| record.get(place).unwrap_or_default();
    let time = |name: &str, text: &str| {
        nanoseconds(text).ok_or_else(|| format!("`{name}` is \"{text}\"; expected seconds, such as 12.03125"))
    };
    let sent = time("sent", cell(columns.sent))?;
    let fate = match columns.fate {
        FateColumn::Arrived(place) if cell(place).is_empty() => Fate::Lost,
        FateColumn::Arrived(place) => {
            let arrived = time("arrived", cell(place))?;
            Fate::After(arrived.checked_sub(sent).ok_or("`arrived` lies centuries from `sent`")?)
        }
        FateColumn::Lost(place) => match cell(place) {
            "0" => Fate::Arrived,
            "1" => Fate::Lost,
            other => return Err(format!("`lost` is \"{other}\"; expected 0 or 1")),
        },
    };
    let length = match (octets, columns.octets) {
        (Some(octets), _) => octets,
        (None, Some(place)) => {
            let whole = cell(place).parse().ok().filter(|octets| (1..=LONGEST_FRAME).contains(octets));
            Octets::new(whole.ok_or_else(|| {
                format!("`octets` is \"{}\"; expected the length of a frame, such as 250", cell(place))
            })?)
        }
        (None, None) => Octets::new(0),
    };
    Ok((sent, length, fate))
}

/// Seconds as whole nanoseconds, exactly, also of a clock that began in 1970.
fn nanoseconds(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |digits: &str| digits.chars().all(|digit| digit.is_ascii_digit());
    if whole.len() + fraction.len() > 0 && is_number(whole) && is_number(fraction) {
        let seconds: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let nine: i64 = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
        let all = seconds.checked_mul(1_000_000_000)?.checked_add(nine)?;
        return Some(if negative { -all } else { all });
    }
    let seconds: f64 = text.parse().ok()?;
    let all = seconds * 1e9;
    (all.abs() < 9e18).then_some(all.round() as i64)
}
