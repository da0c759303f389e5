//! Texts of scenarios and experiments that have a grammar of their own: the link layer's, and the simulator's.

use arqway_config::grammars::LINK_LAYER;
use arqway_config::schema::Grammar;
use arqway_sim::PacketLength;
use arqway_sim::app::{ConnectionCount, Ladder, Parallel};
use arqway_sim::tcp::PacketWindow;

/// The simulator's. Their schemas are right; their types say more of what is wrong than a range does.
const SIMULATOR: [Grammar; 5] = [
    Grammar::derived::<ConnectionCount>("ConnectionCount"),
    Grammar::derived::<Ladder>("Ladder"),
    Grammar::derived::<PacketLength>("PacketLength"),
    Grammar::derived::<PacketWindow>("PacketWindow"),
    Grammar::derived::<Parallel>("Parallel"),
];

/// The grammars of all settings that a scenario or an experiment has.
pub const GRAMMARS: &[Grammar] = &{
    let mut all = [SIMULATOR[0]; SIMULATOR.len() + LINK_LAYER.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = if index < SIMULATOR.len() { SIMULATOR[index] } else { LINK_LAYER[index - SIMULATOR.len()] };
        index += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grammar_is_used_and_its_examples_are_read() {
        let schema = crate::schema::experiment();
        for grammar in GRAMMARS {
            assert!(schema["$defs"].get(grammar.name).is_some(), "nothing is written as `{}`", grammar.name);
            assert_eq!(grammar.refused_examples(), Vec::<String>::new(), "`{}` refuses its own examples", grammar.name);
        }
    }
}
