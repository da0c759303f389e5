//! What the command leaves behind: `sensitivity.csv`, a heat map a paper, and `sensitivity.html`, a page whole in itself.

use super::csv::write_csv;
use super::matrix::{AlternativeFinding, Flip, Line, Matrix, verdict};
use crate::claims::Verdict;
use arqway_lab::output::{self, VERSION, save, save_drawing};
use askama::Template;
use std::path::Path;

pub use arqway_lab::output::OutputError;

/// The page: pure in what it is given. Layout and style are in `templates/sensitivity.html`.
#[derive(Debug, Template)]
#[template(path = "sensitivity.html")]
pub struct Page<'a> {
    /// What to type to get the same page again.
    pub command: &'a str,
    /// Version of the program.
    pub version: &'a str,
    /// How much was run, in a sentence.
    pub effort: &'a str,
    /// One a paper.
    pub papers: Vec<PaperSection>,
}

/// What the page says of a paper.
#[derive(Debug)]
pub struct PaperSection {
    paper: String,
    /// `31 of 44 statements, 12 of 20 numbers`
    plain: String,
    /// Where not all was run.
    missing: String,
    svg: String,
    alternatives: Vec<AlternativeRow>,
    heads: Vec<String>,
    lines: Vec<LineRow>,
}

#[derive(Debug)]
struct AlternativeRow {
    /// The parameter, where the row is the first of its rows.
    parameter: Option<ParameterCell>,
    label: String,
    statements: String,
    numbers: String,
    touched: String,
    gained: Turned,
    lost: Turned,
}

/// The names of the lines that are turned one way.
#[derive(Debug)]
struct Turned {
    /// Those that other seeds leave as they are.
    steady: Vec<String>,
    others: Vec<String>,
}

impl Turned {
    fn new(matrix: &Matrix, found: &AlternativeFinding, kind: Flip) -> Self {
        let [steady, others] = [true, false].map(|is_steady| matrix.turned_names(found, kind, is_steady));
        Self { steady, others }
    }
}

#[derive(Debug)]
struct ParameterCell {
    name: String,
    silent: String,
    chosen: String,
    /// How many rows it has.
    rows: usize,
}

#[derive(Debug)]
struct LineRow {
    name: String,
    /// A sign a world: the plain one's, then the alternatives'.
    signs: Vec<&'static str>,
}

impl PaperSection {
    fn new(matrix: &Matrix) -> Self {
        let score = matrix.score();
        let heads =
            matrix.alternatives.iter().map(|found| format!("{}: {}", matrix.parameter(found).name, found.label));
        Self {
            paper: matrix.paper.clone(),
            plain: format!(
                "{} of {} statements, {} of {} numbers",
                score.statements.reproduced,
                score.statements.total(),
                score.numbers.reproduced,
                score.numbers.total()
            ),
            missing: matrix.left_out(),
            svg: matrix.to_svg(),
            alternatives: rows(matrix),
            heads: std::iter::once("as it is".to_owned()).chain(heads).collect(),
            lines: lines(matrix),
        }
    }
}

fn rows(matrix: &Matrix) -> Vec<AlternativeRow> {
    let mut before = None;
    let mut rows = Vec::new();
    for found in &matrix.alternatives {
        let is_first = before != Some(found.parameter);
        before = Some(found.parameter);
        let parameter = matrix.parameter(found);
        let of_same = matrix.alternatives.iter().filter(|other| other.parameter == found.parameter).count();
        let score = matrix.found_score(found);
        rows.push(AlternativeRow {
            parameter: is_first.then(|| ParameterCell {
                name: parameter.name.clone(),
                silent: parameter.silent.clone(),
                chosen: parameter.chosen.clone(),
                rows: of_same,
            }),
            label: found.label.clone(),
            statements: format!("{} of {}", score.statements.reproduced, score.statements.total()),
            numbers: format!("{} of {}", score.numbers.reproduced, score.numbers.total()),
            touched: format!("{} of {}", matrix.touched(found), matrix.lines().len()),
            gained: Turned::new(matrix, found, Flip::Gained),
            lost: Turned::new(matrix, found, Flip::Lost),
        });
    }
    rows
}

fn lines(matrix: &Matrix) -> Vec<LineRow> {
    let row = |line: Line| {
        let of = |found: &AlternativeFinding| {
            if found.touched[line.claim] { sign(verdict(&found.judgements, line)) } else { "·" }
        };
        let plain = std::iter::once(sign(verdict(&matrix.plain, line)));
        LineRow { name: matrix.name(line), signs: plain.chain(matrix.alternatives.iter().map(of)).collect() }
    };
    matrix.lines().into_iter().map(row).collect()
}

/// As the report has them.
fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "✓",
        Verdict::Direction => "≈",
        Verdict::NotReproduced => "✗",
        Verdict::CannotTell => "?",
    }
}

/// What [`write()`] writes into its folder.
pub const FILES: [&str; 3] = ["figures/", "sensitivity.csv", "sensitivity.html"];

/// Writes everything into `directory`.
///
/// # Errors
/// What could not be written, and why.
pub fn write(matrices: &[Matrix], command: &str, effort: &str, directory: &Path) -> Result<(), OutputError> {
    let figures = directory.join("figures");
    output::make(&figures)?;
    let mut csv = Vec::new();
    // Writing into memory does not fail.
    let _ = write_csv(matrices, &mut csv);
    save(&directory.join("sensitivity.csv"), &csv)?;
    let papers: Vec<PaperSection> = matrices.iter().map(PaperSection::new).collect();
    for section in &papers {
        save_drawing(&figures, &format!("{}-sensitivity", section.paper), &section.svg)?;
    }
    let page = Page { command, version: VERSION, effort, papers };
    save(&directory.join("sensitivity.html"), page.render()?.as_bytes())
}
