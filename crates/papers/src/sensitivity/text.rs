//! The matrix for a terminal: a line an alternative, and which verdicts it turns.

use super::matrix::{AlternativeFinding, Flip, Matrix};
use crate::claims::score;
use arqway_lab::report::Score;
use arqway_lab::results::text_table::{Align, text_table};

impl Matrix {
    /// The table, then what each alternative turns.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut lines = vec![HEADS.map(str::to_owned).to_vec()];
        lines.push(score_cells("the world as it is", "", self.score(), None, ""));
        let mut before = None;
        for found in &self.alternatives {
            let name = if before == Some(found.parameter) { "" } else { self.parameter(found).name.as_str() };
            before = Some(found.parameter);
            let touched = format!("{} of {}", self.touched(found), self.lines().len());
            let mut cells = score_cells(name, &found.label, self.found_score(found), Some(self.score()), &touched);
            cells.push(self.turned(found));
            lines.push(cells);
        }
        let mut text =
            format!("{}: the effect of what it leaves open\n{}", self.paper, text_table("", &lines, |_| Align::Left));
        let left_out = self.left_out();
        if !left_out.is_empty() {
            text.push_str(&format!("{left_out}\n"));
        }
        let flips: String = self.alternatives.iter().map(|found| self.flips_text(found)).collect();
        if !flips.is_empty() {
            text.push_str(&format!("steady verdicts (other seeds do not change them) that turn:\n{flips}"));
        }
        text
    }

    pub(super) fn found_score(&self, found: &AlternativeFinding) -> Score {
        score(&found.judgements)
    }

    /// `+3 -5, 2 steady`
    pub(super) fn turned(&self, found: &AlternativeFinding) -> String {
        let flips = self.flips(found);
        let count = |kind| flips.iter().filter(|(_, flip)| *flip == kind).count();
        let steady = flips.iter().filter(|(line, _)| self.is_steady(*line)).count();
        match (count(Flip::Gained), count(Flip::Lost)) {
            (0, 0) => "none".to_owned(),
            (gained, lost) if self.parameter(found).is_chance => format!("+{gained} -{lost}"),
            (gained, lost) => format!("+{gained} -{lost}, {steady} steady"),
        }
    }

    /// The names of the lines that an alternative turns one way: those that other seeds leave as they are, or the others.
    pub(super) fn turned_names(&self, found: &AlternativeFinding, kind: Flip, is_steady: bool) -> Vec<String> {
        let flips = self.flips(found).into_iter().filter(|(_, flip)| *flip == kind);
        flips.filter(|(line, _)| self.is_steady(*line) == is_steady).map(|(line, _)| self.name(line)).collect()
    }

    /// What it turns that other seeds leave as it is.
    fn flips_text(&self, found: &AlternativeFinding) -> String {
        let mut text = String::new();
        for (kind, word) in [(Flip::Gained, "nearer to the paper"), (Flip::Lost, "farther from it")] {
            let names = self.turned_names(found, kind, true);
            if !names.is_empty() {
                let parameter = &self.parameter(found).name;
                text.push_str(&format!("  {parameter}: {}: {word}: {}\n", found.label, names.join("; ")));
            }
        }
        text
    }
}

const HEADS: [&str; 6] = ["parameter", "alternative", "statements", "numbers", "touches", "turns"];

/// Name, label, `31 of 44 (+2)`, the same of numbers, how many lines it touches.
fn score_cells(name: &str, label: &str, score: Score, plain: Option<Score>, touched: &str) -> Vec<String> {
    let [statements, numbers] = [score.statements, score.numbers];
    let cell = |now: arqway_lab::report::Tally, before: Option<arqway_lab::report::Tally>| {
        let change = before.map_or(0, |before| now.reproduced as i64 - before.reproduced as i64);
        let change = if change == 0 { String::new() } else { format!(" ({change:+})") };
        format!("{} of {}{change}", now.reproduced, now.total())
    };
    let statements = cell(statements, plain.map(|plain| plain.statements));
    let numbers = cell(numbers, plain.map(|plain| plain.numbers));
    vec![name.to_owned(), label.to_owned(), statements, numbers, touched.to_owned()]
}
