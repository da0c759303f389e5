//! `arqway fit` as others use it: from what `arqway trace` captured to an experiment that runs, and what it says of files that
//! are wrong.

use crate::folder::{Folder, text};

/// A link that is bad for a while, measured for 20 minutes: 38,400 frames.
const MEASURED: &str = r#"[experiment]
id = "measured"
replications = 1

[scenario.set]
"file-transfer.enabled" = false
"channel" = { enabled = true, duration = "1200 s" }
"wireless.charge-tag" = false
"wireless.errors" = { kind = "two-state", good = "1 s", bad = "0.3 s", good-bit-errors = 1e-5, bad-bit-errors = 1e-3 }

[[scheme]]
use = "raw"

[[figure]]
id = "loss"
y = "channel.loss"
"#;

#[test]
fn what_trace_captured_is_fitted_written_and_run_again() {
    let folder = Folder::new("fit-round");
    folder.write("measured.toml", MEASURED);
    let done = |arguments: &[&str]| {
        let output = folder.arqway(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    done(&["trace", "measured.toml", "--out", "cell.pcapng"]);
    // The capture has the tag, which this world's link does not charge for.
    let printed = done(&["fit", "cell.pcapng", "--frame", "250octets", "--out", "fitted"]);
    assert!(printed.starts_with("cell.pcapng: 38400 frames of 250 octets in 1200 s, "), "{printed}");
    for words in [
        "64 kbit/s, from the spacing",
        "are consistent with a two-state channel",
        "  errors = { kind = \"two-state\", good = ",
    ] {
        assert!(printed.contains(words), "no {words} in {printed}");
    }
    let names = ["fit-gaps.png", "fit-gaps.svg", "fit-runs.png", "fit-runs.svg", "fit.csv", "fit.losses", "fit.toml"];
    assert_eq!(folder.files().keys().filter(|name| name.starts_with("fitted/")).count(), names.len());
    let csv = folder.read("fitted/fit.csv");
    assert!(csv.starts_with("family,parameter,value,low,high,loglik,bic\nuniform,loss,0."), "{csv}");
    let of = |parameter: &str| -> f64 {
        let row = csv.lines().find(|row| row.starts_with(&format!("two-state,{parameter},"))).expect(parameter);
        row.split(',').nth(2).expect("a value").parse().expect("a number")
    };
    for (parameter, truth) in [("good", 1.0), ("bad", 0.3), ("good-bit-errors", 1e-5), ("bad-bit-errors", 1e-3)] {
        assert!((of(parameter) / truth - 1.0).abs() < 0.15, "{parameter} in {csv}");
    }
    let ran = done(&["run", "fitted/fit.toml", "--replications", "2", "--out", "again"]);
    assert!(ran.contains("fit-loss"), "{ran}");
    // The same again gives the same octets.
    done(&["fit", "cell.pcapng", "--frame", "250octets", "--out", "twice"]);
    for name in names {
        assert!(folder.files()[&format!("fitted/{name}")] == folder.files()[&format!("twice/{name}")], "{name}");
    }
}

#[test]
fn the_rate_behind_a_recording_is_found_and_runs() {
    let folder = Folder::new("fit-rate");
    // 600 kbit/s and 6 Mbit/s in turns, five seconds each.
    let moments: String = (0..60_000)
        .filter(|ms| ms / 5000 % 2 == 1 || ms % 10 == 0)
        .filter(|ms| ms % 2 == 0)
        .map(|ms| format!("{ms}\n"))
        .collect();
    folder.write("drive.down", &moments);
    let done = |arguments: &[&str]| {
        let output = folder.arqway(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let printed = done(&["fit", "drive.down", "--out", "fitted"]);
    assert!(
        printed.starts_with("drive.down: 18000 times 1500 octets in 59.998 s, 3.6 Mbit/s on average, 0 gaps"),
        "{printed}"
    );
    assert!(
        printed.contains("most = \"7.18 Mbit/s\""),
        "twice the mean of all but the last fifth of a second: {printed}"
    );
    assert_eq!(folder.files().keys().filter(|name| name.starts_with("fitted/")).count(), 1);
    let ran = done(&["run", "fitted/fit.toml", "--replications", "2", "--out", "again"]);
    assert!(ran.contains("fit-loss"), "{ran}");
}
