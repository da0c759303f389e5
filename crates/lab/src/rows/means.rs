//! Means over replications: what notebooks look at first.

use super::Row;
use crate::stats::{Summary, summarise};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The mean of one metric of one cell over its replications.
#[derive(Debug, Clone, PartialEq)]
pub struct Mean {
    /// The first of its rows: which cell, and which metric.
    pub of: Row,
    /// Mean and 95 % interval.
    pub summary: Summary,
}

/// The means of rows, in the order in which their cells come first.
#[must_use]
pub fn means(rows: &[Row]) -> Vec<Mean> {
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    let mut found: Vec<(&Row, Vec<f64>)> = Vec::new();
    for row in rows {
        let words = [&row.paper, &row.app, &row.errors, &row.beside, &row.scheme, &row.variant, &row.metric];
        let key = (words.map(Arc::clone), row.rate_bps, row.connections, row.point.to_bits());
        let place = *places.entry(key).or_insert_with(|| {
            found.push((row, Vec::new()));
            found.len() - 1
        });
        found[place].1.push(row.value);
    }
    let mean = |(row, values): (&Row, Vec<f64>)| Some(Mean { of: row.clone(), summary: summarise(&values)? });
    found.into_iter().filter_map(mean).collect()
}
