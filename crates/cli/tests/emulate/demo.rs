//! The demo: two copies of a link at once, with loads of its own. How much crosses is not asked of a machine that tests share.

use crate::emulator::{can_run, is_heard, stderr};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn demo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arqway"));
    command.arg("demo").args(arguments).stdin(Stdio::null());
    command
}

/// The ends of tunnels that a demo of this number runs.
fn ends_of(process: u32) -> usize {
    let folder = format!("/run/arqway-demo-{process}/");
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let command_lines = processes.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
    command_lines.filter(|line| line.contains(&folder)).count()
}

#[test]
fn each_load_crosses_both_ways_and_nothing_is_left() {
    if !can_run() {
        return;
    }
    // One that was killed, of a process that cannot be.
    let left = Path::new("/run/arqway-demo-99999999");
    fs::create_dir_all(left).expect("root may");
    let running =
        demo(&["--link", "lte", "--for", "3 s", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let running = running.expect("the command");
    let process = running.id();
    let output = running.wait_with_output().expect("an end");
    assert!(output.status.success(), "{}", stderr(&output));
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let number = |row: usize, key: &str| rows[row][key].as_f64().unwrap_or_else(|| panic!("{key} in {rows}"));
    for path in [0, 1] {
        // What had waited may come in the two seconds that count: no more than the line carries in three.
        assert!(number(path, "goodput_bps") > 0.0 && number(path, "share_of_bound") < 1.5, "{rows}");
        assert!((0.0..=1.0).contains(&number(2 + path, "in_time")), "{rows}");
        assert!(number(4 + path, "p50_s") >= 0.05 && number(4 + path, "p95_s") >= number(4 + path, "p50_s"), "{rows}");
    }
    assert_nothing_is_left_of(process);
    assert!(!left.exists());
}

#[test]
fn of_several_links_each_is_plain_by_itself_and_the_tunnel_has_all_and_lives_through_a_cut_of_the_first() {
    if !can_run() {
        return;
    }
    let output = demo(&["--link", "lte,lte", "--for", "30 s", "--cut", "4 s", "--loads", "call", "--json"]).output();
    let output = output.expect("the command");
    assert!(output.status.success(), "{}", stderr(&output));
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = rows.as_array().expect("rows");
    let ways: Vec<_> = rows.iter().map(|row| (row["path"].as_str(), row["link"].as_str())).collect();
    let expected = [("plain", "lte"), ("plain", "lte (2)"), ("arqway", "lte and lte (2)")];
    assert_eq!(ways, expected.map(|(path, link)| (Some(path), Some(link))));
    // The cut has 13 % of the call's packets, which neither the first link by itself brings nor a tunnel that has that one alone.
    let in_time = |row: usize| rows[row]["in_time"].as_f64().expect("a share");
    assert!(in_time(0) < 0.9 && in_time(1) > 0.93 && in_time(2) > 0.93, "{rows:?}");
}

fn assert_nothing_is_left_of(process: u32) {
    // Its namespaces have no names: what is recorded of them is gone with them.
    let records = fs::read_dir("/run/arqway").into_iter().flatten().flatten();
    let own = records.filter(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{process}-")));
    assert_eq!((own.count(), ends_of(process)), (0, 0));
    assert!(!Path::new(&format!("/run/arqway-demo-{process}")).exists());
}

/// One whose loads have begun.
fn begun() -> Child {
    begun_as_far_as("packets cross the links")
}

/// One that has said this.
fn begun_as_far_as(said: &str) -> Child {
    let mut demo = demo(&["--link", "lte"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the command");
    let mut lines = BufReader::new(demo.stderr.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line.contains(said))), "it has not said: {said}");
    demo
}

#[test]
fn each_signal_that_ends_it_leaves_nothing_before_the_loads_and_meanwhile_however_often_it_comes() {
    if !can_run() {
        return;
    }
    let signals = [&[Signal::INT][..], &[Signal::TERM], &[Signal::HUP], &[Signal::TERM, Signal::INT, Signal::TERM]];
    let heard = |signals: &&[Signal]| signals.iter().all(is_heard);
    for (signals, said) in signals
        .into_iter()
        .filter(heard)
        .flat_map(|signals| [(signals, "lte, seed 1"), (signals, "packets cross the links")])
    {
        let mut demo = begun_as_far_as(said);
        for signal in signals {
            // After the first one it may have ended.
            kill_process(Pid::from_child(&demo), *signal).ok();
        }
        assert_eq!(demo.wait().expect("an end").code(), Some(130), "{signals:?} after {said}");
        assert_nothing_is_left_of(demo.id());
    }
}

#[test]
fn the_tunnels_of_a_demo_that_is_killed_end_with_it() {
    if !can_run() {
        return;
    }
    let mut killed = begun();
    assert_eq!(ends_of(killed.id()), 2);
    killed.kill().expect("a process that runs");
    killed.wait().expect("an end");
    assert!((0..10_000).any(|_| ends_of(killed.id()) == 0), "they are killed as soon as it is");
    assert!(
        !Path::new(&format!("/run/arqway-demo-{}", killed.id())).exists(),
        "keys are gone once they have been read"
    );
}
