//! What the report says of one paper.

use super::{Agreement, FigureSection, Score, anchor};

/// One paper, or an experiment that belongs to none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PaperPart {
    /// `monet08`
    pub id: String,
    /// Authors, title, where and when; empty if it is no paper's.
    pub citation: String,
    /// What became of its claims.
    pub score: Score,
    /// How near its numbers are to ours.
    pub agreement: Agreement,
    /// In the order of the page.
    pub figures: Vec<FigureSection>,
    /// What else is said of the paper, below its figures.
    pub further: Vec<Further>,
}

/// A section of a paper below its figures, rendered from a template of its own.
///
/// Its headings begin at the fourth level, its tables have a `caption`, and what may be wider than a phone stands in a
/// `<div class="scroll" tabindex="0" role="group" aria-label="...">`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Further {
    /// Names it within its paper: `sensitivity`.
    pub id: String,
    /// Its heading, of the third level.
    pub title: String,
    /// What stands below the heading: HTML, which goes into the page as it is.
    pub html: String,
}

impl PaperPart {
    pub(super) fn anchor(&self) -> String {
        format!("paper-{}", anchor(&self.id))
    }

    pub(super) fn anchor_of(&self, further: &Further) -> String {
        format!("section-{}-{}", anchor(&self.id), anchor(&further.id))
    }
}
