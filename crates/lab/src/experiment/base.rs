//! A scenario by itself, before any experiment sets something in it.

use super::files::Files;
use super::layers::{set_all, take};
use super::parts::part;
use super::sections::Today;
use super::world::{Point, World};
use arqway_config::{Mistake, Mistakes, Node, Source, parse};
use arqway_sim::Scenario;
use std::sync::Arc;

/// A scenario as it stands, to look at what an overlay makes of it.
pub struct Base {
    tree: Node,
    today: Option<Today>,
}

impl Base {
    /// Reads a scenario.
    pub fn read(source: &Arc<Source>) -> Result<Self, Mistakes> {
        let mut mistakes = Mistakes::new();
        let Some(mut tree) = parse(source, &mut mistakes) else { return Err(mistakes) };
        take(&mut tree, "quick");
        let today = part(take(&mut tree, "today").as_ref(), &mut mistakes);
        mistakes.into_result(Self { tree, today })
    }

    /// What makes it today's world, where it says so.
    pub fn today(self) -> Option<Node> {
        self.today.map(|today| today.set)
    }

    /// Looks whether settings can be laid over it, and whether each of them changes something.
    pub fn check(&self, set: &Node, mistakes: &mut Mistakes) {
        let told_before = mistakes.len();
        let changed = self.world(set, mistakes);
        if mistakes.len() > told_before {
            return;
        }
        for (path, node) in set.as_table().into_iter().flatten() {
            let mut others = set.as_table().cloned().unwrap_or_default();
            others.shift_remove(path);
            let without = self.world(&Node::new(others, set.origin.clone()), &mut Mistakes::new());
            if changed.is_some() && without == changed {
                let mistake = Mistake::at_key(node, format!("`{path}` already has this value in the scenario"));
                mistakes.push(mistake.help("an alternative must differ from the scenario's value"));
            }
        }
    }

    /// The world that settings make of it.
    fn world(&self, set: &Node, mistakes: &mut Mistakes) -> Option<Scenario> {
        let mut tree = self.tree.clone();
        set_all(&mut tree, Some(set), mistakes);
        let world = World { tree: tree.clone(), replications: None, files: Files::default() };
        let Point { scenario, .. } = world.point(0.0, tree, mistakes)?.point;
        Some(scenario)
    }
}
