//! Verdicts from other root seeds: does a verdict depend on chance?
//!
//! `--seeds N` judges every claim again from the N - 1 seeds that follow, and runs only the cells that claims read. Rows, figures
//! and `claims.csv` stay those of the seed given.

use crate::cells_of_claims::CellsOfClaims;
use crate::claims::{Claim, Evidence, Judgement};
use arqway_lab::results::rows::Row;
use arqway_lab::run::Results;
use arqway_lab::run::plan::Plan;
use std::num::NonZeroU32;

/// The verdicts from another seed.
#[derive(Debug, Clone)]
pub struct SeedFinding {
    /// The seed of all random streams.
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

/// What is to be run for verdicts from so many seeds in all: of the settings of a plan, those whose rows decide a claim.
#[must_use]
pub fn plans(plan: &Plan, claims: &[Claim], seeds: NonZeroU32) -> Vec<Plan> {
    let settings = CellsOfClaims::of(claims).settings(plan);
    if settings.is_empty() {
        return Vec::new();
    }
    (1..seeds.get()).map(|after| plan.from_another_seed(after.into(), &settings)).collect()
}
