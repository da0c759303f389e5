//! Texts of the link layer that have a grammar of their own, and how editors are told of it.
//!
//! A type of `link` derives a plain schema; the entry of its name here replaces that, both for editors and for whoever reads
//! a file ([`Grammar`]). Entries may be written as `fn(&mut SchemaGenerator) -> Schema`, as `JsonSchema` has them.

use arqway_config::schema::Grammar;
use arqway_link::mux::SubclassBit;
use schemars::{Schema, SchemaGenerator, json_schema};

/// The grammars of all settings that a scenario or an experiment has.
pub(crate) const GRAMMARS: &[Grammar] = &[Grammar::of::<SubclassBit>("SubclassBit", subclass_bit)];

fn subclass_bit(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "description": "A bit of a codepoint: 0 is the lowest", "type": "integer", "minimum": 0, "maximum": 5 })
}

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
