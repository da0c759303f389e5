//! The rows that a claim speaks of, paired by replication.

use super::Claim;
use crate::rows::Row;
use std::collections::BTreeMap;

/// The metric of each scheme, by replication.
#[derive(Debug, Clone, Default)]
pub struct Values(BTreeMap<String, BTreeMap<u32, f64>>);

impl Values {
    /// What the rows of the paper's plain world say about a claim's schemes.
    #[must_use]
    pub fn of(claim: &Claim, rows: &[Row]) -> Self {
        let mut values = Self::default();
        let about = |row: &&Row| {
            (&*row.app, &*row.errors, &*row.beside, &*row.metric, &*row.variant)
                == (claim.app.as_str(), claim.errors.as_str(), claim.beside.as_str(), claim.metric.as_str(), "")
                && row.point == claim.flr
        };
        for row in rows.iter().filter(about) {
            values.0.entry(row.scheme.to_string()).or_default().insert(row.replication, row.value);
        }
        values
    }

    /// The values of two schemes in the replications that both have.
    #[must_use]
    pub fn paired(&self, a: &str, b: &str) -> Option<(Vec<f64>, Vec<f64>)> {
        let (a, b) = (self.0.get(a)?, self.0.get(b)?);
        let pairs = a.iter().filter_map(|(replication, value)| Some((*value, *b.get(replication)?)));
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.unzip();
        (!a.is_empty()).then_some((a, b))
    }
}
