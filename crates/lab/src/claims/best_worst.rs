//! Best and worst of several schemes.
//!
//! Reproduced: the best is above the worst, no other scheme is above the best, none is below the worst. Direction: the
//! best is above the worst, no more. "Above" means that the 95 % interval of the mean paired difference lies above zero.

use super::values::Values;
use super::{Claim, Estimate, Judgement, Verdict, judge_percent};
use crate::stats::{CONFIDENCE, Comparison, compare, student_half_width};

pub(super) fn judge(claim: &Claim, values: &Values) -> Judgement {
    let worst = claim.worst.clone().or_else(|| lowest(claim, values));
    let ours = worst.as_ref().and_then(|worst| gap(values, &claim.best, worst));
    let number = claim.percent.zip(ours).map(|(paper, ours)| judge_percent(paper, ours));
    let (verdict, note) = statement(claim, worst.as_deref(), values);
    Judgement { claim: claim.clone(), verdict, number, ours, note }
}

fn statement(claim: &Claim, worst: Option<&str>, values: &Values) -> (Verdict, String) {
    let above = |a: &str, b: &str| values.paired(a, b).map(|(a, b)| compare(&a, &b));
    let Some((worst, order)) = worst.and_then(|worst| Some((worst, above(&claim.best, worst)?))) else {
        return (Verdict::CannotTell, "no rows for its schemes".to_owned());
    };
    let others = || claim.schemes.iter().filter(|scheme| **scheme != claim.best && *scheme != worst);
    if let Some(missing) = others().find(|scheme| above(scheme, &claim.best).is_none()) {
        return (Verdict::CannotTell, format!("no rows for {missing}"));
    }
    let better: Vec<_> =
        others().filter(|scheme| above(scheme, &claim.best) == Some(Comparison::Above)).cloned().collect();
    let worse: Vec<_> = others().filter(|scheme| above(scheme, worst) == Some(Comparison::Below)).cloned().collect();
    match order {
        Comparison::Above if better.is_empty() && worse.is_empty() => {
            (Verdict::Reproduced, format!("{} above {worst}, none above it, none below {worst}", claim.best))
        }
        Comparison::Above => {
            let mut note = format!("{} above {worst}", claim.best);
            if !better.is_empty() {
                note.push_str(&format!("; better still: {}", better.join(", ")));
            }
            if claim.worst.is_some() && !worse.is_empty() {
                note.push_str(&format!("; worse still: {}", worse.join(", ")));
            }
            (Verdict::Direction, note)
        }
        Comparison::Open => (Verdict::NotReproduced, format!("{} and {worst} are not significantly apart", claim.best)),
        Comparison::Below => (Verdict::NotReproduced, format!("{} below {worst}", claim.best)),
    }
}

/// The scheme with the lowest mean, where the claim does not name the worst.
fn lowest(claim: &Claim, values: &Values) -> Option<String> {
    let mean = |scheme: &String| {
        let (values, _) = values.paired(scheme, scheme)?;
        Some(values.iter().sum::<f64>() / values.len() as f64)
    };
    let means =
        claim.schemes.iter().filter(|scheme| **scheme != claim.best).filter_map(|scheme| Some((mean(scheme)?, scheme)));
    means.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, scheme)| scheme.clone())
}

/// How far the best lies above the worst, in percent of the worst, with the interval of a ratio of paired means: that
/// of the residuals `best - ratio * worst`, in units of the worst's mean.
fn gap(values: &Values, best: &str, worst: &str) -> Option<Estimate> {
    let (best, worst) = values.paired(best, worst)?;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let worst_mean = mean(&worst);
    if worst_mean == 0.0 {
        return None;
    }
    let ratio = mean(&best) / worst_mean;
    let residuals: Vec<f64> =
        best.iter().zip(&worst).map(|(best, worst)| (best - ratio * worst) / worst_mean).collect();
    let half_width = student_half_width(&residuals, CONFIDENCE).map(|half_width| half_width * 100.0);
    Some(Estimate { value: (ratio - 1.0) * 100.0, half_width })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims;
    use crate::document::Source;
    use crate::rows::Row;

    const CLAIM: &str = r#"
        [[claim]]
        id = "paper.fig1"
        where = "Fig. 1"
        app = "file-transfer"
        errors = "uniform"
        beside = "none"
        metric = "throughput"
        kind = "best-worst"
        flr = 5.4
        schemes = ["a", "b", "c"]
        best = "a"
        worst = "c"
        percent = 50
    "#;

    fn judgement(schemes: &[(&str, [f64; 3])]) -> Judgement {
        let claims = claims::read(&Source::new("claims.toml", CLAIM)).expect("a claim");
        let rows: Vec<Row> = schemes
            .iter()
            .flat_map(|(scheme, values)| {
                values.iter().enumerate().map(|(replication, value)| row(scheme, replication as u32, *value))
            })
            .collect();
        claims[0].judge(&rows)
    }

    fn row(scheme: &str, replication: u32, value: f64) -> Row {
        Row {
            paper: "paper".into(),
            app: "file-transfer".into(),
            errors: "uniform".into(),
            beside: "none".into(),
            rate_bps: 64_000,
            connections: 1,
            point: 5.4,
            scheme: scheme.into(),
            variant: "".into(),
            replication,
            metric: "throughput".into(),
            value,
        }
    }

    #[test]
    fn best_above_worst_and_nothing_beyond_them_is_reproduced() {
        let judged = judgement(&[("a", [30.0, 31.0, 32.0]), ("b", [25.0, 26.0, 27.0]), ("c", [20.0, 20.6, 21.4])]);
        assert_eq!((judged.verdict, judged.number), (Verdict::Reproduced, Some(Verdict::Reproduced)));
        assert!((judged.ours.expect("a gap").value - 50.0).abs() < 1e-9);
    }

    #[test]
    fn another_scheme_beyond_the_best_or_the_worst_leaves_the_direction() {
        let better = judgement(&[("a", [30.0, 31.0, 32.0]), ("b", [40.0, 41.0, 42.5]), ("c", [20.0, 20.6, 21.4])]);
        let worse = judgement(&[("a", [30.0, 31.0, 32.0]), ("b", [10.0, 11.0, 12.5]), ("c", [20.0, 20.6, 21.4])]);
        assert_eq!((better.verdict, worse.verdict), (Verdict::Direction, Verdict::Direction));
        assert!(better.note.contains("better still: b") && worse.note.contains("worse still: b"));
    }

    #[test]
    fn swapped_or_flattened_rows_are_not_reproduced() {
        let swapped = judgement(&[("c", [30.0, 31.0, 32.0]), ("b", [25.0, 26.0, 27.0]), ("a", [20.0, 20.6, 21.4])]);
        let flat = judgement(&[("a", [20.0, 21.0, 19.5]), ("b", [20.0, 20.0, 20.0]), ("c", [20.0, 20.6, 19.9])]);
        assert_eq!((swapped.verdict, swapped.number), (Verdict::NotReproduced, Some(Verdict::NotReproduced)));
        assert_eq!(flat.verdict, Verdict::NotReproduced);
    }

    #[test]
    fn missing_rows_decide_nothing() {
        assert_eq!(judgement(&[]).verdict, Verdict::CannotTell);
        assert_eq!(judgement(&[("a", [3.0, 3.1, 3.2]), ("c", [1.0, 1.1, 1.2])]).verdict, Verdict::CannotTell);
    }

    #[test]
    fn a_percentage_is_near_within_five_points_or_a_third() {
        let ours = |value| Estimate { value, half_width: Some(0.5) };
        assert_eq!(judge_percent(8.23, ours(5.5)), Verdict::Reproduced);
        assert_eq!(judge_percent(228.0, ours(160.0)), Verdict::Reproduced);
        assert_eq!(judge_percent(228.0, ours(100.0)), Verdict::Direction);
        assert_eq!(judge_percent(228.0, ours(-100.0)), Verdict::NotReproduced);
        assert_eq!(judge_percent(1.85, ours(1.5)), Verdict::Reproduced);
    }
}
