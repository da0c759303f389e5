//! A gain: by how many percent one scheme exceeds another; for a delay, by how many it lies below.
//!
//! It is a number and no statement: reproduced if it is near the paper's, by the rule for percentages.

use super::evidence::{About, Cell, Pair};
use super::verdict::{Estimate, Finding, Missing, Number};
use super::{Kind, Subject};
use serde::Deserialize;

/// By how much one scheme exceeds another.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gain {
    /// The frame loss rate in percent where it does.
    flr: f64,
    /// The better scheme.
    a: String,
    /// The scheme it is compared with.
    b: String,
    /// How far `a` exceeds `b`, in percent of `b`.
    percent: f64,
}

impl Gain {
    /// The better scheme, the one it is compared with, and where.
    pub(super) fn place(&self) -> (&str, &str, f64) {
        (&self.a, &self.b, self.flr)
    }
}

impl Kind for Gain {
    const NAME: &str = "gain";

    fn judge(&self, about: &About<'_>) -> Finding {
        let pair = about.plain_pair(&self.a, &self.b, self.flr);
        let gained = |pair: Pair| {
            let sign = if about.subject.less_is_more() { -1.0 } else { 1.0 };
            pair.excess().map(|excess| Estimate { value: sign * excess.value, ..excess })
        };
        let (ours, note) = match pair.map(gained) {
            Ok(Some(ours)) => (Some(ours), String::new()),
            Ok(None) => (None, format!("the mean of {} is zero", self.b)),
            Err(Missing(note)) => (None, note),
        };
        Finding { statement: None, number: Some(Number::percentage(self.percent, ours)), note }
    }

    fn in_words(&self, about: &Subject) -> String {
        let side = if about.less_is_more() { "below" } else { "above" };
        format!("{}, {} lies {} % {side} {}.", about.at(&[self.flr]), self.a, self.percent, self.b)
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        [&self.a, &self.b].map(|scheme| Cell::plain(scheme, self.flr)).to_vec()
    }
}
