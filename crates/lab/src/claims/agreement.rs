//! How near a paper's numbers are to ours, taken together: how far they lie apart, whether they point the same way, and
//! whether they come in the same order.

use super::score::{counted_once, median};
use super::{Judgement, Number, Statement, Verdict};
use crate::figure::number::{fixed, significant};
use crate::rank::kendall_tau_b;

/// Three ways in which many numbers agree.
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
    /// Of these claims, as far as they have numbers. Of two that say the same of the same world, in two papers, one counts.
    #[must_use]
    pub fn of<'a>(judgements: impl Iterator<Item = &'a Judgement>) -> Self {
        let judgements: Vec<&Judgement> = judgements.collect();
        let numbers: Vec<(bool, Number)> = counted_once(&judgements)
            .filter_map(|judgement| {
                Some((!matches!(judgement.claim.statement, Statement::Value(_)), judgement.number?))
            })
            .collect();
        let pair = |number: &Number| Some((number.paper, number.ours?.value));
        let percentages = numbers.iter().filter(|(is_percentage, _)| *is_percentage);
        let pairs: Vec<(f64, f64)> = percentages.filter_map(|(_, number)| pair(number)).collect();
        let of_percentages = !pairs.is_empty();
        let deviation = |(paper, ours): (f64, f64)| (ours - paper).abs() / paper.abs();
        let all = numbers.iter().filter(|(is_percentage, _)| *is_percentage == of_percentages);
        let deviations = all.filter_map(|(_, number)| pair(number)).map(deviation).filter(|share| share.is_finite());
        let deviations: Vec<f64> = deviations.collect();
        Self {
            numbers: numbers.len(),
            right: numbers.iter().filter(|(is_percentage, number)| points_right(*is_percentage, number)).count(),
            deviations: deviations.len(),
            median_deviation: median(deviations),
            of_percentages,
            tau: kendall_tau_b(&pairs),
            ranked: pairs.len(),
        }
    }

    /// What is compared, and how far ours lie from the paper's: `median relative deviation 18 % (20 gaps and improvements)`.
    #[must_use]
    pub fn deviation_in_words(&self) -> Option<String> {
        let kind = if self.of_percentages { "gaps and improvements" } else { "values" };
        let percent = significant(self.median_deviation? * 100.0, 2);
        Some(format!("median relative deviation {percent} % ({} {kind})", self.deviations))
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

fn points_right(is_percentage: bool, number: &Number) -> bool {
    match number.ours {
        Some(ours) if is_percentage => ours.value * number.paper > 0.0,
        Some(_) => matches!(number.verdict, Verdict::Reproduced | Verdict::Direction),
        None => false,
    }
}
