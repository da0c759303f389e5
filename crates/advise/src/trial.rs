//! Candidates in a world, as an ordinary experiment: what is run is what `advise.toml` shows.

use super::criterion::Application;
use super::question::text_node;
use super::world::{Carrier, Class};
use arqway_config::{Mistakes, Node, Source};
use arqway_lab::experiment::{Effort, Experiment};
use std::fmt::Write as _;
use std::path::Path;

/// A scheme of a trial.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// As people call what is tried.
    pub(super) name: String,
    /// As rows and legends call it: with its class, if it is about one.
    pub(super) label: String,
    /// The service of the packets of no class, as files have it.
    pub(super) service: String,
    /// The class that is decided about, and what carries it.
    pub(super) class: Option<(Class, Carrier)>,
}

/// An experiment to be run.
pub(super) struct Trial<'a> {
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    pub(super) replications: u32,
    pub(super) seed: u64,
    pub(super) world: &'a Node,
    pub(super) entries: &'a [Entry],
    pub(super) applications: &'a [Application],
}

impl Trial<'_> {
    /// The experiment's file.
    pub(super) fn to_toml(&self) -> String {
        let mut text = String::new();
        let Self { id, replications, seed, .. } = self;
        let title = quoted(self.title);
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "[experiment]\nid = {}\ntitle = {title}\nreplications = {replications}\nseed = {seed}\n\n[scenario.set]\n",
            quoted(id)
        );
        text.push_str(&settings_text(self.world));
        for entry in self.entries {
            text.push('\n');
            text.push_str(&entry.to_toml());
        }
        for application in self.applications {
            let quantity = application.quantity_name();
            let _ = write!(text, "\n[[figure]]\nid = \"{}\"\ny = \"{quantity}\"\n", quantity.replace('.', "-"));
        }
        text
    }

    /// The experiment, read as any other.
    pub(super) fn experiment(&self) -> Result<Experiment, Mistakes> {
        Experiment::read(&Source::new("advise.toml", self.to_toml()), Path::new(""), Effort::Full)
    }
}

/// A world's settings below `[scenario.set]`.
pub(super) fn settings_text(world: &Node) -> String {
    // A header stands alone on its line, and nothing else begins with a bracket.
    let text = world.to_toml_text();
    let lines = text.lines().map(|line| match line.strip_prefix('[') {
        Some(header) => format!("[scenario.set.{header}\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// Text as TOML has it.
pub(super) fn quoted(text: &str) -> String {
    text_node(text).to_toml_text()
}

impl Entry {
    /// A service for the packets of no class.
    pub(super) fn of_no_class(name: &str, service: &str) -> Self {
        Self { name: name.to_owned(), label: name.to_owned(), service: service.to_owned(), class: None }
    }

    /// The service that is tried, whatever its settings: what its name says before the first comma.
    pub(super) fn family(&self) -> &str {
        self.name.split(',').next().unwrap_or_default()
    }

    /// What is tried, as files have it.
    pub(super) fn tried(&self) -> String {
        match &self.class {
            Some((_, table @ Carrier::Table { .. })) => format!("table = {}", table.to_toml()),
            Some((_, Carrier::Service(service))) => format!("service = {service}"),
            Some((_, Carrier::Default)) | None => format!("service = {}", self.service),
        }
    }

    fn to_toml(&self) -> String {
        let mut text = format!("[[scheme]]\nlabel = {}\nservice = {}\n", quoted(&self.label), self.service);
        if let Some((class, carrier)) = &self.class {
            let settings = class.settings(carrier);
            let settings = settings.into_iter().map(|(path, value)| format!("\"{path}\" = {value}"));
            let _ = writeln!(text, "world = {{ {} }}", settings.collect::<Vec<_>>().join(", "));
        }
        text
    }
}
