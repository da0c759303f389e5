//! What greedy sources measured, as metrics. Most are one number; some are many, and their names say which one it is:
//!
//! | metric | |
//! | --- | --- |
//! | `bursts@1`, `bursts@2`, ... | the share of the bursts that had one packet, two, ... up to the maximum window |
//! | `window@15.01`, `sent@15.01`, `acknowledged@15.01` | where the first connection stood 15.01 s after the start |

use super::link_timeouts;
use arqway_sim::{Outcome, TcpBulkOutcome};
use std::borrow::Cow;

type Metric = (Cow<'static, str>, Option<f64>);

/// All metrics of greedy sources over a link of this rate.
pub(super) fn metrics(outcome: &Outcome, rate_bps: u64) -> Vec<Metric> {
    let Some(bulk) = &outcome.bulk else { return Vec::new() };
    let mut metrics: Vec<Metric> = vec![
        ("throughput".into(), Some(bulk.throughput_bps)),
        ("utilisation".into(), (rate_bps > 0).then(|| bulk.throughput_bps / rate_bps as f64)),
        ("timeouts".into(), Some(bulk.timeouts)),
        ("rtt".into(), bulk.round_trip_s),
        ("burst".into(), mean_burst(bulk)),
        ("burst-max".into(), longest_burst(bulk)),
        ("buffers".into(), packets_held(outcome)),
        ("recovery".into(), bulk.recovery_s),
        ("response".into(), bulk.response_s),
        ("ack-burst".into(), Some(bulk.most_acknowledgements as f64)),
        ("node-drops".into(), outcome.node_drops.map(|drops| drops as f64)),
        ("link-timeouts".into(), link_timeouts(outcome)),
        ("flr".into(), outcome.frame_loss_rate),
    ];
    metrics.extend(burst_shares(bulk));
    metrics.extend(samples(bulk));
    metrics
}

/// How many packets the client's end of the link held on average, because others had to leave first: by Little's law, how
/// long all of them were held over the time of the run.
fn packets_held(outcome: &Outcome) -> Option<f64> {
    let seconds = outcome.ended.as_seconds();
    (seconds > 0.0).then(|| outcome.client.held_nanoseconds as f64 / 1e9 / seconds)
}

/// The mean number of packets sent at one instant in answer to one event.
fn mean_burst(bulk: &TcpBulkOutcome) -> Option<f64> {
    let packets: u64 = (1..).zip(&bulk.bursts).map(|(packets, count)| packets * count).sum();
    let bursts = bulk.bursts.iter().sum::<u64>();
    (bursts > 0).then(|| packets as f64 / bursts as f64)
}

fn longest_burst(bulk: &TcpBulkOutcome) -> Option<f64> {
    bulk.bursts.iter().rposition(|count| *count > 0).map(|index| (index + 1) as f64)
}

fn burst_shares(bulk: &TcpBulkOutcome) -> impl Iterator<Item = Metric> {
    let all = bulk.bursts.iter().sum::<u64>() as f64;
    (1..).zip(&bulk.bursts).map(move |(packets, count): (u32, _)| {
        (format!("bursts@{packets}").into(), (all > 0.0).then(|| *count as f64 / all))
    })
}

/// Where the first connection stood, as often as that was asked for.
fn samples(bulk: &TcpBulkOutcome) -> impl Iterator<Item = Metric> {
    bulk.samples.iter().flat_map(|sample| {
        let values =
            [("window", sample.window), ("sent", sample.sent as f64), ("acknowledged", sample.acknowledged as f64)];
        values.map(|(metric, value)| (format!("{metric}@{}", sample.at.as_seconds()).into(), Some(value)))
    })
}
