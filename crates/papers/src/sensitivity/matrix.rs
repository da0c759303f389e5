//! Verdicts by claim and alternative, and which of them are other than in the plain world.

use super::questions::Parameter;
use crate::claims::{Claim, Judgement, Number, Verdict, score};
use crate::library::by_number;
use arqway_lab::report::Score;

/// What came of the questions about one paper.
#[derive(Debug)]
pub struct Matrix {
    /// `monet08`
    pub paper: String,
    /// What the paper is silent about.
    pub parameters: Vec<Parameter>,
    /// The verdicts in the plain world, in the order of the claims.
    pub plain: Vec<Judgement>,
    /// Whether they rest on all of its runs.
    pub is_whole: bool,
    /// The alternatives that were run to their end, in the order of the file.
    pub alternatives: Vec<AlternativeFinding>,
    /// How many there are of them.
    pub asked: usize,
}

/// The verdicts in the world of one alternative.
#[derive(Debug)]
pub struct AlternativeFinding {
    /// Index of its parameter.
    pub parameter: usize,
    /// `8 packets`
    pub label: String,
    /// The verdicts, in the order of the claims.
    pub judgements: Vec<Judgement>,
    /// For each claim, whether the alternative can touch it at all.
    pub touched: Vec<bool>,
}

/// A claim says something, or has a number, or both: one line of the matrix each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Index of the claim.
    pub claim: usize,
    /// Which part of it.
    pub part: Part,
}

/// What of a claim is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What it says.
    Statement,
    /// Its number.
    Number,
}

impl Part {
    /// As `sensitivity.csv` has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::Number => "number",
        }
    }
}

/// How a verdict lies to that in the plain world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flip {
    /// Nearer to the paper.
    Gained,
    /// Farther from it.
    Lost,
}

impl Matrix {
    /// Its lines in the order of the figures: of a claim the statement first, the number second.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        let parts = |(claim, judgement): (usize, &Judgement)| {
            let statement = judgement.statement.map(|_| Line { claim, part: Part::Statement });
            let number = judgement.number.map(|_| Line { claim, part: Part::Number });
            statement.into_iter().chain(number)
        };
        let mut lines: Vec<Line> = self.plain.iter().enumerate().flat_map(parts).collect();
        lines.sort_by_cached_key(|line| by_number(self.claim(*line).figure()));
        lines
    }

    /// Whether other seeds leave its verdict as it is: an alternative that turns it does more than chance does.
    #[must_use]
    pub fn is_steady(&self, line: Line) -> bool {
        let mut by_chance = self.alternatives.iter().filter(|found| self.parameter(found).is_chance);
        by_chance.all(|found| self.flip(found, line).is_none())
    }

    /// What a stop left out, in a sentence or two; empty where nothing is missing.
    pub(crate) fn left_out(&self) -> String {
        let missing = self.asked - self.alternatives.len();
        let plain = if self.is_whole { "" } else { " The verdicts in the world as it is rest on part of its runs." };
        match missing {
            0 => String::new(),
            _ => format!("Stopped: {missing} of {} alternatives were not run to their end.{plain}", self.asked),
        }
    }

    /// The claim of a line.
    #[must_use]
    pub fn claim(&self, line: Line) -> &Claim {
        &self.plain[line.claim].claim
    }

    /// How a line is called below its paper: `fig3.best`, `fig3.best, number` where the claim has a statement too.
    #[must_use]
    pub fn name(&self, line: Line) -> String {
        let id = &self.claim(line).about.id;
        let id = id.strip_prefix(&*self.paper).and_then(|rest| rest.strip_prefix('.')).unwrap_or(id);
        let is_second = line.part == Part::Number && self.plain[line.claim].statement.is_some();
        if is_second { format!("{id}, number") } else { id.to_owned() }
    }

    /// The lines whose verdicts an alternative turns.
    pub(crate) fn flips(&self, found: &AlternativeFinding) -> Vec<(Line, Flip)> {
        let flip = |line: Line| Some((line, self.flip(found, line)?));
        self.lines().into_iter().filter_map(flip).collect()
    }

    pub(crate) fn flip(&self, found: &AlternativeFinding, line: Line) -> Option<Flip> {
        let (plain, other) = (verdict(&self.plain, line), verdict(&found.judgements, line));
        match rank(other).cmp(&rank(plain)) {
            std::cmp::Ordering::Greater => Some(Flip::Gained),
            std::cmp::Ordering::Less => Some(Flip::Lost),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// How many lines an alternative can touch.
    pub(crate) fn touched(&self, found: &AlternativeFinding) -> usize {
        self.lines().iter().filter(|line| found.touched[line.claim]).count()
    }

    /// The score in the plain world.
    #[must_use]
    pub fn score(&self) -> Score {
        score(&self.plain)
    }

    /// What an alternative is another value of.
    pub(crate) fn parameter(&self, found: &AlternativeFinding) -> &Parameter {
        &self.parameters[found.parameter]
    }
}

/// The verdict on a line.
pub(crate) fn verdict(judgements: &[Judgement], line: Line) -> Verdict {
    let judgement = &judgements[line.claim];
    let found = match line.part {
        Part::Statement => judgement.statement,
        Part::Number => judgement.number.map(|number| number.verdict),
    };
    found.unwrap_or(Verdict::CannotTell)
}

/// Our number on a line, where it has one.
pub(crate) fn number(judgements: &[Judgement], line: Line) -> Option<Number> {
    judgements[line.claim].number.filter(|_| line.part == Part::Number)
}

/// How near to the paper a verdict is.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::NotReproduced => 0,
        Verdict::CannotTell => 1,
        Verdict::Direction => 2,
        Verdict::Reproduced => 3,
    }
}
