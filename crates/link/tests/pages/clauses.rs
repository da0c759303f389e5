//! Tables of clauses and the code agree: what the code cites stands in the table, and each row of the table is cited, met and tested.

use std::collections::BTreeSet;
use std::fs;

use super::{cells, project, quoted, read};

/// A standard whose clauses stand in a table, and the folder of `crates/schemes/src` that cites them.
struct Table {
    standard: &'static str,
    page: &'static str,
    folder: &'static str,
}

const TABLES: [Table; 2] = [
    Table { standard: "25.322", page: "crates/schemes/src/rlc/clauses.md", folder: "rlc" },
    Table { standard: "Q.2110", page: "crates/schemes/src/sscop/clauses.md", folder: "sscop" },
];

/// The clauses that a text cites, such as `9.4` and `9.5 f)` in "§9.4, §9.5 f)"; what names another standard or a paper is passed over.
fn citations(text: &str, standard: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut parts = text.split('§');
    let mut before = parts.next().unwrap_or("");
    for part in parts {
        let source = before.split_whitespace().next_back().unwrap_or("").trim_start_matches('(');
        let is_paper = source.starts_with(char::is_lowercase) && source.ends_with(|c: char| c.is_ascii_digit());
        let is_standard = ["Q.", "25."].iter().any(|begins| source.starts_with(begins));
        before = part;
        if !part.starts_with(|c: char| c.is_ascii_digit()) || is_paper || (is_standard && source != standard) {
            continue;
        }
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(part.len());
        let number = part[..end].trim_end_matches('.');
        // Items of a clause: `a), c)`.
        let words = part[end..].split([' ', '\n']).skip(1);
        let items: Vec<char> = words.map_while(item).collect();
        found.extend(items.iter().map(|item| format!("{number} {item})")));
        if items.is_empty() {
            found.insert(number.to_owned());
        }
    }
    found
}

/// `a` of `a)`, whatever punctuation follows.
fn item(word: &str) -> Option<char> {
    let mut letters = word.chars();
    let item = letters.next().filter(char::is_ascii_alphanumeric)?;
    (letters.next()? == ')').then_some(item)
}

/// Those of `clauses` of which neither they themselves nor any part of theirs is in `among`.
fn lacking<'a>(clauses: &'a BTreeSet<String>, among: &BTreeSet<String>) -> Vec<&'a String> {
    let is_part = |part: &str, whole: &str| {
        part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ']))
    };
    clauses.iter().filter(|whole| !among.iter().any(|part| is_part(part, whole))).collect()
}

/// The rows of a page's tables of clauses: clauses, files and tests. In those of what is left out the last two are missing.
fn rows(page: &str) -> Vec<(&str, Option<(&str, &str)>)> {
    let (mut columns, mut rows) = (0, Vec::new());
    for line in page.lines() {
        let cells = cells(line);
        match cells[..] {
            ["clause", .., "test"] | ["clause", _, "why"] => columns = cells.len(),
            [clauses, _, files, tests] if columns == 4 => rows.push((clauses, Some((files, tests)))),
            [clauses, _, _] if columns == 3 => rows.push((clauses, None)),
            _ => columns = 0,
        }
    }
    rows.retain(|(clauses, _)| !clauses.starts_with("---"));
    rows
}

fn clauses<'a>(
    rows: impl Iterator<Item = &'a (&'a str, Option<(&'a str, &'a str)>)>,
    standard: &str,
) -> BTreeSet<String> {
    rows.flat_map(|(clauses, _)| citations(clauses, standard)).collect()
}

#[test]
fn every_clause_that_the_code_cites_stands_in_its_table_and_every_one_of_the_table_is_cited() {
    for Table { standard, page, folder } in TABLES {
        let text = fs::read_to_string(project().join(page)).expect("the page");
        let rows = rows(&text);
        let sources = read(&format!("crates/schemes/src/{folder}"), "rs");
        let cited = sources.iter().flat_map(|(_, text)| citations(text, standard)).collect();
        let met = clauses(rows.iter().filter(|(_, met)| met.is_some()), standard);
        assert_eq!(lacking(&cited, &clauses(rows.iter(), standard)), [""; 0], "{page} lacks what the code cites");
        assert_eq!(lacking(&met, &cited), [""; 0], "no code cites what stands in {page}");
    }
}

#[test]
fn every_clause_of_a_table_is_met_in_files_that_exist_and_has_a_test() {
    for Table { page, folder, .. } in TABLES {
        let text = fs::read_to_string(project().join(page)).expect("the page");
        let met: Vec<_> = rows(&text).into_iter().filter_map(|(clauses, met)| Some((clauses, met?))).collect();
        assert!(met.len() > 10, "{page} has a table");
        for (clauses, (files, tests)) in met {
            assert!(quoted(tests).next().is_some(), "{page}: {clauses} has no test");
            let is_file = |name: &&str| name.ends_with(".rs") || name.ends_with('/');
            let files: Vec<_> = quoted(files).filter(is_file).collect();
            assert!(!files.is_empty(), "{page}: {clauses} is met nowhere");
            for file in files {
                let path = project().join("crates/schemes/src").join(folder).join(file);
                assert!(path.exists(), "{page}: {} does not exist", path.display());
            }
        }
    }
}

#[test]
fn citations_are_found_and_what_lacks_is_seen() {
    let text = "25.322 §9.4, §9.5 f), g) (§11.3.3a). monet08 §5, Q.2130 §7, V7.3 §11.5.2 4): §VI";
    let set = |clauses: &[&str]| clauses.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    let cited = citations(text, "25.322");
    assert_eq!(cited, set(&["9.4", "9.5 f)", "9.5 g)", "11.3.3a", "11.5.2 4)"]));
    assert_eq!(lacking(&cited, &set(&["9.4.1", "9.5 f)", "9.5", "11.3.3", "11.5.2 4)"])), ["11.3.3a", "9.5 g)"]);
    let page = "| clause | what it asks | where | test |\n| --- | --- | --- | --- |\n| §1 | a | b | c |\n\n| d | e | f | g |\n";
    assert_eq!(rows(page), [("§1", Some(("b", "c")))]);
}
