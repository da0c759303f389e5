//! A task: some worlds and the replications wanted of each. It needs no files and no experiment, so any process can run it.

use super::envelope::{open, seal};
use super::run_index::{RunId, SettingId, written};
use super::{PartialError, PartialResults};
use crate::run::cancellation::Cancellation;
use crate::run::plan::{Plan, Run};
use crate::run::{RunError, measure};
use arqway_sim::{Scenario, Streams};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Some runs, with all that they need.
#[derive(Debug)]
pub struct Task {
    settings: Vec<TaskSetting>,
}

#[derive(Debug)]
struct TaskSetting {
    id: SettingId,
    scenario: Scenario,
    contents: SettingContents,
}

const KIND: &str = "task";

/// A setting as it is sent.
#[derive(Debug, Serialize, Deserialize)]
struct SettingContents {
    seed: u64,
    /// The scenario, written down.
    world: Value,
    replications: Vec<u32>,
}

impl Task {
    /// Some runs of a plan.
    ///
    /// # Errors
    /// A world that cannot be written down.
    pub fn new(plan: &Plan, runs: &[Run]) -> Result<Self, PartialError> {
        let mut wanted: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for run in runs {
            wanted.entry(run.setting).or_default().push(run.replication);
        }
        let mut settings = Vec::new();
        for (index, replications) in wanted {
            let Some(setting) = plan.settings.get(index) else { continue };
            let (seed, scenario) = (setting.seed, setting.scenario.clone());
            let world = written(&scenario)?;
            let id = SettingId::of(&world, seed);
            settings.push(TaskSetting { id, scenario, contents: SettingContents { seed, world, replications } });
        }
        Ok(Self { settings })
    }

    /// Whether it has all settings of a plan, each as the plan has it.
    #[must_use]
    pub fn is_that_of(&self, plan: &Plan) -> bool {
        let is_that = |(setting, there): (&crate::run::plan::Setting, &TaskSetting)| {
            (setting.seed, &setting.scenario) == (there.contents.seed, &there.scenario)
        };
        self.settings.len() == plan.settings.len() && plan.settings.iter().zip(&self.settings).all(is_that)
    }

    /// How many runs it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.settings.iter().map(|setting| setting.contents.replications.len()).sum()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As octets that say themselves what they are.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        seal(KIND, &self.settings.iter().map(|setting| &setting.contents).collect::<Vec<_>>())
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// Whatever else it is, and whatever became of it on its way.
    pub fn from_bytes(octets: &[u8]) -> Result<Self, PartialError> {
        let contents: Vec<SettingContents> = open(KIND, octets)?;
        let setting = |contents: SettingContents| {
            let scenario = Scenario::deserialize(&contents.world);
            let scenario = scenario.map_err(|error| PartialError::Contents(error.to_string()))?;
            Ok(TaskSetting { id: SettingId::of(&contents.world, contents.seed), scenario, contents })
        };
        contents.into_iter().map(setting).collect::<Result<_, _>>().map(|settings| Self { settings })
    }

    /// Runs it on this thread, calls `finished` after each run, begins no run once `stop` is set: then what is finished is
    /// all that the piece has.
    ///
    /// # Errors
    /// A world that cannot be built.
    pub fn run(&self, stop: &Cancellation, finished: impl Fn()) -> Result<PartialResults, RunError> {
        let mut piece = PartialResults::default();
        for TaskSetting { id, scenario, contents: SettingContents { seed, replications, .. } } in &self.settings {
            for &replication in replications {
                let streams = Streams::new(*seed, replication);
                let measured = if stop.is_requested() { None } else { measure(scenario, &streams, stop)? };
                let Some(measured) = measured else { return Ok(piece) };
                piece.runs.insert(RunId { setting: id.clone(), replication }, measured);
                finished();
            }
        }
        Ok(piece)
    }
}
