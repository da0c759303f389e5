//! The file of claims, and that of the recorded verdicts.

use super::*;
use arqway_lab::experiment::Effort;

const GAIN: &str = "kind = \"gain\"\nflr = 5.4\na = \"asr\"\nb = \"raw\"\npercent = 50";

#[test]
fn an_alias_means_what_the_file_says_for_the_claims_errors() {
    let alias = "[alias]\nasr = { uniform = \"asr:3+2\", two-state = \"asr:4+0\" }\n";
    let text = format!("{alias}{}", file(GAIN));
    assert_eq!(claim(&text).cells()[0].scheme, "asr:3+2");
    let two_state = text.replace("errors = \"uniform\"", "errors = \"two-state\"");
    assert_eq!(claim(&two_state).cells()[0].scheme, "asr:4+0");
    let bit = text.replace("errors = \"uniform\"", "errors = \"bit\"");
    let told = read(&Source::new("claims.toml", bit)).expect_err("no meaning").to_string();
    assert!(told.starts_with("claims.toml:12:5: `asr` means nothing where errors are `bit`"), "{told}");
}

#[test]
fn every_mistake_in_a_claim_is_told_with_its_place() {
    let wrong = file("kind = \"order\"\nat = []\norder = [\"a\"]\nbest = \"a\"").replace("metric", "metirc");
    let told = read(&Source::new("claims.toml", wrong)).expect_err("mistakes").to_string();
    for place in ["claims.toml:7:1", "claims.toml:9:6", "claims.toml:10:9", "claims.toml:11:1"] {
        assert!(told.contains(place), "{place} in\n{told}");
    }
    let unknown = read(&Source::new("claims.toml", file("kind = \"botom\""))).expect_err("a kind").to_string();
    assert!(unknown.contains("`botom` is not a"), "{unknown}");
}

#[test]
fn a_condition_that_compares_needs_something_to_compare_with() {
    let text = file("kind = \"shape\"\nholds = [{ a = { scheme = \"a\" }, is = \"more\", at = [1] }]");
    let told = read(&Source::new("claims.toml", text)).expect_err("no b").to_string();
    assert!(told.contains("say which in `b`"), "{told}");
}

#[test]
fn a_verdict_that_moved_or_was_never_recorded_is_a_difference_in_the_files_own_form() {
    let record = |text: &str| Record::read(&Source::new("recorded.toml", text)).unwrap_or_else(|told| panic!("{told}"));
    let claim = claim(&file("kind = \"gain\"\nflr = 5.4\na = \"a\"\nb = \"b\"\npercent = 50"));
    let rows = [("a", 150.0), ("b", 100.0)];
    let rows = rows.map(|(scheme, mean)| cell(&claim.about, Cell::plain(scheme, 5.4), &around(mean))).concat();
    let judgements = [claim.judge(&Evidence::of(&rows))];
    let same = record("[full]\n\"paper.fig1\" = { number = \"reproduced\" }\n");
    assert_eq!(same.differences(&judgements, Effort::Full), []);
    assert_eq!(same.differences(&judgements, Effort::Quick), [], "the quick run falls back on the full one");
    let moved = record("[full]\n\"paper.fig1\" = { number = \"direction\" }\n");
    let difference = &moved.differences(&judgements, Effort::Full)[0];
    let found = "found { number = \"reproduced\" }";
    assert_eq!(difference.to_string(), format!("paper.fig1: recorded {{ number = \"direction\" }}, {found}"));
    assert_eq!(record(&format!("[full]\n{}\n", difference.line())).differences(&judgements, Effort::Full), []);
    let quick = record(
        "[full]\n\"paper.fig1\" = { number = \"reproduced\" }\n[quick]\n\"paper.fig1\" = { number = \"direction\" }\n",
    );
    assert_eq!(quick.differences(&judgements, Effort::Quick).len(), 1);
    assert_eq!(
        Record::default().differences(&judgements, Effort::Full)[0].to_string(),
        format!("paper.fig1: not recorded, {found}")
    );
}
