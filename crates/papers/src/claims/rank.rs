//! Whether two lists of numbers are ranked alike: Kendall's tau-b, twenty lines that no crate in the build has.

use std::cmp::Ordering;

/// Kendall's tau-b between the first and the second of each pair.
///
/// Of all pairs of pairs, `c` come in the same order in both lists and `d` in opposite order; `a` of them are apart in the
/// first list, `b` in the second. Then tau-b is `(c - d) / sqrt(a b)`: 1 if both lists have the same order, -1 if one is the
/// other backwards. None where a list does not put anything before anything else. (M. G. Kendall, The Treatment of Ties in
/// Ranking Problems, Biometrika 33, 1945.)
#[must_use]
pub(super) fn kendall_tau_b(pairs: &[(f64, f64)]) -> Option<f64> {
    let (mut agreeing, mut apart_first, mut apart_second) = (0_i64, 0_i64, 0_i64);
    for (index, one) in pairs.iter().enumerate() {
        for other in &pairs[..index] {
            let (first, second) = (sign(one.0, other.0), sign(one.1, other.1));
            agreeing += first * second;
            apart_first += first.abs();
            apart_second += second.abs();
        }
    }
    // Each is below 2^53 for any list that fits into memory, and the root of a product is that of its factors.
    let scale = libm::sqrt(apart_first as f64 * apart_second as f64);
    (scale > 0.0).then(|| agreeing as f64 / scale)
}

/// -1, 0 or 1; numbers that cannot be compared count as equal.
fn sign(one: f64, other: f64) -> i64 {
    match one.partial_cmp(&other) {
        Some(Ordering::Less) => -1,
        Some(Ordering::Greater) => 1,
        Some(Ordering::Equal) | None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tau(first: &[f64], second: &[f64]) -> Option<f64> {
        kendall_tau_b(&first.iter().copied().zip(second.iter().copied()).collect::<Vec<_>>())
    }

    fn near(found: Option<f64>, expected: f64) {
        let found = found.expect("two orders");
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn tau_b_is_that_of_the_textbooks() {
        // Without ties: of ten pairs of five, one is in opposite order.
        near(tau(&[1.0, 2.0, 3.0, 4.0, 5.0], &[1.0, 2.0, 4.0, 3.0, 5.0]), 0.8);
        // Hollander and Wolfe, Nonparametric Statistical Methods, 8.1: the colour of tuna, and its taste.
        let colour = [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1];
        near(tau(&colour, &[2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8]), 16.0 / 36.0);
        // The example of SciPy's documentation, with ties in both: c - d = -4, of 8 and 9 pairs apart.
        near(tau(&[12.0, 2.0, 1.0, 12.0, 2.0], &[1.0, 4.0, 7.0, 1.0, 0.0]), -0.471_404_520_791_031_6);
        // One tie in each, between different items: c - d = 4, of 5 and 5 pairs apart.
        near(tau(&[1.0, 2.0, 2.0, 3.0], &[1.0, 2.0, 3.0, 3.0]), 4.0 / 5.0);
    }

    #[test]
    fn one_order_and_its_reverse_are_the_ends_of_the_scale() {
        let up = [0.5, 1.5, 2.5, 9.0];
        let down = [9.0, 2.5, 1.5, 0.5];
        near(tau(&up, &up), 1.0);
        near(tau(&up, &down), -1.0);
    }

    #[test]
    fn where_all_is_alike_there_is_no_order_to_compare() {
        assert_eq!(tau(&[], &[]), None);
        assert_eq!(tau(&[1.0], &[2.0]), None);
        assert_eq!(tau(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), None);
    }
}
