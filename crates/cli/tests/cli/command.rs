//! The command as others use it: what it reads, prints, writes and exits with.

use crate::folder::{Folder, text};
use std::collections::BTreeMap;
use std::process::Stdio;

#[test]
fn run_writes_the_promised_files() {
    let folder = Folder::new("run-writes");
    folder.write("tiny.toml", TINY);
    let output = folder.arqway(&["run", "tiny.toml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let files = folder.files();
    let expected = [
        "out/claims.csv",
        "out/figures/how-long-throughput.png",
        "out/figures/how-long-throughput.svg",
        "out/report.html",
        "out/rows.csv",
        "out/rows.parquet",
        "tiny.toml",
    ];
    assert_eq!(files.keys().collect::<Vec<_>>(), expected);
    let starts_with = |name: &str, start: &[u8]| files[name].starts_with(start);
    let columns = "paper,app,errors,beside,rate_bps,connections,point,scheme,variant,replication,metric,value\n";
    assert!(starts_with("out/rows.csv", columns.as_bytes()));
    assert_eq!(text(&files["out/claims.csv"]), "id,kind,verdict,paper,ours,low,high,inferred,note\n");
    assert!(starts_with("out/rows.parquet", b"PAR1") && files["out/rows.parquet"].ends_with(b"PAR1"));
    assert!(starts_with("out/figures/how-long-throughput.png", b"\x89PNG\r\n"));
    assert!(starts_with("out/figures/how-long-throughput.svg", b"<svg"));
    assert!(text(&files["out/report.html"]).trim_end().ends_with("</html>"));
}

#[test]
fn rows_say_what_was_run_in_si_units() {
    let folder = Folder::new("rows-say");
    folder.write("tiny.toml", TINY);
    folder.arqway(&["run", "tiny.toml", "--replications", "1", "--scheme", "raw", "--point", "0"]);
    let files = folder.files();
    let rows: Vec<&str> = text(&files["results/rows.csv"]).lines().skip(1).collect();
    let (throughput, value) = rows[0].rsplit_once(',').expect("columns");
    assert_eq!(throughput, "how-long,file-transfer,uniform,none,64000,1,0,raw,,0,throughput");
    let bits_per_second: f64 = value.parse().expect("a number");
    assert!((50_000.0..64_000.0).contains(&bits_per_second), "{bits_per_second}");
    assert_eq!(rows[1..], ["timeouts,0", "link-timeouts,0", "flr,0"].map(|end| throughput.replace("throughput", end)));
}

#[test]
fn the_report_and_the_figures_need_no_other_file() {
    let folder = Folder::new("self-contained");
    folder.write("tiny.toml", TINY);
    folder.arqway(&["run", "tiny.toml"]);
    let files = folder.files();
    for name in ["results/report.html", "results/figures/how-long-throughput.svg"] {
        let document = text(&files[name]);
        let references = ["src=", "href=", "url("].iter().flat_map(|start| document.match_indices(start));
        for (place, start) in references {
            let target = document[place + start.len()..].trim_start_matches(['"', '\'']);
            assert!(target.starts_with('#') || target.starts_with("data:"), "{name}: {start}{:.40}", target);
        }
    }
}

#[test]
fn results_know_nothing_of_folders_and_threads() {
    let [here, there] = ["here", "there"].map(|name| Folder::new(&format!("same-bytes-{name}")));
    here.write("tiny.toml", TINY);
    there.write("deeper/down/tiny.toml", TINY);
    let one = here.arqway(&["run", "tiny.toml", "--seed", "7", "--jobs", "1", "--out", "out"]);
    let two = there.arqway(&["run", "deeper/down/tiny.toml", "--seed", "7", "--jobs", "3", "--out", "a/b/c"]);
    assert!(one.status.success() && one.stdout == two.stdout, "{}\n{}", text(&one.stdout), text(&two.stdout));
    let results = |folder: &Folder, out: &str| -> BTreeMap<String, Vec<u8>> {
        let below = |(name, octets): (String, Vec<u8>)| Some((name.strip_prefix(out)?.to_owned(), octets));
        folder.files().into_iter().filter_map(below).collect()
    };
    let (one, two) = (results(&here, "out/"), results(&there, "a/b/c/"));
    assert!(one.len() == 6 && one.keys().eq(two.keys()));
    for (name, octets) in &one {
        assert!(two[name] == *octets, "{name} differs");
    }
}

#[test]
fn progress_goes_to_stderr_and_results_to_stdout() {
    let folder = Folder::new("streams");
    folder.write("tiny.toml", TINY);
    let output = folder.arqway(&["run", "tiny.toml"]);
    let (results, progress) = (text(&output.stdout), text(&output.stderr));
    assert!(results.starts_with("how-long-throughput: how-long (2 replications)\n"), "{results}");
    for column in ["Frame loss rate (%)", "Raw Link", "SR 0.9 s", "±"] {
        assert!(results.contains(column), "no {column} in\n{results}");
    }
    assert!(progress.starts_with("8 runs, ") && progress.ends_with("are in results\n"), "{progress}");
    assert_eq!(progress.lines().count(), 2);
}

#[test]
fn a_file_that_is_not_there_when_the_run_ends_is_told() {
    let folder = Folder::new("duration");
    folder
        .write("tiny.toml", &TINY.replace("\"file-transfer.size\"", "\"duration\" = \"1 s\", \"file-transfer.size\""));
    let output = folder.arqway(&["run", "tiny.toml"]);
    let told = text(&output.stderr);
    assert!(told.contains("8 runs reached the scenario's `duration` before the file transfer was complete"), "{told}");
}

#[test]
fn a_wrong_experiment_exits_with_2_and_tells_every_mistake() {
    let folder = Folder::new("wrong");
    let wrong = TINY
        .replace("replications", "replicatoins")
        .replace("\"50 kB\"", "\"50 kg\"")
        .replace("sr:0.9", "sr:fast")
        .replace("throughput\"\n", "througput\"\n");
    folder.write("studies/wrong.toml", &wrong);
    let output = folder.arqway(&["run", "studies/wrong.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout, b"");
    let told = text(&output.stderr);
    let places: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("studies/wrong.toml:")).collect();
    let expected =
        [("3:1: ", "replicatoins"), ("7:32: ", "kg"), ("16:7: ", "fast"), ("21:5: ", "file-transfer.througput")];
    assert_eq!(places.len(), expected.len(), "{told}");
    for (place, (start, word)) in places.iter().zip(expected) {
        assert!(place.starts_with(start) && place.contains(word), "{place} instead of {start}... {word} ...");
    }
    assert!(told.ends_with("4 mistakes; nothing was run\n"), "{told}");
    assert_eq!(folder.files().keys().collect::<Vec<_>>(), ["studies/wrong.toml"]);
}

#[test]
fn whoever_stops_reading_results_and_remarks_is_no_failure() {
    let folder = Folder::new("no-reader");
    folder.write("tiny.toml", TINY);
    let mut command = folder.command(&["run", "tiny.toml"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("arqway starts");
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().expect("an end").code(), Some(0));
}

#[test]
fn a_figure_that_nothing_measured_says_so() {
    let folder = Folder::new("not-measured");
    let dead = TINY
        .replace("\"0 %\", \"5.4 %\"", "\"100 %\"")
        .replace("\"file-transfer.size\"", "\"duration\" = \"9 s\", \"web.enabled\" = true, \"file-transfer.size\"");
    folder.write("tiny.toml", &dead.replace("file-transfer.throughput", "web.response"));
    let output = folder.arqway(&["run", "tiny.toml"]);
    assert!(text(&output.stdout).contains("(no finished run measured this)"), "{}", text(&output.stdout));
}

#[test]
fn a_figure_that_is_asked_for_comes_with_its_claims_alone() {
    let folder = Folder::new("one-figure");
    let output = folder.arqway(&["reproduce", "monet08", "fig2", "--replications", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let files = folder.files();
    let figures: Vec<&String> = files.keys().filter(|name| name.contains("/figures/")).collect();
    assert_eq!(figures, ["results/figures/monet08-fig2.png", "results/figures/monet08-fig2.svg"]);
    let claims: Vec<&str> = text(&files["results/claims.csv"]).lines().collect();
    assert_eq!(claims.len(), 2, "the figure's one claim: {claims:?}");
    assert!(claims[1].starts_with("monet08.fig2,best-worst,"), "{claims:?}");
}

#[test]
fn each_verdict_stands_for_as_many_seeds_as_asked_for_and_the_rows_are_those_of_the_first() {
    let folder = Folder::new("seeds");
    let output =
        folder.arqway(&["reproduce", "monet08", "fig21", "--replications", "2", "--seed", "5", "--seeds", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let files = folder.files();
    let printed = text(&output.stdout);
    let by_seed: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("    by seed: ")).collect();
    let verdicts: Vec<&str> =
        text(&files["results/claims.csv"]).lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect();
    assert_eq!((by_seed.len(), verdicts.len()), (4, 4), "{printed}");
    for (line, verdict) in by_seed.iter().zip(verdicts) {
        let seeds: Vec<&str> = line.split("; ").collect();
        let in_words = verdict.replace('-', " ");
        assert!(seeds[0].starts_with(&format!("5 {in_words}")), "{line} beside {verdict}");
        assert!(seeds.len() == 3 && seeds[1].starts_with("6 ") && seeds[2].starts_with("7 "), "{line}");
    }
    // Four schemes at five points; and with each other seed what the claims read: two of them at four points, two at two.
    assert!(text(&output.stderr).contains("88 runs, "), "{}", text(&output.stderr));
    let rows = text(&files["results/rows.csv"]).lines().filter(|row| row.contains(",file-transfer,"));
    assert_eq!(rows.filter(|row| row.contains(",throughput,")).count(), 40);
    let report = text(&files["results/report.html"]);
    assert!(["seed 5", "seed 6", "seed 7"].iter().all(|seed| report.contains(&format!("<li>{seed}: "))));
}

#[test]
fn strict_exits_with_1_and_says_what_to_record() {
    let folder = Folder::new("strict");
    // A single replication decides nothing, so that no verdict is the recorded one.
    let output = folder.arqway(&["reproduce", "monet08", "fig20", "--replications", "1", "--strict"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("4 verdicts differ from the recorded ones:\n  monet08.fig20.asr-over-raw: "), "{told}");
    let (_, to_record) = told.split_once("under [full]:\n").expect("what to write");
    let expected = "\"monet08.fig20.asr-over-raw\" = { number = \"cannot-tell\" }\n\
                    \"monet08.fig20.sr-slightly-over-asr\" = { verdict = \"cannot-tell\" }\n\
                    \"monet08.fig20.asr-over-rlc\" = { verdict = \"cannot-tell\" }\n\
                    \"monet08.fig20.gap-to-rlc-widens\" = { verdict = \"cannot-tell\" }\n";
    assert_eq!(to_record, expected);
    assert!(folder.files().contains_key("results/report.html"), "the results are there all the same");
}

#[test]
fn until_adds_replications_and_the_command_for_the_same_results_says_so() {
    let folder = Folder::new("until");
    folder.write("tiny.toml", TINY);
    let output = folder.arqway(&["run", "tiny.toml", "--until", "4%"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let files = folder.files();
    let count = |scheme: &str, point: &str| {
        let cell = format!(",{point},{scheme},,");
        let rows = text(&files["results/rows.csv"]).lines().filter(|row| row.contains(&cell));
        rows.filter(|row| row.contains(",throughput,")).count()
    };
    assert_eq!((count("raw", "0"), count("sr:0.9", "0")), (2, 2), "without errors nothing varies");
    assert!(count("raw", "5.4") > 2 && count("raw", "5.4") == count("sr:0.9", "5.4"), "{}", count("raw", "5.4"));
    assert!(text(&files["results/report.html"]).contains("arqway run tiny.toml --until 4%"));
}

#[test]
fn a_variant_is_told_apart_in_rows_and_legends_and_can_be_asked_for_alone() {
    let folder = Folder::new("variant");
    let variant =
        "[[scheme]]\nuse = \"sr:0.9\"\nvariant = \"nack=once\"\nset = { rejects = \"each-once\" }\n\n[[figure]]";
    folder.write("tiny.toml", &TINY.replace("[[figure]]", variant));
    let output = folder.arqway(&["run", "tiny.toml", "--scheme", "sr:0.9 nack=once", "--point", "5.4"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("SR 0.9 s (each frame rejected once)"), "{}", text(&output.stdout));
    let files = folder.files();
    let rows: Vec<&str> = text(&files["results/rows.csv"]).lines().skip(1).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.contains(",5.4,sr:0.9,nack=once,")), "{rows:?}");
}

#[test]
fn help_has_examples() {
    for (arguments, example) in [
        (&["--help"][..], "arqway reproduce monet08 fig2 fig3"),
        (&["run", "--help"], "arqway run my-experiment.toml --scheme sr:0.9 --point 5.4 --replication 3"),
        (&["reproduce", "--help"], "arqway reproduce monet08 --full --out results/monet08"),
    ] {
        let output = Folder::new("help").arqway(arguments);
        assert_eq!(output.status.code(), Some(0));
        let help = text(&output.stdout);
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{arguments:?}: {help}"));
        assert!(examples.contains(example), "{arguments:?}: {examples}");
    }
}

#[test]
fn the_experiment_in_the_help_can_be_run() {
    let folder = Folder::new("help-runs");
    let output = folder.arqway(&["run", "--help"]);
    let (_, experiment) = text(&output.stdout).split_once("An experiment:\n").expect("an experiment");
    folder.write("my-experiment.toml", experiment);
    let arguments = ["run", "my-experiment.toml", "--scheme", "sr:0.9", "--point", "64000", "--replication", "3"];
    let output = folder.arqway(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&folder.files()["results/rows.csv"]).contains(",64000,sr:0.9,,3,throughput,"));
}

/// Two schemes at two points, twice: a few milliseconds of work.
pub(crate) const TINY: &str = r#"[experiment]
id = "how-long"
replications = 2

[scenario]
base = "monet08"
set = { "file-transfer.size" = "50 kB", "wireless.errors" = { kind = "uniform", loss = "0 %" } }

[sweep]
"wireless.errors.loss" = ["0 %", "5.4 %"]

[[scheme]]
use = "raw"

[[scheme]]
use = "sr:0.9"

[[figure]]
id = "throughput"
x = "wireless.errors.loss"
y = "file-transfer.throughput"
"#;
