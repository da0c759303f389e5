//! What has to be run: experiments expanded to cells, each cell once however many figures show it.

use crate::experiment::Experiment;
use arqway_sim::Scenario;

/// The runs that make some experiments.
#[derive(Debug)]
pub struct Plan {
    /// The experiments, in the order in which they were asked for.
    pub experiments: Vec<Experiment>,
    /// Every different setting.
    pub settings: Vec<Setting>,
    /// The runs: all settings' first replication, then all settings' second, and so on. Whoever stops half way has the
    /// same replications of every setting.
    pub runs: Vec<Run>,
}

/// A scheme at a point: one world.
#[derive(Debug)]
pub struct Setting {
    /// The world, the scheme's service in it.
    pub scenario: Scenario,
    /// Root of its random streams.
    pub seed: u64,
    /// How many replications of it are wanted.
    pub replications: u32,
    /// The cells that show it.
    pub uses: Vec<Use>,
}

/// Where a setting is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// Index of the experiment.
    pub experiment: usize,
    /// Index of the point in it.
    pub point: usize,
    /// Index of the scheme in it.
    pub scheme: usize,
}

/// One replication of one setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// Which replication.
    pub replication: u32,
    /// Index of the setting.
    pub setting: usize,
}

/// What a user asks for beyond the file.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Instead of the file's.
    pub replications: Option<u32>,
    /// Instead of the file's.
    pub seed: Option<u64>,
    /// Only this scheme.
    pub scheme: Option<String>,
    /// Only this point.
    pub point: Option<f64>,
    /// Only this replication.
    pub replication: Option<u32>,
}

/// A cell that is asked for alone and does not exist.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// No scheme of this name.
    #[error("no scheme is called `{asked}`; right would be one of {known}")]
    Scheme {
        /// What was asked for.
        asked: String,
        /// What there is.
        known: String,
    },
    /// No point of this value.
    #[error("no point lies at {asked}; right would be one of {known}")]
    Point {
        /// What was asked for.
        asked: f64,
        /// What there is.
        known: String,
    },
}

impl Plan {
    /// Expands experiments to runs.
    ///
    /// # Errors
    /// A scheme or a point is asked for that none of them has.
    pub fn new(mut experiments: Vec<Experiment>, request: &Request) -> Result<Self, RequestError> {
        for experiment in &mut experiments {
            experiment.seed = request.seed.unwrap_or(experiment.seed);
            experiment.replications = request.replications.unwrap_or(experiment.replications);
        }
        let settings = settings(&experiments, request)?;
        let most = settings.iter().map(|setting| setting.replications).max().unwrap_or(0);
        // One replication alone may lie beyond those that the file asks for.
        let wanted: Vec<u32> = request.replication.map_or_else(|| (0..most).collect(), |only| vec![only]);
        let runs = wanted.into_iter().flat_map(|replication| {
            let settings = settings.iter().enumerate();
            let settings = settings
                .filter(move |(_, setting)| replication < setting.replications || request.replication.is_some());
            settings.map(move |(setting, _)| Run { replication, setting })
        });
        let runs = runs.collect();
        Ok(Self { experiments, settings, runs })
    }
}

fn settings(experiments: &[Experiment], request: &Request) -> Result<Vec<Setting>, RequestError> {
    let mut settings: Vec<Setting> = Vec::new();
    for (index, experiment) in experiments.iter().enumerate() {
        for (point_index, point) in experiment.points.iter().enumerate() {
            for (scheme_index, scheme) in experiment.schemes.iter().enumerate() {
                let unwanted = request.point.is_some_and(|only| only != point.value)
                    || request.scheme.as_ref().is_some_and(|only| *only != scheme.name);
                let Some(service) = scheme.services.get(point_index).filter(|_| !unwanted) else { continue };
                let mut scenario = point.scenario.clone();
                scenario.link_layer.service = service.clone();
                // Without errors it is one world, whatever the error model of its curve.
                scenario.wireless.forget_idle_errors();
                let shown = Use { experiment: index, point: point_index, scheme: scheme_index };
                let same =
                    settings.iter_mut().find(|other| other.seed == experiment.seed && other.scenario == scenario);
                if let Some(same) = same {
                    same.uses.push(shown);
                    same.replications = same.replications.max(experiment.replications);
                } else {
                    let (seed, replications) = (experiment.seed, experiment.replications);
                    settings.push(Setting { scenario, seed, replications, uses: vec![shown] });
                }
            }
        }
    }
    if settings.is_empty() {
        explain(experiments, request)?;
    }
    Ok(settings)
}

/// Why nothing is left to run.
fn explain(experiments: &[Experiment], request: &Request) -> Result<(), RequestError> {
    let names: Vec<&str> =
        experiments.iter().flat_map(|one| one.schemes.iter().map(|scheme| scheme.name.as_str())).collect();
    if let Some(asked) = request.scheme.clone().filter(|asked| !names.contains(&asked.as_str())) {
        return Err(RequestError::Scheme { asked, known: names.join(", ") });
    }
    let values: Vec<f64> = experiments.iter().flat_map(|one| one.points.iter().map(|point| point.value)).collect();
    match request.point.filter(|asked| !values.contains(asked)) {
        Some(asked) => {
            let known = values.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
            Err(RequestError::Point { asked, known })
        }
        None => Ok(()),
    }
}
