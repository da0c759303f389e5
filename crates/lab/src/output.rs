//! What a run leaves behind: rows, figures, verdicts, a report. Nothing in it depends on wall time, host, path, threads or
//! order of runs: same version, same arguments, same bytes.

use crate::claims::{self, Claim, Judgement};
use crate::experiment::Experiment;
use crate::figure::{number, png};
use crate::plan::Plan;
use crate::present::MeansTable;
use crate::report::{FigureSection, Report, SettingsSection, VerdictLine};
use crate::rows::{self, Row};
use crate::run::Results;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The version that results carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a run has to say.
#[derive(Debug)]
pub struct Findings {
    /// All rows, each once.
    pub rows: Vec<Row>,
    /// The figures, in the order in which they were asked for.
    pub figures: Vec<FigureFinding>,
    /// The verdicts, in the order of the claims.
    pub judgements: Vec<Judgement>,
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
    /// The drawing.
    pub svg: String,
    /// Which experiment of the plan it belongs to.
    experiment: usize,
    /// The figure's own name, as claims have it: `fig3`.
    name: String,
}

/// What the report says beside the results.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its heading.
    pub title: String,
    /// What to type to get it again.
    pub command: String,
    /// The part of the command that names one figure, if there is one: it is put in the place of all others.
    pub figure_command: Option<String>,
    /// What a reader must know of all of it; empty if nothing.
    pub note: String,
}

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// A file or a folder.
    #[error("cannot write {path}: {source}", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The rows as Parquet.
    #[error("cannot write rows as Parquet: {0}")]
    Parquet(String),
    /// A figure as PNG.
    #[error("cannot draw {id}: {source}")]
    Png {
        /// Of which figure.
        id: String,
        /// What the renderer said.
        source: png::PngError,
    },
    /// The report.
    #[error("cannot write the report: {0}")]
    Report(#[from] askama::Error),
}

impl Findings {
    /// Makes tables, figures and verdicts from the results of a plan.
    #[must_use]
    pub fn new(plan: &Plan, results: &Results, claims: &[Claim]) -> Self {
        let rows_of: Vec<Vec<Row>> = (0..plan.experiments.len()).map(|index| results.rows(plan, index)).collect();
        let figures = plan.experiments.iter().zip(&rows_of).enumerate();
        let figures = figures.flat_map(|(index, (experiment, rows))| {
            experiment.figures.iter().map(move |figure| {
                let table = MeansTable::new(experiment, figure, rows);
                let id = format!("{}-{}", experiment.paper, figure.id);
                let svg = table.figure(experiment, &id).to_svg();
                FigureFinding {
                    id,
                    title: experiment.title.clone(),
                    table,
                    svg,
                    experiment: index,
                    name: figure.id.clone(),
                }
            })
        });
        let figures = figures.collect();
        let rows = each_once(rows_of.into_iter().flatten());
        let judgements = claims.iter().map(|claim| claim.judge(&rows)).collect();
        Self { rows, figures, judgements }
    }

    /// The figure a claim belongs to.
    fn judgements_of<'a>(&'a self, plan: &'a Plan, figure: &'a FigureFinding) -> impl Iterator<Item = &'a Judgement> {
        let paper = &plan.experiments[figure.experiment].paper;
        self.judgements.iter().filter(move |judgement| {
            judgement.claim.figure() == figure.name && judgement.claim.id.split('.').next() == Some(paper)
        })
    }

    /// The tables and verdicts for a terminal.
    #[must_use]
    pub fn to_text(&self, plan: &Plan) -> String {
        let mut text = String::new();
        for figure in &self.figures {
            text.push_str(&format!(
                "{}: {} ({})\n{}",
                figure.id,
                figure.title,
                figure.table.replications_text(),
                figure.table.to_text()
            ));
            for judgement in self.judgements_of(plan, figure) {
                let line = verdict_line(judgement);
                text.push_str(&format!("  {}: {} [{}]\n", line.id, line.statement, line.verdict));
                if !line.paper.is_empty() {
                    text.push_str(&format!("  the paper says {}, we got {}\n", line.paper, line.ours));
                }
            }
            text.push('\n');
        }
        text
    }

    /// Writes everything into `directory`.
    ///
    /// # Errors
    /// What could not be written, and why.
    pub fn write(&self, plan: &Plan, frame: &Frame, directory: &Path) -> Result<(), OutputError> {
        let figures = directory.join("figures");
        fs::create_dir_all(&figures).map_err(|source| OutputError::File { path: figures.clone(), source })?;
        let mut csv = Vec::new();
        // Writing into memory does not fail.
        let _ = rows::write_csv(&self.rows, &mut csv);
        save(&directory.join("rows.csv"), &csv)?;
        let mut parquet = Vec::new();
        let metadata = [("version", VERSION.to_owned()), ("command", frame.command.clone())];
        let metadata = metadata.map(|(key, value)| (format!("arqway.{key}"), value));
        rows::write_parquet(&self.rows, &metadata, &mut parquet)
            .map_err(|error| OutputError::Parquet(error.to_string()))?;
        save(&directory.join("rows.parquet"), &parquet)?;
        let mut verdicts = Vec::new();
        let _ = claims::write_csv(&self.judgements, &mut verdicts);
        save(&directory.join("claims.csv"), &verdicts)?;
        for figure in &self.figures {
            save(&figures.join(format!("{}.svg", figure.id)), figure.svg.as_bytes())?;
            let pixels =
                png::to_png(&figure.svg, 2.0).map_err(|source| OutputError::Png { id: figure.id.clone(), source })?;
            save(&figures.join(format!("{}.png", figure.id)), &pixels)?;
        }
        save(&directory.join("report.html"), self.report(plan, frame).to_html()?.as_bytes())
    }

    fn report(&self, plan: &Plan, frame: &Frame) -> Report {
        let (statements, numbers) = claims::tally(&self.judgements);
        let section = |figure: &FigureFinding| FigureSection {
            id: figure.id.clone(),
            title: format!("{}: {}", plan.experiments[figure.experiment].source, figure.title),
            svg: figure.svg.clone(),
            columns: figure.table.columns(),
            rows: figure.table.text_rows(),
            paper_says: self.judgements_of(plan, figure).map(|judgement| judgement.claim.in_words()).collect(),
            verdicts: self.judgements_of(plan, figure).map(verdict_line).collect(),
            notes: vec![format!("{}, {}.", figure.table.y_label, figure.table.replications_text())],
            command: frame
                .figure_command
                .as_ref()
                .map_or_else(|| frame.command.clone(), |command| command.replace("FIGURE", &figure.name)),
        };
        let mut shown = BTreeSet::new();
        let settings =
            plan.experiments.iter().filter(|experiment| shown.insert(experiment.settings.clone())).map(settings);
        Report {
            title: frame.title.clone(),
            command: frame.command.clone(),
            version: VERSION.to_owned(),
            seed: plan.experiments.first().map_or(1, |experiment| experiment.seed),
            summary: format!(
                "Means and 95 % confidence intervals (Student's t) over replications with random streams of their own. \
                 All schemes of a replication meet the same channel and the same users, so differences between them are \
                 compared pair by pair.\n\n{}",
                frame.note
            ),
            statements,
            numbers,
            figures: self.figures.iter().map(section).collect(),
            settings: settings.collect(),
        }
    }
}

fn settings(experiment: &Experiment) -> SettingsSection {
    let swept = experiment.swept.as_ref().map_or_else(String::new, |path| format!(" (swept: {path})"));
    SettingsSection { title: format!("The world of {}{swept}", experiment.id), text: experiment.settings.clone() }
}

fn verdict_line(judgement: &Judgement) -> VerdictLine {
    let percent = |value: f64, half_width: Option<f64>| format!("{} %", number::with_half_width(value, half_width));
    let number_verdict = judgement.number.map_or_else(String::new, |verdict| format!("; the number: {verdict}"));
    VerdictLine {
        id: judgement.claim.id.clone(),
        statement: judgement.claim.statement(),
        verdict: judgement.verdict.to_string(),
        paper: judgement.claim.percent.map_or_else(String::new, |value| format!("{value} %")),
        ours: judgement.ours.map_or_else(String::new, |ours| percent(ours.value, ours.half_width)),
        note: format!("{}{number_verdict}", judgement.note),
    }
}

/// Two figures that show the same cell share its rows.
fn each_once(rows: impl Iterator<Item = Row>) -> Vec<Row> {
    let mut seen: BTreeMap<_, f64> = BTreeMap::new();
    rows.filter(|row| {
        let words =
            [&row.paper, &row.app, &row.errors, &row.beside, &row.scheme, &row.variant, &row.metric].map(Clone::clone);
        let key = (words, (row.rate_bps, row.connections, row.point.to_bits(), row.replication));
        let earlier = seen.insert(key, row.value);
        debug_assert!(earlier.is_none_or(|value| value == row.value), "two cells that no column tells apart: {row:?}");
        earlier.is_none()
    })
    .collect()
}

fn save(path: &Path, octets: &[u8]) -> Result<(), OutputError> {
    fs::write(path, octets).map_err(|source| OutputError::File { path: path.to_owned(), source })
}
