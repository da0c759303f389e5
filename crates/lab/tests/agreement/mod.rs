//! Whether a mean of ours agrees with one of another simulator that does the same: then their runs are draws from one
//! distribution, so their variances are pooled.

use arqway_lab::results::stats::{CONFIDENCE, student_quantile};

/// How sure it is that a right simulator passes all comparisons together.
const FAMILY_CONFIDENCE: f64 = 0.99;

/// A mean, and how far runs lie from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mean {
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
    pub(crate) n: usize,
}

impl Mean {
    /// One that was printed with the half-width of its interval.
    pub(crate) fn printed(mean: f64, half_width: f64, n: usize) -> Self {
        let quantile = quantile(CONFIDENCE, n - 1);
        Self { mean, deviation: half_width / quantile * (n as f64).sqrt(), n }
    }

    /// That of values of ours.
    pub(crate) fn of(values: &[f64]) -> Self {
        let n = values.len();
        let mean = values.iter().sum::<f64>() / n as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self { mean, deviation: (squares / (n - 1) as f64).sqrt(), n }
    }

    /// How far another mean of the same distribution may lie from this, as one of a family of comparisons (Bonferroni).
    pub(crate) fn tolerance(self, other: Self, family: usize) -> f64 {
        let [own, others] = [self, other].map(|mean| (mean.n - 1) as f64);
        let variance = (self.deviation.powi(2) * own + other.deviation.powi(2) * others) / (own + others);
        allowed(self.n, other.n, family) * variance.sqrt()
    }

    /// How far another mean may lie from this where nothing is random: half of the last of the six digits that ns-2 prints.
    #[allow(dead_code, reason = "not every comparison has one without chance")]
    pub(crate) fn last_digit(self) -> f64 {
        if self.mean == 0.0 {
            0.0
        } else {
            0.5 * libm::pow(10.0, libm::log10(self.mean.abs()).floor() - 5.0) * (1.0 + 1e-6)
        }
    }
}

/// How many deviations of a run two means of one distribution may lie apart, as one of a family of comparisons.
pub(crate) fn allowed(n: usize, other: usize, family: usize) -> f64 {
    let confidence = 1.0 - (1.0 - FAMILY_CONFIDENCE) / family as f64;
    quantile(confidence, n + other - 2) * (1.0 / n as f64 + 1.0 / other as f64).sqrt()
}

fn quantile(confidence: f64, freedom: usize) -> f64 {
    student_quantile(f64::midpoint(1.0, confidence), freedom as f64).expect("a probability")
}
