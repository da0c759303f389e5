//! The times in the documentation are true: those of `docs/speed.md` are measured again, and other pages repeat them.
//!
//! What counts is processor time, so that a busy machine changes little. Another machine, or a build with checks, is faster or slower
//! as a whole: so the commands are held against each other, and their sum only against what no machine would take.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = "docs/speed.md";

#[test]
fn every_command_takes_within_a_factor_of_two_the_time_that_the_documentation_tells() {
    let stated = stated();
    assert!(stated.len() >= 4, "{stated:?}");
    let measured: Vec<f64> = stated.iter().map(|(command, _)| processor_seconds(command)).collect();
    let told: f64 = stated.iter().map(|(_, seconds)| seconds).sum();
    let slower = measured.iter().sum::<f64>() / told;
    assert!((0.1..20.0).contains(&slower), "{PAGE} says {told} s for all, and they took {slower:.1} times that");
    for ((command, seconds), took) in stated.iter().zip(&measured) {
        let times = took / slower / seconds;
        assert!(
            (0.5..2.0).contains(&times),
            "{PAGE} says {seconds} s for `{command}`; beside the others it took {times:.2} times that ({took:.2} s)"
        );
    }
}

#[test]
fn the_laboratorys_page_repeats_the_times_and_shows_the_experiment_that_draws_its_picture() {
    let (readme, laboratory) = (read("README.md"), read("docs/laboratory.md"));
    let is_shown = |page: &str, command: &str| page.contains(&format!("-- {}\n", &command[7..]));
    for (name, page) in [("README.md", &readme), ("docs/laboratory.md", &laboratory)] {
        for (command, _) in stated().iter().filter(|(command, _)| is_shown(page, command)) {
            let time = time_of(command);
            assert!(
                page.contains(&format!("{time} of processor time")),
                "{name} does not say that `{command}` takes {time}"
            );
        }
    }
    let experiment = read("experiments/fixed-or-adaptive.toml");
    let (_, experiment) = experiment.split_once("\n\n").expect("a remark, then the experiment");
    assert!(laboratory.contains(&format!("```toml\n{experiment}```")), "the page shows another experiment");
}

/// The commands of the table, with the seconds behind each.
fn stated() -> Vec<(String, f64)> {
    let rows = rows();
    rows.into_iter()
        .map(|(command, time)| {
            let seconds = time.strip_suffix(" s").and_then(|seconds| seconds.parse().ok());
            (command, seconds.unwrap_or_else(|| panic!("{PAGE}: expected seconds, not {time}")))
        })
        .collect()
}

/// As the page writes it: `2.3 s`.
fn time_of(command: &str) -> String {
    rows().into_iter().find(|(known, _)| known == command).expect("a row").1
}

fn rows() -> Vec<(String, String)> {
    let page = read(PAGE);
    let (_, table) = page.split_once("| command | processor time |\n| --- | --- |\n").expect("the table");
    let row = |line: &str| {
        let (command, time) = line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | ")?;
        Some((command.to_owned(), time.to_owned()))
    };
    table.lines().map_while(row).collect()
}

/// The processor time of a command, user's and system's.
fn processor_seconds(command: &str) -> f64 {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("times-{}", std::process::id()));
    let program = env!("CARGO_BIN_EXE_arqway");
    let command = command.replacen("arqway", &format!("'{program}'"), 1);
    let script = format!("{command} --out '{}' > /dev/null 2>&1 || exit 1; times", out.display());
    let output = Command::new("sh").args(["-c", &script]).current_dir(project()).output().expect("a shell");
    let _ = fs::remove_dir_all(&out);
    assert!(output.status.success(), "{command} fails");
    // The shell's own times, then those of what it ran: `0m2.326s 0m0.031s`.
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let times = text.lines().nth(1).unwrap_or_else(|| panic!("no times: {text}"));
    let seconds = |time: &str| {
        let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    times.split_whitespace().map(|time| seconds(time).expect("a time")).sum()
}

fn read(path: &str) -> String {
    fs::read_to_string(project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
