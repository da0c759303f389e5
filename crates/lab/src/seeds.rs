//! How verdicts move with the root of all random streams.
//!
//! An interval says how far a mean can be trusted; whether a verdict can, shows only where everything is drawn anew. So a
//! reproduction judges each claim again from the next two seeds, running only the cells that claims read: rows, figures and
//! `claims.csv` stay those of the seed that was asked for.

use crate::claims::{Cell, Claim, Evidence, Judgement};
use crate::plan::Plan;
use crate::rows::Row;
use crate::run::Results;
use std::collections::BTreeSet;

/// How many seeds a verdict is shown for: the one asked for, and those that follow it.
pub const SEEDS: u64 = 3;

/// The verdicts from another seed.
#[derive(Debug, Clone)]
pub struct SeedFinding {
    /// Root of all random streams.
    pub seed: u64,
    /// The verdicts, in the order of the claims.
    pub judgements: Vec<Judgement>,
}

impl SeedFinding {
    /// Judges claims by the results of a plan that [`plans`] made.
    #[must_use]
    pub fn new(plan: &Plan, results: &Results, claims: &[Claim]) -> Self {
        let rows: Vec<Row> = (0..plan.experiments.len()).flat_map(|index| results.rows(plan, index)).collect();
        let evidence = Evidence::of(&rows);
        let seed = plan.experiments.first().map_or(0, |experiment| experiment.seed);
        Self { seed, judgements: claims.iter().map(|claim| claim.judge(&evidence)).collect() }
    }
}

/// What is to be run for the other seeds: of the settings of a plan, those whose rows decide a claim.
#[must_use]
pub fn plans(plan: &Plan, results: &Results, claims: &[Claim]) -> Vec<Plan> {
    let read: BTreeSet<CellKey<'_>> = claims.iter().flat_map(cells_of).collect();
    let is_read = |setting: &usize| {
        let rows = results.first_rows(plan, *setting);
        rows.iter().any(|row| read.contains(&cell_of(row)))
    };
    let settings: Vec<usize> = (0..plan.settings.len()).filter(is_read).collect();
    if settings.is_empty() {
        return Vec::new();
    }
    (1..SEEDS).map(|after| plan.from_another_seed(after, &settings)).collect()
}

/// Paper, application, errors, beside, scheme, variant, point: what tells the cells of a run apart.
type CellKey<'a> = ([&'a str; 6], u64);

fn cells_of<'a>(claim: &'a Claim) -> Vec<CellKey<'a>> {
    let about = &claim.about;
    let key = |cell: Cell<'a>| -> CellKey<'a> {
        let (app, beside) = (cell.app.unwrap_or(&about.app), cell.beside.unwrap_or(&about.beside));
        let errors = cell.errors.unwrap_or(&about.errors);
        let words = [claim.paper(), app, errors, beside, cell.scheme, cell.variant];
        (words, cell.point.to_bits())
    };
    claim.cells().into_iter().map(key).collect()
}

fn cell_of(row: &Row) -> CellKey<'_> {
    let Row { paper, app, errors, beside, scheme, variant, point, .. } = row;
    ([paper, app, errors, beside, scheme, variant], point.to_bits())
}
