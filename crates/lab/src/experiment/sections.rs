//! What stands in a scenario, and in the `[scenario]` of an experiment, beside the world itself.

use super::schema_types;
use arqway_config::schema::Later;
use arqway_config::{Located, Node};
use schemars::JsonSchema;
use serde::Deserialize;
use std::num::NonZeroU32;

/// The source of the world.
#[derive(Debug, Deserialize, Default, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioSection {
    /// The name of a scenario, or a file relative to the experiment.
    #[schemars(with = "Option<Later<schema_types::Base>>")]
    pub(super) base: Option<Located<String>>,
    /// Settings by their paths, which override the base.
    #[schemars(with = "Option<schema_types::Settings>")]
    pub(super) set: Option<Node>,
}

/// A scenario's changes for a quick run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quick {
    /// The number of replications.
    pub replications: Option<NonZeroU32>,
    /// Settings by their paths, which override the scenario.
    #[schemars(with = "Option<schema_types::Settings>")]
    pub set: Option<Node>,
}

/// A scenario's changes for today's TCP.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Today {
    /// Settings by their paths, which override the scenario.
    #[schemars(with = "schema_types::Settings")]
    pub set: Node,
}
