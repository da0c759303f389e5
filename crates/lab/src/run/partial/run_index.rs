//! Names for runs, made from everything that decides their results.

use super::envelope::digits;
use super::{PROGRAM, PartialError};
use crate::run::plan::{Plan, Run, Setting};
use arqway_sim::Scenario;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Names a world and the root of its random streams, as the program measures them: the SHA-256 of all that, as digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SettingId(String);

/// Names a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RunId {
    pub(crate) setting: SettingId,
    pub(crate) replication: u32,
}

impl SettingId {
    /// The name of a world, as it is written down, under a root of random streams.
    pub(super) fn of(world: &Value, seed: u64) -> Self {
        Self(digits(&Sha256::digest(format!("arqway {PROGRAM}\nseed {seed}\n{world}"))))
    }

    #[cfg(test)]
    pub(super) fn made_up(number: u8) -> Self {
        Self(format!("setting {number}"))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A world written down, so that reading it makes the same world.
pub(super) fn written(scenario: &Scenario) -> Result<Value, PartialError> {
    let mut world = serde_json::to_value(scenario).map_err(|error| PartialError::World(error.to_string()))?;
    leave_out_nothing(&mut world);
    let read: Scenario =
        serde_json::from_value(world.clone()).map_err(|error| PartialError::World(error.to_string()))?;
    if read == *scenario { Ok(world) } else { Err(PartialError::World("a number in it has no exact text".to_owned())) }
}

/// What is not set is not written: settings are read as from TOML, which has no word for nothing.
fn leave_out_nothing(value: &mut Value) {
    match value {
        Value::Object(settings) => {
            settings.retain(|_, value| !value.is_null());
            settings.values_mut().for_each(leave_out_nothing);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_nothing),
        _ => {}
    }
}

/// The names of a plan's settings.
#[derive(Debug)]
pub struct RunIndex(Vec<SettingId>);

impl RunIndex {
    /// Names the settings of a plan.
    ///
    /// # Errors
    /// A world that cannot be written down.
    pub fn of(plan: &Plan) -> Result<Self, PartialError> {
        let name = |setting: &Setting| Ok(SettingId::of(&written(&setting.scenario)?, setting.seed));
        plan.settings.iter().map(name).collect::<Result<_, _>>().map(Self)
    }

    /// The name of a run; none if the plan has no such setting.
    pub(crate) fn run(&self, run: Run) -> Option<RunId> {
        Some(RunId { setting: self.0.get(run.setting)?.clone(), replication: run.replication })
    }
}
