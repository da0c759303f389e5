//! The pages on protocols name the tests that hold what they say: those tests exist. The page of wire formats has frames worked
//! out by hand: they are sent.

mod clauses;
mod wire;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder with this ending.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a name in the folder").path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
}

fn read(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    files(&project().join(folder), ending, &mut paths);
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(&path).expect("a text"))).collect()
}

/// The names of all tests that a page may name.
fn tests() -> BTreeSet<String> {
    let sources = [
        "crates/arq",
        "crates/bearer/src",
        "crates/link/src",
        "crates/link/tests",
        "crates/schemes",
        "crates/tally/src",
        "crates/sim/tests",
        "crates/lab/tests",
    ]
    .map(|folder| read(folder, "rs"));
    let is_test =
        |line: &str| line.trim_start().strip_prefix("fn ").and_then(|rest| rest.split('(').next().map(String::from));
    sources.iter().flatten().flat_map(|(_, text)| text.lines().filter_map(is_test)).collect()
}

/// The cells of a table's row.
fn cells(line: &str) -> Vec<&str> {
    let row = line.trim().strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
    row.map_or_else(Vec::new, |row| row.split('|').map(str::trim).collect())
}

/// What stands between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The tests that a page names: in the columns of its tables that are headed "test".
fn named(page: &str) -> Vec<&str> {
    let (mut column, mut names) = (None, Vec::new());
    for line in page.lines() {
        let cells = cells(line);
        if cells.is_empty() {
            column = None;
        } else if let Some(found) = cells.iter().position(|cell| *cell == "test") {
            column = Some(found);
        } else if let Some(cell) = column.and_then(|column| cells.get(column)) {
            names.extend(quoted(cell));
        }
    }
    names
}

#[test]
fn every_test_that_a_page_names_exists() {
    let tests = tests();
    let mut missing = Vec::new();
    for (path, page) in read("docs/protocols", "md") {
        // A path is where more are.
        for name in named(&page).into_iter().filter(|name| !name.contains('/') && !tests.contains(*name)) {
            missing.push(format!("{}: {name}", path.display()));
        }
    }
    assert!(missing.is_empty(), "no such tests:\n{}", missing.join("\n"));
}

#[test]
fn the_names_are_found_where_they_stand() {
    let page = "| a | test |\n| --- | --- |\n| `no` | `one`, `two` |\n\n| b |\n| --- |\n| `no` |\n";
    assert_eq!(named(page), ["one", "two"]);
    let clauses = fs::read_to_string(project().join("crates/schemes/src/rlc/clauses.md")).expect("the page");
    assert!(named(&clauses).len() > 80, "the clauses of RLC name their tests");
}

/// The headings of a page on a service, in this order; others may stand between them.
const SHAPE: [&str; 5] = ["On the wire", "What it does", "Promises", "Settings", "Left out"];

/// What of the shape a page lacks.
fn misses(page: &str) -> Option<String> {
    let mut headings = page.lines().filter_map(|line| line.strip_prefix("## "));
    let missing = SHAPE.iter().find(|wanted| !headings.any(|heading| heading.starts_with(**wanted)));
    let begins = ["**Origin.**", "Code:", "`crates/"].iter().find(|words| !page.contains(**words));
    // A picture is a block; the first stands before the settings.
    let picture = page.split("## Settings").next().is_some_and(|before| before.contains("\n\n    "));
    missing.or(begins).map(ToString::to_string).or((!picture).then(|| "a picture".to_owned()))
}

#[test]
fn every_service_has_a_page_and_all_pages_are_of_one_shape() {
    let pages = read("docs/protocols", "md");
    for (path, page) in &pages {
        assert_eq!(misses(page), None, "{} lacks it, or has it too early", path.display());
    }
    let registry = fs::read_to_string(project().join("crates/link/src/registry/mod.rs")).expect("the list");
    let list = registry.split_once("\nservices! {").expect("the list").1;
    let kinds: Vec<&str> = list.lines().filter_map(|line| line.trim().strip_prefix('"')?.split('"').next()).collect();
    assert!(kinds.contains(&"raw") && kinds.contains(&"sscop"), "{kinds:?}");
    for kind in kinds {
        let is_of =
            |page: &str| page.lines().next().is_some_and(|title| title[2..].split(", ").any(|name| name == kind));
        assert!(pages.iter().any(|(_, page)| is_of(page)), "{kind} has no page");
    }
}

#[test]
fn a_page_of_another_shape_is_seen() {
    let whole = "# a\n**Origin.** Code: `crates/schemes/src/a/`\n\n    picture\n\n## On the wire\n## What it does\n## Promises\n## Settings\n## Left out\n";
    assert_eq!(misses(whole), None);
    assert_eq!(misses(&whole.replace("## What it does\n", "")).as_deref(), Some("What it does"));
    assert_eq!(misses(&whole.replace("    picture", "")).as_deref(), Some("a picture"));
    assert_eq!(misses(&whole.replace("**Origin.**", "")).as_deref(), Some("**Origin.**"));
}
