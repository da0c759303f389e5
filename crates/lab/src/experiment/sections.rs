//! What stands in a scenario, and in the `[scenario]` of an experiment, beside the world itself.

use super::schema_types;
use arqway_config::{Located, Node};
use schemars::JsonSchema;
use serde::Deserialize;
use std::num::NonZeroU32;

/// Where the world comes from.
#[derive(Debug, Deserialize, Default, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioSection {
    /// A scenario by its name, or a file beside the experiment.
    #[schemars(with = "Option<schema_types::Base>")]
    pub(super) base: Option<Located<String>>,
    /// Settings by their paths, laid over the base.
    #[schemars(with = "Option<schema_types::Settings>")]
    pub(super) set: Option<Node>,
}

/// What a scenario says of a first look.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quick {
    /// How many replications it runs.
    pub replications: Option<NonZeroU32>,
    /// Settings by their paths, laid over the scenario.
    #[schemars(with = "Option<schema_types::Settings>")]
    pub set: Option<Node>,
}

/// What a scenario says of today: its world with the TCP that is used now.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Today {
    /// Settings by their paths, laid over the scenario.
    #[schemars(with = "schema_types::Settings")]
    pub set: Node,
}
