//! The top: at every point, no scheme is above the best one.
//!
//! A pair is the best and another scheme at a point. Reproduced: none is wrong, and more are right than open.

use super::evidence::{About, Cell};
use super::pairs::{Above, Pairs};
use super::verdict::{Finding, Missing};
use super::{Kind, Several, Subject, listed};
use serde::Deserialize;

/// No scheme is above the best one.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Top {
    /// The points where it holds.
    at: Several<f64, 1>,
    /// The schemes it speaks of.
    schemes: Several<String, 2>,
    /// The one that none is above.
    best: String,
}

impl Top {
    fn others(&self) -> impl Iterator<Item = &String> {
        self.schemes.iter().filter(|scheme| **scheme != self.best)
    }
}

impl Kind for Top {
    const NAME: &str = "top";

    fn judge(&self, about: &About<'_>) -> Finding {
        let pairs = self.at.iter().flat_map(|point| {
            self.others().map(move |other| Above { point: *point, higher: &self.best, lower: other })
        });
        Pairs::judge(about, pairs, false).map_or_else(Missing::statement, |pairs| {
            let reproduced = pairs.mostly_right();
            pairs.verdict(reproduced)
        })
    }

    fn in_words(&self, about: &Subject) -> String {
        let others: Vec<String> = self.others().cloned().collect();
        format!("{}, none of {} is above {}.", about.at(&self.at), listed(&others), self.best)
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        let schemes = || self.others().chain([&self.best]);
        self.at.iter().flat_map(|point| schemes().map(|scheme| Cell::plain(scheme, *point))).collect()
    }
}
