//! The rules, kind by kind.

use super::*;
use Verdict::{CannotTell, Direction, NotReproduced, Reproduced};

/// Judges a claim by cells of the plain world: point, scheme, values.
pub(super) fn judge(text: &str, cells: &[(f64, &str, &[f64])]) -> Judgement {
    let claim = claim(text);
    let rows = |(point, scheme, values): &(f64, &'static str, &[f64])| {
        super::cell(&claim.about, Cell::plain(scheme, *point), values)
    };
    let cells: Vec<(f64, &'static str, &[f64])> =
        cells.iter().map(|(point, scheme, values)| (*point, known(scheme), *values)).collect();
    let rows: Vec<Row> = cells.iter().flat_map(rows).collect();
    claim.judge(&Evidence::of(&rows))
}

fn known(scheme: &str) -> &'static str {
    ["a", "b", "c"].into_iter().find(|known| *known == scheme).expect("a, b or c")
}

pub(super) const HIGH: &[f64] = &[30.0, 31.0, 32.0];
pub(super) const MIDDLE: &[f64] = &[25.0, 26.0, 27.0];
pub(super) const LOW: &[f64] = &[20.0, 20.6, 21.4];
/// Its differences from MIDDLE have both signs.
pub(super) const LIKE_MIDDLE: &[f64] = &[25.5, 25.4, 27.3];

pub(super) fn verdict(text: &str, cells: &[(f64, &str, &[f64])]) -> Verdict {
    judge(text, cells).verdict()
}

#[test]
fn best_above_worst_and_nothing_beyond_them_is_reproduced() {
    let text = best_worst();
    let judged = judge(&text, &[(5.4, "a", HIGH), (5.4, "b", MIDDLE), (5.4, "c", LOW)]);
    assert_eq!((judged.statement, judged.number.map(|number| number.verdict)), (Some(Reproduced), Some(Reproduced)));
    assert!((judged.number.and_then(|number| number.ours).expect("a gap").value - 50.0).abs() < 1e-9);
}

#[test]
fn another_scheme_beyond_the_best_or_the_worst_leaves_the_direction() {
    let better = judge(&best_worst(), &[(5.4, "a", MIDDLE), (5.4, "b", HIGH), (5.4, "c", LOW)]);
    let worse = judge(&best_worst(), &[(5.4, "a", HIGH), (5.4, "b", LOW), (5.4, "c", MIDDLE)]);
    assert_eq!((better.verdict(), worse.verdict()), (Direction, Direction));
    assert!(better.note.contains("better still: b") && worse.note.contains("worse still: b"));
}

#[test]
fn best_and_worst_swapped_or_alike_are_not_reproduced() {
    let swapped = judge(&best_worst(), &[(5.4, "c", HIGH), (5.4, "b", MIDDLE), (5.4, "a", LOW)]);
    assert_eq!(
        (swapped.statement, swapped.number.map(|number| number.verdict)),
        (Some(NotReproduced), Some(NotReproduced))
    );
    let flat = verdict(&best_worst(), &[(5.4, "a", MIDDLE), (5.4, "b", MIDDLE), (5.4, "c", LIKE_MIDDLE)]);
    assert_eq!(flat, NotReproduced);
}

fn best_worst() -> String {
    file("kind = \"best-worst\"\nflr = 5.4\nschemes = [\"a\", \"b\", \"c\"]\nbest = \"a\"\nworst = \"c\"\npercent = 50")
}

#[test]
fn a_worst_that_is_not_named_is_the_one_with_the_lowest_mean() {
    let text = best_worst().replace("worst = \"c\"\n", "");
    let judged = judge(&text, &[(5.4, "a", HIGH), (5.4, "b", LOW), (5.4, "c", MIDDLE)]);
    assert_eq!((judged.verdict(), judged.note.contains("a above b")), (Reproduced, true));
}

#[test]
fn an_order_is_reproduced_if_no_pair_is_wrong_and_more_are_right_than_open() {
    let text = file("kind = \"order\"\nat = [1.5]\norder = [\"a\", \"b\", \"c\"]");
    let right = judge(&text, &[(1.5, "a", HIGH), (1.5, "b", MIDDLE), (1.5, "c", LOW)]);
    assert_eq!((right.verdict(), right.note.as_str()), (Reproduced, "of 2 pairs 2 right, 0 open, 0 wrong"));
    let half_open = judge(&text, &[(1.5, "a", HIGH), (1.5, "b", MIDDLE), (1.5, "c", LIKE_MIDDLE)]);
    assert_eq!(half_open.note, "of 2 pairs 1 right, 1 open, 0 wrong; open: b above c at 1.5 %");
    assert_eq!(half_open.verdict(), NotReproduced, "one right, one open, whose means lie the other way");
    let open = verdict(&text, &[(1.5, "a", LIKE_MIDDLE), (1.5, "b", MIDDLE), (1.5, "c", LIKE_MIDDLE)]);
    assert_eq!(open, CannotTell);
}

#[test]
fn an_order_whose_means_mostly_lie_the_stated_way_is_the_direction() {
    let text = file("kind = \"order\"\nat = [1, 2, 3]\norder = [\"a\", \"b\"]");
    let cells = |third: (&'static [f64], &'static [f64])| -> Judgement {
        let two = [(1.0, "a", HIGH), (1.0, "b", LOW), (2.0, "a", HIGH), (2.0, "b", LOW)];
        judge(&text, &[&two[..], &[(3.0, "a", third.0), (3.0, "b", third.1)]].concat())
    };
    assert_eq!(cells((HIGH, LOW)).verdict(), Reproduced);
    assert_eq!(cells((LIKE_MIDDLE, MIDDLE)).verdict(), Reproduced, "one of three open");
    let wrong = cells((LOW, HIGH));
    assert_eq!(wrong.note, "of 3 pairs 2 right, 0 open, 1 wrong; wrong: a above b at 3 %");
    assert_eq!(wrong.verdict(), Direction);
    let two_wrong = [(1.0, "a", HIGH), (1.0, "b", LOW), (2.0, "b", HIGH), (2.0, "a", LOW), (3.0, "b", HIGH)];
    assert_eq!(verdict(&text, &[&two_wrong[..], &[(3.0, "a", LOW)]].concat()), NotReproduced);
}

#[test]
fn the_top_is_a_matter_of_the_best_and_each_other() {
    let text = file("kind = \"top\"\nat = [1.5]\nschemes = [\"a\", \"b\", \"c\"]\nbest = \"a\"");
    assert_eq!(verdict(&text, &[(1.5, "a", HIGH), (1.5, "b", LOW), (1.5, "c", MIDDLE)]), Reproduced);
    assert_eq!(verdict(&text, &[(1.5, "a", MIDDLE), (1.5, "b", HIGH), (1.5, "c", LOW)]), NotReproduced);
    let open = judge(&text, &[(1.5, "a", LIKE_MIDDLE), (1.5, "b", MIDDLE), (1.5, "c", LOW)]);
    assert_eq!((open.verdict(), open.note.contains("1 right, 1 open, 0 wrong")), (Direction, true));
}

#[test]
fn what_is_not_above_may_be_alike() {
    let text = file("kind = \"not-above\"\nat = [1, 2, 3]\na = \"a\"\nb = \"b\"");
    let at = |point, a, b| [(point, "a", a), (point, "b", b)];
    let all = |pairs: [(&'static [f64], &'static [f64]); 3]| {
        let cells = pairs.into_iter().zip([1.0, 2.0, 3.0]).flat_map(|((a, b), point)| at(point, a, b));
        verdict(&text, &cells.collect::<Vec<_>>())
    };
    assert_eq!(all([(LIKE_MIDDLE, MIDDLE); 3]), Reproduced, "all open");
    assert_eq!(all([(LOW, HIGH), (LOW, HIGH), (HIGH, LOW)]), Direction);
    assert_eq!(all([(LOW, HIGH), (HIGH, LOW), (HIGH, LOW)]), NotReproduced);
    assert_eq!(all([(MIDDLE, MIDDLE), (MIDDLE, MIDDLE), (HIGH, LOW)]), NotReproduced, "none is right");
}

#[test]
fn curves_cross_if_each_is_above_somewhere_on_its_side() {
    let strict = file("kind = \"cross\"\na = \"a\"\nb = \"b\"\nlow = [1, 2]\nhigh = [9]");
    let slight = strict.replace("high", "slight = true\nhigh");
    let cells = |one, two, nine: [&'static [f64]; 2]| {
        let [a1, b1]: [&'static [f64]; 2] = one;
        let [a2, b2]: [&'static [f64]; 2] = two;
        [(1.0, "a", a1), (1.0, "b", b1), (2.0, "a", a2), (2.0, "b", b2), (9.0, "a", nine[0]), (9.0, "b", nine[1])]
    };
    let open = [LIKE_MIDDLE, MIDDLE];
    let crossing = cells([HIGH, LOW], open, [LOW, HIGH]);
    assert_eq!((verdict(&strict, &crossing), verdict(&slight, &crossing)), (Reproduced, Reproduced));
    let low_open = cells(open, open, [LOW, HIGH]);
    assert_eq!((verdict(&strict, &low_open), verdict(&slight, &low_open)), (Direction, Reproduced));
    let high_open = cells([HIGH, LOW], [HIGH, LOW], open);
    assert_eq!(verdict(&slight, &high_open), Direction);
    assert_eq!(verdict(&slight, &cells([HIGH, LOW], [LOW, HIGH], [HIGH, LOW])), NotReproduced);
    assert_eq!(verdict(&strict, &cells(open, open, open)), CannotTell);
}

#[test]
fn a_gain_is_a_number_and_no_statement() {
    let text = file("kind = \"gain\"\nflr = 5.4\na = \"a\"\nb = \"b\"\npercent = 50");
    let judged = judge(&text, &[(5.4, "a", HIGH), (5.4, "b", LOW)]);
    assert_eq!((judged.statement, judged.verdict()), (None, Reproduced));
    assert_eq!(verdict(&text, &[(5.4, "a", HIGH), (5.4, "b", MIDDLE)]), Direction, "19 % instead of 50 %");
    assert_eq!(verdict(&text, &[(5.4, "a", LOW), (5.4, "b", HIGH)]), NotReproduced);
}

#[test]
fn a_gain_in_delay_lies_below() {
    let text = file_on("delay", "kind = \"gain\"\nflr = 5.4\na = \"a\"\nb = \"b\"\npercent = 33");
    assert_eq!(verdict(&text, &[(5.4, "a", LOW), (5.4, "b", HIGH)]), Reproduced);
    assert_eq!(verdict(&text, &[(5.4, "a", HIGH), (5.4, "b", LOW)]), NotReproduced);
    assert!(claim(&text).in_words(&SchemeNames::default()).contains("a lies 33 % below b"));
}

#[test]
fn a_value_is_near_within_15_percent_or_our_interval_and_far_beyond_a_factor_of_two() {
    let text = file_on("loss", "kind = \"value\"\nflr = 1.5\nscheme = \"a\"\nvalue = 1.5\nunit = \"%\"");
    let of = |mean: f64, spread: f64| verdict(&text, &[(1.5, "a", &[mean - spread, mean, mean + spread])]);
    assert_eq!(of(0.0171, 0.0001), Reproduced);
    assert_eq!(of(0.0180, 0.0001), Direction);
    assert_eq!(of(0.0180, 0.004), Reproduced, "our interval holds it");
    assert_eq!(of(0.0299, 0.0001), Direction);
    assert_eq!(of(0.0301, 0.0001), NotReproduced);
    assert_eq!(of(0.0074, 0.0001), NotReproduced);
    assert_eq!(verdict(&text, &[(1.5, "a", &[0.0150])]), Reproduced, "one replication has a mean too");
    let judged = judge(&text, &[(1.5, "a", &[0.0150])]);
    assert_eq!(
        judged.number.map(|number| (number.paper_text(), number.ours_text())),
        Some(("1.5 %".into(), "1.5 %".into()))
    );
}

#[test]
fn a_scheme_a_point_or_a_second_replication_that_is_missing_decides_nothing() {
    let kinds = [
        best_worst(),
        file("kind = \"order\"\nat = [5.4]\norder = [\"a\", \"b\"]"),
        file("kind = \"top\"\nat = [5.4]\nschemes = [\"a\", \"b\"]\nbest = \"a\""),
        file("kind = \"not-above\"\nat = [5.4]\na = \"a\"\nb = \"b\""),
        file("kind = \"cross\"\na = \"a\"\nb = \"b\"\nlow = [5.4]\nhigh = [9.8]"),
        file("kind = \"gain\"\nflr = 5.4\na = \"a\"\nb = \"b\"\npercent = 50"),
    ];
    for text in &kinds {
        let missing = judge(text, &[(5.4, "a", HIGH)]);
        assert_eq!(missing.verdict(), CannotTell, "{text}");
        assert!(missing.note.starts_with("no rows for "), "{}", missing.note);
        assert!(missing.number.is_none_or(|number| number.verdict == CannotTell && number.ours.is_none()));
        let single: Vec<_> = ["a", "b", "c"].map(|scheme| (5.4, scheme, &HIGH[..1])).to_vec();
        assert_eq!(verdict(text, &single), CannotTell, "{text}");
    }
}

#[test]
fn rows_of_another_paper_or_variant_are_not_the_claims() {
    let claim = claim(&file("kind = \"gain\"\nflr = 5.4\na = \"a\"\nb = \"b\"\npercent = 50"));
    let rows =
        [("a", HIGH), ("b", LOW)].map(|(scheme, values)| super::cell(&claim.about, Cell::plain(scheme, 5.4), values));
    let rows: Vec<Row> = rows.concat();
    assert_eq!(claim.judge(&Evidence::of(&rows)).verdict(), Reproduced);
    let other: [fn(&mut Row); 2] = [|row| row.paper = "other".into(), |row| row.variant = "wired-loss=0.001".into()];
    for change in other {
        let mut changed = rows.clone();
        changed.iter_mut().for_each(change);
        assert_eq!(claim.judge(&Evidence::of(&changed)).verdict(), CannotTell);
    }
}

#[test]
fn rows_of_other_connections_or_of_another_rate_are_not_the_claims() {
    let kind = "kind = \"gain\"\nflr = 5.4\na = \"a\"\nb = \"b\"\npercent = 50";
    let of_ten = claim(&file(&format!("connections = 10\nrate = \"5 Mbit/s\"\n{kind}")));
    let rows_of = |claim: &Claim| {
        let cells = [("a", HIGH), ("b", LOW)];
        cells.map(|(scheme, values)| super::cell(&claim.about, Cell::plain(scheme, 5.4), values)).concat()
    };
    let rows = rows_of(&of_ten);
    assert_eq!(of_ten.judge(&Evidence::of(&rows)).verdict(), Reproduced);
    let other: [fn(&mut Row); 2] = [|row| row.connections = 5, |row| row.rate_bps = 50_000_000];
    for change in other {
        let mut changed = rows.clone();
        changed.iter_mut().for_each(change);
        assert_eq!(of_ten.judge(&Evidence::of(&changed)).verdict(), CannotTell);
    }
    // Where a claim says no rate, there has to be one alone.
    let plain = claim(&file(kind));
    let (slow, mut fast) = (rows_of(&plain), rows_of(&plain));
    assert_eq!(plain.judge(&Evidence::of(&slow)).verdict(), Reproduced);
    fast.iter_mut().for_each(|row| row.rate_bps = 50_000_000);
    let judged = plain.judge(&Evidence::of(&[slow, fast].concat()));
    assert_eq!(judged.verdict(), CannotTell);
    assert!(judged.note.contains("the claim's `rate`"), "{}", judged.note);
}

#[test]
fn a_side_may_be_over_other_connections() {
    let side = |connections: u32| format!("{{ scheme = \"a\", connections = {connections} }}");
    let more = format!("{{ a = {}, is = \"more\", b = {}, at = [1] }}", side(10), side(5));
    let claim = claim(&file(&format!("kind = \"shape\"\nholds = [{more}]")));
    let cells = claim.cells();
    let judged = |of_five: &[f64]| {
        let rows = [super::cell(&claim.about, cells[0], MIDDLE), super::cell(&claim.about, cells[1], of_five)].concat();
        claim.judge(&Evidence::of(&rows))
    };
    assert_eq!((judged(LOW).verdict(), judged(HIGH).verdict()), (Reproduced, NotReproduced));
    assert!(
        judged(HIGH).note.contains("a over 10 connections more than a over 5 connections"),
        "{}",
        judged(HIGH).note
    );
}

#[test]
fn statements_and_numbers_are_counted_apart_and_the_same_claim_once() {
    let text = file("kind = \"gain\"\nflr = 5.4\na = \"a\"\nb = \"b\"\npercent = 40");
    let cells = [(5.4, "a", HIGH), (5.4, "b", LOW), (5.4, "c", LOW)];
    let gain = judge(&text, &cells);
    let mut again = judge(&text, &cells);
    again.claim.about.id = "other.fig1".to_owned();
    again.claim.about.same_as = Some("paper.fig1".to_owned());
    let both = judge(&best_worst(), &[(5.4, "a", HIGH), (5.4, "b", MIDDLE), (5.4, "c", LOW)]);
    let alone = score(&[again.clone()]);
    let score = score(&[gain, again, both]);
    assert_eq!((score.statements.total(), score.numbers.total(), score.numbers.reproduced), (1, 2, 2));
    // The gain is 50 % where the paper has 40 %; the gap is the paper's.
    assert_eq!(score.in_words(), "1 of 1 statements reproduced; 2 of 2 numbers");
    assert_eq!(alone.numbers.total(), 1, "it counts where the other paper was not asked for");
}

#[test]
fn claims_csv_has_the_promised_columns() {
    let judged = judge(&best_worst(), &[(5.4, "a", HIGH), (5.4, "b", MIDDLE), (5.4, "c", LOW)]);
    let order = judge(&file("kind = \"order\"\nat = [1.5]\norder = [\"a\", \"b\"]\ninferred = [\"at\"]"), &[]);
    let mut csv = Vec::new();
    write_csv(&[judged, order], &mut csv).expect("memory");
    let text = String::from_utf8(csv).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "id,kind,verdict,paper,ours,low,high,inferred,note");
    let cells: Vec<&str> = lines[1].splitn(9, ',').collect();
    assert_eq!(cells[..4], ["paper.fig1", "best-worst", "reproduced", "50"]);
    let [ours, low, high] = [4, 5, 6].map(|column: usize| cells[column].parse::<f64>().expect("a number"));
    assert!(low < ours && ours < high && (ours - 50.0).abs() < 1e-9, "{low} {ours} {high}");
    assert_eq!(cells[8], "\"a above c, none above it, none below c; the number: reproduced\"");
    assert_eq!(lines[2], "paper.fig1,order,cannot-tell,,,,,at,no rows for a at 1.5 %");
}

#[test]
fn not_above_goes_by_the_paired_difference() {
    let text = file(
        "kind = \"shape\"\nholds = [{ a = { scheme = \"a\" }, is = \"not-above\", b = { scheme = \"b\" }, at = [1] }]",
    );
    let judged = |values| verdict(&text, &[(1.0, "a", values), (1.0, "b", MIDDLE)]);
    assert_eq!([judged(LOW), judged(LIKE_MIDDLE), judged(HIGH)], [Reproduced, Reproduced, NotReproduced]);
    let of_leads = text.replace("{ scheme = \"a\" }", "{ scheme = \"a\", over = \"c\" }");
    let mistakes = read(&Source::new("claims.toml", of_leads.as_str())).expect_err("a lead");
    assert!(mistakes.to_string().contains("leave out `over`"), "{mistakes}");
}
