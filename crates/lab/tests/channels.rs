//! The link's channels as experiments set them: each direction its own, recordings beside the experiment, mistakes told
//! where they stand, and what results call it.

use arqway_config::{Mistakes, Source};
use arqway_lab::experiment::{Effort, Experiment};
use arqway_lab::report::findings::Findings;
use arqway_lab::results::rows::Row;
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::plan::{Plan, Request};
use arqway_lab::run::run;
use arqway_link::Frame;
use arqway_sim::channel::Direction;
use arqway_sim::mobility::Change;
use arqway_sim::{Probe, Rate, RateStep, StepRate, Streams, Trace, TraceEnd, World};
use arqway_units::{BitRate, Span, Time};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// An experiment of these settings, beside files of these names and texts, in a folder of its own.
fn experiment(test: &str, files: &[(&str, &str)], set: &str, sweep: &str) -> Result<Experiment, Mistakes> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    let header = "[experiment]\nid = \"study\"\nreplications = 2\n";
    let text = format!("{header}[scenario.set]\n{set}\n[sweep]\n{sweep}\n[[scheme]]\nuse = \"raw\"\n");
    Experiment::read(&Source::new("study.toml", text), &folder, Effort::Full)
}

const MEASURED: &str = "\"file-transfer.enabled\" = false\n\"channel\" = { enabled = true, duration = \"1000 s\" }\n";

fn rows(experiment: Experiment) -> Vec<Row> {
    let plan = Plan::new(vec![experiment], &Request::default()).expect("points and schemes");
    let results = run(&plan, NonZeroUsize::MIN, &Cancellation::new(), || ()).expect("the worlds can be built");
    Findings::new(&plan, &results).rows
}

#[test]
fn a_direction_has_what_is_said_of_both_unless_it_is_said_of_it() {
    let set = r#"
"wireless.errors" = { kind = "uniform", loss = "2 %" }
"wireless.jitter" = { kind = "uniform", longest = "10 ms" }
"wireless.up" = { rate = "128 kbit/s", errors = "none" }
"wireless.down.queue" = { kind = "drop-tail", packets = 20 }
"#;
    let study = experiment("directions", &[], set, "").expect("no mistakes");
    let wireless = &study.points[0].scenario.wireless;
    let rates = [Direction::Down, Direction::Up].map(|direction| wireless.rate(direction).mean().as_bits_per_second());
    let errors = [Direction::Down, Direction::Up].map(|direction| wireless.errors(direction).name());
    assert_eq!((rates, errors, study.errors), ([64_000, 128_000], ["uniform", "none"], "uniform"));
    assert_eq!(wireless.impairments(Direction::Down), wireless.impairments(Direction::Up));
    assert_ne!(wireless.queue(Direction::Down), wireless.queue(Direction::Up));
}

#[test]
fn results_name_the_errors_of_the_direction_that_has_some() {
    let study = experiment("named", &[], "\"wireless.up.errors\" = { kind = \"bit\", distance = \"10 kB\" }", "");
    assert_eq!(study.expect("no mistakes").errors, "bit");
}

#[test]
fn a_recording_of_losses_is_read_from_beside_the_experiment() {
    let set = format!("{MEASURED}\"wireless.errors\" = {{ kind = \"trace\", losses = {{ file = \"walk.losses\" }} }}");
    let study = experiment("losses", &[("walk.losses", "# a walk\n0*6 1*3\n0*11\n")], &set, "").expect("no mistakes");
    assert_eq!(study.errors, "trace");
    let rows = rows(study);
    let of = |metric: &str| rows.iter().find(|row| &*row.app == "channel" && &*row.metric == metric).expect("a row");
    // 1,000 s take 31,872 frames of 251 octets: the recording 1,593 times, and 12 frames more with all its losses.
    assert_eq!(of("loss").value, f64::from(1594 * 3) / 31_873.0);
    assert_eq!((of("burst").value, &*of("loss").beside, &*of("loss").errors), (3.0, "none", "trace"));
}

#[test]
fn a_recording_of_rates_is_read_from_beside_the_experiment() {
    let set = "\"wireless.down.rate\" = { kind = \"trace\", steps = { file = \"drive.rates\" } }";
    let files = [("drive.rates", "# a tunnel\n10 s, 64 kbit/s\n\n 5 s , 0 bit/s   # in it\n5 s, 128 kbit/s")];
    let study = experiment("rates", &files, set, "").expect("no mistakes");
    assert_eq!(study.points[0].scenario.wireless.rate(Direction::Down).mean().as_bits_per_second(), 64_000);
    assert_eq!(rows(study)[0].rate_bps, 64_000);
}

#[test]
fn a_recording_of_delays_is_read_from_beside_the_experiment() {
    let steps = "{ kind = \"trace\", steps = { file = \"drive.delays\" } }";
    let set =
        format!("\"wireless.up.delay\" = {steps}\n\"mobility.change\" = {{ kind = \"vertical\", delay = {steps} }}\n");
    let study = experiment("delays", &[("drive.delays", "15 s, 22 ms # low\n15 s, 40 ms\n")], &set, "");
    let scenario = study.expect("no mistakes").points[0].scenario.clone();
    let means = [Direction::Down, Direction::Up].map(|way| scenario.wireless.delay(way).mean().as_seconds());
    assert_eq!(means, [0.05, 0.031]);
    let Change::Vertical(other) = scenario.mobility.change else { panic!("{:?}", scenario.mobility.change) };
    assert_eq!(other.delay.as_ref(), Some(scenario.wireless.delay(Direction::Up)));
}

#[test]
fn a_good_period_loses_nothing_unless_told_to() {
    let lost = |keys: &str| {
        let errors = format!("{{ kind = \"two-state\", good = \"1000000 s\", bad = \"1 us\"{keys} }}");
        let set = format!("{MEASURED}\"channel.packet\" = \"1500 octets\"\n\"wireless.errors\" = {errors}");
        let fates = fates(&experiment("good", &[], &set, "").expect("no mistakes"));
        fates.iter().filter(|lost| **lost).count() as f64 / fates.len() as f64
    };
    assert_eq!(lost(""), 0.0);
    assert!((lost(", good-bit-errors = 1e-5") - 0.113).abs() < 0.02, "{}", lost(", good-bit-errors = 1e-5"));
}

/// Which frames toward the client are lost.
#[derive(Default)]
struct Fates(Vec<bool>);

impl Probe for Fates {
    fn frame_sent(&mut self, _: Direction, _: &Frame, arrives: bool, _: Time) {
        self.0.push(!arrives);
    }
}

/// The fates of the frames of an experiment without answers.
fn fates(study: &Experiment) -> Vec<bool> {
    let mut fates = Fates::default();
    World::new(&study.points[0].scenario, &Streams::new(1, 0), &mut fates).expect("one service").run();
    fates.0
}

#[test]
fn over_a_mahimahi_recording_a_busy_link_carries_1500_octets_for_each_line() {
    // Seven lines in 20 ms, the first of them at its start, three at one moment.
    let set = r#"
"file-transfer.enabled" = false
"channel" = { enabled = true, packet = "500 octets", duration = "20 s" }
"wireless.charge-tag" = false
"wireless.down.rate" = { kind = "trace", steps = { file = "drive.down", format = "mahimahi" } }
"#;
    let study = experiment("mahimahi", &[("drive.down", "0\n3\n4\n11\n11\n11\n20\n")], set, "").expect("no mistakes");
    let rate = study.points[0].scenario.wireless.rate(Direction::Down);
    assert_eq!(rate.mean().as_bits_per_second(), 7 * 1500 * 8 * 50);
    // A thousand times the recording, three frames a line.
    assert_eq!(fates(&study).len(), 1000 * 7 * 3);
}

#[test]
fn what_leaves_over_a_mahimahi_recording_has_left_at_a_moment_of_its_lines() {
    let set = "\"wireless.rate\" = { kind = \"trace\", steps = { file = \"drive.down\", format = \"mahimahi\" } }";
    let study = experiment("moments", &[("drive.down", "2\n4\n4\n")], set, "").expect("no mistakes");
    let Rate::Trace(trace) = study.points[0].scenario.wireless.rate(Direction::Down) else { panic!("not recorded") };
    let milliseconds = |length, rate: u64| RateStep {
        length: Span::from_milliseconds(length),
        rate: StepRate(BitRate::from_bits_per_second(rate * 1_000_000)),
    };
    let steps = [milliseconds(1, 0), milliseconds(1, 12), milliseconds(1, 0), milliseconds(1, 24)];
    assert_eq!(*trace, Trace::new(steps.as_slice(), TraceEnd::Repeat).expect("steps"));
}

const FATE_LOG: &str = "# walk
direction,frame,octets,offered_s,start_s,arrival_s,copy_s,fate,lateness_s
down,1,250,0.1,0.1,,,lost,
up,0,40,0.1,0.1,,,lost,
down,0,250,0.0,0.0,0.05,,delivered,0.00001
down,,250,0.1,,,,queue-full,
down,3,250,0.3,0.3,0.35,0.36,delivered,0.00001
down,2,250,0.2,0.2,,,outage,
";

#[test]
fn a_fate_log_is_replayed_by_the_numbers_of_the_frames_of_a_direction() {
    let set = format!(
        "{MEASURED}\"wireless.errors\" = {{ kind = \"trace\", losses = {{ file = \"walk.csv\", direction = \"down\" }}, \
         at-end = \"no-more-losses\" }}"
    );
    let study = experiment("fates", &[("walk.csv", FATE_LOG)], &set, "").expect("no mistakes");
    let fates = fates(&study);
    assert_eq!(fates[..5], [false, true, true, false, false]);
    assert_eq!(fates.iter().filter(|lost| **lost).count(), 2, "of {}", fates.len());
    assert_eq!(study.errors, "trace");
    let rows = rows(study);
    let of = |metric: &str| rows.iter().find(|row| &*row.app == "channel" && &*row.metric == metric).expect("a row");
    assert_eq!((of("loss").value, of("burst").value), (2.0 / fates.len() as f64, 2.0));
}

#[test]
fn a_mistake_in_a_recording_is_told_with_its_file_line_and_column() {
    let set = r#"
"wireless.down.errors" = { kind = "trace", losses = { file = "walk.losses" }, at-edn = "repeat" }
"wireless.down.rate" = { kind = "trace", steps = { file = "drive.rates" } }
"wireless.up.rate" = { kind = "trace", steps = { file = "flight.rates" } }
"wireless.up.errors" = { kind = "trace", losses = { file = "nowhere.losses" } }
"#;
    let files = [
        ("walk.losses", "0*31 1*4\n0 0 x 1\n"),
        ("drive.rates", "10 s, 64 kbit/s\n5 s, 128 khz\n"),
        ("flight.rates", "10 s, 64 kbit/s\nfast\n"),
    ];
    let told = experiment("mistakes", &files, set, "").expect_err("five mistakes").to_string();
    for expected in [
        "walk.losses:2:5: `x` is neither 0 (arrived) nor 1 (lost)",
        "drive.rates:2:6: unknown unit `khz` for a rate",
        "flight.rates:2:1: this is not a step",
        "study.toml:9:60: cannot read `nowhere.losses`",
        "did you mean `at-end`?",
        "5 mistakes",
    ] {
        assert!(told.contains(expected), "{expected} is missing in\n{told}");
    }
}

#[test]
fn what_is_not_a_channel_is_refused_with_what_is_expected() {
    for (set, right) in [
        ("\"wireless.down.rates\" = \"1 Mbit/s\"", "did you mean `rate`?"),
        ("\"wireless.reordering\" = { share = \"1 %\" }", "delay"),
        ("\"wireless.jitter\" = { kind = \"uniform\", longset = \"1 ms\" }", "did you mean `longest`?"),
        ("\"wireless.errors\" = { kind = \"bit\", distance = \"0 octets\" }", "at least 1 octet apart"),
        ("\"wireless.errors\" = { kind = \"ber\", bit-errors = 1.5 }", "expected a share between 0 % and 100 %"),
        ("\"wireless.errors\" = { kind = \"trace\", losses = \"0012\" }", "column 4: `2` is neither 0 (arrived) nor 1"),
        ("\"wireless.errors\" = { kind = \"trace\", losses = { flie = \"x\" } }", "did you mean `file`?"),
        ("\"wireless.rate\" = { kind = \"trace\", steps = [] }", "expected a list of 1 or more"),
        (
            "\"wireless.rate\" = { kind = \"trace\", steps = [{ for = \"1 s\", rate = \"0 bit/s\" }] }",
            "nothing would ever",
        ),
        ("\"wireless.rate\" = { kind = \"trace\", steps = [{ for = \"0 s\", rate = \"9 bit/s\" }] }", "1 us or more"),
        ("\"channel.duration\" = \"0 s\"", "1 us or more"),
    ] {
        let told = experiment("refused", &[], set, "").expect_err(set).to_string();
        assert!(told.contains(right) && told.starts_with("study.toml:5:"), "{set}: {told}");
    }
}

#[test]
fn points_are_octets_between_corruptions_and_bit_error_rates() {
    let swept = |set: &str, sweep: &str| {
        let study = experiment("points", &[], set, sweep).expect("no mistakes");
        study.points.iter().map(|point| point.value).collect::<Vec<_>>()
    };
    let bit = "\"wireless.errors\" = { kind = \"bit\", distance = \"1 octet\" }";
    let values = swept(bit, "\"wireless.errors.distance\" = [\"16384 octets\", \"131072 octets\"]");
    assert_eq!(values, [16_384.0, 131_072.0]);
    let ber = "\"wireless.errors\" = { kind = \"ber\", bit-errors = 0 }";
    assert_eq!(swept(ber, "\"wireless.errors.bit-errors\" = [1e-6, 1e-5]"), [1e-6, 1e-5]);
}

#[test]
fn channels_without_errors_are_one_world_whatever_they_are_called() {
    let sweep = r#""wireless.down.errors" = [
        { point = 0, value = { kind = "uniform", loss = 0 } },
        { point = 1, value = { kind = "ber", bit-errors = 0 } },
        { point = 2, value = { kind = "trace", losses = "0" } },
        { point = 3, value = { kind = "listed" } },
    ]"#;
    let study = experiment("idle", &[], "", sweep).expect("no mistakes");
    let plan = Plan::new(vec![study], &Request::default()).expect("points and schemes");
    assert_eq!(plan.settings.len(), 1);
}
