//! Best and worst of several schemes, and how far apart they are.
//!
//! Reproduced: the best is above the worst, no other scheme is above the best, none is below the worst. Direction: the
//! best is above the worst, no more. "Above" means that the 95 % interval of the mean paired difference lies above zero.

use super::evidence::{About, Cell};
use super::verdict::{Finding, Missing, Number, Verdict};
use super::{Kind, Several, Subject, listed};
use arqway_lab::results::stats::Comparison;
use serde::Deserialize;

/// Which of several schemes is best and which is worst, and by how much.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BestWorst {
    /// The frame loss rate in percent where they are.
    flr: f64,
    /// The schemes it speaks of.
    schemes: Several<String, 2>,
    /// The one that is best: for throughput, highest.
    best: String,
    /// The one that is worst.
    worst: Option<String>,
    /// How far the best lies above the worst, in percent of the worst.
    percent: Option<f64>,
}

impl BestWorst {
    fn others<'a>(&'a self, worst: &'a str) -> impl Iterator<Item = &'a String> {
        self.schemes.iter().filter(move |scheme| **scheme != self.best && *scheme != worst)
    }

    /// The one that is worst; where the claim does not name it, that with the lowest mean.
    fn worst(&self, about: &About<'_>) -> Result<String, Missing> {
        if let Some(worst) = &self.worst {
            return Ok(worst.clone());
        }
        let mut means = Vec::new();
        for scheme in self.schemes.iter().filter(|scheme| **scheme != self.best) {
            means.push((about.mean(Cell::plain(scheme, self.flr))?.mean, scheme));
        }
        let lowest = means.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        lowest.map(|(_, scheme)| scheme.clone()).ok_or_else(|| Missing("no scheme to compare with".to_owned()))
    }

    fn statement(&self, about: &About<'_>, worst: &str) -> Result<(Verdict, String), Missing> {
        let best = &self.best;
        let order = about.plain_pair(best, worst, self.flr)?.compare();
        let (mut better, mut worse) = (Vec::new(), Vec::new());
        for scheme in self.others(worst) {
            if about.plain_pair(scheme, best, self.flr)?.compare() == Comparison::Above {
                better.push(scheme.clone());
            }
            if about.plain_pair(scheme, worst, self.flr)?.compare() == Comparison::Below {
                worse.push(scheme.clone());
            }
        }
        Ok(match order {
            Comparison::Above if better.is_empty() && worse.is_empty() => {
                (Verdict::Reproduced, format!("{best} above {worst}, none above it, none below {worst}"))
            }
            Comparison::Above => {
                let mut note = format!("{best} above {worst}");
                if !better.is_empty() {
                    note.push_str(&format!("; better still: {}", better.join(", ")));
                }
                if !worse.is_empty() {
                    note.push_str(&format!("; worse still: {}", worse.join(", ")));
                }
                (Verdict::Direction, note)
            }
            Comparison::Open => (Verdict::NotReproduced, format!("{best} and {worst} are not significantly apart")),
            Comparison::Below => (Verdict::NotReproduced, format!("{best} below {worst}")),
        })
    }
}

impl Kind for BestWorst {
    const NAME: &str = "best-worst";

    fn judge(&self, about: &About<'_>) -> Finding {
        let worst = self.worst(about);
        let gap = |worst: &String| about.plain_pair(&self.best, worst, self.flr).ok()?.excess();
        let ours = worst.as_ref().ok().and_then(gap);
        let number = self.percent.map(|paper| Number::percentage(paper, ours));
        let judged = worst.and_then(|worst| self.statement(about, &worst));
        let (verdict, note) = judged.unwrap_or_else(|Missing(note)| (Verdict::CannotTell, note));
        Finding { statement: Some(verdict), number, note }
    }

    fn in_words(&self, about: &Subject) -> String {
        let end = match (self.percent, &self.worst) {
            (Some(percent), Some(worst)) => format!(", {percent} % above {worst}, the worst"),
            (Some(percent), None) => format!(", {percent} % above the worst"),
            (None, Some(worst)) => format!(" and {worst} the worst"),
            (None, None) => String::new(),
        };
        format!("{}, of {}, {} is the best{end}.", about.at(&[self.flr]), listed(&self.schemes), self.best)
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        let named = self.schemes.iter().chain([&self.best]).chain(&self.worst);
        named.map(|scheme| Cell::plain(scheme, self.flr)).collect()
    }
}
