//! Claims as the tables of a paper, and how near many numbers are to ours.

use super::*;

/// A table of a throughput and two improvements at two points, and of a delay; then a statement, which is no cell.
fn table() -> Vec<Claim> {
    let about = |id: &str, metric: &str, says: &str| {
        format!(
            "[[claim]]\nid = \"paper.table1.{id}\"\nwhere = \"Table I\"\napp = \"web\"\nerrors = \"uniform\"\n\
             beside = \"none\"\nmetric = \"{metric}\"\n{says}\n"
        )
    };
    let mut text = String::new();
    for (flr, fixed, first, second) in [("1.5", 41.1, 3.2, 3.9), ("9.8", 23.0, -2.0, 17.0)] {
        let value = format!("kind = \"value\"\nflr = {flr}\nscheme = \"sr:1.1\"\nvalue = {fixed}\nunit = \"kbit/s\"");
        text += &about(&format!("{flr}.fixed"), "throughput", &value);
        for (scheme, percent) in [("asr:2+4", first), ("asr:3+2", second)] {
            let gain = format!("kind = \"gain\"\nflr = {flr}\na = \"{scheme}\"\nb = \"sr:1.1\"\npercent = {percent}");
            text += &about(&format!("{flr}.{scheme}"), "throughput", &gain);
        }
    }
    let delay = "kind = \"gain\"\nflr = 9.8\na = \"asr:2+4\"\nb = \"sr:1.1\"\npercent = 8";
    text += &about("9.8.delay", "delay-mean", delay);
    text += &about(
        "best",
        "throughput",
        "kind = \"top\"\nbest = \"asr:3+2\"\nschemes = [\"sr:1.1\", \"asr:2+4\"]\nat = [1.5]",
    );
    read(&Source::new("claims.toml", text)).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// The table judged by rows: of throughput in kbit/s at 1.5 and at 9.8 % for sr:1.1, asr:2+4 and asr:3+2.
fn judged(throughput: [[f64; 3]; 2]) -> Vec<Judgement> {
    let claims = table();
    let mut rows = Vec::new();
    for (flr, means) in [1.5, 9.8].into_iter().zip(throughput) {
        for (scheme, mean) in ["sr:1.1", "asr:2+4", "asr:3+2"].into_iter().zip(means) {
            rows.extend(cell(&claims[0].about, Cell::plain(scheme, flr), &around(mean * 1e3)));
        }
    }
    let evidence = Evidence::of(&rows);
    claims.iter().map(|claim| claim.judge(&evidence)).collect()
}

fn agreement(judgements: &[Judgement]) -> arqway_lab::report::Agreement {
    super::agreement(judgements.iter())
}

#[test]
fn a_table_has_a_row_a_point_and_a_column_a_scheme_beside_what_it_is_measured_by() {
    let judgements = judged([[41.1, 42.0, 43.0], [23.0, 22.0, 27.0]]);
    let table = ClaimsTable::of(&judgements.iter().collect::<Vec<_>>()).expect("a table");
    let label = |scheme: &str| scheme.to_uppercase();
    let groups: Vec<(String, Vec<&str>)> = table
        .groups
        .iter()
        .map(|group| (group[0].title(label), group.iter().map(|column| column.scheme.as_str()).collect()))
        .collect();
    let expected = [
        ("Web Browsing throughput (kbit/s)", vec!["sr:1.1"]),
        ("Web Browsing throughput, above SR:1.1 (%)", vec!["asr:2+4", "asr:3+2"]),
        ("delay-mean, below SR:1.1 (%)", vec!["asr:2+4"]),
    ];
    assert_eq!(groups, expected.map(|(title, schemes)| (title.to_owned(), schemes)));
    let rows: Vec<(&str, &[Option<usize>])> = table.rows.iter().map(|row| (row.head.as_str(), &*row.cells)).collect();
    assert_eq!(rows, [("1.5", &[Some(0), Some(1), Some(2), None][..]), ("9.8", &[Some(3), Some(4), Some(5), Some(6)])]);
    let statement = &judgements[7];
    assert_eq!(ClaimsTable::of(&[statement]), None);
}

#[test]
fn rows_of_another_world_say_which() {
    let mut judgements = judged([[41.1, 42.0, 43.0], [23.0, 22.0, 27.0]]);
    judgements[3].claim.about.errors = "two-state".to_owned();
    judgements[3].claim.about.connections = 5;
    let table = ClaimsTable::of(&judgements.iter().take(4).collect::<Vec<_>>()).expect("a table");
    let heads: Vec<&str> = table.rows.iter().map(|row| row.head.as_str()).collect();
    assert_eq!(heads, ["1.5, uniform errors, 1 connection", "9.8, two-state errors, 5 connections"]);
}

#[test]
fn agreement_is_of_gaps_and_improvements_and_directions_are_of_all_numbers() {
    // Ours: 41.1; 2.19, 4.62; 23.0; 4.35 where the paper has -2, 17.4. No rows of the delay.
    let found = agreement(&judged([[41.1, 42.0, 43.0], [23.0, 24.0, 27.0]]));
    assert_eq!((found.numbers, found.right, found.deviations, found.ranked), (7, 5, 4, 4));
    // Shares 0.316, 0.185, 3.17, 0.023: the median lies between the middle two.
    assert!((found.median_deviation.expect("four") - (0.315_7 + 0.184_6) / 2.0).abs() < 1e-3, "{found:?}");
    // -2 < 3.2 < 3.9 < 17 are 4.35, 2.19, 4.62, 17.4 of ours: one pair of six is in opposite order.
    assert!((found.tau.expect("an order") - 4.0 / 6.0).abs() < 1e-12, "{found:?}");
    let words = found.in_words();
    assert_eq!(
        words,
        "median deviation 25 %: half of our 4 gaps and improvements lie within 25 % of the paper's; 5 of 7 numbers right in direction; Kendall tau-b 0.67 (n = 4)"
    );
}

#[test]
fn where_there_are_only_values_the_deviation_is_theirs_and_nothing_is_ranked() {
    let judgements = judged([[41.1, 42.0, 43.0], [11.0, 24.0, 27.0]]);
    let values: Vec<Judgement> = judgements.into_iter().filter(|judgement| judgement.claim.kind() == "value").collect();
    let found = agreement(&values);
    assert_eq!(
        found.in_words(),
        "median deviation 26 %: half of our 2 values lie within 26 % of the paper's; 1 of 2 numbers right in direction"
    );
    assert_eq!(agreement(&[]).in_words(), "");
}

#[test]
fn an_improvement_that_two_papers_print_counts_once() {
    let mut judgements = judged([[41.1, 42.0, 43.0], [23.0, 24.0, 27.0]]);
    let mut again = judgements[1].clone();
    again.claim.about.same_as = Some(std::mem::replace(&mut again.claim.about.id, "other.table1".to_owned()));
    judgements.push(again);
    assert_eq!(agreement(&judgements).numbers, 7);
}
