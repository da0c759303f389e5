//! The verdicts as they stand, as data: what `arqway reproduce --strict` compares a run with.
//!
//! ```toml
//! [full]        # --full
//! "monet08.fig2" = { verdict = "direction", number = "reproduced" }
//!
//! [quick]       # only where the quick run says otherwise
//! "monet08.fig2" = { verdict = "reproduced", number = "reproduced" }
//! ```
//!
//! A change of behaviour that turns a verdict is then a diff to explain.

use super::{Judgement, Number, Verdict, score};
use arqway_config::{Mistakes, Source, read_source};
use arqway_lab::experiment::Effort;
use arqway_lab::report::Score;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The recorded verdicts of a paper's claims.
#[derive(Debug, Clone, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Of runs at full length.
    #[serde(default)]
    full: BTreeMap<String, Entry>,
    /// Of quick runs, where they differ.
    #[serde(default)]
    quick: BTreeMap<String, Entry>,
}

/// The verdicts of one claim: on its statement, on its number, or on both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Entry {
    verdict: Option<Verdict>,
    number: Option<Verdict>,
}

/// A claim whose verdict is not the recorded one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The claim.
    pub id: String,
    recorded: Option<Entry>,
    found: Entry,
}

impl Record {
    /// Reads a file of recorded verdicts.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn read(source: &Arc<Source>) -> Result<Self, Mistakes> {
        read_source(source, &[])
    }

    /// The ids of all claims in it.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.full.keys().chain(self.quick.keys()).map(String::as_str)
    }

    /// Adds what another paper's file records.
    pub fn extend(&mut self, other: Self) {
        self.full.extend(other.full);
        self.quick.extend(other.quick);
    }

    /// The score of these claims by their recorded verdicts at full length.
    #[must_use]
    pub fn full_score(&self, judgements: &[Judgement]) -> Score {
        let recorded = judgements.iter().filter_map(|judgement| {
            let Entry { verdict, number } = *self.full.get(&judgement.claim.about.id)?;
            let number = judgement.number.and_then(|found| Some(Number { verdict: number?, ..found }));
            Some(Judgement { statement: verdict, number, ..judgement.clone() })
        });
        score(&recorded.collect::<Vec<_>>())
    }

    /// The claims whose verdicts are other than recorded, or not recorded at all.
    #[must_use]
    pub fn differences(&self, judgements: &[Judgement], effort: Effort) -> Vec<Difference> {
        let recorded = |id: &str| {
            let quick = self.quick.get(id).filter(|_| effort == Effort::Quick);
            quick.or_else(|| self.full.get(id)).copied()
        };
        let difference = |judgement: &Judgement| {
            let id = judgement.claim.about.id.clone();
            let found = Entry { verdict: judgement.statement, number: judgement.number.map(|number| number.verdict) };
            let recorded = recorded(&id);
            (recorded != Some(found)).then_some(Difference { id, recorded, found })
        };
        judgements.iter().filter_map(difference).collect()
    }
}

impl Difference {
    /// The line that records what was found, as the file has it.
    #[must_use]
    pub fn line(&self) -> String {
        format!("\"{}\" = {}", self.id, self.found)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.id)?;
        match self.recorded {
            Some(recorded) => write!(out, "recorded {recorded}, found {}", self.found),
            None => write!(out, "not recorded, found {}", self.found),
        }
    }
}

/// As the file has it.
impl fmt::Display for Entry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = self.verdict.map(|verdict| format!("verdict = \"{verdict}\""));
        let number = self.number.map(|verdict| format!("number = \"{verdict}\""));
        let parts: Vec<String> = verdict.into_iter().chain(number).collect();
        write!(out, "{{ {} }}", parts.join(", "))
    }
}
