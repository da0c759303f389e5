//! A thread that writes a file, so that a slow disk holds up no packet.
//!
//! ```text
//!     push ... push -> [ batch ] --flush--> channel -> thread: write, write, ... finish
//! ```
//!
//! A full disk ends the file and not the emulation: what was written stays, the failure is told at once and at the end.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::thread::{self, JoinHandle};

/// So many records go to the thread at once.
const BATCH: usize = 256;
/// So many batches wait for it.
const BATCHES: usize = 64;
/// So many records wait before the first is not written.
const LONGEST: usize = 1_000_000;

/// Writes records of one kind into a file, on the thread that owns it.
pub(crate) trait Sink: Send + 'static {
    type Record: Send + 'static;

    fn write(&mut self, record: Self::Record) -> io::Result<()>;

    /// Everything written so far is to be in the file.
    fn flush(&mut self) -> io::Result<()>;

    /// There are no more records.
    fn finish(self) -> io::Result<()>;
}

/// The end that records are pushed into.
#[derive(Debug)]
pub(crate) struct FileWriter<R> {
    path: PathBuf,
    batch: Vec<R>,
    batches: Option<SyncSender<Vec<R>>>,
    thread: Option<JoinHandle<io::Result<()>>>,
    missed: u64,
}

/// A file that is not complete.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It could not be created or written.
    #[error("cannot write {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It was not written fast enough.
    #[error("{path} lacks {missed} records: the disk was slower than the packets")]
    Missed {
        /// The file.
        path: PathBuf,
        /// How many records.
        missed: u64,
    },
}

impl<R: Send + 'static> FileWriter<R> {
    /// Starts the thread that writes into `sink`.
    ///
    /// # Errors
    /// The system has no thread left.
    pub(crate) fn start(path: &Path, sink: impl Sink<Record = R>) -> Result<Self, FileError> {
        let (batches, received) = mpsc::sync_channel::<Vec<R>>(BATCHES);
        let thread = thread::Builder::new().name("file".to_owned()).spawn(move || {
            let mut sink = sink;
            for batch in received {
                batch.into_iter().try_for_each(|record| sink.write(record))?;
                sink.flush()?;
            }
            sink.finish()
        });
        let thread = thread.map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        let batch = Vec::with_capacity(BATCH);
        Ok(Self { path: path.to_owned(), batch, batches: Some(batches), thread: Some(thread), missed: 0 })
    }

    pub(crate) fn push(&mut self, record: R) {
        if self.batches.is_none() {
            // The file has ended, and why is told.
            return;
        }
        if self.batch.len() >= LONGEST {
            self.missed += 1;
            return;
        }
        self.batch.push(record);
        if self.batch.len().is_multiple_of(BATCH) {
            self.flush();
        }
    }

    /// Hands over what is there, unless the thread is behind.
    pub(crate) fn flush(&mut self) {
        let Some(batches) = self.batches.as_ref().filter(|_| !self.batch.is_empty()) else { return };
        match batches.try_send(std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH))) {
            Ok(()) => {}
            Err(TrySendError::Full(batch)) => self.batch = batch,
            Err(TrySendError::Disconnected(_)) => self.batches = None,
        }
    }

    /// The failure that ended the file, once.
    pub(crate) fn failure(&mut self) -> Option<FileError> {
        if !self.thread.as_ref()?.is_finished() {
            return None;
        }
        self.batches = None;
        self.join().err()
    }

    /// Writes what is still there, and ends the file.
    pub(crate) fn finish(mut self) -> Result<(), FileError> {
        if let Some(batches) = self.batches.take() {
            // A thread that has failed takes nothing, and says why below.
            batches.send(std::mem::take(&mut self.batch)).ok();
        }
        self.join()?;
        match self.missed {
            0 => Ok(()),
            missed => Err(FileError::Missed { path: self.path, missed }),
        }
    }

    fn join(&mut self) -> Result<(), FileError> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let written = thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that writes it has panicked")));
        written.map_err(|source| FileError::Io { path: self.path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Keeps what it gets, and fails after so many records.
    struct Limited(Arc<Mutex<Vec<usize>>>, usize);

    impl Sink for Limited {
        type Record = usize;

        fn write(&mut self, record: usize) -> io::Result<()> {
            let mut kept = self.0.lock().map_err(|_| io::Error::other("poisoned"))?;
            if kept.len() == self.1 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            kept.push(record);
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn finish(self) -> io::Result<()> {
            Ok(())
        }
    }

    fn writer(limit: usize) -> (FileWriter<usize>, Arc<Mutex<Vec<usize>>>) {
        let kept = Arc::default();
        let sink = Limited(Arc::clone(&kept), limit);
        (FileWriter::start(Path::new("a file"), sink).expect("a thread"), kept)
    }

    #[test]
    fn every_record_is_written_once_and_in_order() {
        let (mut writer, kept) = writer(usize::MAX);
        (0..100_000).for_each(|record| writer.push(record));
        writer.finish().expect("a file without a limit");
        assert_eq!(*kept.lock().expect("kept"), Vec::from_iter(0..100_000));
    }

    #[test]
    fn a_full_disk_ends_the_file_is_told_once_and_keeps_what_was_written() {
        let (mut writer, kept) = writer(1000);
        let mut failures = Vec::new();
        for record in 0.. {
            writer.push(record);
            failures.extend(writer.failure().map(|failure| failure.to_string()));
            if !failures.is_empty() && record > 100_000 {
                break;
            }
        }
        assert_eq!(failures, ["cannot write a file: no storage space"]);
        writer.finish().expect("it has been told");
        assert_eq!(*kept.lock().expect("kept"), Vec::from_iter(0..1000));
    }

    #[test]
    fn a_disk_that_is_too_slow_costs_records_that_are_counted() {
        let (mut writer, kept) = writer(usize::MAX);
        let held = kept.lock().expect("kept");
        // More than what waits here and, where the thread began late, in a batch of its own.
        let all = BATCH * (BATCHES + 2) + 2 * LONGEST + 10;
        (0..all).for_each(|record| writer.push(record));
        drop(held);
        let missed = writer.finish().map_err(|error| error.to_string()).expect_err("too slow");
        let number: usize = missed.split(' ').find_map(|word| word.parse().ok()).expect("a number");
        assert!(number >= 10, "{missed}");
        assert_eq!(*kept.lock().expect("kept"), Vec::from_iter(0..all - number));
    }
}
