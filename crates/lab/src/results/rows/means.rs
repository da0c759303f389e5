//! Means over replications: what notebooks look at first.

use super::Row;
use crate::results::stats::{Summary, summarise};
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_of_one_metric_of_one_cell_over_its_replications() {
        let row = |scheme: &str, replication, metric: &str, value| Row {
            paper: "study".into(),
            app: "file-transfer".into(),
            errors: "none".into(),
            beside: "none".into(),
            rate_bps: 64_000,
            connections: 1,
            point: 1.5,
            scheme: scheme.into(),
            variant: "".into(),
            replication,
            metric: metric.into(),
            value,
        };
        let rows = [
            row("sr", 0, "throughput", 1.0),
            row("sr", 0, "timeouts", 9.0),
            row("raw", 0, "throughput", 5.0),
            row("sr", 1, "throughput", 3.0),
        ];
        let found = means(&rows);
        let told = found.iter().map(|mean| (&*mean.of.scheme, &*mean.of.metric, mean.summary.mean, mean.summary.n));
        let expected = [("sr", "throughput", 2.0, 2), ("sr", "timeouts", 9.0, 1), ("raw", "throughput", 5.0, 1)];
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }
}
