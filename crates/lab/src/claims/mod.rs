//! What papers claim, as data, and whether our rows agree.
//!
//! A claim is a row of a file under `claims/`; a verdict is a query over rows, by rules that `docs/claims.md` spells out
//! and that know nothing of any paper. Statements ("0.9 s is best") and numbers ("by 8.23 %") are judged apart.

mod best_worst;
mod csv;
mod values;

pub use csv::write_csv;
pub use values::Values;

use crate::document::{Mistakes, Source, read_source};
use crate::report::Tally;
use crate::rows::Row;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    claim: Vec<Claim>,
}

/// One claim of a paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// `paper.figure`, or `paper.figure.statement`.
    pub id: String,
    /// The figure or table, as the paper calls it.
    pub r#where: String,
    /// The application measured.
    pub app: String,
    /// The error model.
    pub errors: String,
    /// What else uses the link.
    pub beside: String,
    /// What is measured.
    pub metric: String,
    /// What kind of statement it is.
    pub kind: Kind,
    /// The frame loss rate in percent where it is made.
    pub flr: f64,
    /// The schemes it speaks of.
    pub schemes: Vec<String>,
    /// The one that is best: for throughput, highest.
    pub best: String,
    /// The one that is worst.
    pub worst: Option<String>,
    /// How far the best lies above the worst, in percent of the worst.
    pub percent: Option<f64>,
    /// Which parts are our reading of the paper.
    #[serde(default)]
    pub inferred: Vec<String>,
}

/// What kind of statement a claim is; each has its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Which of several schemes is best and which is worst, and by how much.
    BestWorst,
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BestWorst => out.write_str("best-worst"),
        }
    }
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Reproduced,
    /// It points the right way, not as far.
    Direction,
    /// It does not hold.
    NotReproduced,
    /// The rows do not decide it.
    CannotTell,
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Reproduced => "reproduced",
            Self::Direction => "direction",
            Self::NotReproduced => "not-reproduced",
            Self::CannotTell => "cannot-tell",
        })
    }
}

/// A claim's verdict, and the numbers behind it.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The claim.
    pub claim: Claim,
    /// Whether the statement holds.
    pub verdict: Verdict,
    /// Whether the number agrees, where the claim has one.
    pub number: Option<Verdict>,
    /// Our number, and its 95 % interval.
    pub ours: Option<Estimate>,
    /// What decided.
    pub note: String,
}

/// A number and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Half the width of its interval; a single replication has none.
    pub half_width: Option<f64>,
}

/// Reads a file of claims.
///
/// # Errors
/// Every mistake in it.
pub fn read(source: &Arc<Source>) -> Result<Vec<Claim>, Mistakes> {
    read_source::<File>(source).map(|file| file.claim)
}

impl Claim {
    /// The figure it belongs to: the second part of its id.
    #[must_use]
    pub fn figure(&self) -> &str {
        self.id.split('.').nth(1).unwrap_or_default()
    }

    /// Judges it by the rows of its paper.
    #[must_use]
    pub fn judge(&self, rows: &[Row]) -> Judgement {
        match self.kind {
            Kind::BestWorst => best_worst::judge(self, &Values::of(self, rows)),
        }
    }

    /// What the paper says, in words of ours.
    #[must_use]
    pub fn in_words(&self) -> String {
        let worst = self.worst.as_deref().unwrap_or("the worst");
        let gap = self.percent.map_or_else(String::new, |percent| format!(", {percent} % above {worst}"));
        let inferred = if self.inferred.is_empty() {
            String::new()
        } else {
            format!(" (our reading: {})", self.inferred.join(", "))
        };
        format!("{}: at {} % {} is best{gap}.{inferred}", self.r#where, self.flr, self.best)
    }

    /// The statement in words.
    #[must_use]
    pub fn statement(&self) -> String {
        let worst = self.worst.as_ref().map_or_else(String::new, |worst| format!(" and {worst} the worst"));
        format!("At {} %, {} is the best of {}{worst}.", self.flr, self.best, self.schemes.join(", "))
    }
}

/// Whether a percentage agrees with the paper's: significant, of its sign, and within 5 points or a third of it; where
/// the paper's is below 2 it is enough that our interval holds it.
pub(crate) fn judge_percent(paper: f64, ours: Estimate) -> Verdict {
    let Some(half_width) = ours.half_width else { return Verdict::CannotTell };
    let significant = ours.value.abs() > half_width;
    let same_sign = ours.value * paper > 0.0;
    let near = (ours.value - paper).abs() <= (paper.abs() / 3.0).max(5.0);
    let held = paper.abs() < 2.0 && (ours.value - paper).abs() <= half_width;
    match (significant && same_sign && near) || held {
        true => Verdict::Reproduced,
        false if same_sign => Verdict::Direction,
        false => Verdict::NotReproduced,
    }
}

/// Counts verdicts on statements and on numbers, apart.
#[must_use]
pub fn tally(judgements: &[Judgement]) -> (Tally, Tally) {
    let count = |verdicts: &mut dyn Iterator<Item = Verdict>| {
        verdicts.fold(Tally::default(), |mut tally, verdict| {
            match verdict {
                Verdict::Reproduced => tally.reproduced += 1,
                Verdict::Direction => tally.direction += 1,
                Verdict::NotReproduced => tally.not_reproduced += 1,
                Verdict::CannotTell => tally.cannot_tell += 1,
            }
            tally
        })
    };
    let statements = count(&mut judgements.iter().map(|judgement| judgement.verdict));
    let numbers = count(&mut judgements.iter().filter_map(|judgement| judgement.number));
    (statements, numbers)
}
