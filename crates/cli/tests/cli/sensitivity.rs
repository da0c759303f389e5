//! What depends on what the papers leave open, and on today's TCP.

use crate::folder::{Folder, text};
use std::collections::BTreeSet;
#[cfg(target_os = "linux")]
use std::process::{Output, Stdio};

const PARAMETER: &str = "Parity: idle timeout";
const ASKED: [&str; 4] = ["sensitivity", "multiservice", "--only", "parity: idle timeout"];

#[test]
fn sensitivity_prints_a_line_an_alternative_and_writes_the_promised_files() {
    let folder = Folder::new("sensitivity");
    let output = folder.arqway(&[&ASKED[..], &["--jobs", "2"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(table[0], "multiservice: the effect of what it leaves open");
    let starts = ["parameter", "the world as it is", "Chance ", "", PARAMETER, " "];
    assert!(starts.iter().zip(&table[1..]).all(|(start, line)| line.starts_with(start)), "{table:#?}");
    let files = folder.files();
    let expected = [
        "results/figures/multiservice-sensitivity.png",
        "results/figures/multiservice-sensitivity.svg",
        "results/sensitivity.csv",
        "results/sensitivity.html",
    ];
    assert_eq!(files.keys().collect::<Vec<_>>(), expected);
    let rows: Vec<&str> = text(&files["results/sensitivity.csv"]).lines().collect();
    assert_eq!(
        rows[0],
        "paper,parameter,alternative,claim,kind,verdict,plain_verdict,number,plain_number,part,touched"
    );
    // Thirteen statements, in two worlds of other seeds and two with another timeout.
    assert_eq!(rows.len(), 1 + 13 * 4);
    assert!(rows[1].starts_with("multiservice,Chance,seed 2,multiservice."), "{}", rows[1]);
    // What is not about parity frames, they cannot touch.
    assert!(rows.iter().any(|row| row.contains(PARAMETER) && row.ends_with(",statement,no")));
    let page = text(&files["results/sensitivity.html"]);
    assert!(page.contains("arqway sensitivity multiservice --only"), "the command");
    #[cfg(target_os = "linux")]
    two_shards_make_the_same(&folder, &output);
}

/// One shard is run, the other is interrupted, and what is missing is run by `--resume`: the results are those of the plain command.
#[cfg(target_os = "linux")]
fn two_shards_make_the_same(folder: &Folder, plain: &Output) {
    let shared = ["--out", "shared", "--jobs", "1"];
    let first = folder.arqway(&[&ASKED[..], &shared, &["--shard", "1/2"]].concat());
    assert_eq!((first.status.code(), text(&first.stdout)), (Some(0), ""), "{}", text(&first.stderr));
    let second = interrupted(folder, &[&ASKED[..], &shared, &["--shard", "2/2"]].concat(), "shared");
    assert_eq!(second.status.code(), Some(130), "{}", text(&second.stderr));
    let again =
        "to finish shard 2/2: arqway sensitivity multiservice --only 'parity: idle timeout' --shard 2/2 --out shared";
    assert!(text(&second.stderr).contains(again), "{}", text(&second.stderr));
    let merged = folder.arqway(&["merge", "shared"]);
    assert_eq!(merged.status.code(), Some(1), "a shard is not whole");
    assert!(text(&merged.stderr).contains("\nshard 2/2: "), "{}", text(&merged.stderr));
    let resumed = folder.arqway(&[&ASKED[..], &shared, &["--resume"]].concat());
    assert!(text(&resumed.stderr).contains("of these were already kept"), "{}", text(&resumed.stderr));
    let merged = folder.arqway(&["merge", "shared", "--out", "merged"]);
    let files = folder.files();
    for (output, out) in [(resumed, "shared"), (merged, "merged")] {
        assert!(output.status.success() && output.stdout == plain.stdout, "{out}: {}", text(&output.stderr));
        for (name, octets) in files.iter().filter_map(|(name, octets)| Some((name.strip_prefix("results")?, octets))) {
            assert!(files[&format!("{out}{name}")] == *octets, "{out}{name} differs");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_in_the_first_second_keeps_the_runs_and_tells_the_verdicts_so_far() {
    let folder = Folder::new("sensitivity-early");
    let output = interrupted(&folder, &[&ASKED[..], &["--resume", "--jobs", "1"]].concat(), "results");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    let (kept, _) = told.split_once(" of 1434 runs are finished and kept").expect("how many");
    let kept: u32 = kept.rsplit(' ').next().and_then(|kept| kept.parse().ok()).expect("a number");
    assert!((1..1434).contains(&kept), "{told}");
    let left_out = "Stopped: 4 of 4 alternatives were not run to their end. The verdicts in the world as it is rest on part of \
                    its runs.";
    assert!(text(&output.stdout).contains(left_out), "{}", text(&output.stdout));
    let files = folder.files();
    assert!(text(&files["results/sensitivity.html"]).contains(left_out));
    assert!(files.contains_key("results/sensitivity.csv"));
}

/// The command, stopped by Ctrl-C as soon as it has kept a piece.
#[cfg(target_os = "linux")]
fn interrupted(folder: &Folder, arguments: &[&str], out: &str) -> Output {
    let pieces = || {
        std::fs::read_dir(folder.0.join(out).join("pieces")).map_or(0, |entries| {
            entries.flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "piece")).count()
        })
    };
    let before = pieces();
    let mut command = folder.command(arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command");
    while pieces() == before {
        assert_eq!(child.try_wait().expect("a child"), None, "it ended before it kept anything");
        std::thread::yield_now();
    }
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("a process that runs");
    child.wait_with_output().expect("an end")
}

#[test]
fn with_today_each_cell_has_rows_of_both_tcps_and_nothing_else_changes() {
    let folder = Folder::new("today");
    let arguments = ["reproduce", "monet08", "fig20", "--replications", "2"];
    folder.arqway(&[&arguments[..], &["--out", "plain"]].concat());
    let output = folder.arqway(&[&arguments[..], &["--out", "both", "--today"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let files = folder.files();
    assert_eq!(files["plain/claims.csv"], files["both/claims.csv"]);
    let [plain, both] = ["plain/rows.csv", "both/rows.csv"].map(|name| text(&files[name]));
    assert!(both.starts_with(plain), "the plain rows come first");
    let cells =
        |rows: &str| rows.lines().map(|row| row.rsplit_once(',').expect("columns").0.to_owned()).collect::<Vec<_>>();
    let all = cells(both);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "no two rows agree in all columns but value");
    let todays = all.iter().filter(|row| row.contains(",tcp=today,")).count();
    assert_eq!((todays, all.len() - 1 - todays), (cells(plain).len() - 1, cells(plain).len() - 1));
    let report = text(&files["both/report.html"]);
    assert!(report.contains("<h3>Does it still matter?</h3>") && report.contains("over raw, today"));
    assert!(!text(&files["plain/report.html"]).contains("still matter"));
    assert!(text(&output.stdout).contains("monet08 with today's TCP: "), "{}", text(&output.stdout));
}
