//! How much of a calendar month's octets each line has used that has a budget. A file keeps it, so that it outlives the tunnel.
//!
//! ```text
//!     {"month":"2026-11","octets":{"wwan0":1234567,"sat0":89}}      NAME.budget in $STATE_DIRECTORY, or in /var/lib/arqway
//! ```
//!
//! A line that has used its budget is spare until the month ends, by UTC. Months only go forward: a machine that starts without a clock
//! lives in 1970 until it is told the time.

use arqway_units::{LineId, Octets, Span, Time};
use jiff::{Timestamp, tz::Offset};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// How often it is looked how much was used, and how often it is written down.
const COUNT: Span = Span::from_milliseconds(5000);
const WRITE: Span = Span::from_milliseconds(60_000);
/// Where it is kept, if the system's manager does not say.
const FOLDER: &str = "/var/lib/arqway";

/// Why what was used is not known.
#[derive(Debug, thiserror::Error)]
pub enum BudgetError {
    /// The file cannot be had.
    #[error("cannot open {path}, which keeps what lines have used of their budgets: {error}")]
    Open {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file says something else.
    #[error(
        "{path} does not say what lines have used of their budgets ({error}); remove it, and this month begins anew"
    )]
    Damaged {
        /// Which.
        path: PathBuf,
        /// Where it is wrong.
        error: serde_json::Error,
    },
}

/// What the file says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Used {
    /// Such as `2026-11`; empty before the first one.
    month: String,
    /// By what the settings call a line.
    octets: BTreeMap<String, u64>,
}

/// A line with a budget.
#[derive(Debug)]
struct Budget {
    line: LineId,
    name: String,
    most: Octets,
    /// What had crossed it since the tunnel began when it was last counted.
    counted: Octets,
    is_spent: bool,
}

/// A line whose budget has just been used up, or is there again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct News {
    pub(crate) line: LineId,
    pub(crate) is_spent: bool,
    pub(crate) most: Octets,
}

#[derive(Debug)]
pub(crate) struct Budgets {
    file: File,
    used: Used,
    budgets: Vec<Budget>,
    counted_at: Option<Time>,
    written_at: Time,
}

impl Budgets {
    /// Those of some lines, by what they are called; nothing where there is none.
    pub(crate) fn open(
        path: PathBuf,
        lines: impl Iterator<Item = (LineId, String, Octets)>,
    ) -> Result<Option<Self>, BudgetError> {
        let budget = |(line, name, most)| Budget { line, name, most, counted: Octets::ZERO, is_spent: false };
        let budgets: Vec<Budget> = lines.map(budget).collect();
        if budgets.is_empty() {
            return Ok(None);
        }
        let mut text = String::new();
        let opened = open(&path).and_then(|mut file| file.read_to_string(&mut text).map(|_| file));
        let file = match opened {
            Ok(file) => file,
            Err(error) => return Err(BudgetError::Open { path, error }),
        };
        let read = |text: &str| serde_json::from_str(text).map_err(|error| BudgetError::Damaged { path, error });
        let used = if text.is_empty() { Used::default() } else { read(&text)? };
        Ok(Some(Self { file, used, budgets, counted_at: None, written_at: Time::ZERO }))
    }

    /// Counts what has crossed each line since the tunnel began, if it is time to. Lines for which that changes something.
    pub(crate) fn count(&mut self, since_1970: Span, now: Time, crossed: impl Fn(LineId) -> Octets) -> Vec<News> {
        if self.counted_at.is_some_and(|before| now < before + COUNT) {
            return Vec::new();
        }
        self.counted_at = Some(now);
        let month = month(since_1970);
        if month > self.used.month {
            self.used = Used { month, octets: BTreeMap::new() };
        }
        let Self { used, budgets, .. } = self;
        let count = |budget: &mut Budget| {
            let Budget { line, most, .. } = *budget;
            let crossed = crossed(line);
            let used = used.octets.entry(budget.name.clone()).or_default();
            *used = used.saturating_add((crossed - budget.counted).as_u64());
            budget.counted = crossed;
            let is_spent = *used >= most.as_u64();
            (std::mem::replace(&mut budget.is_spent, is_spent) != is_spent).then_some(News { line, is_spent, most })
        };
        budgets.iter_mut().filter_map(count).collect()
    }

    /// How much of its budget a line has used this month, and how much that is, if it has one.
    pub(crate) fn of(&self, line: LineId) -> Option<(Octets, Octets)> {
        let budget = self.budgets.iter().find(|budget| budget.line == line)?;
        let used = self.used.octets.get(&budget.name).copied().unwrap_or_default();
        Some((Octets::new(used), budget.most))
    }

    /// Writes down what was counted, if that is due.
    ///
    /// # Errors
    /// The disk is full; it is tried again when it is due again.
    pub(crate) fn write_if_due(&mut self, now: Time) -> io::Result<()> {
        if now < self.written_at + WRITE {
            return Ok(());
        }
        self.written_at = now;
        self.write()
    }

    /// Writes down what was counted.
    pub(crate) fn write(&mut self) -> io::Result<()> {
        let mut text = serde_json::to_vec(&self.used)?;
        text.push(b'\n');
        self.file.rewind()?;
        self.file.write_all(&text)?;
        // Shorter than before in a new month.
        self.file.set_len(text.len() as u64)
    }
}

/// Where those of a tunnel of this name are kept.
pub(crate) fn place(name: &str) -> PathBuf {
    let folder = std::env::var_os("STATE_DIRECTORY").filter(|folder| !folder.is_empty());
    folder.map_or_else(|| PathBuf::from(FOLDER), PathBuf::from).join(format!("{name}.budget"))
}

/// Opens the file, and makes it and its folder where they are missing.
fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().mode(0o700).recursive(true).create(folder)?;
    }
    let no_link = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0);
    OpenOptions::new().read(true).write(true).create(true).mode(0o600).custom_flags(no_link).open(path)
}

/// The month by UTC, such as `2026-11`: a later one comes after it as text, too.
fn month(since_1970: Span) -> String {
    let seconds = i64::try_from(since_1970.as_nanoseconds() / 1_000_000_000).unwrap_or(0);
    let date = Offset::UTC.to_datetime(Timestamp::from_second(seconds).unwrap_or_default());
    format!("{:04}-{:02}", date.year(), date.month())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const GIGABYTE: u64 = 1_000_000_000;
    /// The last second of November 2026.
    const NOVEMBER: u64 = 1_796_083_199;

    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Self {
            Self(std::env::temp_dir().join(format!("arqway-budgets-{test}-{}", std::process::id())))
        }

        /// Those of a line that may carry a gigabyte, as a tunnel that begins has them.
        fn budgets(&self) -> Result<Budgets, BudgetError> {
            let line = (LineId::FIRST, "sat0".to_owned(), Octets::new(GIGABYTE));
            Budgets::open(self.0.join("test.budget"), [line].into_iter())
                .map(|budgets| budgets.expect("one line has one"))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }

    fn at(seconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(seconds * 1000)
    }

    fn since_1970(seconds: u64) -> Span {
        Span::from_milliseconds(seconds * 1000)
    }

    /// Counts at a time of the tunnel, at a time of the world; whether the budget is spent from now on, if that is news.
    fn count(budgets: &mut Budgets, now: u64, wall: u64, crossed: u64) -> Option<bool> {
        let news = budgets.count(since_1970(wall), at(now), |_| Octets::new(crossed));
        news.first().map(|news| news.is_spent)
    }

    #[test]
    fn a_line_is_spent_from_its_budget_on_until_the_month_ends() {
        let folder = Folder::new("month");
        let mut budgets = folder.budgets().expect("a new file");
        assert_eq!(count(&mut budgets, 10, NOVEMBER - 100, GIGABYTE - 1), None);
        assert_eq!(count(&mut budgets, 20, NOVEMBER - 90, GIGABYTE), Some(true));
        assert_eq!(count(&mut budgets, 30, NOVEMBER - 80, GIGABYTE + 5), None);
        assert_eq!(budgets.of(LineId::FIRST), Some((Octets::new(GIGABYTE + 5), Octets::new(GIGABYTE))));
        assert_eq!(count(&mut budgets, 111, NOVEMBER + 1, GIGABYTE + 7), Some(false));
        assert_eq!(budgets.of(LineId::FIRST), Some((Octets::new(2), Octets::new(GIGABYTE))));
    }

    #[test]
    fn what_was_used_outlives_the_tunnel_and_begins_again_in_another_month() {
        let folder = Folder::new("restart");
        let mut budgets = folder.budgets().expect("a new file");
        count(&mut budgets, 10, NOVEMBER - 100, GIGABYTE - 10);
        budgets.write_if_due(at(10)).expect("it is not due");
        assert_eq!(folder.budgets().expect("an empty file").used, Used::default());
        budgets.write_if_due(at(60)).expect("room");
        drop(budgets);
        let mut budgets = folder.budgets().expect("what was written");
        assert_eq!(count(&mut budgets, 0, NOVEMBER - 30, 9), None);
        assert_eq!(count(&mut budgets, 10, NOVEMBER - 20, 10), Some(true), "of both runs together");
        budgets.write().expect("room");
        assert_eq!(count(&mut budgets, 50, NOVEMBER + 20, 10), Some(false));
        budgets.write().expect("room");
        assert_eq!(folder.budgets().expect("a shorter text").used.month, "2026-12");
    }

    #[test]
    fn a_machine_that_does_not_know_the_time_yet_forgets_nothing() {
        let folder = Folder::new("clock");
        let mut budgets = folder.budgets().expect("a new file");
        count(&mut budgets, 10, NOVEMBER, GIGABYTE);
        budgets.write().expect("room");
        let mut budgets = folder.budgets().expect("what was written");
        assert_eq!(count(&mut budgets, 0, 5, 0), Some(true));
        assert_eq!(count(&mut budgets, 60, NOVEMBER, 0), None);
    }

    #[test]
    fn it_counts_once_in_five_seconds() {
        let folder = Folder::new("often");
        let mut budgets = folder.budgets().expect("a new file");
        count(&mut budgets, 10, NOVEMBER, 1);
        assert_eq!(count(&mut budgets, 14, NOVEMBER, GIGABYTE), None);
        assert_eq!(count(&mut budgets, 15, NOVEMBER, GIGABYTE), Some(true));
    }

    #[test]
    fn a_damaged_file_is_named_with_what_to_do() {
        let folder = Folder::new("damaged");
        folder.budgets().expect("a new file");
        fs::write(folder.0.join("test.budget"), "{\"month\":").expect("room");
        let error = folder.budgets().expect_err("half a text").to_string();
        assert!(error.contains("test.budget") && error.contains("remove it"), "{error}");
    }
}
