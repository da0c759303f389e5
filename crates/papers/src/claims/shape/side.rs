//! What a condition of a shape speaks of: a cell, but for its point, or how far one cell lies above another.

use super::super::evidence::{About, Cell, Place};
use super::super::verdict::{Estimate, Missing};
use arqway_lab::figure::number::typed;
use serde::Deserialize;

/// A cell, but for its point; with `over`, its lead over another.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(from = "RawSide")]
#[schemars(with = "RawSide")]
pub(super) struct Side {
    scheme: String,
    over: Option<String>,
    place: Place,
    point: Option<f64>,
}

/// A side as it is written.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawSide {
    scheme: String,
    /// Then not the scheme's mean counts but how far it lies above this scheme's, as a share of the latter.
    over: Option<String>,
    #[serde(default)]
    variant: String,
    metric: Option<String>,
    app: Option<String>,
    errors: Option<String>,
    beside: Option<String>,
    connections: Option<u32>,
    /// Always this point, whatever `at` says.
    point: Option<f64>,
}

impl From<RawSide> for Side {
    fn from(raw: RawSide) -> Self {
        let RawSide { scheme, over, variant, metric, app, errors, beside, connections, point } = raw;
        Self { scheme, over, place: Place { variant, metric, app, errors, beside, connections }, point }
    }
}

impl Side {
    pub(super) fn is_lead(&self) -> bool {
        self.over.is_some()
    }

    /// The scheme's cell.
    pub(super) fn cell(&self, point: f64) -> Cell<'_> {
        self.place.cell(&self.scheme, self.point.unwrap_or(point))
    }

    /// The cells that decide it: the scheme's, and of a lead the one that is led.
    pub(super) fn cells(&self, point: f64) -> impl Iterator<Item = Cell<'_>> {
        std::iter::once(self.cell(point)).chain(self.led(point))
    }

    fn led(&self, point: f64) -> Option<Cell<'_>> {
        self.over.as_ref().map(|over| self.place.cell(over, self.point.unwrap_or(point)))
    }

    /// The mean, or the lead.
    pub(super) fn value(&self, about: &About<'_>, point: f64) -> Result<Estimate, Missing> {
        let cell = self.cell(point);
        let Some(led) = self.led(point) else {
            let summary = about.mean(cell)?;
            return Ok(Estimate { value: summary.mean, half_width: summary.half_width });
        };
        let nothing =
            || Missing(format!("{} has nothing at {} to be led by", led.name(), about.subject.point(led.point)));
        let percent = about.pair(cell, led)?.excess().ok_or_else(nothing)?;
        Ok(Estimate { value: percent.value / 100.0, half_width: percent.half_width.map(|percent| percent / 100.0) })
    }

    pub(super) fn in_words(&self) -> String {
        let scheme = match &self.over {
            Some(over) => format!("{}'s lead over {over}", self.scheme),
            None => self.scheme.clone(),
        };
        let mut words = [scheme, self.place.in_words()].join(" ").trim_end().to_owned();
        if let Some(point) = self.point {
            words.push_str(&format!(" at {}", typed(point)));
        }
        words
    }
}

impl Place {
    /// With what it does not say taken from another.
    pub(super) fn over(self, other: &Self) -> Self {
        let Self { variant, metric, app, errors, beside, connections } = self;
        Self {
            variant: if variant.is_empty() { other.variant.clone() } else { variant },
            metric: metric.or_else(|| other.metric.clone()),
            app: app.or_else(|| other.app.clone()),
            errors: errors.or_else(|| other.errors.clone()),
            beside: beside.or_else(|| other.beside.clone()),
            connections: connections.or(other.connections),
        }
    }

    pub(super) fn cell<'a>(&'a self, scheme: &'a str, point: f64) -> Cell<'a> {
        Cell { scheme, point, place: self }
    }

    /// `nack=once media delay, two-state errors, beside web`; empty where all is as the claim has it.
    pub(super) fn in_words(&self) -> String {
        let words = [Some(&self.variant), self.app.as_ref(), self.metric.as_ref()];
        let words: Vec<&str> =
            words.into_iter().flatten().map(String::as_str).filter(|word| !word.is_empty()).collect();
        let mut parts = vec![words.join(" ")];
        parts.extend(self.around());
        parts.retain(|part| !part.is_empty());
        parts.join(" ")
    }
}
