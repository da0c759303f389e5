//! What is laid over a world before an experiment sets anything in it itself.
//!
//! ```text
//!     scenarios/monet08.toml    [quick]    overlay                      the experiment's own set, sweep, schemes
//!     window 17            -->  2 MB   --> window 8, timeout 0.7 s  -->  timeout 0.9 s
//! ```
//!
//! So what a figure sets stays as the figure has it, and everything else is as the overlay says. That is how a choice of ours
//! is put in question (`arqway sensitivity`), and how a paper's world gets another TCP (`--today`).

use super::layers::set_all;
use super::sections::Quick;
use arqway_config::{Mistakes, Node};
use std::num::NonZeroU32;

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
