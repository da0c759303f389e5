//! `arqway trace` as others use it: what it writes and prints, and that it is the run it says it is.

use crate::folder::{Folder, text};
use std::fs;

/// Two schemes at two points, twice: a few milliseconds of work.
const TINY: &str = r#"[experiment]
id = "tiny"
replications = 2

[scenario]
base = "monet08"
set = { "media.enabled" = true, "file-transfer.size" = "50 kB", "wireless.errors" = { kind = "uniform", loss = "0 %" } }

[sweep]
"wireless.errors.loss" = ["0 %", "5.4 %"]

[[scheme]]
use = "raw"

[[scheme]]
use = "sr:0.9"

[[figure]]
id = "throughput"
y = "file-transfer.throughput"
"#;

const CELL: [&str; 6] = ["--scheme", "sr:0.9", "--point", "5.4", "--replication", "1"];

#[test]
fn a_traced_cell_is_the_run_behind_its_rows() {
    let folder = folder("same-run");
    folder.arqway(&["run", "tiny.toml", "--seed", "7"]);
    let output = folder.arqway(&[&["trace", "tiny.toml", "--seed", "7", "--out", "cell.pcapng"], &CELL[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows = fs::read_to_string(folder.0.join("results/rows.csv")).expect("rows");
    let of_cell = rows.lines().filter(|row| row.contains(",5.4,sr:0.9,,1,"));
    let of_cell = of_cell.map(|row| {
        let columns: Vec<&str> = row.split(',').collect();
        format!("{}.{} {}", columns[1], columns[10], columns[11])
    });
    let printed: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(printed[0], "tiny, scheme sr:0.9, point 5.4, replication 1, seed 7");
    let without_unit = |line: &String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    assert_eq!(printed[1..].iter().map(without_unit).collect::<Vec<_>>(), of_cell.collect::<Vec<_>>());
    let has_unit = |start: &str, end: &str| printed.iter().any(|line| line.starts_with(start) && line.ends_with(end));
    assert!(has_unit("file-transfer.throughput ", " bit/s") && has_unit("media.delay ", " s"), "{printed:?}");
    assert!(has_unit("file-transfer.flr ", " %)") && has_unit("file-transfer.timeouts ", " 0"), "{printed:?}");
}

#[test]
fn the_same_cell_gives_the_same_bytes() {
    let folder = folder("same-bytes");
    for out in ["one", "two"] {
        let (capture, plot) = (format!("{out}.pcapng"), format!("{out}.svg"));
        let outputs = ["trace", "tiny.toml", "--out", &capture, "--sequence", &plot];
        assert_eq!(folder.arqway(&[&outputs[..], &CELL].concat()).status.code(), Some(0));
    }
    for kind in ["pcapng", "svg"] {
        let [one, two] = ["one", "two"].map(|name| fs::read(folder.0.join(format!("{name}.{kind}"))).expect("written"));
        assert!(one == two && one.len() > 10_000, "{kind}: {} octets", one.len());
    }
}

#[test]
fn each_output_may_be_asked_for_alone() {
    let folder = folder("alone");
    let cases: [(&[&str], &str, &[u8]); 6] = [
        (&["--out", "cell.pcapng"], "cell.pcapng", b"\x0a\x0d\x0d\x0a"),
        (&["--out", "tcp.pcapng", "--at", "server-ip"], "tcp.pcapng", b"\x0a\x0d\x0d\x0a"),
        (&["--sequence", "plot.svg", "--from", "2 s", "--to", "5s"], "plot.svg", b"<svg"),
        (&["--sequence", "plot.png"], "plot.png", b"\x89PNG"),
        (&["--timeline", "plot.svg", "--from", "2 s", "--to", "5s"], "plot.svg", b"<svg"),
        (&["--timeline", "plot.png"], "plot.png", b"\x89PNG"),
    ];
    for (arguments, file, start) in cases {
        let output = folder.arqway(&[&["trace", "tiny.toml"], &CELL[..], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        assert!(fs::read(folder.0.join(file)).expect(file).starts_with(start), "{file}");
        fs::remove_file(folder.0.join(file)).expect(file);
        assert_eq!(folder.names(), ["tiny.toml"], "{arguments:?}");
    }
}

#[test]
fn each_plot_is_in_its_own_file() {
    let folder = folder("both");
    let both = ["--timeline", "rate.svg", "--sequence", "frames.svg"];
    let output = folder.arqway(&[&["trace", "tiny.toml"], &CELL[..], &both].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for (file, says) in [("rate.svg", "--timeline FILE.svg"), ("frames.svg", "--sequence FILE.svg")] {
        assert!(fs::read_to_string(folder.0.join(file)).expect(file).contains(says), "{file}");
    }
}

#[test]
fn a_figure_that_is_built_in_is_traced_by_its_name() {
    let folder = folder("built-in");
    let cell = ["monet08/fig3", "--quick", "--scheme", "sr:0.9", "--point", "5.4"];
    let plot = ["--sequence", "plot.svg", "--from", "10s", "--to", "20s"];
    let output = folder.arqway(&[&["trace"], &cell[..], &plot].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("monet08-fig3, scheme sr:0.9, point 5.4, replication 0, seed 1\n"));
    let plot = fs::read_to_string(folder.0.join("plot.svg")).expect("written");
    let command = "arqway trace monet08/fig3 --scheme sr:0.9 --point 5.4 --replication 0 --from 10s --to 20s --quick";
    assert!(plot.contains(command), "the plot says how to get it again");
}

/// A folder with the experiment in it.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(&format!("trace-{name}"));
    folder.write("tiny.toml", TINY);
    folder
}
