//! Curves that can hardly be told apart, and how far they lie from one of them, replication by replication.

use crate::figure::{Axis, Curve, Difference, Point};
use crate::results::stats::{Summary, summarise};
use std::collections::BTreeMap;

/// What was measured of one scheme at each place, by replication.
pub(super) type Measured = Vec<BTreeMap<u32, f64>>;

/// Curves that can hardly be told apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Coinciding {
    /// Index of the scheme that the others are compared with.
    pub reference: usize,
    /// The indices of the others, and at each place by how much each exceeds the first.
    pub others: Vec<(usize, Vec<Option<Summary>>)>,
}

/// Fewer curves are told apart by their markers.
const FEWEST: usize = 4;
/// Nearer to each other than this share of the axis, at all places.
const NEAR: f64 = 0.08;

impl Coinciding {
    /// The largest group of schemes whose means are near those of one of them, if it is large enough.
    pub(super) fn of(schemes: &[Measured], means: &[Vec<Option<Summary>>]) -> Option<Self> {
        let all = means.iter().flatten().flatten().map(|summary| summary.mean);
        let (low, high) = all.fold((0.0_f64, 0.0_f64), |(low, high), mean| (low.min(mean), high.max(mean)));
        let is_near = |one: usize, other: usize| {
            means.iter().all(|at_place| match (at_place[one], at_place[other]) {
                (Some(one), Some(other)) => (one.mean - other.mean).abs() <= NEAR * (high - low),
                _ => false,
            })
        };
        let near = |one: usize| (0..schemes.len()).filter(move |other| *other != one && is_near(one, *other));
        // The first of those with most companions, and then the first of its group: the one that others are compared with.
        let centre = (0..schemes.len()).rev().max_by_key(|one| near(*one).count())?;
        let reference = near(centre).min()?.min(centre);
        let others: Vec<usize> = near(centre).chain([centre]).filter(|other| *other != reference).collect();
        let differences = |other: &usize| (*other, paired(&schemes[*other], &schemes[reference]));
        (means.len() > 1 && others.len() + 1 >= FEWEST)
            .then(|| Self { reference, others: others.iter().map(differences).collect() })
    }

    /// As a panel below the figure of these curves, whose vertical axis this is.
    pub(super) fn panel(&self, points: &[f64], curves: &[Curve], y: &Axis) -> Difference {
        let unit = y.unit().map(|unit| format!(" ({unit})")).unwrap_or_default();
        let reference = &curves[self.reference];
        let zero = Point { x: 0.0, y: 0.0, half_width: None, deviation: None };
        let of_reference = reference.points.iter().map(|point| Point { x: point.x, ..zero }).collect();
        let mut drawn = vec![Curve { points: of_reference, ..reference.clone() }];
        for (index, differences) in &self.others {
            let at = |(x, difference): (&f64, &Option<Summary>)| {
                difference.map(|found| Point { x: *x, y: found.mean, half_width: found.half_width, ..zero })
            };
            let points = points.iter().zip(differences).filter_map(at).collect();
            drawn.push(Curve { points, ..curves[*index].clone() });
        }
        Difference { label: format!("Difference from {}{unit}", reference.label), curves: drawn }
    }
}

/// By how much one scheme exceeds another at each place, over the replications that both have.
fn paired(one: &Measured, other: &Measured) -> Vec<Option<Summary>> {
    let at_place = |(one, other): (&BTreeMap<u32, f64>, &BTreeMap<u32, f64>)| {
        let both = one.iter().filter_map(|(replication, value)| Some(value - other.get(replication)?));
        summarise(&both.collect::<Vec<_>>())
    };
    one.iter().zip(other).map(at_place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(values: &[[f64; 2]]) -> Measured {
        values.iter().map(|pair| (0..).zip(pair.iter().copied()).collect()).collect()
    }

    fn coinciding(schemes: &[Measured]) -> Option<Coinciding> {
        let mean = |values: &BTreeMap<u32, f64>| summarise(&values.values().copied().collect::<Vec<_>>());
        let places = 0..schemes[0].len();
        let means: Vec<Vec<_>> =
            places.map(|place| schemes.iter().map(|values| mean(&values[place])).collect()).collect();
        Coinciding::of(schemes, &means)
    }

    #[test]
    fn four_curves_that_coincide_are_compared_with_the_first_of_them_replication_by_replication() {
        let far = measured(&[[100.0, 110.0], [10.0, 11.0]]);
        let near = |by: f64| measured(&[[100.0 + by, 110.0 + by], [80.0 + by, 60.0 + by]]);
        let four = [far.clone(), near(0.0), near(1.0), near(2.0), near(-3.0)];
        let found = coinciding(&four).expect("four coincide");
        assert_eq!(found.reference, 1);
        let means = |at: &[Option<Summary>]| at.iter().flatten().map(|one| one.mean).collect::<Vec<_>>();
        let differences: BTreeMap<usize, Vec<f64>> =
            found.others.iter().map(|(index, at)| (*index, means(at))).collect();
        assert_eq!(differences, [(2, vec![1.0; 2]), (3, vec![2.0; 2]), (4, vec![-3.0; 2])].into());
        // The replications differ by far more than the schemes; their differences do not differ at all.
        let mut all = found.others.iter().flat_map(|(_, at)| at.iter().flatten());
        assert!(all.all(|one| one.half_width == Some(0.0)));
        assert_eq!(coinciding(&four[..4]), None, "three are told apart by their markers");
        assert_eq!(coinciding(&[far, near(0.0), near(0.0), near(0.0), near(40.0)]), None);
    }
}
