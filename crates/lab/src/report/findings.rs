//! What a plan's results have to say: its rows, each once, and its figures with their tables.

use super::means_table::MeansTable;
use crate::experiment::{Experiment, FigurePlan};
use crate::figure::{Figure, png};
use crate::output::OutputError;
use crate::results::rows::Row;
use crate::run::Results;
use crate::run::plan::Plan;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What a run has to say.
#[derive(Debug)]
pub struct Findings {
    /// All rows, each once.
    pub rows: Vec<Row>,
    /// The figures, in the order in which they were asked for.
    pub figures: Vec<FigureFinding>,
}

/// One figure and its table.
#[derive(Debug)]
pub struct FigureFinding {
    /// As in its file name: `monet08-fig3`.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Means and intervals.
    pub table: MeansTable,
    /// The figure.
    pub figure: Figure,
    /// The drawing in a file of its own.
    pub svg: String,
    /// Which experiment of the plan it belongs to.
    pub experiment: usize,
    /// The figure's own name, as claims have it: `fig3`.
    pub name: String,
}

impl FigureFinding {
    /// A figure of an experiment, which is the plan's `index`-th, and has these rows.
    fn new(experiment: &Experiment, index: usize, figure: &FigurePlan, rows: &[Row]) -> Self {
        let table = MeansTable::new(experiment, figure, rows);
        let id = format!("{}-{}", experiment.paper, figure.id);
        let (drawn, title) = (table.figure(experiment, &id), experiment.title.clone());
        let svg = drawn.to_svg();
        Self { id, title, table, figure: drawn, svg, experiment: index, name: figure.id.clone() }
    }

    /// The drawing as a PNG file.
    ///
    /// # Errors
    /// What the renderer says.
    pub fn png(&self) -> Result<Vec<u8>, OutputError> {
        png::to_png(&self.svg, png::SCALE).map_err(|source| OutputError::Png { id: self.id.clone(), source })
    }
}

impl Findings {
    /// Makes tables and figures from the results of a plan.
    #[must_use]
    pub fn new(plan: &Plan, results: &Results) -> Self {
        let mut figures = Vec::new();
        let rows = each_once(plan.experiments.iter().enumerate().map(|(index, experiment)| {
            let rows = results.rows(plan, index);
            figures
                .extend(experiment.figures.iter().map(|figure| FigureFinding::new(experiment, index, figure, &rows)));
            rows
        }));
        Self { rows, figures }
    }
}

/// The rows of experiments, one experiment after the other: those that show the same cell share the rows of the first.
///
/// A later one may have measured more of it, such as samples along the time. What both measured is the same.
pub fn each_once(of_experiments: impl Iterator<Item = Vec<Row>>) -> Vec<Row> {
    let mut all = Vec::new();
    let mut known: BTreeSet<CellKey> = BTreeSet::new();
    let mut values: BTreeMap<u64, u64> = BTreeMap::new();
    for rows in of_experiments {
        let mut here = BTreeSet::new();
        for row in rows {
            let key = CellKey::of(&row);
            if cfg!(debug_assertions) {
                let value = row.value.to_bits();
                let earlier = *values.entry(number_of(&key, &row)).or_insert(value);
                assert!(earlier == value, "two cells that no column tells apart: {row:?}");
            }
            if !known.contains(&key) {
                all.push(row);
                here.insert(key);
            }
        }
        known.append(&mut here);
    }
    all
}

/// What tells the runs of a cell from others in the rows of an application.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct CellKey {
    words: [Arc<str>; 6],
    rate_bps: u64,
    connections: u32,
    point: u64,
}

impl CellKey {
    fn of(row: &Row) -> Self {
        let words = [&row.paper, &row.app, &row.errors, &row.beside, &row.scheme, &row.variant].map(Arc::clone);
        Self { words, rate_bps: row.rate_bps, connections: row.connections, point: row.point.to_bits() }
    }
}

/// A number for all that a row says but its value. Two rows hardly share one by chance.
fn number_of(key: &CellKey, row: &Row) -> u64 {
    let mut hasher = DefaultHasher::new();
    (key, &row.metric, row.replication).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(metric: &str, value: f64) -> Row {
        Row {
            paper: "study".into(),
            app: "tcp-bulk".into(),
            errors: "none".into(),
            beside: "none".into(),
            rate_bps: 64_000,
            connections: 1,
            point: 0.0,
            scheme: "raw".into(),
            variant: "".into(),
            replication: 0,
            metric: metric.into(),
            value,
        }
    }

    #[test]
    fn a_cell_of_two_experiments_has_the_rows_of_the_first_though_the_second_samples_more() {
        let first = vec![row("throughput", 5e3), row("rtt", 0.5)];
        let second = vec![row("throughput", 5e3), row("window@0.5", 2.0), row("rtt", 0.5)];
        assert_eq!(each_once([first.clone(), second].into_iter()), first);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic = "no column tells apart"]
    fn a_metric_of_one_cell_with_two_values_is_noticed() {
        each_once([vec![row("rtt", 0.5)], vec![row("throughput", 5e3), row("rtt", 0.6)]].into_iter());
    }
}
