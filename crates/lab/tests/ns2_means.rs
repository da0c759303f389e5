//! File Transfer over the Raw Link agrees with ns-2 in its means: three TCPs, uniform and two-state errors, alone
//! and beside media, whose packets agree in their delays and in how many are lost.
//!
//! `ns2_means.csv` is what the real ns-2 2.35 gave in a world of the same settings, 30 replications each. Both sides
//! are random, so they agree where their means differ by no more than chance explains: all comparisons together fail a
//! right simulator once in a hundred choices of seeds. Without errors the throughput of a file alone is the same to the
//! last digit.

mod agreement;

use agreement::Mean;
use arqway_config::Source;
use arqway_lab::experiment::{Effort, Experiment};
use arqway_lab::results::rows::Row;
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::plan::{Plan, Request};
use arqway_lab::run::run;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

#[test]
fn raw_link_file_transfer_agrees_with_ns2_in_throughput_timeouts_and_what_media_meet() {
    let facts = facts();
    let counted = |metric: &str| facts.iter().filter(|fact| fact.metric == metric).count();
    let counts = ["throughput_kbps", "timeouts", "media_delay_s", "media_delay_p95_s", "media_loss"].map(counted);
    assert_eq!(counts, [30, 27, 15, 15, 15], "three profiles, five links; no timeouts where nothing is lost or beside");
    let random = facts.iter().filter(|fact| !fact.is_certain()).count();
    assert_eq!(random, 99, "all but the throughput alone without loss");
    let rows = rows(&facts);
    let compared: Vec<Compared> = facts.iter().map(|fact| Compared::new(fact, &rows, random)).collect();
    let table: String = compared.iter().map(Compared::to_text).collect();
    assert!(compared.iter().all(Compared::agrees), "{HEADING}{table}");
}

#[test]
fn the_comparison_tells_one_tcp_from_another() {
    let facts = facts();
    let random = facts.iter().filter(|fact| !fact.is_certain()).count();
    let throughput_alone = |fact: &&Fact| {
        (fact.errors.as_str(), fact.loss_percent, fact.metric.as_str(), fact.media)
            == ("uniform", 5.4, "throughput_kbps", false)
    };
    let facts: Vec<&Fact> = facts.iter().filter(throughput_alone).collect();
    assert_eq!(facts.len(), 3);
    let rows = rows(facts.iter().copied());
    for (fact, other) in facts.iter().flat_map(|fact| facts.iter().map(move |other| (fact, other))) {
        let with_the_others_tcp = BTreeMap::from([(world(fact), rows[&world(other)].clone())]);
        let agrees = Compared::new(fact, &with_the_others_tcp, random).agrees();
        // The other two have a minimum timeout of 1 s; they differ by 2 %, less than 30 replications of one number tell.
        let [is_fast, others] = [fact, other].map(|fact| fact.profile == "ns235");
        assert_eq!(agrees, is_fast == others, "{} with the TCP of {}", fact.profile, other.profile);
    }
}

/// A line of the file: what ns-2 gave.
#[derive(Debug)]
struct Fact {
    profile: String,
    errors: String,
    loss_percent: f64,
    media: bool,
    metric: String,
    theirs: Mean,
}

impl Fact {
    /// Whether chance has no say.
    fn is_certain(&self) -> bool {
        (self.loss_percent, self.media) == (0.0, false)
    }
}

fn facts() -> Vec<Fact> {
    let fact = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |cell: usize| cells[cell].parse::<f64>().expect("a number");
        Fact {
            profile: cells[0].to_owned(),
            errors: cells[1].to_owned(),
            loss_percent: number(2),
            media: cells[3] == "yes",
            metric: cells[4].to_owned(),
            theirs: Mean::printed(number(5), number(6), cells[7].parse().expect("a count")),
        }
    };
    let mut lines = include_str!("ns2_means.csv").lines().skip_while(|line| line.starts_with('#'));
    assert_eq!(lines.next(), Some("profile,errors,loss_percent,media,metric,mean,ci95,n"));
    lines.map(fact).collect()
}

/// A fact and our answer to it.
struct Compared<'a> {
    fact: &'a Fact,
    ours: Mean,
    tolerance: f64,
}

const HEADING: &str =
    "\nprofile        errors     loss %  media  metric             ns-2        ours   difference  tolerance\n";

impl<'a> Compared<'a> {
    fn new(fact: &'a Fact, rows: &BTreeMap<String, Vec<Row>>, family: usize) -> Self {
        let (app, metric, factor) = match fact.metric.as_str() {
            "throughput_kbps" => ("file-transfer", "throughput", 1e-3),
            "timeouts" => ("file-transfer", "timeouts", 1.0),
            "media_delay_s" => ("media", "delay", 1.0),
            "media_delay_p95_s" => ("media", "delay-p95", 1.0),
            "media_loss" => ("media", "loss", 1.0),
            other => panic!("no metric {other}"),
        };
        let wanted = |row: &&Row| (&*row.app, &*row.metric, row.point) == (app, metric, fact.loss_percent);
        let values: Vec<f64> = rows[&world(fact)].iter().filter(wanted).map(|row| row.value * factor).collect();
        let ours = Mean::of(&values);
        let theirs = fact.theirs;
        let tolerance = if fact.is_certain() { theirs.last_digit() } else { theirs.tolerance(ours, family) };
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
            "{:<13} {:<9} {:>7} {:>6}  {:<17} {:>9.5} {:>11.5} {:>+12.5} {tolerance:>10.5}{mark}\n",
            fact.profile,
            fact.errors,
            fact.loss_percent,
            if fact.media { "yes" } else { "no" },
            fact.metric,
            fact.theirs.mean,
            ours.mean,
            self.difference(),
        )
    }
}

/// Our rows, by world.
fn rows<'a>(facts: impl IntoIterator<Item = &'a Fact>) -> BTreeMap<String, Vec<Row>> {
    let worlds: BTreeMap<String, Experiment> = facts.into_iter().map(|fact| (world(fact), experiment(fact))).collect();
    let (names, experiments): (Vec<String>, Vec<Experiment>) = worlds.into_iter().unzip();
    let plan = Plan::new(experiments, &Request::default()).expect("all cells");
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let results = run(&plan, cores, &Cancellation::new(), || ()).expect("the worlds can be built");
    names.into_iter().enumerate().map(|(index, name)| (name, results.rows(&plan, index))).collect()
}

/// Facts of the same world differ in loss rate and metric alone.
fn world(fact: &Fact) -> String {
    format!("{}-{}-{}", fact.profile, fact.errors, if fact.media { "beside-media" } else { "alone" })
}

fn experiment(fact: &Fact) -> Experiment {
    let text = EXPERIMENT
        .replace("PROFILE", &fact.profile)
        .replace("LINKS", links(&fact.errors))
        .replace("MEDIA", if fact.media { "true" } else { "false" });
    Experiment::read(&Source::new("ns2.toml", text), Path::new(""), Effort::Full)
        .unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn links(errors: &str) -> &'static str {
    match errors {
        "uniform" => {
            r#"{ point = 0, value = "none" },
            { point = 1.5, value = { kind = "uniform", loss = "1.5 %" } },
            { point = 5.4, value = { kind = "uniform", loss = "5.4 %" } }"#
        }
        "two-state" => {
            r#"{ point = 1.5, value = { kind = "two-state", bad = "100 ms", good-bit-errors = 1e-6 } },
            { point = 5.4, value = { kind = "two-state", bad = "500 ms", good-bit-errors = 1e-6 } }"#
        }
        other => panic!("no errors {other}"),
    }
}

const EXPERIMENT: &str = r#"
[experiment]
id = "raw-link"
replications = 30

[scenario.set]
headers = "count-as-data"
wired = { rate = "10 Mbit/s", delay = "1 ms", queue = { packets = 50 } }
wireless = { rate = "64 kbit/s", delay = "50 ms", queue = { kind = "drop-tail", packets = 50 }, charge-tag = false }
"link-layer.classes" = [{ protocol = "udp", service = "raw" }]
"tcp.profile" = "PROFILE"
file-transfer = { size = "10 MB", packet = "250 octets" }
media = { enabled = MEDIA, rate = "56 kbit/s", packet = "250 octets", talk = "1 s", silence = "1.35 s" }

[sweep]
"wireless.errors" = [LINKS]

[[scheme]]
use = "raw"
"#;
