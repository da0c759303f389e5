//! Partial results in folders: what is there is reused, what is missing is run and stored beside it.
//!
//! ```text
//!     DIR/pieces/3f0c...9a.piece       named by the runs in it
//!                question.json         what shards of a study answer together
//! ```
//!
//! A piece is there as a [whole](crate::whole_file) or not at all, and several processes may share a folder.

use super::run_index::RunId;
use super::{Collected, PartialError, PartialResults, RunIndex, Task, pack};
use crate::output::{OutputError, make, save};
use crate::run::cancellation::Cancellation;
use crate::run::plan::{Plan, Run};
use crate::run::{Results, RunError, in_threads};
use arqway_config::read_octets;
use rayon::iter::{ParallelBridge, ParallelIterator};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The pieces in some folders, and where new ones go.
#[derive(Debug)]
pub struct ResultStore {
    /// For new ones.
    folder: PathBuf,
    /// Every piece that was found, by its path.
    found: Vec<(PathBuf, Vec<RunId>)>,
    collected: Collected,
    /// How many runs were asked for that were there.
    reused: usize,
}

/// A piece has a thousand runs at most, some kilobytes each.
const LONGEST_PIECE: u64 = 256 << 20;

/// A file that is not a piece of this program.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct Refused {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub error: PartialError,
}

/// Why runs did not become pieces.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A world that cannot be written down.
    #[error(transparent)]
    PartialResults(#[from] PartialError),
    /// The runs.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl ResultStore {
    /// Reads the pieces in some folders, which need not be there yet; new ones will go into the first. Files that are not
    /// pieces of this program are returned, and left alone.
    ///
    /// # Errors
    /// A folder or a file that cannot be read.
    pub fn open(folders: &[PathBuf]) -> Result<(Self, Vec<Refused>), OutputError> {
        let folder = folders.first().cloned().unwrap_or_default();
        let mut store = Self { folder, found: Vec::new(), collected: Collected::default(), reused: 0 };
        let mut refused = Vec::new();
        for path in folders.iter().map(|folder| pieces_in(folder)).collect::<Result<Vec<_>, _>>()?.concat() {
            let octets = read_octets(&path, LONGEST_PIECE);
            let octets = octets.map_err(|source| OutputError::Read { path: path.clone(), source })?;
            match PartialResults::from_bytes(&octets) {
                Ok(piece) => {
                    store.found.push((path, piece.runs.keys().cloned().collect()));
                    store.collected.add(piece);
                }
                Err(error) => refused.push(Refused { path, error }),
            }
        }
        Ok((store, refused))
    }

    /// The pieces that have none of these runs.
    #[must_use]
    pub fn foreign_files(&self, plans: &[(&RunIndex, &[Run])]) -> Vec<&Path> {
        let ids = |(catalogue, runs): &(&RunIndex, &[Run])| -> Vec<_> {
            runs.iter().filter_map(|run| catalogue.run(*run)).collect()
        };
        let wanted: BTreeSet<RunId> = plans.iter().flat_map(ids).collect();
        let is_stranger = |runs: &[RunId]| !runs.iter().any(|run| wanted.contains(run));
        self.found.iter().filter(|(_, runs)| is_stranger(runs)).map(|(path, _)| path.as_path()).collect()
    }

    /// What is known so far.
    #[must_use]
    pub fn collected(&self) -> &Collected {
        &self.collected
    }

    /// How many of the runs that were asked for were there already.
    #[must_use]
    pub fn reused(&self) -> usize {
        self.reused
    }

    /// The results of some runs of a plan. What is not known yet is run with this many threads and written, piece by piece;
    /// `finished` is called for each run, also for those that are known; no run begins once `stop` is set.
    ///
    /// # Errors
    /// Worlds that cannot be built or written down, threads that do not start, files that cannot be written.
    pub fn run(
        &mut self,
        plan: &Plan,
        runs: &[Run],
        jobs: NonZeroUsize,
        stop: &Cancellation,
        finished: impl Fn() + Sync,
    ) -> Result<Results, StoreError> {
        let catalogue = RunIndex::of(plan)?;
        let missing = self.collected.missing(&catalogue, runs);
        self.reused += runs.len() - missing.len();
        (missing.len()..runs.len()).for_each(|_| finished());
        if !missing.is_empty() {
            make(&self.folder)?;
            let one = |runs: Vec<Run>| -> Result<PartialResults, StoreError> {
                let piece = Task::new(plan, &runs)?.run(stop, &finished)?;
                write(&self.folder, &piece)?;
                Ok(piece)
            };
            let tasks = pack(plan, &missing).into_iter().take_while(|_| !stop.is_requested());
            let pieces: Result<Vec<_>, _> = in_threads(jobs)?.install(|| tasks.par_bridge().map(one).collect());
            pieces?.into_iter().for_each(|piece| self.collected.add(piece));
        }
        Ok(self.collected.results(&catalogue, runs))
    }

    /// Adds a piece that was run elsewhere, and writes it.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, piece: PartialResults) -> Result<(), OutputError> {
        make(&self.folder)?;
        write(&self.folder, &piece)?;
        self.collected.add(piece);
        Ok(())
    }
}

/// The files with a piece's name, sorted; none where the folder does not exist.
fn pieces_in(folder: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let unreadable = |source| OutputError::Read { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(unreadable)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "piece"));
    paths.sort();
    Ok(paths)
}

/// Writes a piece that has runs.
fn write(folder: &Path, piece: &PartialResults) -> Result<(), OutputError> {
    let path = folder.join(format!("{}.piece", piece.name()));
    if piece.is_empty() { Ok(()) } else { save(&path, &piece.to_bytes()) }
}
