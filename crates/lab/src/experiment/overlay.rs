//! What is laid over a world before an experiment sets anything in it itself.
//!
//! ```text
//!     scenarios/monet08.toml    [quick]    overlay                      the experiment's own set, sweep, schemes
//!     window 17            -->  2 MB   --> window 8, timeout 0.7 s  -->  timeout 0.9 s
//! ```
//!
//! So what a figure sets stays as the figure has it, and everything else is as the overlay says. That is how a choice of ours
//! is put in question (`arqway sensitivity`), and how a paper's world gets another TCP (`--today`).

use super::world::{Quick, Today, World, set_all, take};
use super::{Files, Point};
use crate::experiment::part;
use arqway_config::{Mistake, Mistakes, Node, Source, Table, parse};
use arqway_sim::Scenario;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Settings by their paths, and perhaps another number of replications.
#[derive(Debug, Clone, Default)]
pub struct Overlay {
    sets: Vec<Node>,
    pub(super) replications: Option<NonZeroU32>,
}

impl Overlay {
    /// Settings by their paths: `{ "tcp.maximum-window" = 8 }`.
    #[must_use]
    pub fn of(set: Node) -> Self {
        Self { sets: vec![set], replications: None }
    }

    /// A shorter look than the scenario's own.
    pub fn quick(quick: &Quick) -> Self {
        Self { sets: quick.set.iter().cloned().collect(), replications: quick.replications }
    }

    /// This one, and further settings over it.
    #[must_use]
    pub fn with(&self, set: &Node) -> Self {
        let sets = self.sets.iter().chain([set]).cloned().collect();
        Self { sets, replications: self.replications }
    }

    pub(super) fn lay_over(&self, tree: &mut Node, mistakes: &mut Mistakes) {
        self.sets.iter().for_each(|set| set_all(tree, Some(set), mistakes));
    }
}

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
        let paths = || set.as_table().into_iter().flat_map(Table::iter);
        for (path, node) in paths() {
            let others: Table = paths().filter(|(other, _)| *other != path).map(owned).collect();
            let without = self.world(&Node::new(others, set.origin.clone()), &mut Mistakes::new());
            if changed.is_some() && without == changed {
                let mistake = Mistake::at_key(node, format!("`{path}` is that in the world already"));
                mistakes.push(mistake.help("an alternative is another value than the world's"));
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

fn owned((path, node): (&str, &Node)) -> (String, Node) {
    (path.to_owned(), node.clone())
}
