//! Snoop agrees with ns-2's in its means: how fast a file goes, how many packets the server sends again after all, and how
//! often its timer expires, with two TCPs, without errors and with corruptions at two distances, over the raw link too.
//!
//! `ns2_snoop.csv` is what the real ns-2 2.35 gave in a world of the same settings. If both sides do the same, their runs
//! are draws from one distribution, so their variances are pooled: a right simulator fails all comparisons together once
//! in a hundred choices of seeds.

mod agreement;

use agreement::Mean;
use arqway_link::{ServiceConfig, raw, snoop};
use arqway_sim::channel::{Bit, ErrorModel};
use arqway_sim::tcp::{Profile, Sender, Transmission};
use arqway_sim::{Probe, Queue, Rate, Room, Scenario, Streams, World};
use arqway_units::{BitRate, Octets, Span, Time};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn snoop_agrees_with_ns2_in_throughput_retransmissions_and_timeouts() {
    let facts = facts();
    assert_eq!(facts.len(), 36, "two TCPs, three links, raw and Snoop, three metrics");
    let cells: Vec<&Fact> = facts.iter().step_by(3).collect();
    let values = run_all(&cells, &snoop::Config::default());
    let family = facts.iter().filter(|fact| fact.distance.is_some()).count();
    let compared = facts.iter().enumerate().map(|(index, fact)| {
        let ours: Vec<f64> = values[index / 3].iter().map(|run| run.metric(&fact.metric)).collect();
        Compared::new(fact, Mean::of(&ours), family)
    });
    let compared: Vec<Compared> = compared.collect();
    let table: String = compared.iter().map(Compared::to_text).collect();
    println!("{HEADING}{table}");
    assert!(compared.iter().all(Compared::agrees), "{HEADING}{table}");
}

#[test]
fn the_comparison_tells_one_threshold_of_duplicates_from_another() {
    let facts = facts();
    let is_hard =
        |fact: &&Fact| (fact.profile, fact.service.as_str(), fact.distance) == (Profile::Ns235, "snoop", Some(16_384));
    let [throughput, again, _] = facts.iter().filter(is_hard).collect::<Vec<_>>()[..] else { panic!("three metrics") };
    for threshold in [1, 3] {
        let duplicate_threshold = NonZeroU32::new(threshold).expect("not zero");
        let config = snoop::Config { duplicate_threshold, ..snoop::Config::default() };
        let runs = &run_all(&[throughput], &config)[0];
        let agree = [throughput, again].map(|fact| {
            let ours: Vec<f64> = runs.iter().map(|run| run.metric(&fact.metric)).collect();
            Compared::new(fact, Mean::of(&ours), 24).agrees()
        });
        assert_ne!(agree, [true, true], "acting on duplicate {threshold}");
    }
}

/// A line of the file: what ns-2 gave.
#[derive(Debug)]
struct Fact {
    profile: Profile,
    distance: Option<u64>,
    service: String,
    metric: String,
    theirs: Mean,
}

fn facts() -> Vec<Fact> {
    let fact = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let n: usize = cells[6].parse().expect("a count");
        let [mean, half_width] = [cells[4], cells[5]].map(|cell| cell.parse::<f64>().expect("a number"));
        Fact {
            profile: match cells[0] {
                "ns235" => Profile::Ns235,
                "pre2004" => Profile::Pre2004,
                other => panic!("no profile {other}"),
            },
            distance: cells[1].parse().ok(),
            service: cells[2].to_owned(),
            metric: cells[3].to_owned(),
            theirs: Mean::printed(mean, half_width, n),
        }
    };
    let mut lines = include_str!("ns2_snoop.csv").lines().skip_while(|line| line.starts_with('#'));
    assert_eq!(lines.next(), Some("profile,distance,service,metric,mean,ci95,n"));
    lines.map(fact).collect()
}

/// A fact and our answer to it.
struct Compared<'a> {
    fact: &'a Fact,
    ours: Mean,
    tolerance: f64,
}

const HEADING: &str =
    "\nprofile   distance  service  metric                    ns-2        ours   difference  tolerance\n";

impl<'a> Compared<'a> {
    fn new(fact: &'a Fact, ours: Mean, family: usize) -> Self {
        let theirs = fact.theirs;
        let is_certain = fact.distance.is_none();
        let tolerance = if is_certain { theirs.last_digit() } else { theirs.tolerance(ours, family) };
        Self { fact, ours, tolerance }
    }

    fn difference(&self) -> f64 {
        self.ours.mean - self.fact.theirs.mean
    }

    fn agrees(&self) -> bool {
        self.difference().abs() <= self.tolerance
    }

    fn to_text(&self) -> String {
        let Self { fact, ours, tolerance } = self;
        let mark = if self.agrees() { "" } else { "  <-- differs" };
        format!(
            "{:<9} {:>8}  {:<7}  {:<18} {:>11.3} {:>11.3} {:>+12.3} {tolerance:>10.3}{mark}\n",
            format!("{:?}", fact.profile).to_lowercase(),
            fact.distance.map_or("-".to_owned(), |distance| distance.to_string()),
            fact.service,
            fact.metric,
            fact.theirs.mean,
            ours.mean,
            self.difference(),
        )
    }
}

/// What one run gave.
#[derive(Debug, Clone, Copy)]
struct Run {
    throughput: f64,
    again: f64,
    timeouts: f64,
}

impl Run {
    fn metric(&self, name: &str) -> f64 {
        match name {
            "throughput_kbps" => self.throughput,
            "retransmitted_pkts" => self.again,
            "timeouts" => self.timeouts,
            other => panic!("no metric {other}"),
        }
    }
}

/// Counts what the server sends again.
struct Again(u64);

impl Probe for &mut Again {
    fn tcp_sent(&mut self, transmission: Transmission, _: &Sender, _: Time) {
        self.0 += u64::from(transmission.again);
    }
}

/// The runs of each cell, on all cores: which runs first is chance, what each gives is not.
fn run_all(cells: &[&Fact], snoop: &snoop::Config) -> Vec<Vec<Run>> {
    // Without errors chance has no say; else as many as ns-2's that there are, or a few.
    let replications = |fact: &Fact| if fact.distance.is_none() { 2 } else { (fact.theirs.n as u32).max(6) };
    let jobs: Vec<(usize, u32)> = (0..cells.len())
        .flat_map(|cell| (0..replications(cells[cell])).map(move |replication| (cell, replication)))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((cell, replication)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((*cell, *replication, run_one(cells[*cell], snoop, *replication)));
        }
        done
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut done: Vec<(usize, u32, Run)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a run that ends")).collect()
    });
    done.sort_by_key(|(cell, replication, _)| (*cell, *replication));
    (0..cells.len()).map(|cell| done.iter().filter(|of| of.0 == cell).map(|of| of.2).collect()).collect()
}

fn run_one(fact: &Fact, snoop: &snoop::Config, replication: u32) -> Run {
    let scenario = scenario(fact, snoop);
    let mut again = Again(0);
    let outcome = World::new(&scenario, &Streams::new(1, replication), &mut again).expect("a world").run();
    let file = outcome.applications.file_transfer.expect("a file");
    assert!(file.is_complete);
    Run { throughput: file.throughput_bps * 1e-3, again: again.0 as f64, timeouts: file.timeouts }
}

fn scenario(fact: &Fact, snoop: &snoop::Config) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.wireless.rate = Rate::Constant(BitRate::from_bits_per_second(5_000_000).expect("a rate"));
    scenario.wireless.delay = Span::from_milliseconds(3).into();
    scenario.wireless.queue = Queue::DropTail(Room::of(50));
    scenario.wireless.charge_tag = false;
    if let Some(distance) = fact.distance {
        scenario.wireless.errors = ErrorModel::Bit(Bit { distance: Octets::new(distance) });
    }
    scenario.link_layer.service = match fact.service.as_str() {
        "raw" => ServiceConfig::Raw(raw::Config::default()),
        "snoop" => ServiceConfig::Snoop(snoop.clone()),
        other => panic!("no service {other}"),
    };
    scenario.tcp.profile = fact.profile;
    scenario.tcp.tick = Some(Span::from_milliseconds(500));
    scenario.file_transfer.size = Octets::new(100_000_000);
    scenario.file_transfer.packet = Octets::new(1000).try_into().expect("a length");
    scenario
}
