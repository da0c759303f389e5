//! Verdicts, and the numbers behind them.

use super::{Claim, Subject};
use arqway_lab::figure::number;
use std::fmt;

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
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

/// A claim, what became of it, and why. A kind of claim has a statement, a number, or both.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The claim.
    pub claim: Claim,
    /// Whether the statement holds.
    pub statement: Option<Verdict>,
    /// Whether the number agrees.
    pub number: Option<Number>,
    /// What decided.
    pub note: String,
}

impl Judgement {
    /// The verdict on the statement; on the number where the claim is nothing else.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.statement.or(self.number.map(|number| number.verdict)).unwrap_or(Verdict::CannotTell)
    }

    /// Whether the claim is a number and nothing else: a cell of a table.
    #[must_use]
    pub fn is_single_number(&self) -> bool {
        self.statement.is_none() && self.number.is_some()
    }

    /// What decided, with the verdict on the number where it has one beside that on the statement.
    #[must_use]
    pub fn explained(&self) -> String {
        match (self.statement, self.number) {
            (Some(_), Some(number)) => format!("{}; the number: {}", self.note, number.verdict),
            _ => self.note.clone(),
        }
    }
}

/// A number of the paper beside ours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// The paper's.
    pub paper: f64,
    /// Ours, where there are rows.
    pub ours: Option<Estimate>,
    /// What both are written with: ` %`, or nothing.
    pub unit: &'static str,
    /// Whether they agree.
    pub verdict: Verdict,
    /// By which rule, in half a sentence: `within a third of the paper's`.
    pub rule: &'static str,
}

impl Number {
    /// The paper's, with its unit.
    #[must_use]
    pub fn paper_text(&self) -> String {
        format!("{}{}", self.paper, self.unit)
    }

    /// Ours, with its interval and its unit; empty where there is none.
    #[must_use]
    pub fn ours_text(&self) -> String {
        self.ours.map_or_else(String::new, |_| format!("{}{}", self.ours_bare(), self.unit))
    }

    /// The paper's alone, where a table's head has the unit.
    #[must_use]
    pub fn paper_bare(&self) -> String {
        number::shortest(self.paper)
    }

    /// Ours with its interval alone, where a table's head has the unit; empty where there is none.
    #[must_use]
    pub fn ours_bare(&self) -> String {
        let is_percentage = self.unit.contains('%');
        let text = if is_percentage { number::percentage_with_half_width } else { number::with_half_width };
        self.ours.map_or_else(String::new, |ours| text(ours.value, ours.half_width))
    }

    /// A percentage, judged: significant, of the paper's sign, and within 5 points or a third of it; where the paper's is
    /// below 2 it is enough that our interval holds it.
    pub(super) fn percentage(paper: f64, ours: Option<Estimate>) -> Self {
        let judged = ours.and_then(|ours| {
            let half_width = ours.half_width?;
            let (apart, same_sign) = ((ours.value - paper).abs(), ours.value * paper > 0.0);
            Some(match ours.value.abs() > half_width && same_sign {
                true if apart <= 5.0 => (Verdict::Reproduced, "within 5 points of it"),
                true if apart <= paper.abs() / 3.0 => (Verdict::Reproduced, "within a third of the paper's number"),
                _ if paper.abs() < 2.0 && apart <= half_width => (Verdict::Reproduced, "our interval contains it"),
                true => (Verdict::Direction, "the same sign, but more than a third of it away"),
                false if same_sign => (Verdict::Direction, "the same sign, but our interval contains 0"),
                false => (Verdict::NotReproduced, "not the same sign"),
            })
        });
        let (verdict, rule) = judged.unwrap_or((Verdict::CannotTell, "too few runs to tell"));
        Self { paper, ours, unit: " %", verdict, rule }
    }
}

/// A number and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Half the width of its interval; a single replication has none.
    pub half_width: Option<f64>,
}

impl Estimate {
    /// The lower and upper ends of its interval.
    pub(super) fn interval(&self) -> Option<(f64, f64)> {
        self.half_width.map(|half_width| (self.value - half_width, self.value + half_width))
    }
}

/// What a kind of claim finds in the rows.
pub(super) struct Finding {
    pub(super) statement: Option<Verdict>,
    pub(super) number: Option<Number>,
    pub(super) note: String,
}

impl Finding {
    /// A verdict on a statement without a number.
    pub(super) fn statement(verdict: Verdict, note: String) -> Self {
        Self { statement: Some(verdict), number: None, note }
    }
}

/// Why rows decide nothing: a cell without rows, or with too few.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing(pub(super) String);

impl Missing {
    pub(super) fn no_rows(scheme: &str, about: &Subject, point: f64) -> Self {
        Self(format!("no rows for {scheme} at {}", about.point(point)))
    }

    pub(super) fn statement(self) -> Finding {
        Finding::statement(Verdict::CannotTell, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_near_within_five_points_or_a_third() {
        let verdict =
            |paper, ours| Number::percentage(paper, Some(Estimate { value: ours, half_width: Some(0.5) })).verdict;
        assert_eq!(verdict(8.23, 5.5), Verdict::Reproduced);
        assert_eq!(verdict(8.23, 13.3), Verdict::Direction);
        assert_eq!(verdict(228.0, 160.0), Verdict::Reproduced);
        assert_eq!(verdict(228.0, 100.0), Verdict::Direction);
        assert_eq!(verdict(228.0, -100.0), Verdict::NotReproduced);
        assert_eq!(verdict(4.0, 0.4), Verdict::Direction, "not significant");
    }

    #[test]
    fn a_percentage_below_two_is_near_if_our_interval_holds_it() {
        let verdict = |paper, value, half_width| {
            Number::percentage(paper, Some(Estimate { value, half_width: Some(half_width) })).verdict
        };
        assert_eq!(verdict(1.85, 0.5, 1.5), Verdict::Reproduced, "held, though not significant");
        assert_eq!(verdict(1.85, -0.5, 1.5), Verdict::NotReproduced);
        assert_eq!(verdict(2.5, 0.5, 3.0), Verdict::Direction);
    }

    #[test]
    fn without_an_interval_a_percentage_decides_nothing() {
        let single = Some(Estimate { value: 8.0, half_width: None });
        assert_eq!(Number::percentage(8.23, single).verdict, Verdict::CannotTell);
        assert_eq!(Number::percentage(8.23, None).verdict, Verdict::CannotTell);
    }
}
