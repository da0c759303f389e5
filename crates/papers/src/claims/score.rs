//! The two scores: how many statements are reproduced, and how many numbers. They are never added up.

use super::{Judgement, Verdict};
use arqway_lab::report::{Score, Tally};
use std::collections::BTreeSet;

/// Counts verdicts. Of two claims that say the same of the same world, in two papers, one counts.
#[must_use]
pub fn score<'a>(judgements: impl IntoIterator<Item = &'a Judgement>) -> Score {
    let judgements: Vec<&Judgement> = judgements.into_iter().collect();
    let mut score = Score::default();
    for judgement in counted_once(&judgements) {
        if let Some(verdict) = judgement.statement {
            count(&mut score.statements, verdict);
        }
        if let Some(number) = judgement.number {
            count(&mut score.numbers, number.verdict);
        }
    }
    score
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
