//! The shape of an experiment's file: which parts it has, and its head.

use super::figure_plan::FigureSection;
use super::schema_types;
use super::scheme::SchemeSection;
use super::sections::ScenarioSection;
use arqway_config::Node;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// The tables of a file, to refuse any other. Each is read by itself, so that a mistake in one hides none in another.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only what is none of them is refused")]
pub(super) struct Parts {
    experiment: Option<BTreeMap<String, Node>>,
    scenario: Option<BTreeMap<String, Node>>,
    sweep: Option<BTreeMap<String, Node>>,
    scheme: Option<Vec<Node>>,
    figure: Option<Vec<Node>>,
}

/// The tables of an experiment's file.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is wanted")]
pub(crate) struct Shape {
    /// The name of the experiment, and how much of it to run.
    experiment: Header,
    /// The world: a base, and changes to it.
    scenario: Option<ScenarioSection>,
    /// The swept setting: its path and its values.
    sweep: Option<schema_types::Sweep>,
    /// The schemes to compare: short forms, or services with their settings.
    #[schemars(length(min = 1))]
    scheme: Vec<SchemeSection>,
    /// The figures to draw.
    figure: Option<Vec<FigureSection>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    /// The name of the experiment and its files.
    #[schemars(regex(pattern = schema_types::FILE_NAME))]
    pub(super) id: String,
    /// The first column of its rows, instead of the id.
    #[schemars(regex(pattern = schema_types::FILE_NAME))]
    pub(super) paper: Option<String>,
    /// The source of the experiment.
    pub(super) source: Option<String>,
    /// The title in the report and the figures.
    pub(super) title: Option<String>,
    /// The number of runs of each cell; 30 by default.
    pub(super) replications: Option<NonZeroU32>,
    /// The seed of all random streams.
    #[serde(default = "one")]
    pub(super) seed: u64,
    /// What its world changes in the paper's plain world.
    #[serde(default)]
    pub(super) variant: String,
    /// Further figures of the same paper that its claims use: `arqway reproduce` runs them as well.
    #[serde(default)]
    pub(super) reads: Vec<String>,
}

fn one() -> u64 {
    1
}
