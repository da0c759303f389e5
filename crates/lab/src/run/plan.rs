//! What has to be run: experiments expanded to cells, each cell once however many figures show it.

use crate::experiment::{Experiment, Scheme};
use crate::figure::number::typed;
use arqway_config::{Mistake, did_you_mean, listed};
use arqway_sim::Scenario;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

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
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

/// The most runs of a study, all its shards together: their results are in memory at the end, some kilobytes each.
pub const MOST_RUNS: u64 = 1_000_000;

/// What is asked for and cannot be run: a cell that does not exist, or too much.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// No scheme of this name.
    #[error("no scheme is called `{asked}`; {help}")]
    Scheme {
        /// What was asked for.
        asked: String,
        /// What there is, the nearest name first.
        help: String,
    },
    /// No point of this value.
    #[error("no point {asked}; expected one of {known}")]
    Point {
        /// What was asked for.
        asked: f64,
        /// What there is.
        known: String,
    },
    /// A figure shows a replication that is not run.
    #[error("{0}")]
    Figure(Mistake),
    /// More runs than a study may have.
    #[error(
        "{runs} runs are more than the {MOST_RUNS} that a study may have; ask for fewer replications, or for fewer points and schemes"
    )]
    Runs {
        /// How many there would be.
        runs: u64,
    },
}

impl RequestError {
    /// Refuses more runs than a study may have.
    ///
    /// # Errors
    /// There would be more.
    pub fn check_runs(runs: u64) -> Result<(), Self> {
        if runs > MOST_RUNS { Err(Self::Runs { runs }) } else { Ok(()) }
    }
}

impl Plan {
    /// Expands experiments to runs.
    ///
    /// # Errors
    /// A scheme or a point is asked for that none of them has, a figure shows a replication that is not run, or there are
    /// more runs than a study may have.
    pub fn new(mut experiments: Vec<Experiment>, request: &Request) -> Result<Self, RequestError> {
        for experiment in &mut experiments {
            experiment.seed = request.seed.unwrap_or(experiment.seed);
            experiment.replications = request.replications.unwrap_or(experiment.replications);
        }
        let settings = settings(&experiments, request)?;
        RequestError::check_runs(settings.iter().map(|setting| u64::from(setting.replications)).sum())?;
        let runs = match request.replication {
            // One replication alone may lie beyond those that the file asks for.
            Some(replication) => (0..settings.len()).map(|setting| Run { replication, setting }).collect(),
            None => {
                check_figures(&experiments)?;
                runs_of(&settings)
            }
        };
        Ok(Self { experiments, settings, runs })
    }

    /// How many more runs there would be if every cell were run for itself.
    #[must_use]
    pub fn spared(&self) -> usize {
        let others =
            |run: &Run| self.settings.get(run.setting).map_or(0, |setting| setting.uses.len().saturating_sub(1));
        self.runs.iter().map(others).sum()
    }

    /// Some of its settings from another root of random streams, so many after its own.
    #[must_use]
    pub fn from_another_seed(&self, after: u64, settings: &[usize]) -> Self {
        let mut experiments = self.experiments.clone();
        for experiment in &mut experiments {
            experiment.seed = experiment.seed.wrapping_add(after);
        }
        let settings = settings.iter().filter_map(|setting| self.settings.get(*setting));
        let settings = settings.map(|setting| Setting { seed: setting.seed.wrapping_add(after), ..setting.clone() });
        let settings: Vec<Setting> = settings.collect();
        Self { runs: runs_of(&settings), experiments, settings }
    }

    /// Wants so many more replications of some settings, up to a bound. Returns the runs that this adds.
    pub fn add_replications(&mut self, more: u32, most: u32, settings: &[usize]) -> Vec<Run> {
        let mut added = Vec::new();
        for &index in settings {
            if let Some(setting) = self.settings.get_mut(index) {
                let wanted = setting.replications.saturating_add(more).min(most);
                let replications = setting.replications..wanted.max(setting.replications);
                setting.replications = replications.end;
                added.extend(replications.map(|replication| Run { replication, setting: index }));
            }
        }
        added.sort_unstable();
        self.runs.extend(&added);
        added
    }
}

/// Refuses figures of one replication that would be empty.
fn check_figures(experiments: &[Experiment]) -> Result<(), RequestError> {
    for Experiment { replications, figures, .. } in experiments {
        let shown = figures.iter().filter_map(|figure| figure.replication.as_ref());
        if let Some(missing) = shown.into_iter().find(|only| only.value >= *replications) {
            let what = format!("there is no replication {}", missing.value);
            let help = format!("expected a number below {replications}, the number of replications");
            return Err(RequestError::Figure(missing.mistake(what).help(help)));
        }
    }
    Ok(())
}

/// All settings' first replication, then all settings' second, and so on.
fn runs_of(settings: &[Setting]) -> Vec<Run> {
    let replications = |(setting, wanted): (usize, &Setting)| {
        (0..wanted.replications).map(move |replication| Run { replication, setting })
    };
    let mut runs: Vec<Run> = settings.iter().enumerate().flat_map(replications).collect();
    runs.sort_unstable();
    runs
}

fn settings(experiments: &[Experiment], request: &Request) -> Result<Vec<Setting>, RequestError> {
    let mut settings: Vec<Setting> = Vec::new();
    let mut alike: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (index, experiment) in experiments.iter().enumerate() {
        for (point_index, point) in experiment.points.iter().enumerate() {
            for (scheme_index, scheme) in experiment.schemes.iter().enumerate() {
                let unwanted = request.point.is_some_and(|only| only != point.value)
                    || request.scheme.as_ref().is_some_and(|only| !scheme.is_called(only));
                let scenario = scheme.scenario(point_index, point);
                let Some(mut scenario) = scenario.filter(|_| !unwanted) else { continue };
                // Cells of two papers whose worlds differ only in settings that are not in use are run once.
                scenario.reset_unused_settings();
                let shown = Use { experiment: index, point: point_index, scheme: scheme_index };
                let alike = alike.entry(number_of(&scenario)).or_default();
                let is_same = |other: &Setting| other.seed == experiment.seed && other.scenario == scenario;
                let same = alike.iter().copied().find(|index| settings.get(*index).is_some_and(is_same));
                if let Some(same) = same.and_then(|index| settings.get_mut(index)) {
                    same.uses.push(shown);
                    same.replications = same.replications.max(experiment.replications);
                } else {
                    alike.push(settings.len());
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

/// A number that equal worlds share, and different ones hardly: so that each of thousands is compared with few.
fn number_of(scenario: &Scenario) -> u64 {
    let mut hasher = DefaultHasher::new();
    // A world that could not be written down would be compared with all others.
    rmp_serde::to_vec(scenario).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

/// Why nothing is left to run.
fn explain(experiments: &[Experiment], request: &Request) -> Result<(), RequestError> {
    let schemes = || experiments.iter().flat_map(|one| &one.schemes);
    if let Some(asked) = request.scheme.clone().filter(|asked| !schemes().any(|scheme| scheme.is_called(asked))) {
        let names: Vec<String> = schemes().map(Scheme::full_name).collect();
        let help = did_you_mean(&asked, &names.iter().map(String::as_str).collect::<Vec<_>>());
        return Err(RequestError::Scheme { asked, help });
    }
    let values: Vec<f64> = experiments.iter().flat_map(|one| one.points.iter().map(|point| point.value)).collect();
    match request.point.filter(|asked| !values.contains(asked)) {
        Some(asked) => {
            let known: Vec<String> = values.iter().copied().map(typed).collect();
            Err(RequestError::Point { asked, known: listed(&known) })
        }
        None => Ok(()),
    }
}
