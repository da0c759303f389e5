//! Verdicts on claims, as data: `arqway-papers` fills it in; for a study without claims it is empty.

use super::{Agreement, Further, PaperTable, Score, VerdictLine};
use std::collections::BTreeMap;

/// The verdicts on the figures of a page.
#[derive(Debug, Clone, Default)]
pub struct Verdicts {
    /// By the figure's id: `monet08-fig3`.
    pub figures: BTreeMap<String, FigureVerdicts>,
    /// By the paper's id: `monet08`.
    pub papers: BTreeMap<String, PaperVerdicts>,
    /// What became of all claims: statements and numbers apart, what two papers say counted once.
    pub score: Score,
    /// How near all numbers are to ours.
    pub agreement: Agreement,
}

/// The verdicts on one figure.
#[derive(Debug, Clone, Default)]
pub struct FigureVerdicts {
    /// The paper's table beside ours, where the figure is a table.
    pub table: Option<PaperTable>,
    /// A claim each.
    pub lines: Vec<VerdictLine>,
}

/// What became of one paper.
#[derive(Debug, Clone, Default)]
pub struct PaperVerdicts {
    /// Authors, title, where and when.
    pub citation: String,
    /// What became of its claims.
    pub score: Score,
    /// How near its numbers are to ours.
    pub agreement: Agreement,
    /// What else is said of it, below its figures.
    pub further: Vec<Further>,
}
