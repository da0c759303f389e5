//! Batches of runs: large enough that handing one out costs little beside running it.

use crate::run::plan::{Plan, Run};
use arqway_sim::channel::Direction;
use arqway_sim::{PacketLength, Scenario};

/// How long a batch should take. Scheduling a task costs some milliseconds.
const BATCH_S: f64 = 1.0;
/// The most runs of a batch, however short they are.
const MOST_RUNS: usize = 1000;
/// What a packet costs, from host to host and back, with all that its link does for it (docs/speed.md has 0.6 to 2.6
/// microseconds).
const PACKET_S: f64 = 1.5e-6;
/// What a run costs beside its packets.
const RUN_S: f64 = 50e-6;

/// Packs runs of a plan into batches, in the given order: a study stopped half way has the same replications of every
/// setting. How long a run takes is estimated from the plan alone, so that every machine packs alike.
#[must_use]
pub fn pack(plan: &Plan, runs: &[Run]) -> Vec<Vec<Run>> {
    let costs: Vec<f64> = plan.settings.iter().map(|setting| estimate_s(&setting.scenario)).collect();
    let mut batches = Vec::new();
    let (mut batch, mut cost) = (Vec::new(), 0.0);
    for run in runs {
        batch.push(*run);
        cost += costs.get(run.setting).copied().unwrap_or(0.0);
        if cost >= BATCH_S || batch.len() == MOST_RUNS {
            batches.push(std::mem::take(&mut batch));
            cost = 0.0;
        }
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches
}

/// About how many seconds of one core a run takes: by the packets that its link carries at most.
fn estimate_s(scenario: &Scenario) -> f64 {
    let rate = scenario.wireless.mean_rate(Direction::Down).as_bits_per_second() as f64;
    let file = &scenario.file_transfer;
    let (bulk, channel) = (&scenario.tcp_bulk, &scenario.channel);
    let limit_s = scenario.duration.as_seconds();
    let packets = |seconds: f64, octets: f64| seconds.min(limit_s) * rate / 8.0 / octets.max(1.0);
    let of_file = || {
        let octets = file.size.as_u64() as f64 * f64::from(file.connections.get());
        (octets / octets_of(file.packet)).min(packets(limit_s, octets_of(file.packet)))
    };
    let watched = if file.enabled || bulk.enabled || channel.enabled { 0.0 } else { scenario.length().as_seconds() };
    let all = [
        if file.enabled { of_file() } else { 0.0 },
        if bulk.enabled { packets(bulk.duration.as_seconds(), octets_of(bulk.packet)) } else { 0.0 },
        if channel.enabled { packets(channel.duration.as_seconds(), octets_of(channel.packet)) } else { 0.0 },
        packets(watched, octets_of(scenario.media.packet)),
    ];
    RUN_S + PACKET_S * all.iter().sum::<f64>()
}

fn octets_of(packet: PacketLength) -> f64 {
    packet.octets().as_u64() as f64
}
