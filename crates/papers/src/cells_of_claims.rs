//! Which cells of a plan decide which claims: to judge claims again, in another world or from another seed, only these are run.

use crate::claims::{Cell, Claim};
use arqway_lab::run::cell_rows::CellRows;
use arqway_lab::run::plan::{Plan, Use};
use std::collections::BTreeMap;

/// The cells that claims read.
#[derive(Debug)]
pub(crate) struct CellsOfClaims<'c> {
    claims: BTreeMap<Key<'c>, Vec<Reader>>,
}

/// Paper, application, errors, beside, scheme, variant, point.
type Key<'a> = ([&'a str; 6], u64);

/// A claim that reads a cell, and what else it asks of it.
#[derive(Debug, Clone, Copy)]
struct Reader {
    claim: usize,
    connections: u32,
    rate_bps: Option<u64>,
}

impl<'c> CellsOfClaims<'c> {
    /// The cells that these claims read.
    pub(crate) fn of(claims: &'c [Claim]) -> Self {
        let mut deciding = Self { claims: BTreeMap::new() };
        for (index, claim) in claims.iter().enumerate() {
            for cell in claim.cells() {
                let reader = Reader {
                    claim: index,
                    connections: cell.place.connections.unwrap_or(claim.about.connections),
                    rate_bps: claim.about.rate.map(|rate| rate.as_bits_per_second()),
                };
                deciding.claims.entry(key(claim, cell)).or_default().push(reader);
            }
        }
        deciding
    }

    /// The claims that one of the cells of a setting decides, by their numbers.
    pub(crate) fn claims(&self, plan: &Plan, setting: usize, shown: Use) -> Vec<usize> {
        let cell = CellRows::new(plan, shown.experiment, shown.point, shown.scheme, setting);
        let row = cell.common();
        let readers = cell.apps().filter_map(|(app, beside)| {
            let words = [&*row.paper, app, &row.errors, beside, &row.scheme, &row.variant];
            self.claims.get(&(words, row.point.to_bits()))
        });
        let is_meant = |reader: &&Reader| {
            reader.connections == row.connections && reader.rate_bps.is_none_or(|rate| rate == row.rate_bps)
        };
        let mut claims: Vec<usize> = readers.flatten().filter(is_meant).map(|reader| reader.claim).collect();
        claims.sort_unstable();
        claims.dedup();
        claims
    }

    /// The settings that decide any claim.
    pub(crate) fn settings(&self, plan: &Plan) -> Vec<usize> {
        let decides = |setting: &usize| {
            plan.settings[*setting].uses.iter().any(|shown| !self.claims(plan, *setting, *shown).is_empty())
        };
        (0..plan.settings.len()).filter(decides).collect()
    }
}

fn key<'c>(claim: &'c Claim, cell: Cell<'c>) -> Key<'c> {
    let about = &claim.about;
    let place = cell.place;
    let (app, beside) = (place.app.as_ref().unwrap_or(&about.app), place.beside.as_ref().unwrap_or(&about.beside));
    let errors = place.errors.as_ref().unwrap_or(&about.errors);
    ([claim.paper(), app, errors, beside, cell.scheme, &place.variant], cell.point.to_bits())
}
