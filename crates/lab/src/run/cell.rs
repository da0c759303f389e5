//! One cell of an experiment in one replication, to be run again and looked into.
//!
//! It is the very run behind the rows of `arqway run`: planned by the same code, with the same random streams.

use crate::experiment::{Experiment, Scheme};
use crate::figure::number::typed;
use crate::results::rows::Row;
use crate::run::cancellation::Cancellation;
use crate::run::plan::{Plan, Request, RequestError, Run};
use crate::run::{RunError, watch};
use arqway_config::listed;
use arqway_sim::{Probe, Scenario, Streams};

/// A cell that exists.
#[derive(Debug)]
pub struct Cell {
    plan: Plan,
    run: Run,
    /// Which it is.
    pub name: CellName,
}

/// What tells a cell from all others.
#[derive(Debug, Clone, PartialEq)]
pub struct CellName {
    /// The id of its experiment.
    pub experiment: String,
    /// The scheme with what it changes, as rows name both: `sr:0.9`, `sr:1.1 nack=single`.
    pub scheme: String,
    /// The scheme, as legends name it: `SR 0.9 s`.
    pub label: String,
    /// The point of the sweep, as rows have it.
    pub point: f64,
    /// Which replication.
    pub replication: u32,
    /// Root of its random streams.
    pub seed: u64,
}

impl std::fmt::Display for CellName {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { experiment, scheme, point, replication, seed, .. } = self;
        write!(out, "{experiment}, scheme {scheme}, point {}, replication {replication}, seed {seed}", typed(*point))
    }
}

/// Why there is no such cell.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CellError {
    /// The scheme or the point does not exist.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// There are several, and none was named.
    #[error("which {what}? {experiment} has {known}")]
    Which {
        /// `scheme` or `point`.
        what: &'static str,
        /// The experiment.
        experiment: String,
        /// What there is.
        known: String,
    },
    /// There are fewer replications.
    #[error("no replication {asked}; expected 0 to {last}")]
    Replication {
        /// What was asked for.
        asked: u32,
        /// The last there is.
        last: u32,
    },
}

impl Cell {
    /// The cell that a request names. Where an experiment has one scheme or one point, that need not be named; where no
    /// replication is named, it is the first.
    ///
    /// # Errors
    /// No such cell, or not one alone; with what there is.
    pub fn find(mut experiment: Experiment, request: &Request) -> Result<Self, CellError> {
        let id = experiment.id.clone();
        let which = |what, known: Vec<String>| CellError::Which { what, experiment: id, known: listed(&known) };
        let scheme = match &request.scheme {
            Some(asked) if experiment.schemes.iter().all(|scheme| !scheme.is_called(asked)) => asked.clone(),
            asked => match called(&experiment.schemes, asked.as_deref()).as_slice() {
                [only] => {
                    let only = only.full_name();
                    experiment.schemes.retain(|scheme| scheme.full_name() == only);
                    only
                }
                several => return Err(which("scheme", several.iter().map(|scheme| scheme.both_names()).collect())),
            },
        };
        let point = match (request.point, experiment.points.as_slice()) {
            (Some(point), _) => point,
            (None, [only]) => only.value,
            (None, all) => return Err(which("point", all.iter().map(|point| point.value.to_string()).collect())),
        };
        let asked = request.replication.unwrap_or(0);
        let request = Request { scheme: Some(scheme), point: Some(point), replication: Some(asked), ..request.clone() };
        let plan = Plan::new(vec![experiment], &request)?;
        Self::only(plan, asked)
    }

    /// The only run of a plan that was made for one.
    fn only(plan: Plan, asked: u32) -> Result<Self, CellError> {
        let first = plan.runs.first().and_then(|run| {
            let setting = plan.settings.get(run.setting)?;
            let shown = setting.uses.first()?;
            let experiment = plan.experiments.get(shown.experiment)?;
            let (scheme, point) = (experiment.schemes.get(shown.scheme)?, experiment.points.get(shown.point)?);
            let name = CellName {
                experiment: experiment.id.clone(),
                scheme: scheme.full_name(),
                label: scheme.label.clone(),
                point: point.value,
                replication: asked,
                seed: setting.seed,
            };
            Some((*run, name, setting.replications))
        });
        match first {
            Some((run, name, replications)) if asked < replications => Ok(Self { plan, run, name }),
            other => {
                let last = other.map_or(0, |(_, _, replications)| replications.saturating_sub(1));
                Err(CellError::Replication { asked, last })
            }
        }
    }

    /// Its world.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.plan.settings[self.run.setting].scenario
    }

    /// Its random numbers.
    #[must_use]
    pub fn streams(&self) -> Streams {
        Streams::new(self.name.seed, self.run.replication)
    }

    /// Runs it with a probe watching: the rows that `arqway run` has of it, or nothing after a stop.
    ///
    /// # Errors
    /// A world that cannot be built.
    pub fn watch(&self, probe: impl Probe, stop: &Cancellation) -> Result<Option<Vec<Row>>, RunError> {
        Ok(watch(&self.plan, self.run, probe, stop)?.map(|results| results.rows(&self.plan, 0)))
    }
}

/// The schemes that a name can mean; all of them where none is given. A name alone means the plain scheme, or, where there is
/// none, any of its variants.
fn called<'a>(schemes: &'a [Scheme], asked: Option<&str>) -> Vec<&'a Scheme> {
    let exactly = |scheme: &&Scheme| asked.is_some_and(|asked| scheme.full_name() == asked);
    match schemes.iter().find(exactly) {
        Some(only) => vec![only],
        None => schemes.iter().filter(|scheme| asked.is_none_or(|asked| scheme.is_called(asked))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Effort;
    use arqway_config::Source;
    use std::path::Path;

    const STUDY: &str = r#"
[experiment]
id = "study"

[scenario]
base = "monet08"

[[scheme]]
use = "sr:1.1"
variant = "single"
set = { rejects = "one-at-a-time" }

[[scheme]]
use = "sr:1.1"
"#;

    fn find(text: &str, scheme: Option<&str>) -> Result<String, String> {
        let experiment = Experiment::read(&Source::new("study.toml", text), Path::new(""), Effort::Full);
        let request = Request { scheme: scheme.map(str::to_owned), ..Request::default() };
        let cell = Cell::find(experiment.unwrap_or_else(|mistakes| panic!("{mistakes}")), &request);
        cell.map(|cell| cell.name.scheme).map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_alone_is_the_plain_scheme_wherever_its_variants_stand() {
        assert_eq!(find(STUDY, Some("sr:1.1")), Ok("sr:1.1".to_owned()));
        assert_eq!(find(STUDY, Some("sr:1.1 single")), Ok("sr:1.1 single".to_owned()));
        assert_eq!(find(STUDY, Some("SR 1.1 s")), Ok("sr:1.1".to_owned()), "as figures call it");
    }

    #[test]
    fn of_several_that_a_name_can_mean_none_is_guessed() {
        assert_eq!(
            find(STUDY, None),
            Err("which scheme? study has SR 1.1 s (single) (sr:1.1 single), SR 1.1 s (sr:1.1)".to_owned())
        );
        let variants = format!("{STUDY}variant = \"once\"\nset = {{ rejects = \"each-once\" }}\n");
        assert_eq!(
            find(&variants, Some("sr:1.1")),
            Err("which scheme? study has SR 1.1 s (single) (sr:1.1 single), SR 1.1 s (once) (sr:1.1 once)".to_owned())
        );
        let unknown = find(STUDY, Some("sr:2")).expect_err("no such scheme");
        assert!(unknown.ends_with("known here: sr:1.1 single, sr:1.1"), "{unknown}");
    }
}
