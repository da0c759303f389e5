//! Whether a mean of ours agrees with one of another simulator: both are random.

use arqway_lab::results::stats::{CONFIDENCE, student_half_width, student_quantile, summarise};

/// How sure it is that a right simulator passes.
pub(crate) const FAMILY_CONFIDENCE: f64 = 0.99;
/// How far apart means may be where the other's has no spread: it was printed with six digits.
const RELATIVE: f64 = 1e-6;

/// A mean, and how far chance moves it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mean {
    /// The mean itself.
    pub(crate) mean: f64,
    /// Its standard error.
    pub(crate) standard_error: f64,
    n: usize,
}

impl Mean {
    /// One that was printed with the half-width of its interval.
    pub(crate) fn new(mean: f64, half_width: f64, n: usize) -> Self {
        Self { mean, standard_error: half_width / quantile(CONFIDENCE, n), n }
    }

    /// That of values of ours.
    pub(crate) fn of(values: &[f64]) -> Self {
        let mean = summarise(values).expect("values").mean;
        Self::new(mean, student_half_width(values, CONFIDENCE).expect("several values"), values.len())
    }

    /// Whether its interval is narrower than the digits of the file tell.
    pub(crate) fn is_certain(self) -> bool {
        self.standard_error * quantile(CONFIDENCE, self.n) < self.mean * 1e-4
    }

    /// How far another mean may lie from this, as one of a family of comparisons (Bonferroni). The degrees of freedom
    /// are those of the smaller sample: two variances of their own have no more than both together, and no less.
    pub(crate) fn tolerance(self, other: Self, family: usize) -> f64 {
        if self.is_certain() {
            return self.mean * RELATIVE;
        }
        let confidence = 1.0 - (1.0 - FAMILY_CONFIDENCE) / family as f64;
        let standard_error = self.standard_error.hypot(other.standard_error);
        quantile(confidence, self.n.min(other.n)) * standard_error
    }
}

/// How many standard errors the interval of a mean of `n` values reaches to each side.
pub(crate) fn quantile(confidence: f64, n: usize) -> f64 {
    let freedom = n.checked_sub(1).expect("several values") as f64;
    student_quantile(f64::midpoint(1.0, confidence), freedom).expect("a probability")
}
