//! What greedy sources measured, as metrics. Most are one number; some are many, and their names say which one it is:
//!
//! | metric | |
//! | --- | --- |
//! | `window@15.01`, `sent@15.01`, `acknowledged@15.01` | where the first connection stood 15.01 s after the start |

use super::link_timeouts;
use arqway_sim::{BulkOutcome, Outcome};
use std::borrow::Cow;

type Metric = (Cow<'static, str>, Option<f64>);

/// All metrics of greedy sources over a link of this rate.
pub(super) fn metrics(outcome: &Outcome, rate_bps: u64) -> Vec<Metric> {
    let Some(bulk) = &outcome.bulk else { return Vec::new() };
    let mut metrics: Vec<Metric> = vec![
        ("throughput".into(), Some(bulk.throughput_bps)),
        ("utilisation".into(), (rate_bps > 0).then(|| bulk.throughput_bps / rate_bps as f64)),
        ("timeouts".into(), Some(bulk.timeouts)),
        ("recovery".into(), bulk.recovery_s),
        ("response".into(), bulk.response_s),
        ("ack-burst".into(), Some(bulk.most_acknowledgements as f64)),
        ("node-drops".into(), outcome.node_drops.map(|drops| drops as f64)),
        ("link-timeouts".into(), link_timeouts(outcome)),
        ("flr".into(), outcome.frame_loss_rate),
    ];
    metrics.extend(samples(bulk));
    metrics
}

/// Where the first connection stood, as often as that was asked for.
fn samples(bulk: &BulkOutcome) -> impl Iterator<Item = Metric> {
    bulk.samples.iter().flat_map(|sample| {
        let values =
            [("window", sample.window), ("sent", sample.sent as f64), ("acknowledged", sample.acknowledged as f64)];
        values.map(|(metric, value)| (format!("{metric}@{}", sample.at.as_seconds()).into(), Some(value)))
    })
}
