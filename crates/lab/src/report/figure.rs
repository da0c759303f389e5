//! What the report says of one figure: the drawing, the claims with their verdicts, the means, how to get it again.

use super::badge::Badge;
use super::{PaperTable, anchor};

/// One figure, what the paper says of it, and what we found.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureSection {
    /// As in the figure's file name: `monet08-fig3`.
    pub id: String,
    /// Heading of the section.
    pub title: String,
    /// The drawing for a desk, and that for a phone; they go into the page as they are.
    pub drawings: [String; 2],
    /// What its values and its error bars are, below the drawing.
    pub caption: String,
    /// The paper's table beside ours, where the figure is a table.
    pub paper_table: Option<PaperTable>,
    /// Heads of the table: the swept parameter, then a curve each; with the name in rows, where that is another.
    pub columns: Vec<(String, String)>,
    /// The table: a value of the swept parameter, then `mean ± half width` of each curve.
    pub rows: Vec<Vec<String>>,
    /// What the paper says of it, and what became of that.
    pub verdicts: Vec<VerdictLine>,
    /// What a reader must know to judge the figure.
    pub notes: Vec<String>,
    /// What to type to draw this figure alone.
    pub command: String,
    /// Root of its random streams.
    pub seed: u64,
    /// The world behind it, as TOML.
    pub settings: String,
}

/// One claim and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictLine {
    /// Of the claim.
    pub id: String,
    /// The claim in words.
    pub statement: String,
    /// `reproduced`, `direction`, `not-reproduced` or `cannot-tell`.
    pub verdict: String,
    /// The paper's number; empty where there is none.
    pub paper: String,
    /// Our number with its interval; empty where there is none.
    pub ours: String,
    /// The verdict on the number, where the one above is on a statement; else empty.
    pub number: String,
    /// The rule by which the number got its verdict, in half a sentence; empty where there is none.
    pub rule: String,
    /// Why the verdict is what it is; may be empty.
    pub note: String,
    /// Whether it stands in the paper's table: then the page lists it apart.
    pub in_table: bool,
    /// The same from several seeds, that of the page first.
    pub seeds: Vec<SeedVerdict>,
}

/// What became of a claim where everything was drawn from one seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedVerdict {
    /// The seed of all random streams.
    pub seed: u64,
    /// As in [`VerdictLine::verdict`].
    pub verdict: String,
    /// Our number with its interval; empty where there is none.
    pub number: String,
}

impl FigureSection {
    pub(super) fn anchor(&self) -> String {
        format!("section-{}", anchor(&self.id))
    }

    /// How many claims of this figure got each verdict; only verdicts that occur.
    pub(super) fn counts(&self) -> Vec<(Badge, usize)> {
        let count = |badge: Badge| self.verdicts.iter().filter(|line| line.badge() == badge).count();
        let all = Badge::ALL.map(|badge| (badge, count(badge)));
        all.into_iter().filter(|&(_, count)| count > 0).collect()
    }

    /// The claims that the paper's table does not show.
    pub(super) fn listed(&self) -> Vec<&VerdictLine> {
        self.verdicts.iter().filter(|line| !line.in_table).collect()
    }

    /// The claims that it shows.
    pub(super) fn tabled(&self) -> Vec<&VerdictLine> {
        self.verdicts.iter().filter(|line| line.in_table).collect()
    }
}

impl VerdictLine {
    pub(super) fn badge(&self) -> Badge {
        Badge::of(&self.verdict)
    }

    pub(super) fn number_badge(&self) -> Badge {
        Badge::of(&self.number)
    }

    /// For a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("  {}: {} [{}]\n", self.id, self.statement, self.badge().words);
        if !self.note.is_empty() {
            text.push_str(&format!("    {}\n", self.note));
        }
        if !self.paper.is_empty() {
            let ours = if self.ours.is_empty() { "nothing" } else { &self.ours };
            let verdict =
                if self.number.is_empty() { String::new() } else { format!(" [{}]", self.number_badge().words) };
            let rule = if self.rule.is_empty() { String::new() } else { format!(": {}", self.rule) };
            text.push_str(&format!("    the paper says {}, we got {ours}{rule}{verdict}\n", self.paper));
        }
        if self.seeds.len() > 1 {
            let seed =
                |one: &SeedVerdict| format!("{} {} {}", one.seed, one.badge().words, one.number).trim_end().to_owned();
            let seeds: Vec<String> = self.seeds.iter().map(seed).collect();
            text.push_str(&format!("    by seed: {}\n", seeds.join("; ")));
        }
        text
    }
}

impl SeedVerdict {
    pub(super) fn badge(&self) -> Badge {
        Badge::of(&self.verdict)
    }
}
