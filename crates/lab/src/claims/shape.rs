//! A shape: what a paper says in words, as conditions with numbers in them.
//!
//! ```toml
//! kind = "shape"
//! text = "Rejecting one frame at a time is slower."
//! holds = [
//!     { a = { scheme = "sr:1.1", variant = "nack=single" }, is = "less", b = { scheme = "sr:1.1" }, at = [1.5, 5.4] },
//! ]
//! ```
//!
//! A condition compares the means of two cells, at each of its points; or of one cell with a number. Reproduced: all hold
//! at all their points. Direction: some. Otherwise not-reproduced.

use super::evidence::{About, Cell};
use super::verdict::{Finding, Missing, Verdict};
use super::{Kind, Several, Subject, listed};
use serde::Deserialize;

/// Conditions, each on two cells.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// All must hold.
    holds: Several<Condition, 1>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "RawCondition")]
struct Condition {
    a: Side,
    is: Is,
    at: Several<f64, 1>,
}

/// A condition as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCondition {
    a: Side,
    is: Word,
    b: Option<Side>,
    at: Several<f64, 1>,
}

/// A cell, but for its point.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Side {
    scheme: String,
    #[serde(default)]
    variant: String,
    /// Another metric than the claim's.
    metric: Option<String>,
    /// Another application than the claim's.
    app: Option<String>,
    /// Beside what, where that is not as the claim has it.
    beside: Option<String>,
    /// Always this point, whatever `at` says.
    point: Option<f64>,
}

/// How `a` is to lie.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    /// By the means.
    More,
    /// By the means.
    Less,
    /// Within 5 % of `b`.
    HardlyDifferent,
    /// More, by at most 5 % of `b`.
    SlightlyMore,
    /// Less, by at most 5 % of `b`.
    SlightlyLess,
    /// Within 10 % of `b`.
    Alike,
    /// The intervals are apart, and it is at least 10 % of `b` more.
    ClearlyMore,
    /// The intervals are apart, and it is at least 10 % of `b` less.
    ClearlyLess,
    /// The intervals overlap.
    Overlapping,
    /// Nearer to `b` than to this cell, by the means.
    NearerThan(Box<Side>),
    /// So many times `b`, or more.
    TimesAtLeast(f64),
    /// So many times `b`, or less.
    TimesAtMost(f64),
    /// So much more than `b`; without a `b`, so much.
    AtLeast(f64),
    /// At most so much more than `b`; without a `b`, at most so much.
    AtMost(f64),
}

/// The condition that a word makes.
#[derive(Debug, Clone)]
enum Is {
    /// Compared with another cell.
    Than(Word, Side),
    /// A bound on the cell itself.
    AtLeast(f64),
    /// A bound on the cell itself.
    AtMost(f64),
}

impl TryFrom<RawCondition> for Condition {
    type Error = &'static str;

    fn try_from(RawCondition { a, is, b, at }: RawCondition) -> Result<Self, Self::Error> {
        let is = match (is, b) {
            (word, Some(b)) => Is::Than(word, b),
            (Word::AtLeast(bound), None) => Is::AtLeast(bound),
            (Word::AtMost(bound), None) => Is::AtMost(bound),
            (_, None) => return Err("this `is` compares with another cell: say which in `b`"),
        };
        Ok(Self { a, is, at })
    }
}

const HARDLY: f64 = 0.05;
const ALIKE: f64 = 0.10;

impl Condition {
    fn holds(&self, about: &About<'_>, point: f64) -> Result<bool, Missing> {
        let a = self.a.cell(point);
        match &self.is {
            Is::AtLeast(bound) => Ok(about.mean(a)?.mean >= *bound),
            Is::AtMost(bound) => Ok(about.mean(a)?.mean <= *bound),
            Is::Than(word, side) => {
                let b = side.cell(point);
                let (mean_a, mean_b) = (about.mean(a)?.mean, about.mean(b)?.mean);
                let more = mean_a - mean_b;
                let within = |share: f64| more.abs() <= share * mean_b.abs();
                let at_least = |share: f64| more.abs() >= share * mean_b.abs();
                Ok(match word {
                    Word::More => more > 0.0,
                    Word::Less => more < 0.0,
                    Word::HardlyDifferent => within(HARDLY),
                    Word::SlightlyMore => more > 0.0 && within(HARDLY),
                    Word::SlightlyLess => more < 0.0 && within(HARDLY),
                    Word::Alike => within(ALIKE),
                    Word::ClearlyMore => more > 0.0 && at_least(ALIKE) && apart(about, b, a)?,
                    Word::ClearlyLess => more < 0.0 && at_least(ALIKE) && apart(about, a, b)?,
                    Word::NearerThan(other) => more.abs() < (mean_a - about.mean(other.cell(point))?.mean).abs(),
                    Word::Overlapping => !apart(about, a, b)? && !apart(about, b, a)?,
                    Word::TimesAtLeast(times) => mean_a >= times * mean_b,
                    Word::TimesAtMost(times) => mean_a <= times * mean_b,
                    Word::AtLeast(bound) => more >= *bound,
                    Word::AtMost(bound) => more <= *bound,
                })
            }
        }
    }

    fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        let (b, other) = match &self.is {
            Is::Than(Word::NearerThan(other), b) => (Some(b), Some(&**other)),
            Is::Than(_, b) => (Some(b), None),
            Is::AtLeast(_) | Is::AtMost(_) => (None, None),
        };
        let sides = move || std::iter::once(&self.a).chain(b).chain(other);
        self.at.iter().flat_map(move |point| sides().map(|side| side.cell(*point)))
    }

    fn in_words(&self) -> String {
        let a = self.a.in_words();
        match &self.is {
            Is::AtLeast(bound) => format!("{a} at least {bound}"),
            Is::AtMost(bound) => format!("{a} at most {bound}"),
            Is::Than(word, b) => format!("{a} {}", word.than(&b.in_words())),
        }
    }
}

/// Whether the interval of one mean ends below that of another.
fn apart(about: &About<'_>, lower: Cell<'_>, higher: Cell<'_>) -> Result<bool, Missing> {
    let interval = |cell: Cell<'_>| {
        let point = about.subject.point(cell.point);
        let without = || Missing(format!("{} has no two replications at {point}", cell.name()));
        about.mean(cell)?.interval().ok_or_else(without)
    };
    Ok(interval(lower)?.1 < interval(higher)?.0)
}

impl Side {
    fn cell(&self, point: f64) -> Cell<'_> {
        Cell {
            scheme: &self.scheme,
            variant: &self.variant,
            point: self.point.unwrap_or(point),
            metric: self.metric.as_deref(),
            app: self.app.as_deref(),
            beside: self.beside.as_deref(),
        }
    }

    fn in_words(&self) -> String {
        let words = [Some(&self.scheme), Some(&self.variant), self.app.as_ref(), self.metric.as_ref()];
        let words: Vec<&str> =
            words.into_iter().flatten().map(String::as_str).filter(|word| !word.is_empty()).collect();
        let mut words = words.join(" ");
        if let Some(beside) = &self.beside {
            words.push_str(&format!(" beside {beside}"));
        }
        if let Some(point) = self.point {
            words.push_str(&format!(" at {point}"));
        }
        words
    }
}

impl Word {
    fn than(&self, b: &str) -> String {
        match self {
            Self::More => format!("more than {b}"),
            Self::Less => format!("less than {b}"),
            Self::HardlyDifferent => format!("within 5 % of {b}"),
            Self::SlightlyMore => format!("more than {b} by at most 5 %"),
            Self::SlightlyLess => format!("less than {b} by at most 5 %"),
            Self::Alike => format!("within 10 % of {b}"),
            Self::ClearlyMore => format!("more than {b} by at least 10 %, intervals apart"),
            Self::ClearlyLess => format!("less than {b} by at least 10 %, intervals apart"),
            Self::NearerThan(other) => format!("nearer to {b} than to {}", other.in_words()),
            Self::Overlapping => format!("as {b}, intervals overlapping"),
            Self::TimesAtLeast(times) => format!("at least {times} times {b}"),
            Self::TimesAtMost(times) => format!("at most {times} times {b}"),
            Self::AtLeast(bound) => format!("at least {bound} more than {b}"),
            Self::AtMost(bound) => format!("at most {bound} more than {b}"),
        }
    }
}

impl Kind for Shape {
    const NAME: &str = "shape";

    fn judge(&self, about: &About<'_>) -> Finding {
        let (mut held, mut failed) = (0, Vec::new());
        for condition in self.holds.iter() {
            for point in condition.at.iter() {
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
        let condition = |condition: &Condition| format!("{}, {}", about.at(&condition.at), condition.in_words());
        let conditions = || listed(&self.holds.iter().map(condition).collect::<Vec<_>>());
        about.text.clone().unwrap_or_else(|| format!("{}.", conditions()))
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        self.holds.iter().flat_map(Condition::cells).collect()
    }
}
