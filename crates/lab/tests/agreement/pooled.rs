//! Whether a mean of ours agrees with one of another simulator that does the same: then their runs are draws from one
//! distribution, so their variances are pooled.

use arqway_lab::results::stats::{CONFIDENCE, student_quantile};

/// How sure it is that a right simulator passes.
const FAMILY_CONFIDENCE: f64 = 0.99;

/// A mean, and how far runs lie from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mean {
    pub(crate) mean: f64,
    deviation: f64,
    pub(crate) n: usize,
}

impl Mean {
    /// One that was printed with the half-width of its interval.
    pub(crate) fn printed(mean: f64, half_width: f64, n: usize) -> Self {
        let quantile = student_quantile(f64::midpoint(1.0, CONFIDENCE), (n - 1) as f64).expect("a probability");
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
        let confidence = 1.0 - (1.0 - FAMILY_CONFIDENCE) / family as f64;
        let [own, others] = [self, other].map(|mean| (mean.n - 1) as f64);
        let freedom = own + others;
        let variance = (self.deviation.powi(2) * own + other.deviation.powi(2) * others) / freedom;
        let standard_error = (variance / self.n as f64 + variance / other.n as f64).sqrt();
        student_quantile(f64::midpoint(1.0, confidence), freedom).expect("a probability") * standard_error
    }
}
