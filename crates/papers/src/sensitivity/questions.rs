//! The file `sensitivity/<paper>.toml`: what a paper is silent about, and what else it could have meant.

use arqway_config::{Located, Mistake, Mistakes, Node, Source, did_you_mean, read_source};
use arqway_lab::experiment::sections::Quick;
use arqway_lab::experiment::{Base, overlay::Overlay};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is asked about a paper's world.
#[derive(Debug)]
pub struct Questions {
    /// What makes the runs short enough to make so many.
    pub quick: Overlay,
    /// What the paper is silent about.
    pub parameters: Vec<Parameter>,
}

/// Something that a paper does not say.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// In the field's words: `TCP: maximum window`.
    pub name: String,
    /// Why it is in question: what the paper says instead.
    pub silent: String,
    /// What the world has.
    pub chosen: String,
    /// What else it could be.
    pub alternatives: Vec<Alternative>,
    /// Whether it is no question, but the yardstick for all: [`chance`](Self::chance).
    pub is_chance: bool,
}

impl Parameter {
    /// No parameter at all, but what to measure all others by: the same world from other seeds.
    #[must_use]
    pub fn chance() -> Self {
        Self {
            name: "Chance".to_owned(),
            silent: "Only the seed changes, so this is how many verdicts turn by chance.".to_owned(),
            chosen: "the requested seed".to_owned(),
            alternatives: Vec::new(),
            is_chance: true,
        }
    }
}

/// Another value of a parameter.
#[derive(Debug, Clone)]
pub struct Alternative {
    /// `8 packets`
    pub label: String,
    /// Settings by their paths.
    pub set: Node,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct File {
    /// What `arqway sensitivity` makes of the world where no replications are asked for, over what `--quick` makes of it.
    quick: Option<Quick>,
    #[serde(default)]
    parameter: Vec<ParameterSection>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct ParameterSection {
    name: Located<String>,
    silent: String,
    chosen: String,
    alternative: Vec<AlternativeSection>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct AlternativeSection {
    label: Located<String>,
    set: Node,
}

/// Reads the questions about the world of a scenario.
///
/// # Errors
/// Every mistake in them: unknown settings, values that the world has already, names that stand twice.
pub fn read(source: &Arc<Source>, scenario: &Arc<Source>) -> Result<Questions, Mistakes> {
    let File { quick, parameter } = read_source(source, &[])?;
    let base = Base::read(scenario)?;
    let mut mistakes = Mistakes::new();
    let mut names = Names::default();
    let mut parameters = Vec::new();
    for ParameterSection { name, silent, chosen, alternative } in parameter {
        names.note(&name, "a parameter", &mut mistakes);
        let mut labels = Names::default();
        let mut alternatives = Vec::new();
        for AlternativeSection { label, set } in alternative {
            labels.note(&label, "an alternative", &mut mistakes);
            if set.as_table().is_none_or(arqway_config::Table::is_empty) {
                let mistake = Mistake::at_value(&set, "an alternative must set something");
                mistakes.push(mistake.help("such as { \"tcp.maximum-window\" = 8 }"));
            } else {
                base.check(&set, &mut mistakes);
            }
            alternatives.push(Alternative { label: label.value, set });
        }
        parameters.push(Parameter { name: name.value, silent, chosen, alternatives, is_chance: false });
    }
    let quick = quick.as_ref().map(Overlay::quick).unwrap_or_default();
    mistakes.into_result(Questions { quick, parameters })
}

impl Questions {
    /// Only the parameter of this name, whatever its case.
    ///
    /// # Errors
    /// What was expected, where there is none of that name.
    pub fn only(mut self, name: &str) -> Result<Self, String> {
        let known: Vec<String> = self.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        self.parameters.retain(|parameter| parameter.name.eq_ignore_ascii_case(name));
        if self.parameters.is_empty() {
            return Err(did_you_mean(name, &known.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        Ok(self)
    }

    /// The overlays of all alternatives over one for all, in their order, each with the index of its parameter.
    #[must_use]
    pub fn overlays(&self, all: &Overlay) -> Vec<(usize, &Alternative, Overlay)> {
        let parameters = self.parameters.iter().enumerate();
        let each = parameters.flat_map(|(index, one)| one.alternatives.iter().map(move |other| (index, other)));
        each.map(|(index, alternative)| (index, alternative, all.with(&alternative.set))).collect()
    }
}

/// Names that must not stand twice.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    fn note(&mut self, name: &Located<String>, what: &str, mistakes: &mut Mistakes) {
        if !self.0.insert(name.value.to_lowercase()) {
            let mistake = name.mistake(format!("{what} is called `{}` already", name.value));
            mistakes.push(mistake.help("results are named after it, so it must be unique"));
        }
    }
}
