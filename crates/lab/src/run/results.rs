//! What came out of the runs of a plan, and the rows that it makes.

use super::measured::Measured;
use super::plan::{Plan, Run, Use};
use crate::results::rows::Row;
use crate::run::cell_rows::CellRows;
use std::collections::{BTreeMap, BTreeSet};

/// What came out of the runs that finished.
#[derive(Debug)]
pub struct Results {
    finished: BTreeMap<Run, Measured>,
    /// How many runs were planned.
    pub planned: usize,
}

impl Results {
    /// Those of some runs, of which so many were planned.
    pub(crate) fn of(finished: BTreeMap<Run, Measured>, planned: usize) -> Self {
        Self { finished, planned }
    }

    /// Those of no runs.
    pub fn none() -> Self {
        Self { finished: BTreeMap::new(), planned: 0 }
    }

    /// How many runs finished.
    #[must_use]
    pub fn finished(&self) -> usize {
        self.finished.len()
    }

    /// Whether a run finished.
    #[must_use]
    pub fn has(&self, run: Run) -> bool {
        self.finished.contains_key(&run)
    }

    /// How many runs ended before their file was there: their throughput is that of the whole duration.
    #[must_use]
    pub fn incomplete(&self) -> usize {
        self.finished.values().filter(|measured| measured.file_complete == Some(false)).count()
    }

    /// How much simulated time passed, in seconds, and how many events happened.
    #[must_use]
    pub fn simulated(&self) -> (f64, u64) {
        let add = |(time, events), run: &Measured| (time + run.ended.as_seconds(), events + run.events);
        self.finished.values().fold((0.0, 0), add)
    }

    /// Adds the results of further runs of the same plan.
    pub fn extend(&mut self, further: Self) {
        self.finished.extend(further.finished);
        self.planned += further.planned;
    }

    /// How many runs of a setting ended before their file was there, and how many there are.
    pub fn cut_of_setting(&self, plan: &Plan, setting: usize) -> (usize, usize) {
        let replications = 0..plan.settings[setting].replications;
        let runs = replications.filter_map(|replication| self.finished.get(&Run { replication, setting }));
        runs.fold((0, 0), |(cut, all), run| (cut + usize::from(run.file_complete == Some(false)), all + 1))
    }

    /// How often the link toward the client lost frames in the runs of a setting; some in a row count once.
    pub fn losses_of_setting(&self, plan: &Plan, setting: usize) -> f64 {
        let replications = 0..plan.settings[setting].replications;
        replications.filter_map(|replication| self.finished.get(&Run { replication, setting })?.losses).sum()
    }

    /// The rows of one setting in all replications, as one of the cells that show it has them.
    pub fn rows_of_setting(&self, plan: &Plan, setting: usize, shown: Use) -> Vec<Row> {
        let mut rows = Vec::new();
        let replications = 0..plan.settings[setting].replications;
        CellRows::new(plan, shown.experiment, shown.point, shown.scheme, setting)
            .rows(self.of_setting(setting, replications), &mut rows);
        rows
    }

    /// The rows of one experiment of the plan: by point, scheme, replication and metric.
    #[must_use]
    pub fn rows(&self, plan: &Plan, experiment: usize) -> Vec<Row> {
        let mut cells: Vec<_> = plan
            .settings
            .iter()
            .enumerate()
            .flat_map(|(index, setting)| {
                setting
                    .uses
                    .iter()
                    .filter(|shown| shown.experiment == experiment)
                    .map(move |shown| (shown.point, shown.scheme, index))
            })
            .collect();
        cells.sort_unstable();
        let replications: BTreeSet<u32> = plan.runs.iter().map(|run| run.replication).collect();
        let mut rows = Vec::new();
        for (point, scheme, setting) in cells {
            let runs = self.of_setting(setting, replications.iter().copied());
            CellRows::new(plan, experiment, point, scheme, setting).rows(runs, &mut rows);
        }
        rows
    }

    /// The runs of a setting that are finished, each with its replication.
    fn of_setting(
        &self,
        setting: usize,
        replications: impl IntoIterator<Item = u32>,
    ) -> impl Iterator<Item = (u32, &Measured)> {
        let measured = move |replication| Some((replication, self.finished.get(&Run { replication, setting })?));
        replications.into_iter().filter_map(measured)
    }
}
