//! A paper's table beside ours: in each cell the paper's number, ours, and the verdict.

use super::Agreement;
use super::badge::Badge;
use crate::results::text_table::{Align, text_table};

/// A table that a paper prints, with our numbers in it.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperTable {
    /// What its rows are: the swept parameter, with its unit.
    pub head: String,
    /// Its columns, in groups that measure the same: what that is, and the schemes.
    pub groups: Vec<(String, Vec<String>)>,
    /// The point, and its cells: none where the paper prints nothing.
    pub rows: Vec<(String, Vec<Option<TableCell>>)>,
    /// How near the paper's numbers are to ours.
    pub agreement: Agreement,
}

/// One number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCell {
    /// The paper's.
    pub paper: String,
    /// Ours with its interval; empty where there is none.
    pub ours: String,
    /// `reproduced`, `direction`, `not-reproduced` or `cannot-tell`.
    pub verdict: String,
}

impl PaperTable {
    /// For a terminal: its columns aligned, signs for verdicts.
    #[must_use]
    pub fn to_text(&self) -> String {
        let heads = std::iter::once(self.head.clone()).chain(self.groups.iter().flat_map(|(_, names)| names.clone()));
        let mut lines: Vec<Vec<String>> = vec![heads.collect()];
        for (head, cells) in &self.rows {
            let cells = cells.iter().map(|cell| cell.as_ref().map_or_else(String::new, TableCell::to_text));
            lines.push(std::iter::once(head.clone()).chain(cells).collect());
        }
        let mut text = String::from("Paper | ours; ✓ reproduced, ≈ direction only, ✗ not reproduced, ? cannot tell\n");
        text.push_str(&self.groups_text());
        text.push_str(&text_table("", &lines, |_| Align::Right));
        text.push_str(&format!("{}\n", self.agreement.in_words()));
        text
    }

    /// What each column measures, a line a group.
    fn groups_text(&self) -> String {
        let line = |(title, names): &(String, Vec<String>)| format!("  {title}: {}\n", names.join("; "));
        self.groups.iter().map(line).collect()
    }
}

impl TableCell {
    pub(super) fn badge(&self) -> Badge {
        Badge::of(&self.verdict)
    }

    fn to_text(&self) -> String {
        let ours = if self.ours.is_empty() { "nothing" } else { &self.ours };
        format!("{} | {ours} {}", self.paper, self.badge().sign)
    }
}
