//! An order: at every point, each scheme is above the next.
//!
//! Reproduced: no pair of neighbours is wrong, and more are right than open.

use super::evidence::{About, Cell};
use super::pairs::{Above, Pairs};
use super::verdict::{Finding, Missing};
use super::{Kind, Several, Subject};
use serde::Deserialize;

/// Each scheme is above the next.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The points where it holds.
    at: Several<f64, 1>,
    /// The schemes, highest first.
    order: Several<String, 2>,
}

impl Kind for Order {
    const NAME: &str = "order";

    fn judge(&self, about: &About<'_>) -> Finding {
        let neighbours = self.order.windows(2);
        let pairs = neighbours.flat_map(|pair| {
            self.at.iter().map(move |point| Above { point: *point, higher: &pair[0], lower: &pair[1] })
        });
        Pairs::judge(about, pairs, false).map_or_else(Missing::statement, |pairs| {
            let reproduced = pairs.mostly_right();
            pairs.verdict(reproduced)
        })
    }

    fn in_words(&self, about: &Subject) -> String {
        format!("{}: {}.", about.at(&self.at), self.order.join(" above "))
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        self.at.iter().flat_map(|point| self.order.iter().map(|scheme| Cell::plain(scheme, *point))).collect()
    }
}
