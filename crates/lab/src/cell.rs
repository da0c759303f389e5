//! One cell of an experiment in one replication, to be run again and looked into.
//!
//! It is the very run behind the rows of `arqway run`: planned by the same code, with the same random streams.

use crate::experiment::Experiment;
use crate::plan::{Plan, Request, RequestError, Run};
use crate::rows::Row;
use crate::run::{RunError, watch};
use arqway_sim::{Probe, Scenario};

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
    /// The scheme, as rows name it: `sr:0.9`.
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
        write!(out, "{experiment}, scheme {scheme}, point {point}, replication {replication}, seed {seed}")
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
    #[error("no replication has the number {asked}; right would be 0 to {last}: they are counted from 0")]
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
    pub fn find(experiment: Experiment, request: &Request) -> Result<Self, CellError> {
        let id = experiment.id.clone();
        let which = |what, known: Vec<String>| CellError::Which { what, experiment: id, known: known.join(", ") };
        let (schemes, points) = (&experiment.schemes, &experiment.points);
        let scheme = match (&request.scheme, schemes.as_slice()) {
            (Some(scheme), _) => scheme.clone(),
            (None, [only]) => only.name.clone(),
            (None, all) => return Err(which("scheme", all.iter().map(|scheme| scheme.name.clone()).collect())),
        };
        let point = match (request.point, points.as_slice()) {
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
                scheme: scheme.name.clone(),
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

    /// Runs it with a probe watching: the rows that `arqway run` has of it.
    ///
    /// # Errors
    /// A world that cannot be built.
    pub fn watch(&self, probe: impl Probe) -> Result<Vec<Row>, RunError> {
        Ok(watch(&self.plan, self.run, probe)?.rows(&self.plan, 0))
    }
}
