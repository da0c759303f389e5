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

/// What the runs of a scenario took.
pub(crate) struct Measured {
    pub(crate) median: f64,
    pub(crate) minimum: f64,
    /// Of all of them.
    #[allow(dead_code, reason = "each bench compiles this file for itself, and not each compares costs by the event")]
    pub(crate) events: u64,
}

/// Runs a scenario several times, each with its own random numbers, and prints the spread, how much of the link's time passes
/// in a second, how many events happen in one, and how long it takes compared with another.
pub(crate) fn measure(name: &str, scenario: &Scenario, runs: u32, reference: Option<f64>) -> Measured {
    let (mut events, mut simulated) = (0, 0.0);
    let mut seconds: Vec<f64> = (0..runs)
        .map(|replication| {
            let start = processor_seconds();
            let outcome = World::new(scenario, &Streams::new(1, replication), NoProbe).map(World::run);
            let taken = processor_seconds() - start;
            if let Ok(outcome) = outcome {
                events += outcome.events;
                simulated += outcome.ended.as_seconds();
            }
            taken
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let measured = Measured { median: seconds[seconds.len() / 2], minimum: seconds[0], events };
    let Measured { median, minimum, events } = measured;
    let (maximum, all) = (seconds[seconds.len() - 1], seconds.iter().sum::<f64>());
    let (link, rate, ratio) = (simulated / all, events as f64 / all, median / reference.unwrap_or(median));
    println!("{name:<24} {median:>10.4} {minimum:>10.4} {maximum:>10.4} {link:>10.0} {rate:>12.0} {ratio:>8.2}");
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
