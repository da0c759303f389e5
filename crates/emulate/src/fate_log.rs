//! The log of fates: one line a packet, in the order in which fates are known.
//!
//! ```text
//!     # arqway emulate satellite --seed 7
//!     direction,frame,octets,offered_s,start_s,arrival_s,copy_s,fate,lateness_s
//!     up,0,84,0.001204881,0.001204881,0.271540881,,delivered,0.000061240
//!     down,0,84,0.271688120,0.271688120,,,lost,
//!     down,,1500,3.200000000,,,,queue-full,
//! ```
//!
//! `arqway run` replays one direction of such a file as a channel: `losses = { file = "walk.csv", direction = "down" }`.

use crate::file_writer::{FileError, FileWriter, Sink};
use arqway_sim::channel::Direction;
use arqway_sim::{Cause, Start};
use arqway_units::{Octets, Span, Time};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const COLUMNS: [&str; 9] =
    ["direction", "frame", "octets", "offered_s", "start_s", "arrival_s", "copy_s", "fate", "lateness_s"];

/// A log being written.
#[derive(Debug)]
pub(crate) struct FateLog {
    rows: FileWriter<Row>,
    down: UnderWay,
    up: UnderWay,
}

/// What is on its way in one direction: that which starts at `first` is in front.
#[derive(Debug, Default)]
struct UnderWay {
    first: u64,
    starts: VecDeque<Option<Start>>,
}

#[derive(Debug)]
struct Row {
    way: Direction,
    fate: Fate,
    lateness: Option<Span>,
}

#[derive(Debug)]
enum Fate {
    Sent(Start),
    QueueFull { size: Octets, at: Time },
}

impl FateLog {
    /// Begins a log; `about` says of what.
    pub(crate) fn create(path: &Path, about: &str) -> Result<Self, FileError> {
        let create = || {
            let mut file = BufWriter::new(File::create(path)?);
            about.lines().try_for_each(|line| writeln!(file, "# {line}"))?;
            let mut table = csv::Writer::from_writer(file);
            table.write_record(COLUMNS)?;
            table.flush()?;
            Ok(Table(table))
        };
        let table = create().map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        Ok(Self { rows: FileWriter::start(path, table)?, down: UnderWay::default(), up: UnderWay::default() })
    }

    pub(crate) fn queue_full(&mut self, way: Direction, size: Octets, at: Time) {
        self.rows.push(Row { way, fate: Fate::QueueFull { size, at }, lateness: None });
    }

    pub(crate) fn start(&mut self, way: Direction, start: Start) {
        let is_lost = start.lost_to.is_some();
        self.under_way(way).starts.push_back(Some(start).filter(|_| !is_lost));
        if is_lost {
            self.rows.push(Row { way, fate: Fate::Sent(start), lateness: None });
        }
    }

    /// A packet was handed over; of one that comes twice, the first counts.
    pub(crate) fn deliver(&mut self, way: Direction, number: u64, lateness: Span) {
        if let Some(start) = self.under_way(way).take(number) {
            self.rows.push(Row { way, fate: Fate::Sent(start), lateness: Some(lateness) });
        }
    }

    /// What is known so far goes into the file.
    pub(crate) fn flush(&mut self) {
        self.rows.flush();
    }

    /// The failure that ended the file, once.
    pub(crate) fn failure(&mut self) -> Option<FileError> {
        self.rows.failure()
    }

    /// What is still on its way would have arrived.
    pub(crate) fn finish(mut self) -> Result<(), FileError> {
        for (way, under_way) in [(Direction::Down, self.down), (Direction::Up, self.up)] {
            for start in under_way.starts.into_iter().flatten() {
                self.rows.push(Row { way, fate: Fate::Sent(start), lateness: None });
            }
        }
        self.rows.finish()
    }

    fn under_way(&mut self, way: Direction) -> &mut UnderWay {
        match way {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }
}

impl UnderWay {
    fn take(&mut self, number: u64) -> Option<Start> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let start = self.starts.get_mut(place)?.take();
        while self.starts.front().is_some_and(Option::is_none) {
            self.starts.pop_front();
            self.first += 1;
        }
        start
    }
}

/// The file.
struct Table(csv::Writer<BufWriter<File>>);

impl Sink for Table {
    type Record = Row;

    fn write(&mut self, Row { way, fate, lateness }: Row) -> io::Result<()> {
        let way = match way {
            Direction::Down => "down",
            Direction::Up => "up",
        };
        let seconds = |time: Time| decimal(time.as_nanoseconds());
        let optional = |time: Option<Time>| time.map(seconds).unwrap_or_default();
        let record = match fate {
            Fate::QueueFull { size, at } => {
                let none = String::new;
                let octets = size.as_u64().to_string();
                [way.to_owned(), none(), octets, seconds(at), none(), none(), none(), "queue-full".to_owned(), none()]
            }
            Fate::Sent(Start { number, size, offered, at, arrival, copy, lost_to, .. }) => {
                let fate = match lost_to {
                    None => "delivered",
                    Some(Cause::Errors | Cause::TooLarge) => "lost",
                    Some(Cause::Outage) => "outage",
                };
                let late = lateness.map(|late| decimal(late.as_nanoseconds())).unwrap_or_default();
                let (number, octets) = (number.to_string(), size.as_u64().to_string());
                let (offered, start) = (seconds(offered), seconds(at));
                let (arrival, copy) = (optional(arrival), optional(copy));
                [way.to_owned(), number, octets, offered, start, arrival, copy, fate.to_owned(), late]
            }
        };
        Ok(self.0.write_record(record)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Seconds with all their nanoseconds.
fn decimal(nanoseconds: u64) -> String {
    const SECOND: u64 = 1_000_000_000;
    format!("{}.{:09}", nanoseconds / SECOND, nanoseconds % SECOND)
}
