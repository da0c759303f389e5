//! The report of a run: one HTML page with figures, tables, and what became of the papers' claims.
//!
//! ```text
//!     how it was run                       title, command, version, seed
//!     scorecard                            a bar a paper, statements and numbers apart
//!     contents                             a list a paper, beside the page where there is room
//!     paper
//!       figure                             drawing, the paper's table beside ours, claims and verdicts, means, settings
//!       ...
//!       further sections of the paper      whatever others say of it
//! ```
//!
//! The page is whole in itself: it loads nothing, runs no script, follows dark mode, fits a phone, can be printed and read
//! aloud. It is a pure function of its input, in which nothing depends on the time, the host or a path. Layout and style are
//! in `templates/report.html` and the parts that it includes, a file a part of the page.

mod badge;
pub mod coinciding;
mod figure;
pub mod findings;
mod header;
pub mod means_table;
mod page;
mod paper;
mod score;
mod table;
mod verdicts;

pub use badge::Tally;
pub use figure::{FigureSection, SeedVerdict, VerdictLine};
pub use header::ReportHeader;
pub use paper::{Further, PaperPart};
pub use score::{Agreement, Score};
pub use table::{PaperTable, TableCell};
pub use verdicts::{FigureVerdicts, PaperVerdicts, Verdicts};

use askama::Template;

/// Everything the page says.
#[derive(Debug, Clone, PartialEq, Template)]
#[template(path = "report.html")]
pub struct Report {
    /// Heading of the page.
    pub title: String,
    /// What to type to get the same page again.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// The seed of all random streams.
    pub seed: u64,
    /// What was run and how, in a few sentences; an empty line begins a paragraph.
    pub summary: String,
    /// What became of all claims: statements and numbers apart, what two papers say counted once.
    pub score: Score,
    /// How near all numbers are to ours.
    pub agreement: Agreement,
    /// In the order of the page.
    pub papers: Vec<PaperPart>,
}

impl Report {
    /// The page.
    ///
    /// # Errors
    ///
    /// None that the template itself can cause.
    pub fn to_html(&self) -> Result<String, askama::Error> {
        self.render()
    }

    fn paragraphs(&self) -> impl Iterator<Item = &str> {
        self.summary.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty())
    }

    /// The seeds that verdicts are shown for.
    fn seeds(&self) -> Vec<u64> {
        let lines = self.papers.iter().flat_map(|paper| &paper.figures).flat_map(|figure| &figure.verdicts);
        let most = lines.max_by_key(|line| line.seeds.len());
        most.map(|line| line.seeds.iter().map(|seed| seed.seed).collect()).unwrap_or_default()
    }

    fn figure_count(&self) -> usize {
        self.papers.iter().map(|paper| paper.figures.len()).sum()
    }

    /// The papers of the scorecard.
    fn scored(&self) -> Vec<&PaperPart> {
        self.papers.iter().filter(|paper| paper.score.has_claims()).collect()
    }
}

/// What a score counts, with the verdicts: the two are never added.
fn tallies(score: &Score) -> Vec<(&'static str, Tally)> {
    let both = [("statements", score.statements), ("numbers", score.numbers)];
    both.into_iter().filter(|(_, tally)| tally.total() > 0).collect()
}

/// Text as it may stand in an `id`, and behind the `#` of a link.
fn anchor(text: &str) -> String {
    text.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}

#[cfg(test)]
mod tests;
