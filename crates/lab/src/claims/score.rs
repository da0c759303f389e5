//! The two scores: how many statements are reproduced, and how many numbers. They are never added up.

use super::{Judgement, Verdict};
use crate::report::Tally;
use std::collections::BTreeSet;

/// What became of many claims.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// Verdicts on statements: bests, orders, crossings, shapes.
    pub statements: Tally,
    /// Verdicts on numbers: gains, values, and how far apart best and worst are.
    pub numbers: Tally,
    /// The median of how far our numbers lie from the paper's, as a share of the paper's.
    pub median_deviation: Option<f64>,
}

impl Score {
    /// Counts verdicts. Of two claims that say the same of the same world, in two papers, one counts.
    #[must_use]
    pub fn of<'a>(judgements: impl IntoIterator<Item = &'a Judgement>) -> Self {
        let judgements: Vec<&Judgement> = judgements.into_iter().collect();
        let mut score = Self::default();
        let mut deviations = Vec::new();
        for judgement in counted_once(&judgements) {
            if let Some(verdict) = judgement.statement {
                count(&mut score.statements, verdict);
            }
            if let Some(number) = judgement.number {
                count(&mut score.numbers, number.verdict);
                let deviation = number.ours.map(|ours| (ours.value - number.paper).abs() / number.paper.abs());
                deviations.extend(deviation.filter(|deviation| deviation.is_finite()));
            }
        }
        score.median_deviation = median(deviations);
        score
    }

    /// Whether there is anything to count.
    #[must_use]
    pub fn has_claims(&self) -> bool {
        self.statements.total() + self.numbers.total() > 0
    }

    /// `12 of 20 statements reproduced; 6 of 16 numbers, median deviation 18 %`; empty without claims.
    #[must_use]
    pub fn in_words(&self) -> String {
        let Self { statements, numbers, median_deviation } = self;
        if !self.has_claims() {
            return String::new();
        }
        let deviation = median_deviation.map_or_else(String::new, |share| format!("; {}", deviation_text(share)));
        format!(
            "{} of {} statements reproduced; {} of {} numbers{deviation}",
            statements.reproduced,
            statements.total(),
            numbers.reproduced,
            numbers.total()
        )
    }
}

/// `median deviation 18 %`
fn deviation_text(share: f64) -> String {
    format!("median deviation {} %", crate::figure::number::significant(share * 100.0, 2))
}

fn count(tally: &mut Tally, verdict: Verdict) {
    match verdict {
        Verdict::Reproduced => tally.reproduced += 1,
        Verdict::Direction => tally.direction += 1,
        Verdict::NotReproduced => tally.not_reproduced += 1,
        Verdict::CannotTell => tally.cannot_tell += 1,
    }
}

/// Of claims that say the same of the same world, in two papers, the one that speaks for both.
pub(super) fn counted_once<'a>(judgements: &[&'a Judgement]) -> impl Iterator<Item = &'a Judgement> {
    let ids: BTreeSet<&str> = judgements.iter().map(|judgement| judgement.claim.about.id.as_str()).collect();
    let said_already =
        move |judgement: &&Judgement| judgement.claim.about.same_as.as_deref().is_some_and(|same| ids.contains(same));
    judgements.iter().copied().filter(move |judgement| !said_already(judgement))
}

pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}
