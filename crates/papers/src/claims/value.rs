//! A value that the paper prints.
//!
//! Reproduced: ours is within 15 % of it, or our interval holds it. Direction: ours is within a factor of two.

use super::evidence::{About, Cell};
use super::verdict::{Estimate, Finding, Missing, Number, Verdict};
use super::{Kind, Subject};
use serde::Deserialize;

/// A number that the paper prints.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// The point where it was measured: the frame loss rate in percent (that of a two-state link is its nominal one), the bit
    /// error rate, or whatever is swept.
    flr: f64,
    /// The scheme.
    scheme: String,
    /// The number, in its unit.
    value: f64,
    /// What it is written in.
    #[serde(default)]
    unit: Unit,
}

/// What a value is written in; rows have it in SI units and shares.
#[derive(Debug, Clone, Copy, Default, Deserialize, schemars::JsonSchema)]
enum Unit {
    /// A bare number.
    #[default]
    #[serde(rename = "")]
    None,
    #[serde(rename = "%")]
    Percent,
    #[serde(rename = "s")]
    Seconds,
    #[serde(rename = "kbit/s")]
    KilobitsPerSecond,
}

impl Unit {
    /// From SI units to this one.
    fn factor(self) -> f64 {
        match self {
            Self::None | Self::Seconds => 1.0,
            Self::Percent => 100.0,
            Self::KilobitsPerSecond => 1e-3,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Percent => " %",
            Self::Seconds => " s",
            Self::KilobitsPerSecond => " kbit/s",
        }
    }
}

impl Value {
    /// The scheme, where it was measured, and what the number is written with.
    pub(super) fn place(&self) -> (&str, f64, &'static str) {
        (&self.scheme, self.flr, self.unit.text())
    }
}

impl Kind for Value {
    const NAME: &str = "value";

    fn judge(&self, about: &About<'_>) -> Finding {
        let factor = self.unit.factor();
        let mean = about.mean(Cell::plain(&self.scheme, self.flr));
        let (ours, note) = match mean {
            Ok(mean) => {
                let half_width = mean.half_width.map(|half_width| half_width * factor);
                (Some(Estimate { value: mean.mean * factor, half_width }), String::new())
            }
            Err(Missing(note)) => (None, note),
        };
        let (verdict, rule) = ours.map_or((Verdict::CannotTell, "no run to tell"), |ours| near(self.value, ours));
        let number = Number { paper: self.value, ours, unit: self.unit.text(), verdict, rule };
        Finding { statement: None, number: Some(number), note }
    }

    fn in_words(&self, about: &Subject) -> String {
        let Self { flr, scheme, value, unit } = self;
        format!("{}, {} of {scheme}: {value}{}.", about.at(&[*flr]), about.metric, unit.text())
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        vec![Cell::plain(&self.scheme, self.flr)]
    }
}

/// The verdict, and by which rule.
fn near(paper: f64, ours: Estimate) -> (Verdict, &'static str) {
    let apart = (ours.value - paper).abs();
    let times = ours.value / paper;
    match ours.half_width {
        _ if apart <= 0.15 * paper.abs() => (Verdict::Reproduced, "within 15 % of it"),
        Some(half_width) if apart <= half_width => (Verdict::Reproduced, "our interval contains it"),
        _ if (0.5..=2.0).contains(&times) => (Verdict::Direction, "within a factor of two"),
        _ => (Verdict::NotReproduced, "more than a factor of two away"),
    }
}
