//! Does it still matter? The same figures with today's TCP.
//!
//! The papers' TCP is that of their years: no selective acknowledgements, a timeout of a second at least, clocks of 10 or 500 ms. A
//! scenario's `[today]` says what makes its world one of today, and `arqway reproduce --today` runs it beside the
//! plain one: the same figures, the same losses, another TCP. What a figure sets itself, it keeps.
//!
//! ```text
//!     scenarios/monet08.toml                        rows                          report
//!     [today]                                       scheme sr:1.1, variant        Does it still matter?
//!     set = { "tcp.profile" = "today" }             "tcp=today"                   SR over raw: 43 % then, 12 % today
//! ```

mod headline;
mod section;
#[cfg(test)]
mod tests;

pub use section::Section;

use crate::claims::{Claim, Evidence, Judgement};
use crate::judged::Judged;
use arqway_config::Mistakes;
use arqway_lab::experiment::scenarios;
use arqway_lab::experiment::{Base, overlay::Overlay};
use arqway_lab::report::findings::each_once;
use arqway_lab::report::means_table::MeansTable;
use arqway_lab::results::rows::Row;
use arqway_lab::run::Results;
use arqway_lab::run::plan::Plan;

/// What rows of today's world have in their column `variant`, behind what it has anyway.
pub const VARIANT: &str = "tcp=today";

/// What makes a paper's world one of today; nothing where its scenario does not say.
///
/// # Errors
/// Mistakes in the scenario.
pub fn overlay(paper: &str) -> Result<Option<Overlay>, Mistakes> {
    let Some(scenario) = scenarios::scenario(paper) else { return Ok(None) };
    Ok(Base::read(&scenario)?.today().map(Overlay::of))
}

/// What came out with today's TCP.
#[derive(Debug)]
pub struct ModernTcp {
    /// The rows, as `rows.csv` has them.
    pub rows: Vec<Row>,
    /// The verdicts, in the order of the claims.
    pub judgements: Vec<Judgement>,
    /// The figures' tables, with the paper and the name of each figure.
    tables: Vec<(String, String, MeansTable)>,
}

impl ModernTcp {
    /// Makes tables and verdicts from the results of a plan of today's worlds.
    #[must_use]
    pub fn new(plan: &Plan, results: &Results, claims: &[Claim]) -> Self {
        let mut tables = Vec::new();
        let mut rows = each_once(plan.experiments.iter().enumerate().map(|(index, experiment)| {
            let rows = results.rows(plan, index);
            for figure in &experiment.figures {
                let table = MeansTable::new(experiment, figure, &rows);
                tables.push((experiment.paper.clone(), figure.id.clone(), table));
            }
            rows
        }));
        // Claims know the plain world's variants.
        let evidence = Evidence::of(&rows);
        let judgements = claims.iter().map(|claim| claim.judge(&evidence)).collect();
        for row in &mut rows {
            row.variant = [&*row.variant, VARIANT].join(" ").trim_start().into();
        }
        Self { rows, judgements, tables }
    }

    /// What the report says of it, a section a paper.
    ///
    /// # Errors
    /// None that the template itself can cause.
    pub fn sections(&self, plan: &Plan, plain: &Judged) -> Result<Vec<Section>, askama::Error> {
        let mut papers: Vec<&str> = self.tables.iter().map(|(paper, _, _)| paper.as_str()).collect();
        papers.dedup();
        papers.into_iter().map(|paper| Section::new(paper, self, plan, plain)).collect()
    }
}
