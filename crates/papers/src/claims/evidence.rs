//! The rows of a run, by cell, and what a claim asks of them: two cells paired by replication, or one by itself.

use super::Subject;
use super::verdict::{Estimate, Missing};
use arqway_lab::results::rows::Row;
use arqway_lab::results::stats::{CONFIDENCE, Comparison, Summary, compare, student_half_width, summarise};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A cell of a claim's world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell<'c> {
    /// As rows name it: a short form.
    pub scheme: &'c str,
    /// The value of what is swept.
    pub point: f64,
    /// What of its world is not as its claim has it.
    pub place: &'c Place,
}

/// What of a cell's world is not as its claim has it.
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// What it changes in the paper's plain world; empty in the plain one.
    #[serde(default)]
    pub variant: String,
    /// Another metric than the claim's.
    pub metric: Option<String>,
    /// Another application than the claim's.
    pub app: Option<String>,
    /// Another error model than the claim's.
    pub errors: Option<String>,
    /// Beside what, where that is not as the claim has it.
    pub beside: Option<String>,
    /// Over how many connections, where that is not as the claim has it.
    pub connections: Option<u32>,
}

/// The claim's own world.
pub(super) static PLAIN: Place =
    Place { variant: String::new(), metric: None, app: None, errors: None, beside: None, connections: None };

impl<'c> Cell<'c> {
    /// A scheme in the plain world.
    pub(super) fn plain(scheme: &'c str, point: f64) -> Self {
        Self { scheme, point, place: &PLAIN }
    }

    /// The scheme with what it changes, and whatever else is not as its claim has it.
    pub(super) fn name(&self) -> String {
        let scheme = [self.scheme, &self.place.variant].join(" ").trim_end().to_owned();
        let app = self.place.app.as_ref().map_or_else(String::new, |app| format!(" ({app})"));
        let around = self.place.around().into_iter().map(|part| format!(" {part}"));
        [scheme, app].into_iter().chain(around).collect()
    }
}

impl Place {
    /// What else uses the link, in words: `with two-state errors`, `beside web`.
    pub(super) fn around(&self) -> impl IntoIterator<Item = String> {
        [
            self.errors.as_ref().map(|errors| format!("with {errors} errors")),
            self.beside.as_ref().map(|beside| format!("beside {beside}")),
            self.connections.map(|connections| format!("over {connections} connections")),
        ]
        .into_iter()
        .flatten()
    }
}

/// The rows of a run, by cell.
#[derive(Debug, Default)]
pub struct Evidence<'rows> {
    cells: BTreeMap<Key<'rows>, BTreeMap<u32, f64>>,
    /// The rates of each paper's links.
    rates: BTreeMap<&'rows str, BTreeSet<u64>>,
}

/// The columns that tell cells apart.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    paper: &'a str,
    app: &'a str,
    errors: &'a str,
    beside: &'a str,
    metric: &'a str,
    scheme: &'a str,
    variant: &'a str,
    rate_bps: u64,
    connections: u32,
    point: u64,
}

impl<'rows> Evidence<'rows> {
    /// Sorts rows by cell.
    #[must_use]
    pub fn of(rows: &'rows [Row]) -> Self {
        let mut evidence = Self::default();
        for row in rows {
            let Row { paper, app, errors, beside, metric, scheme, variant, rate_bps, connections, point, .. } = row;
            let (rate_bps, connections, point) = (*rate_bps, *connections, point.to_bits());
            let key = Key { paper, app, errors, beside, metric, scheme, variant, rate_bps, connections, point };
            evidence.cells.entry(key).or_default().insert(row.replication, row.value);
            evidence.rates.entry(paper).or_default().insert(rate_bps);
        }
        evidence
    }

    /// What they say of a claim's world.
    pub(super) fn about<'a>(&'a self, subject: &'a Subject) -> About<'a> {
        About { evidence: self, subject }
    }
}

/// The rows of a claim's world.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    evidence: &'a Evidence<'a>,
    pub(super) subject: &'a Subject,
}

impl<'a> About<'a> {
    fn cell<'s>(&'s self, cell: Cell<'s>) -> Result<&'s BTreeMap<u32, f64>, Missing> {
        let Subject { app, errors, beside, metric, connections, .. } = self.subject;
        let place = cell.place;
        let no_rows = || Missing::no_rows(&cell.name(), self.subject, cell.point);
        let key = Key {
            paper: self.subject.paper(),
            app: place.app.as_ref().unwrap_or(app),
            errors: place.errors.as_ref().unwrap_or(errors),
            beside: place.beside.as_ref().unwrap_or(beside),
            metric: place.metric.as_ref().unwrap_or(metric),
            scheme: cell.scheme,
            variant: &place.variant,
            rate_bps: self.rate_bps()?.ok_or_else(no_rows)?,
            connections: place.connections.unwrap_or(*connections),
            point: cell.point.to_bits(),
        };
        self.evidence.cells.get(&key).ok_or_else(no_rows)
    }

    /// The claim's rate, or the only one there is; none without any rows.
    fn rate_bps(&self) -> Result<Option<u64>, Missing> {
        if let Some(rate) = self.subject.rate {
            return Ok(Some(rate.as_bits_per_second()));
        }
        let mut rates = self.evidence.rates.get(self.subject.paper()).into_iter().flatten();
        let first = rates.next().copied();
        match rates.next() {
            Some(_) => Err(Missing("there are rows at several rates; the claim's `rate` would say which".to_owned())),
            None => Ok(first),
        }
    }

    /// The mean of a cell.
    pub(super) fn mean(&self, cell: Cell<'_>) -> Result<Summary, Missing> {
        let values: Vec<f64> = self.cell(cell)?.values().copied().collect();
        summarise(&values).ok_or_else(|| Missing::no_rows(&cell.name(), self.subject, cell.point))
    }

    /// The values of two cells in the replications that both have: at least two, as one alone has no interval.
    pub(super) fn pair(&self, a: Cell<'_>, b: Cell<'_>) -> Result<Pair, Missing> {
        let (values_of_a, values_of_b) = (self.cell(a)?, self.cell(b)?);
        let both = values_of_a.iter().filter_map(|(replication, value)| Some((*value, *values_of_b.get(replication)?)));
        let (of_a, of_b): (Vec<f64>, Vec<f64>) = both.unzip();
        if of_a.len() < 2 {
            let point = self.subject.point(a.point);
            return Err(Missing(format!("{} and {} have no two replications at {point}", a.name(), b.name())));
        }
        Ok(Pair { a: of_a, b: of_b })
    }

    /// Two schemes of the plain world.
    pub(super) fn plain_pair(&self, a: &str, b: &str, point: f64) -> Result<Pair, Missing> {
        self.pair(Cell::plain(a, point), Cell::plain(b, point))
    }
}

/// Two cells, replication by replication.
pub(super) struct Pair {
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Pair {
    /// Whether the first is above the second, by the 95 % interval of the mean difference.
    pub(super) fn compare(&self) -> Comparison {
        compare(&self.a, &self.b)
    }

    /// The means of both.
    pub(super) fn means(&self) -> (f64, f64) {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        (mean(&self.a), mean(&self.b))
    }

    /// How far the first lies above the second, in percent of the second, with the interval of a ratio of paired means:
    /// that of the residuals `a - ratio * b`, in units of the mean of `b`. None where that mean is zero.
    pub(super) fn excess(&self) -> Option<Estimate> {
        let (mean_a, mean_b) = self.means();
        if mean_b == 0.0 {
            return None;
        }
        let ratio = mean_a / mean_b;
        let residuals: Vec<f64> = self.a.iter().zip(&self.b).map(|(a, b)| (a - ratio * b) / mean_b).collect();
        let half_width = student_half_width(&residuals, CONFIDENCE).map(|half_width| half_width * 100.0);
        Some(Estimate { value: (ratio - 1.0) * 100.0, half_width })
    }
}
