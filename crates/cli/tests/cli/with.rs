//! `arqway reproduce --with`: a scheme that the paper does not have, in its figures.

use crate::folder::{Folder, text};

#[test]
fn a_scheme_that_is_added_is_marked_everywhere_and_changes_nothing_else() {
    let folder = Folder::new("with");
    let asked = ["reproduce", "monet08", "fig2", "fig10", "--quick", "--seeds", "1"];
    let plain = folder.arqway(&[&asked[..], &["--out", "plain"]].concat());
    assert_eq!(plain.status.code(), Some(0), "{}", text(&plain.stderr));
    let added = folder.arqway(&[&asked[..], &["--with", "sr:0.9", "--with", "sr:0.7", "--out", "added"]].concat());
    assert_eq!(added.status.code(), Some(0), "{}", text(&added.stderr));
    let told = "--with: `sr:0.9` is already in monet08-fig2, as the paper's\n";
    assert!(text(&added.stderr).contains(told), "{}", text(&added.stderr));
    let files = folder.files();
    let read = |name: &str| text(&files[name]);
    let (with, without) = (read("added/rows.csv"), read("plain/rows.csv"));
    let is_added = |row: &&str| row.split(',').nth(7) == Some("sr:0.7");
    assert!(
        with.lines().filter(is_added).count() > 0 && with.lines().filter(is_added).all(|row| row.contains(",sr:0.7,,"))
    );
    assert_eq!(with.lines().filter(|row| !is_added(row)).collect::<Vec<_>>(), without.lines().collect::<Vec<_>>());
    assert_eq!(read("added/claims.csv"), read("plain/claims.csv"));
    assert!(text(&added.stdout).contains("SR 0.7 s (not the paper's)"), "{}", text(&added.stdout));
    for place in ["added/report.html", "added/figures/monet08-fig10.svg"] {
        let mark = "SR 0.7 s (not the paper";
        assert!(read(place).contains(mark), "{place}");
    }
    assert!(read("added/report.html").contains("The papers do not have `sr:0.9` and `sr:0.7` where figures call them"));
    assert!(!read("plain/report.html").contains("not the paper"));
}
