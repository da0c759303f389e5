//! What a plan's results have to say: its rows, each once, and its figures with their tables.

use super::means_table::MeansTable;
use crate::experiment::{Experiment, FigurePlan};
use crate::figure::{Figure, png};
use crate::output::OutputError;
use crate::results::rows::Row;
use crate::run::Results;
use crate::run::plan::Plan;
use std::collections::BTreeMap;
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

/// The rows of experiments, one experiment after the other: those that show the same cell share its rows.
pub fn each_once(of_experiments: impl Iterator<Item = Vec<Row>>) -> Vec<Row> {
    let mut all = Vec::new();
    let mut known: BTreeMap<CellKey, u64> = BTreeMap::new();
    for rows in of_experiments {
        let mut here: BTreeMap<CellKey, u64> = BTreeMap::new();
        for row in rows {
            let key = CellKey::of(&row);
            let digest = here.get(&key).copied().unwrap_or_default().wrapping_add(digest(&row));
            let is_new = !known.contains_key(&key);
            here.insert(key, digest);
            if is_new {
                all.push(row);
            }
        }
        for (cell, digest) in here {
            let earlier = *known.entry(cell.clone()).or_insert(digest);
            debug_assert!(earlier == digest, "two cells that no column tells apart: {cell:?}");
        }
    }
    all
}

/// What tells the runs of a cell from others in the rows of an application.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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

/// What a row says, so that the sum over a cell's rows hangs on all of them and not on their order.
fn digest(row: &Row) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&row.metric, row.replication, row.value.to_bits()).hash(&mut hasher);
    hasher.finish()
}
