//! A shape: what a paper says in words, as conditions with numbers in them.
//!
//! ```toml
//! kind = "shape"
//! text = "Selective Repeat carries more than the raw link, and leads it by more where losses are more."
//! holds = [
//!     { a = { scheme = "sr:1.1" }, is = "more", b = { scheme = "raw" }, at = [1.5, 5.4] },
//!     { a = { scheme = "sr:1.1", over = "raw" }, is = "more", b = { scheme = "sr:1.1", over = "raw", point = 1.5 }, at = [5.4] },
//! ]
//! ```
//!
//! A condition compares two sides at each of its points, or one side with a number; a side is the mean of a cell, or its
//! lead over another. Or a condition ranks several schemes in two worlds ([`Ranking`]). Reproduced: all hold at all their points.
//! Direction: some. Otherwise not-reproduced.

mod ranking;
mod side;
mod word;

use super::evidence::{About, Cell, PLAIN, Place};
use super::verdict::{Finding, Missing, Verdict};
use super::{Kind, Several, Subject, listed};
use ranking::Ranking;
use serde::Deserialize;
use side::Side;
use word::Word;

/// Conditions on cells.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// All must hold.
    holds: Several<Condition, 1>,
}

#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "RawCondition")]
#[schemars(with = "RawCondition")]
enum Condition {
    /// How one side lies.
    Sides { a: Side, is: Is, at: Several<f64, 1> },
    /// How several schemes lie in two worlds.
    Ranking(Ranking),
}

/// A condition as it is written.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawCondition {
    a: Option<Side>,
    is: Option<Word>,
    b: Option<Side>,
    rank: Option<Several<String, 2>>,
    r#in: Option<Place>,
    as_in: Option<Place>,
    at: Several<f64, 1>,
}

/// The condition that a word makes.
#[derive(Debug, Clone)]
enum Is {
    /// Compared with another side.
    Than(Word, Side),
    /// A bound on the side itself.
    AtLeast(f64),
    /// A bound on the side itself.
    AtMost(f64),
}

impl TryFrom<RawCondition> for Condition {
    type Error = &'static str;

    fn try_from(RawCondition { a, is, b, rank, r#in, as_in, at }: RawCondition) -> Result<Self, Self::Error> {
        let (a, is) = match (a, is, rank) {
            (Some(a), Some(is), None) if r#in.is_none() && as_in.is_none() => (a, is),
            (None, None, Some(rank)) if b.is_none() => {
                let [as_in, r#in] = [as_in, r#in].map(|place| place.unwrap_or_else(|| PLAIN.clone()));
                return Ok(Self::Ranking(Ranking::new(rank, as_in, r#in, at)));
            }
            _ => return Err("a condition has `a` and `is`, or `rank` with `as-in` and `in`"),
        };
        let is_lead = a.is_lead() || b.as_ref().is_some_and(Side::is_lead);
        let is = match (is, b) {
            (Word::NotAbove, _) if is_lead => return Err("`not-above` compares cells, not leads: leave out `over`"),
            (word, Some(b)) => Is::Than(word, b),
            (Word::AtLeast(bound), None) => Is::AtLeast(bound),
            (Word::AtMost(bound), None) => Is::AtMost(bound),
            (_, None) => return Err("this `is` compares with another cell: say which in `b`"),
        };
        Ok(Self::Sides { a, is, at })
    }
}

impl Condition {
    fn at(&self) -> &[f64] {
        match self {
            Self::Sides { at, .. } => at,
            Self::Ranking(ranking) => &ranking.at,
        }
    }

    fn holds(&self, about: &About<'_>, point: f64) -> Result<bool, Missing> {
        match self {
            Self::Sides { a, is: Is::Than(word, b), .. } => word.holds(about, a, b, point),
            Self::Sides { a, is: Is::AtLeast(bound), .. } => Ok(a.value(about, point)?.value >= *bound),
            Self::Sides { a, is: Is::AtMost(bound), .. } => Ok(a.value(about, point)?.value <= *bound),
            Self::Ranking(ranking) => ranking.holds(about, point),
        }
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        let at_point = |point: &f64| -> Vec<Cell<'_>> {
            match self {
                Self::Ranking(ranking) => ranking.cells(*point).collect(),
                Self::Sides { a, is, .. } => {
                    let (b, other) = match is {
                        Is::Than(word, b) => (Some(b), word.other()),
                        Is::AtLeast(_) | Is::AtMost(_) => (None, None),
                    };
                    std::iter::once(a).chain(b).chain(other).flat_map(|side| side.cells(*point)).collect()
                }
            }
        };
        self.at().iter().flat_map(at_point).collect()
    }

    fn in_words(&self) -> String {
        match self {
            Self::Sides { a, is: Is::AtLeast(bound), .. } => format!("{} at least {bound}", a.in_words()),
            Self::Sides { a, is: Is::AtMost(bound), .. } => format!("{} at most {bound}", a.in_words()),
            Self::Sides { a, is: Is::Than(word, b), .. } => format!("{} {}", a.in_words(), word.than(&b.in_words())),
            Self::Ranking(ranking) => ranking.in_words(),
        }
    }
}

impl Kind for Shape {
    const NAME: &str = "shape";

    fn judge(&self, about: &About<'_>) -> Finding {
        let (mut held, mut failed) = (0, Vec::new());
        for condition in self.holds.iter() {
            for point in condition.at() {
                match condition.holds(about, *point) {
                    Ok(true) => held += 1,
                    Ok(false) => {
                        failed.push(format!("not at {}: {}", about.subject.point(*point), condition.in_words()));
                    }
                    Err(missing) => return missing.statement(),
                }
            }
        }
        let verdict = match (held, failed.len()) {
            (_, 0) => Verdict::Reproduced,
            (0, _) => Verdict::NotReproduced,
            _ => Verdict::Direction,
        };
        let mut note = format!("{held} of {} conditions hold", held + failed.len());
        for failed in &failed {
            note.push_str(&format!("; {failed}"));
        }
        Finding::statement(verdict, note)
    }

    fn in_words(&self, about: &Subject) -> String {
        let condition = |condition: &Condition| format!("{}, {}", about.at(condition.at()), condition.in_words());
        format!("{}.", listed(&self.holds.iter().map(condition).collect::<Vec<_>>()))
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        self.holds.iter().flat_map(Condition::cells).collect()
    }
}
