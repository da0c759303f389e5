//! Means and their confidence intervals.
//!
//! Replications are independent and few, so intervals are Student's. Schemes are compared by the mean of their paired
//! differences: a replication draws the same random numbers for every scheme, and what both have in common cancels.
//!
//! Written here because these intervals are a few lines over the distributions of `statrs`.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The confidence level of every interval that is shown.
pub const CONFIDENCE: f64 = 0.95;

/// A mean and how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The arithmetic mean.
    pub mean: f64,
    /// Half the width of the mean's confidence interval; `None` for a single value, which says nothing of its spread.
    pub half_width: Option<f64>,
    /// The values' standard deviation; `None` for a single one.
    pub deviation: Option<f64>,
    /// How many values there were.
    pub n: usize,
}

impl Summary {
    /// Summary of `values` with an interval of the given confidence level; `None` without values.
    #[must_use]
    pub fn with_confidence(values: &[f64], confidence: f64) -> Option<Self> {
        let mean = mean(values)?;
        let (half_width, deviation) = (student_half_width(values, confidence), standard_deviation(values));
        Some(Self { mean, half_width, deviation, n: values.len() })
    }

    /// The lower and upper ends of the interval.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.half_width.map(|half_width| (self.mean - half_width, self.mean + half_width))
    }

    /// On which side of zero the whole interval lies.
    #[must_use]
    pub fn versus_zero(&self) -> Comparison {
        match self.interval() {
            Some((low, _)) if low > 0.0 => Comparison::Above,
            Some((_, high)) if high < 0.0 => Comparison::Below,
            _ => Comparison::Open,
        }
    }
}

/// What a confidence interval says about the sign of its mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The interval lies above zero.
    Above,
    /// The interval lies below zero.
    Below,
    /// The interval contains zero, or there is none.
    Open,
}

/// Mean and 95 % interval; `None` without values.
#[must_use]
pub fn summarise(values: &[f64]) -> Option<Summary> {
    Summary::with_confidence(values, CONFIDENCE)
}

/// Summary of `a − b`, replication by replication; `None` unless both have the same replications, and at least one.
#[must_use]
pub fn paired_difference(a: &[f64], b: &[f64]) -> Option<Summary> {
    summarise(&differences(a, b)?)
}

/// Whether `a` is larger than `b`, by the 95 % interval of their paired difference.
///
/// A single replication leaves the question open, and so do values that do not pair.
#[must_use]
pub fn compare(a: &[f64], b: &[f64]) -> Comparison {
    compare_with_confidence(a, b, CONFIDENCE)
}

/// [`compare`] at another confidence level, as a family of tests needs it.
#[must_use]
pub fn compare_with_confidence(a: &[f64], b: &[f64], confidence: f64) -> Comparison {
    differences(a, b)
        .and_then(|differences| Summary::with_confidence(&differences, confidence))
        .map_or(Comparison::Open, |summary| summary.versus_zero())
}

/// Half the width of Student's interval for the mean of `values`; `None` for fewer than two.
///
/// `confidence` lies between 0 and 1, both excluded.
#[must_use]
pub fn student_half_width(values: &[f64], confidence: f64) -> Option<f64> {
    let standard_error = (variance(values)? / values.len() as f64).sqrt();
    let freedom = (values.len() - 1) as f64;
    Some(student_quantile(f64::midpoint(1.0, confidence), freedom)? * standard_error)
}

/// The standard deviation of a sample; `None` for fewer than two values.
fn standard_deviation(values: &[f64]) -> Option<f64> {
    variance(values).map(f64::sqrt)
}

/// The unbiased estimate of the variance; `None` for fewer than two values.
fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let freedom = values.len().checked_sub(1).filter(|&freedom| freedom > 0)? as f64;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some(squares / freedom)
}

/// Student's quantile, rounded to nine decimals: the library uses the platform's logarithm, whose last bits may differ
/// from host to host, and results must not. `None` for a probability that is none.
#[must_use]
pub fn student_quantile(probability: f64, freedom: f64) -> Option<f64> {
    const DECIMALS: f64 = 1e9;
    let valid = probability > 0.0 && probability < 1.0;
    let distribution = valid.then(|| StudentsT::new(0.0, 1.0, freedom).ok())??;
    Some((distribution.inverse_cdf(probability) * DECIMALS).round() / DECIMALS)
}

/// The mean, by distances from the first value: equal values have exactly that mean, and no spread.
fn mean(values: &[f64]) -> Option<f64> {
    let first = *values.first()?;
    let distances: f64 = values.iter().map(|value| value - first).sum();
    Some(first + distances / values.len() as f64)
}

fn differences(a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
    (a.len() == b.len()).then(|| a.iter().zip(b).map(|(a, b)| a - b).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_agree_with_the_tables() {
        let table = [
            (0.975, 1.0, 12.706_204_736),
            (0.975, 2.0, 4.302_652_730),
            (0.975, 4.0, 2.776_445_105),
            (0.975, 9.0, 2.262_157_163),
            (0.975, 29.0, 2.045_229_642),
            (0.995, 29.0, 2.756_385_904),
            (0.995, 4.0, 4.604_094_871),
            (0.95, 10.0, 1.812_461_123),
            (0.975, 1000.0, 1.962_339_081),
        ];
        for (probability, freedom, quantile) in table {
            let ours = student_quantile(probability, freedom).unwrap();
            assert!((ours - quantile).abs() < 2e-9, "t({probability}, {freedom}) = {ours}");
        }
        assert_eq!(student_quantile(1.0, 29.0), None);
        assert_eq!(student_quantile(f64::NAN, 29.0), None);
    }

    #[test]
    fn a_small_sample_by_hand() {
        // Mean 3, variance 2.5, t(0.975, 4) sqrt(2.5 / 5).
        let summary = summarise(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!((summary.mean, summary.n), (3.0, 5));
        assert!((summary.half_width.unwrap() - 1.963_243_161).abs() < 1e-8);
        assert!(student_half_width(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.99).unwrap() > 3.2);
    }

    #[test]
    fn too_few_values_have_no_interval() {
        assert_eq!(summarise(&[]), None);
        assert_eq!(summarise(&[4.5]), Some(Summary { mean: 4.5, half_width: None, deviation: None, n: 1 }));
        assert_eq!(compare(&[2.0], &[1.0]), Comparison::Open);
        assert_eq!(compare(&[], &[]), Comparison::Open);
    }

    #[test]
    fn equal_values_have_no_spread_at_all() {
        let summary = summarise(&[0.1; 30]).unwrap();
        assert_eq!((summary.mean, summary.half_width), (0.1, Some(0.0)));
        assert_eq!(compare(&[3.0; 4], &[2.5; 4]), Comparison::Above);
        assert_eq!(compare(&[2.5; 4], &[3.0; 4]), Comparison::Below);
        assert_eq!(compare(&[2.5; 4], &[2.5; 4]), Comparison::Open);
    }

    #[test]
    fn pairing_sees_what_the_means_hide() {
        let a = [10.1, 20.2, 30.1, 40.2];
        let b = [10.0, 20.0, 30.0, 40.0];
        assert_eq!(compare(&a, &b), Comparison::Above);
        assert_eq!(compare(&b, &a), Comparison::Below);
        assert_eq!(compare_with_confidence(&a, &b, 0.999), Comparison::Open);
        let difference = paired_difference(&a, &b).unwrap();
        assert!((difference.mean - 0.15).abs() < 1e-12);
        assert!(difference.half_width.unwrap() < summarise(&a).unwrap().half_width.unwrap() / 100.0);
    }

    #[test]
    fn what_cannot_be_compared_is_open() {
        assert_eq!(paired_difference(&[1.0, 2.0], &[1.0]), None);
        assert_eq!(compare(&[1.0, 2.0], &[1.0]), Comparison::Open);
        assert_eq!(compare(&[1.0, f64::NAN], &[0.0, 0.0]), Comparison::Open);
        assert_eq!(compare(&[f64::INFINITY; 2], &[0.0, 0.0]), Comparison::Open);
    }

    /// Uniform in \[0, 1\], by SplitMix64.
    fn uniform(state: &mut u64) -> f64 {
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    #[test]
    fn the_interval_covers_the_true_mean_as_often_as_it_says() {
        const SAMPLES: u32 = 4000;
        let mut state = 1;
        for (size, confidence) in [(3, 0.95), (10, 0.95), (30, 0.95), (10, 0.99)] {
            let mut covered = 0;
            for _ in 0..SAMPLES {
                // The sum of twelve uniform numbers is all but normal: mean 6, variance 1.
                let sample: Vec<f64> = (0..size).map(|_| (0..12).map(|_| uniform(&mut state)).sum()).collect();
                let (low, high) = Summary::with_confidence(&sample, confidence).unwrap().interval().unwrap();
                covered += u32::from(low <= 6.0 && 6.0 <= high);
            }
            let coverage = f64::from(covered) / f64::from(SAMPLES);
            assert!((coverage - confidence).abs() < 0.015, "{coverage} of {size} values at {confidence}");
        }
    }
}
