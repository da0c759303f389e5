//! How long runs take, and on what.

use arqway_sim::{NoProbe, Scenario, Streams, World};

/// The line above what [`measure`] prints.
pub(crate) fn print_heading() {
    println!("{:<18} {:>10} {:>10} {:>10} {:>14} {:>8}", "service", "median s", "min s", "max s", "events/s", "ratio");
}

/// How long the runs of a scenario took.
pub(crate) struct Measured {
    pub(crate) median: f64,
    pub(crate) minimum: f64,
}

/// Runs a scenario several times, each with its own random numbers, and prints the spread, and how long it takes compared
/// with another.
pub(crate) fn measure(name: &str, scenario: &Scenario, runs: u32, reference: Option<f64>) -> Measured {
    let mut events = 0;
    let mut seconds: Vec<f64> = (0..runs)
        .map(|replication| {
            let (taken, of_run) = time_one(scenario, replication);
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

pub(crate) fn machine() -> String {
    let model = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", model.map_or("unknown", |(_, name)| name))
}
