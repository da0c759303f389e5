//! How long one File Transfer of 10 MB takes on one core, over the raw link and over Selective Repeat, fixed and adaptive.
//!
//! Prints its command, the machine and the spread; fails if a transfer over Selective Repeat at 5.4 % takes more than
//! the project allows itself. The raw link is there to compare with, as a ratio from the same run.

use arqway_link::selective_repeat::{self, Policy, Timeout, TimerStarts};
use arqway_link::{ServiceConfig, raw};
use arqway_sim::channel::{ErrorModel, Uniform};
use arqway_sim::{NoProbe, Queue, Room, Scenario, Streams, World};
use arqway_units::{Ratio, Span};
use std::process::ExitCode;

const RUNS: u32 = 21;
const LIMIT_SECONDS: f64 = 0.08;

fn main() -> ExitCode {
    println!("command: cargo bench -p arqway-sim --bench file_transfer");
    println!("machine: {}", machine());
    println!("10 MB, 64 kbit/s, 5.4 % uniform frame loss; {RUNS} runs, each with its own random numbers\n");
    println!("{:<18} {:>10} {:>10} {:>10} {:>14} {:>8}", "service", "median s", "min s", "max s", "events/s", "ratio");
    let raw = measure("raw", ServiceConfig::Raw(raw::Config::default()), None);
    let adaptive = Timeout::Adaptive(Policy { srtt: 3.0, srttvar: 2.0 });
    let mut exit = ExitCode::SUCCESS;
    for (name, timeout) in [("selective-repeat", Timeout::from(Span::from_milliseconds(1100))), ("asr:3+2", adaptive)] {
        let fastest = measure(name, selective_repeat(timeout), Some(raw.median)).minimum;
        if fastest > LIMIT_SECONDS {
            println!("\n{name} takes {fastest:.3} s: more than {LIMIT_SECONDS} s");
            exit = ExitCode::FAILURE;
        }
    }
    exit
}

/// As in the papers' worlds.
fn selective_repeat(timeout: Timeout) -> ServiceConfig {
    ServiceConfig::SelectiveRepeat(selective_repeat::Config {
        timeout,
        timer_starts: TimerStarts::HandOver,
        drop_stale_copies: false,
        ..selective_repeat::Config::default()
    })
}

struct Measured {
    median: f64,
    minimum: f64,
}

fn measure(name: &str, service: ServiceConfig, reference: Option<f64>) -> Measured {
    let mut scenario = Scenario::default();
    scenario.wireless.queue = Queue::DropTail(Room::of(256));
    scenario.wireless.charge_tag = false;
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.054).unwrap_or_default() });
    scenario.link_layer.service = service;
    let mut events = 0;
    let mut seconds: Vec<f64> = (0..RUNS)
        .map(|replication| {
            let (taken, of_run) = time_one(&scenario, replication);
            events += of_run;
            taken
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let (median, minimum, maximum) = (seconds[seconds.len() / 2], seconds[0], seconds[seconds.len() - 1]);
    let rate = events as f64 / seconds.iter().sum::<f64>();
    let ratio = median / reference.unwrap_or(median);
    println!("{name:<18} {median:>10.4} {minimum:>10.4} {maximum:>10.4} {rate:>14.0} {ratio:>8.2}");
    Measured { median, minimum }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn time_one(scenario: &Scenario, replication: u32) -> (f64, u64) {
    let start = std::time::Instant::now();
    let events = World::new(scenario, &Streams::new(1, replication), NoProbe).map_or(0, |world| world.run().events);
    (start.elapsed().as_secs_f64(), events)
}

fn machine() -> String {
    let model = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", model.map_or("unknown", |(_, name)| name))
}
