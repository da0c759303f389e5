//! What depends on what the papers leave open, and on today's TCP.

use crate::folder::{Folder, text};
use std::collections::BTreeSet;

#[test]
fn sensitivity_prints_a_line_an_alternative_and_writes_the_promised_files() {
    let folder = Folder::new("sensitivity");
    let parameter = "Parity: idle timeout";
    let output = folder.arqway(&["sensitivity", "multiservice", "--only", &parameter.to_lowercase(), "--jobs", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(table[0], "multiservice: the effect of what it leaves open");
    let starts = ["parameter", "the world as it is", "Chance ", "", parameter, " "];
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
    assert!(rows.iter().any(|row| row.contains(parameter) && row.ends_with(",statement,no")));
    let page = text(&files["results/sensitivity.html"]);
    assert!(page.contains("arqway sensitivity multiservice --only"), "the command");
}

#[test]
fn what_is_asked_for_and_not_there_exits_with_2_and_runs_nothing() {
    let folder = Folder::new("sensitivity-wrong");
    for (arguments, told) in [
        (&["sensitivity", "monet80"][..], "no paper is called `monet80`; did you mean `monet08`?"),
        (&["sensitivity", "monet08", "--only", "TCP: maximal window"], "did you mean `TCP: maximum window`?"),
        (&["sensitivity", "--replications", "0"], "a whole number of at least 1"),
        (&["reproduce", "--today", "--until", "2%"], "cannot be used with"),
        (&["reproduce", "--full", "--replications", "30"], "cannot be used with"),
        (&["reproduce", "--full", "--quick"], "cannot be used with"),
    ] {
        let output = folder.arqway(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(told), "{arguments:?}: {}", text(&output.stderr));
    }
    assert!(folder.files().is_empty());
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
