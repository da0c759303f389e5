//! What papers claim, as data, and whether our rows agree.
//!
//! ```text
//!     [[claim]]                        rows of a run
//!     id = "paper.fig1"                      |
//!     kind = "order"  --> Claim --judge--> Evidence --> Judgement: reproduced, direction,
//!     order = ["a", "b"]                                            not-reproduced or cannot-tell
//! ```
//!
//! A claim is a row of a file under `claims/`; a verdict is a query over rows, by rules that `docs/claims.md` spells out
//! and that know nothing of any paper. A kind of claim is a file here. Statements ("0.9 s is best") and numbers ("by
//! 8.23 %") are judged, and counted, apart.

mod agreement;
mod best_worst;
mod cross;
mod csv;
mod evidence;
mod gain;
mod line;
mod names;
mod not_above;
mod order;
mod pairs;
mod rank;
mod read;
mod record;
mod score;
mod shape;
mod table;
mod top;
mod value;
mod verdict;

pub use agreement::agreement;
pub use csv::write_csv;
pub use evidence::{Cell, Evidence, Place};
pub use line::Line;
pub use names::SchemeNames;
pub use read::{Several, read};
pub use record::{Difference, Record};
pub use score::score;
pub use table::{ClaimsTable, Column, TableRow};
pub use verdict::{Estimate, Judgement, Number, Verdict};

use arqway_lab::figure::number::typed;
use arqway_units::BitRate;
use evidence::About;
use serde::Deserialize;
use verdict::Finding;

/// One claim of a paper.
#[derive(Debug, Clone)]
pub struct Claim {
    /// What every claim has.
    pub about: Subject,
    /// What it says.
    pub statement: Statement,
}

/// What a claim is about: the columns of the rows that decide it, and how it is called.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Subject {
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
    /// Over how many connections at once.
    #[serde(default = "one")]
    pub connections: u32,
    /// Of the lossy link; to be said where the paper has links of several rates.
    pub rate: Option<BitRate>,
    /// In words of ours what the paper says, where the data alone would not be understood.
    pub text: Option<String>,
    /// Which parts are our reading of the paper.
    #[serde(default)]
    pub inferred: Vec<String>,
    /// The claim of another paper that says the same of the same world: both count once.
    pub same_as: Option<String>,
}

/// What a claim says; each kind has its rule.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Statement {
    /// Which of several schemes is best and which is worst, and by how much.
    BestWorst(best_worst::BestWorst),
    /// No scheme is above the best one.
    Top(top::Top),
    /// Each scheme is above the next.
    Order(order::Order),
    /// One scheme does not exceed another.
    NotAbove(not_above::NotAbove),
    /// One scheme is above at some points, the other at others.
    Cross(cross::Cross),
    /// By how much one scheme exceeds another.
    Gain(gain::Gain),
    /// A number that the paper prints.
    Value(value::Value),
    /// Conditions, each on two cells.
    Shape(shape::Shape),
}

/// What each kind of claim can do.
trait Kind {
    /// As the data and `claims.csv` name it.
    const NAME: &str;

    /// The verdict by the rows.
    fn judge(&self, about: &About<'_>) -> Finding;

    /// What it says, as a sentence.
    fn in_words(&self, about: &Subject) -> String;

    /// The cells that decide it.
    fn cells(&self) -> Vec<Cell<'_>>;
}

macro_rules! each {
    ($statement:expr, $kind:ident => $call:expr) => {
        match $statement {
            Statement::BestWorst($kind) => $call,
            Statement::Top($kind) => $call,
            Statement::Order($kind) => $call,
            Statement::NotAbove($kind) => $call,
            Statement::Cross($kind) => $call,
            Statement::Gain($kind) => $call,
            Statement::Value($kind) => $call,
            Statement::Shape($kind) => $call,
        }
    };
}

impl Claim {
    /// The paper whose claim it is: the first part of its id.
    #[must_use]
    pub fn paper(&self) -> &str {
        self.about.paper()
    }

    /// The figure it belongs to: the second part of its id.
    #[must_use]
    pub fn figure(&self) -> &str {
        self.about.id.split('.').nth(1).unwrap_or_default()
    }

    /// What kind of statement it is.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        fn name<K: Kind>(_: &K) -> &'static str {
            K::NAME
        }
        each!(&self.statement, kind => name(kind))
    }

    /// Judges it by the rows of a run.
    #[must_use]
    pub fn judge(&self, evidence: &Evidence<'_>) -> Judgement {
        let about = evidence.about(&self.about);
        let Finding { statement, number, note } = each!(&self.statement, kind => kind.judge(&about));
        Judgement { claim: self.clone(), statement, number, note }
    }

    /// What the paper says, in words of ours, with schemes called as in these names.
    #[must_use]
    pub fn in_words(&self, names: &SchemeNames) -> String {
        let about = &self.about;
        let text = about.text.as_ref().map(|text| names.in_prose(text));
        let mut words = match (&self.statement, text) {
            (Statement::Shape(_), Some(text)) => text,
            (statement, text) => {
                let words = names.in_words(&each!(statement, kind => kind.in_words(about)));
                [Some(words), text].into_iter().flatten().collect::<Vec<_>>().join(" ")
            }
        };
        if !about.inferred.is_empty() {
            words.push_str(&format!(" (Our reading of the paper: {}.)", about.inferred_in_words()));
        }
        words
    }

    /// The cells whose rows decide it.
    #[must_use]
    pub fn cells(&self) -> Vec<Cell<'_>> {
        each!(&self.statement, kind => kind.cells())
    }
}

fn one() -> u32 {
    1
}

impl Subject {
    fn paper(&self) -> &str {
        self.id.split('.').next().unwrap_or_default()
    }

    /// A point as text: the paper's links are named by their frame loss rates, others by what is swept.
    fn point(&self, point: f64) -> String {
        match self.errors.as_str() {
            "uniform" | "two-state" => format!("{} %", typed(point)),
            _ => typed(point),
        }
    }

    /// `At 1.5, 2.5 and 5.4 %`
    fn at(&self, points: &[f64]) -> String {
        let sign = if self.point(0.0).ends_with('%') { " %" } else { "" };
        format!("At {}{sign}", listed(&points.iter().copied().map(typed).collect::<Vec<_>>()))
    }

    /// What of it is our reading, in words: the data have keys of the claim, and words of the paper.
    fn inferred_in_words(&self) -> String {
        let in_words = |key: &String| match key.as_str() {
            "at" | "low" | "high" => "at which points".to_owned(),
            "connections" => "with how many connections".to_owned(),
            "timeout" => "with which timeout".to_owned(),
            "best" => "which one is best".to_owned(),
            "conclusions" => "which conclusions".to_owned(),
            "all" => "all of it".to_owned(),
            word => format!("what it means by \u{201c}{word}\u{201d}"),
        };
        let mut words: Vec<String> = self.inferred.iter().map(in_words).collect();
        words.dedup();
        listed(&words)
    }

    /// Whether less of it is better: delays.
    fn less_is_more(&self) -> bool {
        self.metric.starts_with("delay")
    }
}

/// `a, b and c`
pub(crate) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
