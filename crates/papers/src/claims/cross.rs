//! Two curves that cross: one scheme is above at the low points, the other at the high ones.
//!
//! Reproduced: no pair is wrong, at least one is right among the high points and, unless the paper calls the difference there
//! very small, at least one among the low ones.

use super::evidence::{About, Cell};
use super::pairs::{Above, Pairs};
use super::verdict::{Finding, Missing};
use super::{Kind, Several, Subject};
use serde::Deserialize;

/// One scheme is above at the low points, the other at the high ones.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cross {
    /// The scheme that is above at the low points.
    a: String,
    /// The scheme that is above at the high points.
    b: String,
    /// Where `a` is above.
    low: Several<f64, 1>,
    /// Where `b` is above.
    high: Several<f64, 1>,
    /// Whether the paper calls the difference at the low points very small.
    #[serde(default)]
    slight: bool,
}

impl Kind for Cross {
    const NAME: &str = "cross";

    fn judge(&self, about: &About<'_>) -> Finding {
        let low = self.low.iter().map(|point| Above { point: *point, higher: &self.a, lower: &self.b });
        let high = self.high.iter().map(|point| Above { point: *point, higher: &self.b, lower: &self.a });
        let judged = Pairs::judge(about, low, false).and_then(|low| Ok((low, Pairs::judge(about, high, false)?)));
        judged.map_or_else(Missing::statement, |(low, high)| {
            let right = high.right > 0 && (self.slight || low.right > 0);
            let pairs = low.and(high);
            let reproduced = pairs.wrong == 0 && right;
            pairs.verdict(reproduced)
        })
    }

    fn in_words(&self, about: &Subject) -> String {
        let Self { a, b, .. } = self;
        let slightly = if self.slight { " very slightly" } else { "" };
        let high = about.at(&self.high).replacen("At", "at", 1);
        format!("{}, {a} is{slightly} above {b}; {high}, {b} is above {a}.", about.at(&self.low))
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        let points = self.low.iter().chain(self.high.iter());
        points.flat_map(|point| [&self.a, &self.b].map(|scheme| Cell::plain(scheme, *point))).collect()
    }
}
