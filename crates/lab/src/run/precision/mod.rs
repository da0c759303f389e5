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
//!
//! An interval narrows with the root of the replications. A mean that would take far more than [`MAX_REPLICATIONS`] is told at
//! once, and not waited for: mostly that of a cell whose few timeouts decide.

use crate::figure::number::{percentage, significant};
use crate::results::stats::{Summary, summarise};
use crate::run::Results;
use crate::run::cancellation::Cancellation;
use crate::run::plan::{Plan, Run, Setting, Use};
use arqway_units::{Ratio, count, truncate};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How many replications are added at a time.
const BATCH: u32 = 10;
/// The most replications of a cell: where a thousand do not settle a mean, the mean does not describe the cell.
pub const MAX_REPLICATIONS: u32 = 1000;
/// Fewer say too little of how many it takes.
const FEWEST: u32 = 10;
/// By how much an estimate from so few may be wrong.
const DOUBT: f64 = 2.0;

/// A mean whose interval is still too wide.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsettledMean {
    /// The setting of the plan.
    setting: usize,
    /// The experiment, the scheme with its variant, and the point.
    cell: (String, String, f64),
    /// The quantity, and of which service: `service.loss@media`.
    quantity: String,
    /// Half the interval's width as a share of the mean.
    share: f64,
    /// How many replications it has, and about how many it would take.
    replications: u32,
    needed: f64,
}

impl UnsettledMean {
    /// Whether it is known to take more replications than there will be.
    fn is_out_of_reach(&self) -> bool {
        self.replications >= FEWEST && self.needed > DOUBT * f64::from(MAX_REPLICATIONS)
    }

    /// Which mean it is.
    fn name(&self) -> (usize, String) {
        (self.setting, self.quantity.clone())
    }

    /// How many replications it is expected to have in the end.
    fn expected(&self) -> u32 {
        let batches = self.needed.min(f64::from(MAX_REPLICATIONS)) / f64::from(BATCH);
        u32::try_from(truncate(batches.ceil())).map_or(MAX_REPLICATIONS, |batches| batches * BATCH)
    }
}

impl fmt::Display for UnsettledMean {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (experiment, scheme, point) = &self.cell;
        if self.share.is_infinite() {
            return write!(out, "{experiment}: {} of {scheme} at {point} is not known at all", self.quantity);
        }
        let percent = percentage(self.share * 100.0, 2);
        let Self { quantity, replications, needed, .. } = self;
        write!(
            out,
            "{experiment}: {quantity} of {scheme} at {point} is known to {percent} % after {replications} replications; it would take about {}",
            significant(*needed, 2)
        )
    }
}

/// Runs a plan, and adds replications to it until the 95 % interval of each mean that is drawn is within this share of the
/// mean. Returns the means whose intervals still are not, because they take more than [`MAX_REPLICATIONS`] replications.
///
/// `run` runs some of a plan's runs; `planned` is called with the number of runs that are expected in all, whenever that is
/// known better, and `out_of_reach` with the means that are no longer waited for, as soon as that is known.
///
/// # Errors
/// As `run` has.
pub fn run_to_precision<E>(
    plan: &mut Plan,
    share: Ratio,
    stop: &Cancellation,
    planned: impl Fn(u64),
    mut out_of_reach: impl FnMut(&[UnsettledMean]),
    mut run: impl FnMut(&Plan, &[Run]) -> Result<Results, E>,
) -> Result<(Results, Vec<UnsettledMean>), E> {
    let mut results = run(plan, &plan.runs)?;
    let groups = groups(&plan.settings);
    let mut given_up = BTreeSet::new();
    loop {
        let wide = wide(plan, &results, share);
        let is_new = |mean: &&UnsettledMean| mean.is_out_of_reach() && !given_up.contains(&mean.name());
        let told: Vec<UnsettledMean> = wide.iter().filter(is_new).cloned().collect();
        if !told.is_empty() && !stop.is_requested() {
            out_of_reach(&told);
            given_up.extend(told.iter().map(UnsettledMean::name));
        }
        // How many replications the settings of each group will have, as far as they go on.
        let mut expected: BTreeMap<usize, u32> = BTreeMap::new();
        for mean in wide.iter().filter(|mean| !given_up.contains(&mean.name())) {
            let of_group = expected.entry(groups[mean.setting]).or_default();
            *of_group = mean.expected().max(*of_group);
        }
        let goes_on = |setting: &usize| {
            plan.settings[*setting].replications < MAX_REPLICATIONS && expected.contains_key(&groups[*setting])
        };
        let settings: Vec<usize> = (0..plan.settings.len()).filter(goes_on).collect();
        if settings.is_empty() || stop.is_requested() {
            planned(count(plan.runs.len()));
            return Ok((results, wide));
        }
        let further = |setting: &usize| {
            let wanted = expected.get(&groups[*setting]).copied().unwrap_or(0);
            u64::from(wanted.saturating_sub(plan.settings[*setting].replications).max(BATCH))
        };
        planned(count(plan.runs.len()) + settings.iter().map(further).sum::<u64>());
        let added = plan.add_replications(BATCH, MAX_REPLICATIONS, &settings);
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
        let wide = |(app, metric): (&str, String)| {
            let drawn = rows.iter().filter(|row| &*row.app == app && *row.metric == *metric);
            let mean = summarise(&drawn.map(|row| row.value).collect::<Vec<_>>())?;
            let half_width = half_width_as_share(&mean);
            let (scheme, point) = (&experiment.schemes[shown.scheme], &experiment.points[shown.point]);
            let cell = (experiment.id.clone(), scheme.full_name(), point.value);
            let replications = plan.settings[setting].replications;
            let times = half_width / share.as_f64();
            // A single value tells nothing yet: twice as many may have a second.
            let needed = f64::from(replications) * if times.is_finite() { times * times } else { 2.0 };
            let quantity = format!("{app}.{metric}");
            let wide = UnsettledMean { setting, cell, quantity, share: half_width, replications, needed };
            (half_width > share.as_f64()).then_some(wide)
        };
        // Two figures may draw one quantity: it is listed once.
        let drawn: BTreeSet<(&str, String)> =
            experiment.figures.iter().map(|figure| (figure.quantity.app(), figure.metric())).collect();
        drawn.into_iter().filter_map(wide).collect::<Vec<_>>()
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
