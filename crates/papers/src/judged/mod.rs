//! What a run found, and what became of the claims on it.

mod screen;
mod verdicts;

use crate::claims::{self, Claim, Evidence, Judgement};
use crate::other_seeds::SeedFinding;
use arqway_lab::output::{OutputError, save};
use arqway_lab::report::Further;
use arqway_lab::report::ReportHeader;
use arqway_lab::report::findings::Findings;
use arqway_lab::run::Results;
use arqway_lab::run::plan::Plan;
use std::collections::BTreeMap;
use std::path::Path;
use verdicts::verdicts;

/// Findings, and the verdicts on them; a study of one's own has no claims, and so no verdicts.
#[derive(Debug)]
pub struct Judged {
    /// Rows and figures.
    pub findings: Findings,
    /// The verdicts, in the order of the claims.
    pub judgements: Vec<Judgement>,
    /// The verdicts from other seeds.
    pub other_seeds: Vec<SeedFinding>,
    /// What else the report says of a paper, by the paper's id.
    pub further: BTreeMap<String, Vec<Further>>,
}

impl Judged {
    /// What [`write`](Self::write) writes into its folder.
    pub const FILES: [&str; 5] = ["figures/", "rows.csv", "rows.parquet", "report.html", "claims.csv"];

    /// Makes tables, figures and verdicts from the results of a plan.
    #[must_use]
    pub fn new(plan: &Plan, results: &Results, claims: &[Claim]) -> Self {
        let findings = Findings::new(plan, results);
        let evidence = Evidence::of(&findings.rows);
        let judgements = claims.iter().map(|claim| claim.judge(&evidence)).collect();
        Self { findings, judgements, other_seeds: Vec::new(), further: BTreeMap::new() }
    }

    /// The tables and verdicts for a terminal.
    #[must_use]
    pub fn to_text(&self, plan: &Plan) -> String {
        self.findings.to_text(plan, &verdicts(self, plan))
    }

    /// Writes everything into `directory`.
    ///
    /// # Errors
    /// What could not be written, and why.
    pub fn write(&self, plan: &Plan, header: &ReportHeader, directory: &Path) -> Result<(), OutputError> {
        self.findings.write(plan, &verdicts(self, plan), header, directory)?;
        let mut csv = Vec::new();
        // Writing into memory does not fail.
        let _ = claims::write_csv(&self.judgements, &mut csv);
        save(&directory.join("claims.csv"), &csv)
    }

    /// The report as HTML.
    ///
    /// # Errors
    /// The template's.
    pub fn report(&self, plan: &Plan, header: &ReportHeader) -> Result<String, OutputError> {
        self.findings.report(plan, &verdicts(self, plan), header)
    }
}
