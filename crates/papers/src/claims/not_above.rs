//! One scheme does not exceed another: at no point does its interval lie above.
//!
//! Reproduced: no pair is wrong, so that a pair that is open is as good as a right one.

use super::evidence::{About, Cell};
use super::pairs::{Above, Pairs};
use super::verdict::{Finding, Missing};
use super::{Kind, Several, Subject};
use serde::Deserialize;

/// One scheme does not exceed another.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotAbove {
    /// The points where it holds.
    at: Several<f64, 1>,
    /// The scheme that is not above.
    a: String,
    /// The one that it does not exceed.
    b: String,
}

impl Kind for NotAbove {
    const NAME: &str = "not-above";

    fn judge(&self, about: &About<'_>) -> Finding {
        let pairs = self.at.iter().map(|point| Above { point: *point, higher: &self.b, lower: &self.a });
        Pairs::judge(about, pairs, true).map_or_else(Missing::statement, |pairs| {
            let reproduced = pairs.wrong == 0;
            pairs.verdict(reproduced)
        })
    }

    fn in_words(&self, about: &Subject) -> String {
        format!("{}, {} does not exceed {}.", about.at(&self.at), self.a, self.b)
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        self.at.iter().flat_map(|point| [&self.a, &self.b].map(|scheme| Cell::plain(scheme, *point))).collect()
    }
}
