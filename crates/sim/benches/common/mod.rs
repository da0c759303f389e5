//! How long runs take, and on what. Time is that of the processor, not of the clock on the wall: others may use the machine
//! meanwhile.

use arqway_sim::{NoProbe, Scenario, Streams, World};
use rustix::time::{ClockId, clock_gettime};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::process::ExitCode;

/// The line above what [`measure`] prints.
pub(crate) fn print_heading() {
    let columns = ("median s", "min s", "max s", "link-s/s", "events/s", "ratio");
    let (median, minimum, maximum, simulated, events, ratio) = columns;
    println!("{:<24} {median:>10} {minimum:>10} {maximum:>10} {simulated:>10} {events:>12} {ratio:>8}", "what");
}

/// What the runs of a scenario took, in seconds.
pub(crate) struct Measured {
    pub(crate) median: f64,
    pub(crate) minimum: f64,
    /// Of all of them.
    #[allow(dead_code, reason = "each bench compiles this file for itself, and not each compares costs by the event")]
    pub(crate) events: u64,
}

/// Runs scenarios in turns, each time with other random numbers, so that all of them meet a machine that is slow for a while; prints of each the
/// spread, how much of the link's time passes in a second, how many events happen in one, and how long it takes compared with the first.
pub(crate) fn measure(cells: &[(&str, Scenario)], runs: u32) -> Vec<Measured> {
    let (mut events, mut simulated) = (vec![0; cells.len()], vec![0.0; cells.len()]);
    let mut seconds = vec![Vec::new(); cells.len()];
    for replication in 0..runs {
        for (cell, (_, scenario)) in cells.iter().enumerate() {
            let start = processor_seconds();
            let outcome = World::new(scenario, &Streams::new(1, replication), NoProbe).map(World::run);
            seconds[cell].push(processor_seconds() - start);
            if let Ok(outcome) = outcome {
                events[cell] += outcome.events;
                simulated[cell] += outcome.ended.as_seconds();
            }
        }
    }
    let mut measured: Vec<Measured> = Vec::new();
    for (cell, (name, _)) in cells.iter().enumerate() {
        let seconds = &mut seconds[cell];
        seconds.sort_by(f64::total_cmp);
        let (median, minimum, maximum) = (seconds[seconds.len() / 2], seconds[0], seconds[seconds.len() - 1]);
        let all = seconds.iter().sum::<f64>();
        let (link, rate) = (simulated[cell] / all, events[cell] as f64 / all);
        let ratio = median / measured.first().map_or(median, |first| first.median);
        println!("{name:<24} {median:>10.4} {minimum:>10.4} {maximum:>10.4} {link:>10.0} {rate:>12.0} {ratio:>8.2}");
        measured.push(Measured { median, minimum, events: events[cell] });
    }
    measured
}

/// Whether each measured time is at most so many times what it is compared with; says which is not.
///
/// No limit is in seconds: the same code takes 2.4 times as long on one machine as on another that calls itself as fast.
#[allow(dead_code, reason = "each bench compiles this file for itself, and not each has limits in its own run")]
pub(crate) fn judge(limits: &[(&str, f64, f64, f64)]) -> ExitCode {
    let mut exit = ExitCode::SUCCESS;
    println!();
    for &(what, taken, compared, limit) in limits {
        let ratio = taken / compared;
        println!("{what}: {ratio:.2}, at most {limit}");
        if ratio > limit {
            println!("{what}: more than {limit}");
            exit = ExitCode::FAILURE;
        }
    }
    exit
}

/// What a million events take in the standard library's heap of 256, each of 64 octets that are read and written: the
/// fastest of seven, in seconds. The speed of this machine, for work like a simulator's.
#[allow(dead_code, reason = "each bench compiles this file for itself, and not each has limits in its own run")]
pub(crate) fn yardstick() -> f64 {
    let million = || {
        let mut heap: BinaryHeap<Reverse<[u64; 8]>> = (0..256).map(|at| Reverse([at; 8])).collect();
        let start = processor_seconds();
        for _ in 0..1_000_000 {
            let Some(Reverse(mut event)) = heap.pop() else { break };
            // Marsaglia's xorshift: the next time is not to be foreseen, as a simulator's is not.
            event[1] ^= event[1] << 13 | 1;
            event[1] ^= event[1] >> 7;
            event[1] ^= event[1] << 17;
            event[0] += event[1] % 1024;
            heap.push(Reverse(event));
        }
        black_box(&heap);
        processor_seconds() - start
    };
    let fastest = (0..7).map(|_| million()).fold(f64::INFINITY, f64::min);
    println!("\na million events in the standard library's heap: {fastest:.4} s");
    fastest
}

/// What this thread has had of a processor.
fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

pub(crate) fn machine() -> String {
    let model = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", model.map_or("unknown", |(_, name)| name))
}
