//! The runs whose results are known, from whichever file or worker they came.

use super::run_index::RunId;
use super::{PartialResults, RunIndex};
use crate::run::plan::Run;
use crate::run::{Measured, Results};
use std::collections::BTreeMap;

/// The runs of all partial results that were added.
#[derive(Debug, Default)]
pub struct Collected {
    runs: BTreeMap<RunId, Measured>,
}

impl Collected {
    /// Adds a piece; a run that is known already came out the same.
    pub fn add(&mut self, piece: PartialResults) {
        self.runs.extend(piece.runs);
    }

    /// Those of some runs of a plan that are not known.
    #[must_use]
    pub fn missing(&self, catalogue: &RunIndex, runs: &[Run]) -> Vec<Run> {
        let is_known = |run: &Run| catalogue.run(*run).is_some_and(|id| self.runs.contains_key(&id));
        runs.iter().copied().filter(|run| !is_known(run)).collect()
    }

    /// The results of some runs of a plan: of those that are known.
    #[must_use]
    pub fn results(&self, catalogue: &RunIndex, runs: &[Run]) -> Results {
        let known = |run: &Run| Some((*run, self.runs.get(&catalogue.run(*run)?)?.clone()));
        Results::of(runs.iter().filter_map(known).collect(), runs.len())
    }
}
