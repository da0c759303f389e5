//! Which service carries a packet: that of the first rule that matches, else the default service.
//!
//! The rules are compiled into hashed lookups (multiservice, Sections VII and VIII, Figs. 11 and 12):
//!
//! ```text
//!     headers -- & mask 1 --> hash --> table 1: which rule        of all that are found
//!             -- & mask 2 --> hash --> table 2: which rule   -->  the first counts    --> service
//! ```
//!
//! All rules with the same mask share a table, so a packet costs one lookup a mask, however many rules there are. A
//! table of 64 codepoints, or of a thousand ports, is one lookup.
//!
//! The order of the rules stays exact, because each entry keeps the number of its rule. The tables are `hashbrown`'s, since
//! neither `core` nor `alloc` has one; their hasher has no seed, so that the same rules give the same tables.

use super::cells::{Cell, Key, cells_of};
use super::rule::Rule;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use arqway_contract::ServiceId;
use arqway_ip::{Headers, KeyHasher};
use core::hash::BuildHasherDefault;
use hashbrown::HashMap;

/// Rules, compiled.
#[derive(Debug, Clone, Default)]
pub struct Classifier {
    /// By the first rule of each: a table whose rules all come after one that was found is not looked at.
    tables: Vec<Table>,
    /// Of each rule.
    services: Vec<ServiceId>,
}

/// All cells under one mask.
#[derive(Debug, Clone)]
struct Table {
    mask: Key,
    /// The first rule in it.
    first: usize,
    rules: Cells<usize>,
}

/// What is known for headers under one mask.
pub(super) type Cells<T> = HashMap<Key, T, BuildHasherDefault<KeyHasher>>;

impl Classifier {
    /// The rules, the first to match first, and who carries what they match.
    #[must_use]
    pub fn new<'rule>(rules: impl IntoIterator<Item = (&'rule Rule, ServiceId)>) -> Self {
        let mut classifier = Self::default();
        let mut table_of_mask = BTreeMap::new();
        for (index, (rule, service)) in rules.into_iter().enumerate() {
            classifier.services.push(service);
            for Cell { mask, value } in cells_of(rule) {
                let tables = &mut classifier.tables;
                let table = *table_of_mask.entry(mask).or_insert_with(|| {
                    tables.push(Table { mask, first: index, rules: Cells::default() });
                    tables.len() - 1
                });
                // Of two rules with the same cell the second can never count.
                tables[table].rules.entry(value).or_insert(index);
            }
        }
        classifier
    }

    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.services.is_empty()
    }

    /// Who carries a packet with these headers; `None` where no rule matches.
    #[must_use]
    pub fn classify(&self, headers: &Headers) -> Option<ServiceId> {
        let key = Key::from(headers);
        let mut found = usize::MAX;
        for table in &self.tables {
            if table.first > found {
                break;
            }
            if let Some(rule) = table.rules.get(&key.under(table.mask)) {
                found = found.min(*rule);
            }
        }
        self.services.get(found).copied()
    }

    /// How many lookups a packet costs at most: one a mask.
    #[must_use]
    pub fn lookups(&self) -> usize {
        self.tables.len()
    }
}
