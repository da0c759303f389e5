//! The stopping rule of `--until`: replications are added until every mean that is drawn is known precisely enough.
//!
//! ```text
//!     first replications --> is each interval narrow enough? --yes--> done
//!                                   ^        | no: ten more for all schemes of the point
//!                                   +--------+
//! ```
//!
//! Schemes are compared pair by pair, replication by replication. So no cell stops by itself: all schemes of a point go on
//! together, and so do points of two figures that share a cell. Whether another batch is needed is decided when the batch
//! before is complete, which makes it a function of the seed alone, not of threads.

use crate::quantity::Quantity;
use crate::results::stats::{Summary, summarise};
use crate::run::Results;
use crate::run::cancellation::Cancellation;
use crate::run::plan::{Plan, Run, Setting, Use};
use arqway_units::Ratio;
use std::collections::BTreeMap;
use std::fmt;

/// How many replications are added at a time.
const BATCH: u32 = 10;
/// The most replications of a cell: where a thousand do not settle a mean, the mean does not describe the cell.
pub const MAX_REPLICATIONS: u32 = 1000;

/// A mean whose interval is still too wide.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsettledMean {
    /// The setting of the plan.
    setting: usize,
    /// The experiment, the scheme with its variant, and the point.
    cell: (String, String, f64),
    /// The quantity.
    quantity: &'static str,
    /// Half the interval's width as a share of the mean.
    share: f64,
}

impl fmt::Display for UnsettledMean {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (experiment, scheme, point) = &self.cell;
        if self.share.is_infinite() {
            return write!(out, "{experiment}: {} of {scheme} at {point} is not known at all", self.quantity);
        }
        let percent = crate::figure::number::significant(self.share * 100.0, 2);
        write!(out, "{experiment}: {} of {scheme} at {point} is known to {percent} %", self.quantity)
    }
}

/// Runs a plan, and adds replications to it until the 95 % interval of each mean that is drawn is within this share of the
/// mean. Returns the means whose intervals still are not, because there are [`MAX_REPLICATIONS`] replications of them.
///
/// `run` runs some of a plan's runs; `planned` is called with the number of runs that are added.
///
/// # Errors
/// As `run` has.
pub fn run_to_precision<E>(
    plan: &mut Plan,
    share: Ratio,
    stop: &Cancellation,
    planned: impl Fn(usize),
    mut run: impl FnMut(&Plan, &[Run]) -> Result<Results, E>,
) -> Result<(Results, Vec<UnsettledMean>), E> {
    let mut results = run(plan, &plan.runs)?;
    let groups = groups(&plan.settings);
    loop {
        let wide = wide(plan, &results, share);
        let goes_on = |setting: &usize| {
            let of_its_group = |wide: &UnsettledMean| groups[wide.setting] == groups[*setting];
            plan.settings[*setting].replications < MAX_REPLICATIONS && wide.iter().any(of_its_group)
        };
        let settings: Vec<usize> = (0..plan.settings.len()).filter(goes_on).collect();
        if settings.is_empty() || stop.is_requested() {
            return Ok((results, wide));
        }
        let added = plan.add_replications(BATCH, MAX_REPLICATIONS, &settings);
        planned(added.len());
        results.extend(run(plan, &added)?);
    }
}

/// The settings that go on together, by the number of the first of them: those of a point of an experiment.
fn groups(settings: &[Setting]) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..settings.len()).collect();
    let mut of_point = BTreeMap::new();
    for (index, setting) in settings.iter().enumerate() {
        for Use { experiment, point, .. } in &setting.uses {
            let first = *of_point.entry((experiment, point)).or_insert(index);
            let (one, other) = (groups[first], groups[index]);
            let (joined, left) = (one.min(other), one.max(other));
            groups.iter_mut().filter(|group| **group == left).for_each(|group| *group = joined);
        }
    }
    groups
}

/// The means that are drawn and not known well enough.
fn wide(plan: &Plan, results: &Results, share: Ratio) -> Vec<UnsettledMean> {
    let of_use = |(setting, shown): (usize, &Use)| {
        let experiment = &plan.experiments[shown.experiment];
        let rows = results.rows_of_setting(plan, setting, *shown);
        let wide = |quantity: Quantity| {
            let drawn = rows.iter().filter(|row| &*row.app == quantity.app() && &*row.metric == quantity.metric());
            let mean = summarise(&drawn.map(|row| row.value).collect::<Vec<_>>())?;
            let half_width = half_width_as_share(&mean);
            let (scheme, point) = (&experiment.schemes[shown.scheme], &experiment.points[shown.point]);
            let cell = (experiment.id.clone(), scheme.full_name(), point.value);
            let wide = UnsettledMean { setting, cell, quantity: quantity.name, share: half_width };
            (half_width > share.as_f64()).then_some(wide)
        };
        // Two figures may draw one quantity: it is listed once.
        let drawn: BTreeMap<&str, Quantity> =
            experiment.figures.iter().map(|figure| (figure.quantity.name, figure.quantity)).collect();
        drawn.into_values().filter_map(wide).collect::<Vec<_>>()
    };
    let uses = plan.settings.iter().enumerate();
    uses.flat_map(|(index, setting)| setting.uses.iter().map(move |shown| (index, shown))).flat_map(of_use).collect()
}

/// Zero where nothing varies, also around a mean of zero; endless where a single replication says nothing.
fn half_width_as_share(mean: &Summary) -> f64 {
    match mean.half_width {
        None => f64::INFINITY,
        Some(0.0) => 0.0,
        Some(half_width) => half_width / mean.mean.abs(),
    }
}

#[cfg(test)]
mod tests;
