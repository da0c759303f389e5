//! Claims that fall apart into pairs: at a point, one scheme is above another.
//!
//! A pair is right if the 95 % interval of the mean difference lies above zero, wrong if it lies below, else open.

use super::evidence::About;
use super::verdict::{Finding, Missing, Verdict};
use arqway_lab::results::stats::Comparison;

/// One scheme above another at a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Above<'c> {
    pub(super) point: f64,
    pub(super) higher: &'c str,
    pub(super) lower: &'c str,
}

/// What became of the pairs of a claim.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pub(super) right: usize,
    pub(super) open: usize,
    pub(super) wrong: usize,
    /// How many have their means the stated way.
    by_means: usize,
    /// Those that are not right, in words.
    doubts: Vec<String>,
}

impl Pairs {
    /// Judges each pair. `equal` says whether equal means lie the stated way too.
    pub(super) fn judge<'c>(
        about: &About<'_>,
        stated: impl IntoIterator<Item = Above<'c>>,
        equal: bool,
    ) -> Result<Self, Missing> {
        let mut pairs = Self::default();
        for Above { point, higher, lower } in stated {
            let pair = about.plain_pair(higher, lower, point)?;
            let (higher_mean, lower_mean) = pair.means();
            pairs.by_means += usize::from(higher_mean > lower_mean || (equal && higher_mean == lower_mean));
            let doubt = |word: &str| format!("{word}: {higher} above {lower} at {}", about.subject.point(point));
            match pair.compare() {
                Comparison::Above => pairs.right += 1,
                Comparison::Open => {
                    pairs.open += 1;
                    pairs.doubts.push(doubt("open"));
                }
                Comparison::Below => {
                    pairs.wrong += 1;
                    pairs.doubts.push(doubt("wrong"));
                }
            }
        }
        Ok(pairs)
    }

    fn total(&self) -> usize {
        self.right + self.open + self.wrong
    }

    /// Both together.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.right += other.right;
        self.open += other.open;
        self.wrong += other.wrong;
        self.by_means += other.by_means;
        self.doubts.extend(other.doubts);
        self
    }

    /// None is wrong and more are right than open.
    pub(super) fn mostly_right(&self) -> bool {
        self.wrong == 0 && self.right > self.open
    }

    /// The verdict, where the kind says whether it is reproduced. Direction: the means lie the stated way at most pairs, and
    /// fewer are wrong than right.
    pub(super) fn verdict(self, reproduced: bool) -> Finding {
        let verdict = if reproduced {
            Verdict::Reproduced
        } else if self.open == self.total() {
            Verdict::CannotTell
        } else if 2 * self.by_means > self.total() && self.wrong < self.right {
            Verdict::Direction
        } else {
            Verdict::NotReproduced
        };
        let mut note =
            format!("of {} pairs {} right, {} open, {} wrong", self.total(), self.right, self.open, self.wrong);
        for doubt in &self.doubts {
            note.push_str(&format!("; {doubt}"));
        }
        Finding::statement(verdict, note)
    }
}
