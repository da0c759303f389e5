//! The words by which a condition compares one side with another, and with what numbers.

use super::super::evidence::About;
use super::super::verdict::{Estimate, Missing};
use super::side::Side;
use arqway_lab::results::stats::Comparison;
use serde::Deserialize;

/// How `a` is to lie.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Word {
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
    /// The interval of the mean paired difference does not lie above zero.
    NotAbove,
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

const HARDLY: f64 = 0.05;
const ALIKE: f64 = 0.10;

impl Word {
    /// Whether `a` lies so at a point.
    pub(super) fn holds(&self, about: &About<'_>, a: &Side, b: &Side, point: f64) -> Result<bool, Missing> {
        let (of_a, of_b) = (a.value(about, point)?, b.value(about, point)?);
        let more = of_a.value - of_b.value;
        let within = |share: f64| more.abs() <= share * of_b.value.abs();
        let at_least = |share: f64| more.abs() >= share * of_b.value.abs();
        let apart = |lower: Estimate, higher: Estimate| {
            let ends = lower.interval().zip(higher.interval());
            let without = || {
                let names = format!("{} and {}", a.in_words(), b.in_words());
                Missing(format!("{names} have no two replications at {}", about.subject.point(point)))
            };
            ends.map(|(lower, higher)| lower.1 < higher.0).ok_or_else(without)
        };
        Ok(match self {
            Self::More => more > 0.0,
            Self::Less => more < 0.0,
            Self::HardlyDifferent => within(HARDLY),
            Self::SlightlyMore => more > 0.0 && within(HARDLY),
            Self::SlightlyLess => more < 0.0 && within(HARDLY),
            Self::Alike => within(ALIKE),
            Self::ClearlyMore => more > 0.0 && at_least(ALIKE) && apart(of_b, of_a)?,
            Self::ClearlyLess => more < 0.0 && at_least(ALIKE) && apart(of_a, of_b)?,
            Self::Overlapping => !apart(of_a, of_b)? && !apart(of_b, of_a)?,
            Self::NotAbove => about.pair(a.cell(point), b.cell(point))?.compare() != Comparison::Above,
            Self::NearerThan(other) => more.abs() < (of_a.value - other.value(about, point)?.value).abs(),
            Self::TimesAtLeast(times) => of_a.value >= times * of_b.value,
            Self::TimesAtMost(times) => of_a.value <= times * of_b.value,
            Self::AtLeast(bound) => more >= *bound,
            Self::AtMost(bound) => more <= *bound,
        })
    }

    /// The third side that it names.
    pub(super) fn other(&self) -> Option<&Side> {
        if let Self::NearerThan(other) = self { Some(other) } else { None }
    }

    pub(super) fn than(&self, b: &str) -> String {
        match self {
            Self::More => format!("more than {b}"),
            Self::Less => format!("less than {b}"),
            Self::HardlyDifferent => format!("within 5 % of {b}"),
            Self::SlightlyMore => format!("more than {b} by at most 5 %"),
            Self::SlightlyLess => format!("less than {b} by at most 5 %"),
            Self::Alike => format!("within 10 % of {b}"),
            Self::ClearlyMore => format!("more than {b} by at least 10 %, intervals apart"),
            Self::ClearlyLess => format!("less than {b} by at least 10 %, intervals apart"),
            Self::Overlapping => format!("as {b}, intervals overlapping"),
            Self::NotAbove => format!("not above {b}"),
            Self::NearerThan(other) => format!("nearer to {b} than to {}", other.in_words()),
            Self::TimesAtLeast(times) => format!("at least {times} times {b}"),
            Self::TimesAtMost(times) => format!("at most {times} times {b}"),
            Self::AtLeast(bound) => format!("at least {bound} more than {b}"),
            Self::AtMost(bound) => format!("at most {bound} more than {b}"),
        }
    }
}
