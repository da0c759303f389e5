//! How many claims hold, and how near the papers' numbers are to ours. `arqway-papers` counts, the report shows.

use super::badge::Tally;
use crate::figure::number::{fixed, percentage};

/// What became of many claims. Statements and numbers are two scores, which are never added up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// Verdicts on statements: bests, orders, crossings, shapes.
    pub statements: Tally,
    /// Verdicts on numbers: gains, values, and how far apart best and worst are.
    pub numbers: Tally,
}

impl Score {
    /// Whether there is anything to count.
    #[must_use]
    pub fn has_claims(&self) -> bool {
        self.statements.total() + self.numbers.total() > 0
    }

    /// `12 of 20 statements reproduced; 6 of 16 numbers`; empty without claims.
    #[must_use]
    pub fn in_words(&self) -> String {
        let Self { statements, numbers } = self;
        if !self.has_claims() {
            return String::new();
        }
        format!(
            "{} of {} statements reproduced; {} of {} numbers",
            statements.reproduced,
            statements.total(),
            numbers.reproduced,
            numbers.total()
        )
    }
}

/// Three ways in which many numbers of a paper agree with ours.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Agreement {
    /// How many numbers the paper prints.
    pub numbers: usize,
    /// How many of ours point the same way: a gap or an improvement has the paper's sign, a value is within a factor of two.
    pub right: usize,
    /// The median of how far ours lie from the paper's, as a share of the paper's: over its gaps and improvements, or
    /// where it has none, over its values.
    pub median_deviation: Option<f64>,
    /// Over how many numbers that median is.
    pub deviations: usize,
    /// Whether those are gaps and improvements.
    pub of_percentages: bool,
    /// Kendall's tau-b between the paper's gaps and improvements and ours.
    pub tau: Option<f64>,
    /// How many of them there are.
    pub ranked: usize,
}

impl Agreement {
    /// How far ours lie from the paper's, with what that means: `median deviation 18 %: half of our 20 gaps and improvements lie
    /// within 18 % of the paper's`.
    #[must_use]
    pub fn deviation_in_words(&self) -> Option<String> {
        let kind = if self.of_percentages { "gaps and improvements" } else { "values" };
        let share = self.deviation_percent()?;
        Some(match self.deviations {
            1 => format!("our number lies {share} from the paper's"),
            several => {
                format!("median deviation {share}: half of our {several} {kind} lie within {share} of the paper's")
            }
        })
    }

    /// `18 %`
    #[must_use]
    pub fn deviation_percent(&self) -> Option<String> {
        Some(format!("{} %", percentage(self.median_deviation? * 100.0, 2)))
    }

    /// `22 of 24 right in direction`
    #[must_use]
    pub fn direction_in_words(&self) -> Option<String> {
        (self.numbers > 0).then(|| format!("{} of {} numbers right in direction", self.right, self.numbers))
    }

    /// `Kendall tau-b 0.71 (n = 20)`
    #[must_use]
    pub fn tau_in_words(&self) -> Option<String> {
        Some(format!("Kendall tau-b {} (n = {})", fixed(self.tau?, 2), self.ranked))
    }

    /// All three in one line; empty without numbers.
    #[must_use]
    pub fn in_words(&self) -> String {
        let words = [self.deviation_in_words(), self.direction_in_words(), self.tau_in_words()];
        words.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}
