//! The shape of an experiment's file: which parts it has, and its head.

use super::figure_plan::FigureSection;
use super::schema_types;
use super::scheme::SchemeSection;
use super::sections::ScenarioSection;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use std::fmt;
use std::num::NonZeroU32;

/// The tables of an experiment's file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "each part is read by itself, so that a mistake in one hides none in another")]
pub(crate) struct Shape {
    /// The name of the experiment, and how much of it to run.
    #[schemars(with = "Header")]
    experiment: Option<Section<1>>,
    /// The world: a base, and changes to it.
    #[schemars(with = "Option<ScenarioSection>")]
    scenario: Option<Section<1>>,
    /// The swept setting: its path and its values.
    #[schemars(with = "Option<schema_types::Sweep>")]
    sweep: Option<Section<1>>,
    /// The schemes to compare: short forms, or services with their settings.
    #[schemars(with = "Vec<SchemeSection>", length(min = 1))]
    scheme: Option<Section<2>>,
    /// The figures to draw.
    #[schemars(with = "Option<Vec<FigureSection>>")]
    figure: Option<Section<2>>,
}

/// A part that is only known to be there: a table under one bracket, or a list of tables under two.
#[derive(Debug)]
struct Section<const BRACKETS: usize>;

impl<'de, const BRACKETS: usize> Deserialize<'de> for Section<BRACKETS> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de, const BRACKETS: usize> Visitor<'de> for Section<BRACKETS> {
    type Value = Self;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if BRACKETS == 1 { "a table of its own: [name]" } else { "a list of tables: [[name]]" })
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self, M::Error> {
        if BRACKETS != 1 {
            return Err(M::Error::invalid_type(Unexpected::Map, &self));
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(self)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut tables: S) -> Result<Self, S::Error> {
        if BRACKETS != 2 {
            return Err(S::Error::invalid_type(Unexpected::Seq, &self));
        }
        while tables.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self)
    }
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
