//! Shares and probabilities.

/// A share or a probability: a number in \[0, 1\]. Percent exist only in text.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Ratio(f64);

impl Ratio {
    /// Never; nothing of it.
    pub const ZERO: Self = Self(0.0);
    /// Always; all of it.
    pub const ONE: Self = Self(1.0);

    /// The ratio, or `None` outside \[0, 1\].
    #[must_use]
    pub const fn new(value: f64) -> Option<Self> {
        if value >= 0.0 && value <= 1.0 { Some(Self(value)) } else { None }
    }

    /// The number in \[0, 1\].
    #[must_use]
    pub const fn as_f64(self) -> f64 {
        self.0
    }

    /// The number in percent.
    #[must_use]
    pub fn as_percent(self) -> f64 {
        // Through decimal text, so that 0.054 is 5.4 and not 5.4000000000000004.
        alloc::format!("{:.10}", self.0 * 100.0).parse().unwrap_or(self.0 * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_share_is_refused() {
        assert_eq!(Ratio::new(-0.1), None);
        assert_eq!(Ratio::new(1.1), None);
        assert_eq!(Ratio::new(f64::NAN), None);
    }

    #[test]
    fn percent_read_as_a_person_writes_them() {
        for (share, percent) in [(0.054, 5.4), (0.098, 9.8), (0.015, 1.5), (0.0, 0.0), (1.0, 100.0)] {
            assert_eq!(Ratio::new(share).map(Ratio::as_percent), Some(percent));
        }
    }
}
