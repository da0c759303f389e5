//! How near a paper's numbers are to ours, taken together: how far they lie apart, whether they point the same way, and
//! whether they come in the same order.

use super::rank::kendall_tau_b;
use super::score::{counted_once, median};
use super::{Judgement, Number, Statement, Verdict};
use arqway_lab::report::Agreement;

/// How near the numbers of these claims are to ours. Of two claims that say the same of the same world, in two papers, one counts.
#[must_use]
pub fn agreement<'a>(judgements: impl IntoIterator<Item = &'a Judgement>) -> Agreement {
    let judgements: Vec<&Judgement> = judgements.into_iter().collect();
    let numbers: Vec<(bool, Number)> = counted_once(&judgements)
        .filter_map(|judgement| Some((!matches!(judgement.claim.statement, Statement::Value(_)), judgement.number?)))
        .collect();
    let pair = |number: &Number| Some((number.paper, number.ours?.value));
    let percentages = numbers.iter().filter(|(is_percentage, _)| *is_percentage);
    let pairs: Vec<(f64, f64)> = percentages.filter_map(|(_, number)| pair(number)).collect();
    let of_percentages = !pairs.is_empty();
    let deviation = |(paper, ours): (f64, f64)| (ours - paper).abs() / paper.abs();
    let all = numbers.iter().filter(|(is_percentage, _)| *is_percentage == of_percentages);
    let deviations = all.filter_map(|(_, number)| pair(number)).map(deviation).filter(|share| share.is_finite());
    let deviations: Vec<f64> = deviations.collect();
    Agreement {
        numbers: numbers.len(),
        right: numbers.iter().filter(|(is_percentage, number)| points_right(*is_percentage, number)).count(),
        deviations: deviations.len(),
        median_deviation: median(deviations),
        of_percentages,
        tau: kendall_tau_b(&pairs),
        ranked: pairs.len(),
    }
}

fn points_right(is_percentage: bool, number: &Number) -> bool {
    match number.ours {
        Some(ours) if is_percentage => ours.value * number.paper > 0.0,
        Some(_) => matches!(number.verdict, Verdict::Reproduced | Verdict::Direction),
        None => false,
    }
}
