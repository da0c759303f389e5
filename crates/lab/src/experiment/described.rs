//! The one world that a file describes: a scenario, or the `[scenario]` of an experiment that sweeps nothing.
//!
//! ```toml
//! [wireless]                    # a scenario: every setting where it belongs
//! rate = "20 Mbit/s"
//! ```
//!
//! ```toml
//! [scenario]                    # or a base, and what is set in it
//! base = "satellite"
//! set = { "web.enabled" = true }
//! ```

use super::files::Files;
use super::header::{Header, Parts};
use super::layers::take;
use super::overlay::Overlay;
use super::parts::part;
use super::recordings;
use super::sections::{Quick, ScenarioSection, Today};
use super::world::{Effort, World};
use arqway_config::{Mistake, Mistakes, Node, Source, parse};
use arqway_sim::Scenario;
use std::path::Path;
use std::sync::Arc;

/// Parts of an experiment that say more than which world there is.
const NOT_ASKED: [(&str, &str, &str); 3] = [
    ("sweep", "expected a single scenario, not a sweep", "set the value in [scenario], and remove [sweep]"),
    (
        "scheme",
        "schemes are not an input here: finding one is the question",
        "remove them; to compare a service of your own, set \"link-layer.service\" in [scenario]",
    ),
    ("figure", "figures are drawn by `arqway run`", "remove them"),
];

/// A world, and what else its file says.
#[derive(Debug, Clone)]
pub struct Described {
    /// Its settings, recordings among them: it needs no other file.
    pub world: Node,
    /// The same, read.
    pub scenario: Scenario,
    /// Root of its random streams, where an experiment gives one.
    pub seed: Option<u64>,
}

impl Described {
    /// Reads a file; a base or a recording that is a file is looked for beside `folder`.
    pub fn read(source: &Arc<Source>, folder: &Path) -> Result<Self, Mistakes> {
        let files = Files::beside(folder);
        let mut mistakes = Mistakes::new();
        let Some(tree) = parse(source, &mut mistakes) else { return Err(mistakes) };
        let is_experiment = ["experiment", "scenario", "scheme", "sweep", "figure"];
        let read = if is_experiment.iter().any(|key| tree.get_path(key).is_some()) {
            Self::of_experiment(source, &tree, &files, &mut mistakes)
        } else {
            Self::of_scenario(tree, files, &mut mistakes)
        };
        match read {
            Some(read) => mistakes.into_result(read),
            None => Err(mistakes),
        }
    }

    fn of_scenario(mut tree: Node, files: Files, mistakes: &mut Mistakes) -> Option<Self> {
        part::<Quick>(take(&mut tree, "quick").as_ref(), mistakes);
        part::<Today>(take(&mut tree, "today").as_ref(), mistakes);
        let world = World { tree, replications: None, files };
        Self::of_world(&world, None, mistakes)
    }

    fn of_experiment(source: &Arc<Source>, tree: &Node, files: &Files, mistakes: &mut Mistakes) -> Option<Self> {
        part::<Parts>(Some(tree), mistakes);
        for (key, why, help) in NOT_ASKED {
            if let Some(part) = tree.get_path(key) {
                mistakes.push(Mistake::at_key(part, why).help(help));
            }
        }
        let header = part::<Header>(tree.get_path("experiment"), mistakes);
        let section: ScenarioSection = part(tree.get_path("scenario"), mistakes).unwrap_or_default();
        let world = World::read(source, files, &section, (Effort::Full, &Overlay::default()), mistakes);
        Self::of_world(&world, header, mistakes)
    }

    fn of_world(world: &World, header: Option<Header>, mistakes: &mut Mistakes) -> Option<Self> {
        let point = world.point(0.0, world.tree.clone(), mistakes)?;
        let mut tree = point.bare;
        recordings::insert(&mut tree, &world.files, mistakes);
        Some(Self { world: tree, scenario: point.point.scenario, seed: header.map(|header| header.seed) })
    }
}
