//! `arqway advise`: what it reads, prints, writes and exits with.

use crate::folder::{Folder, text};
use std::collections::BTreeMap;
use std::process::Command;

/// A tenth of the frames is lost: some recovery is worth its while. Runs are short.
const LINK: &str = r#"
[scenario]
base = "clean"

[scenario.set]
file-transfer.size = "100 kB"
link-layer.classes = []
wireless = { rate = "256 kbit/s", delay = "50 ms", errors = { kind = "uniform", loss = "10 %" } }
"#;

#[test]
fn advise_prints_a_ranking_with_the_service_to_use_and_writes_the_promised_files() {
    let folder = Folder::new("advise-writes");
    folder.write("link.toml", LINK);
    let output = folder.arqway(&["advise", "link.toml", "--replications", "5", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let (told, progress) = (text(&output.stdout), text(&output.stderr));
    assert!(told.starts_with("link: 256 kbit/s toward the client, a round trip of "), "{told}");
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with(" 1  ") && line.ends_with("  advised")), "{told}");
    assert!(lines.iter().any(|line| line.contains("  Raw  ")), "{told}");
    let block = lines.iter().find_map(|line| line.strip_prefix("  service = ")).expect("a block");
    assert!(progress.contains("the plot, the rows and the experiment that checks the advice are in out"), "{progress}");
    let files = folder.files();
    let expected =
        ["link.toml", "out/advise.png", "out/advise.svg", "out/advise.toml", "out/rows.csv", "out/rows.parquet"];
    assert_eq!(files.keys().collect::<Vec<_>>(), expected);
    let columns = "paper,app,errors,beside,rate_bps,connections,point,scheme,variant,replication,metric,value\n";
    assert!(files["out/rows.csv"].starts_with(columns.as_bytes()));
    // What it advises can be run, and what it writes confirms it.
    folder.write(
        "use.toml",
        &format!("[experiment]\nid = \"use\"\n{LINK}[[scheme]]\nlabel = \"Advised\"\nservice = {block}\n"),
    );
    for experiment in ["use.toml", "out/advise.toml"] {
        let output = folder.arqway(&["run", experiment, "--replications", "1", "--out", "again"]);
        assert_eq!(output.status.code(), Some(0), "{experiment}: {}", text(&output.stderr));
    }
}

#[test]
fn an_advice_knows_nothing_of_folders_and_threads() {
    let [here, there] = ["here", "there"].map(|name| Folder::new(&format!("advise-bytes-{name}")));
    here.write("link.toml", LINK);
    there.write("deeper/link.toml", LINK);
    let one =
        here.arqway(&["advise", "link.toml", "--replications", "3", "--seed", "7", "--jobs", "1", "--out", "out"]);
    let typed = ["advise", "deeper/link.toml", "--replications", "3", "--seed", "7", "--jobs", "3", "--out", "a/b"];
    let two = there.arqway(&typed);
    assert!(one.status.success() && one.stdout == two.stdout, "{}\n{}", text(&one.stdout), text(&two.stdout));
    let results = |folder: &Folder, out: &str| -> BTreeMap<String, Vec<u8>> {
        let below = |(name, octets): (String, Vec<u8>)| Some((name.strip_prefix(out)?.to_owned(), octets));
        folder.files().into_iter().filter_map(below).collect()
    };
    let (one, two) = (results(&here, "out/"), results(&there, "a/b/"));
    assert!(one.len() == 5 && one == two);
}

#[test]
fn whoever_stops_an_advice_is_told_what_it_rests_on() {
    let folder = Folder::new("advise-stopped");
    folder.write("link.toml", &LINK.replace("100 kB", "3 MB"));
    let mut running = folder.command(&["advise", "link.toml", "--jobs", "1"]);
    let running = running.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn();
    let running = running.expect("the command");
    // It takes longer than a signal does, and whatever it has by then is kept or said to be nothing.
    while !catches_interrupts(running.id()) {
        std::thread::yield_now();
    }
    let killed = Command::new("kill").args(["-INT", &running.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let output = running.wait_with_output().expect("its output");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    // Before there is anything to keep, it ends at once.
    assert!(
        text(&output.stdout).contains("it was stopped") || told.is_empty() || told.contains("there is no advice"),
        "{told}"
    );
}

/// Whether a process has got so far that it watches for Ctrl-C: before, that ends it, or nothing happens where the test was begun in the
/// background of a shell.
fn catches_interrupts(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("what it catches");
    u64::from_str_radix(caught.trim(), 16).expect("a mask") & 1 << 1 != 0
}
