//! The rule of shapes: conditions on cells, each with its bounds.

use super::kinds::{HIGH, LIKE_MIDDLE, LOW, MIDDLE, judge, verdict};
use super::*;
use Verdict::{CannotTell, Direction, NotReproduced, Reproduced};

#[test]
fn a_shape_is_reproduced_if_all_conditions_hold_and_the_direction_if_some_do() {
    let text = file(
        "kind = \"shape\"\ntext = \"a is more.\"\nholds = [\n\
         { a = { scheme = \"a\" }, is = \"more\", b = { scheme = \"b\" }, at = [1] },\n\
         { a = { scheme = \"a\" }, is = { at-least = 25 }, at = [1, 2] },\n]",
    );
    let of = |first, second| judge(&text, &[(1.0, "a", first), (1.0, "b", MIDDLE), (2.0, "a", second)]);
    assert_eq!(of(HIGH, HIGH).verdict(), Reproduced);
    let part = of(HIGH, LOW);
    assert_eq!((part.verdict(), part.note.as_str()), (Direction, "2 of 3 conditions hold; not at 2 %: a at least 25"));
    assert_eq!(of(LOW, LOW).verdict(), NotReproduced);
    assert_eq!(judge(&text, &[(1.0, "a", HIGH), (2.0, "a", HIGH)]).note, "no rows for b at 1 %");
}

#[test]
fn each_word_of_a_shape_has_its_bounds() {
    let holds = |is: &str, a: f64, b: f64| {
        let text = file(&format!(
            "kind = \"shape\"\nholds = [{{ a = {{ scheme = \"a\" }}, is = {is}, b = {{ scheme = \"b\" }}, at = [1] }}]"
        ));
        verdict(&text, &[(1.0, "a", &around(a)), (1.0, "b", &around(b))]) == Reproduced
    };
    // The word, then a number for `a` where it holds and one where it does not; `b` is 100.
    for (word, yes, no) in [
        ("\"more\"", 100.1, 100.0),
        ("\"less\"", 99.9, 100.0),
        ("\"hardly-different\"", 104.9, 105.1),
        ("\"hardly-different\"", 95.1, 94.9),
        ("\"slightly-more\"", 104.9, 105.1),
        ("\"slightly-more\"", 100.1, 99.9),
        ("\"slightly-less\"", 95.1, 94.9),
        ("\"slightly-less\"", 99.9, 100.1),
        ("\"alike\"", 109.9, 110.1),
        ("\"clearly-more\"", 110.1, 109.9),
        ("\"clearly-less\"", 89.9, 90.1),
        ("{ times-at-least = 2 }", 200.1, 199.9),
        ("{ times-at-most = 2 }", 199.9, 200.1),
        ("{ at-least = 30 }", 130.1, 129.9),
        ("{ at-most = 30 }", 129.9, 130.1),
    ] {
        assert!(holds(word, yes, 100.0), "{word} holds of {yes} and 100");
        assert!(!holds(word, no, 100.0), "{word} does not hold of {no} and 100");
    }
}

#[test]
fn clearly_wants_intervals_apart_too() {
    let text = file(
        "kind = \"shape\"\nholds = [{ a = { scheme = \"a\" }, is = \"clearly-more\", b = { scheme = \"b\" }, at = [1] }]",
    );
    let wide: &[f64] = &[60.0, 120.0, 180.0];
    assert_eq!(verdict(&text, &[(1.0, "a", wide), (1.0, "b", &around(100.0))]), NotReproduced);
    assert_eq!(verdict(&text, &[(1.0, "a", &[120.0]), (1.0, "b", &[100.0])]), CannotTell, "no interval at all");
}

#[test]
fn overlapping_is_a_matter_of_intervals() {
    let text = file(
        "kind = \"shape\"\nholds = [{ a = { scheme = \"a\" }, is = \"overlapping\", b = { scheme = \"b\" }, at = [1] }]",
    );
    let wide: &[f64] = &[60.0, 120.0, 180.0];
    assert_eq!(verdict(&text, &[(1.0, "a", wide), (1.0, "b", &around(100.0))]), Reproduced);
    assert_eq!(verdict(&text, &[(1.0, "a", &around(120.0)), (1.0, "b", &around(100.0))]), NotReproduced);
    assert_eq!(verdict(&text, &[(1.0, "a", &around(100.0)), (1.0, "b", &around(120.0))]), NotReproduced);
}

#[test]
fn nearer_compares_two_distances() {
    let text = file(
        "kind = \"shape\"\nholds = [{ a = { scheme = \"a\" }, is = { nearer-than = { scheme = \"c\" } }, b = { scheme = \"b\" }, at = [1] }]",
    );
    let judged = |mean: f64| {
        let cells = [(1.0, "a", &around(mean)[..]), (1.0, "b", &around(100.0)), (1.0, "c", &around(200.0))];
        verdict(&text, &cells)
    };
    assert_eq!([judged(149.0), judged(90.0), judged(151.0)], [Reproduced, Reproduced, NotReproduced]);
}

#[test]
fn a_side_may_be_of_another_application_beside_something_else_and_at_a_point_of_its_own() {
    let other = "{ scheme = \"b\", app = \"media\", beside = \"all\", metric = \"delay\", point = 7 }";
    let claim = claim(&file(&format!(
        "kind = \"shape\"\nholds = [{{ a = {{ scheme = \"a\" }}, is = \"more\", b = {other}, at = [1] }}]"
    )));
    let cells = claim.cells();
    let named = (
        cells[1].place.app.as_deref(),
        cells[1].place.beside.as_deref(),
        cells[1].place.metric.as_deref(),
        cells[1].point,
    );
    assert_eq!(named, (Some("media"), Some("all"), Some("delay"), 7.0));
    let rows =
        |values: &[f64]| [super::cell(&claim.about, cells[0], MIDDLE), super::cell(&claim.about, cells[1], values)];
    assert_eq!(claim.judge(&Evidence::of(&rows(LOW).concat())).verdict(), Reproduced);
    assert_eq!(claim.judge(&Evidence::of(&rows(HIGH).concat())).verdict(), NotReproduced);
    let judged = claim.judge(&Evidence::of(&rows(LOW)[0]));
    assert!(judged.note.contains("b (media) beside all at 7 %"), "{}", judged.note);
}

#[test]
fn a_lead_is_how_far_a_scheme_lies_above_another_as_a_share_of_that() {
    let lead = |is: &str, bound: f64| {
        let text = format!(
            "kind = \"shape\"\nholds = [{{ a = {{ scheme = \"a\", over = \"b\" }}, is = {{ {is} = {bound} }}, at = [1] }}]"
        );
        verdict(&file(&text), &[(1.0, "a", &around(130.0)), (1.0, "b", &around(100.0))])
    };
    assert_eq!([lead("at-least", 0.299), lead("at-most", 0.301)], [Reproduced; 2]);
    assert_eq!([lead("at-least", 0.301), lead("at-most", 0.299)], [NotReproduced; 2]);
}

#[test]
fn a_lead_is_compared_with_a_lead_at_another_point() {
    let text = file(
        "kind = \"shape\"\nholds = [{ a = { scheme = \"a\", over = \"b\" }, is = \"more\", b = { scheme = \"a\", over = \"b\", point = 1 }, at = [5] }]",
    );
    let judged = |at_five: f64| {
        let cells = [
            (1.0, "a", &around(120.0)[..]),
            (1.0, "b", &around(100.0)),
            (5.0, "a", &around(at_five)),
            (5.0, "b", &around(50.0)),
        ];
        judge(&text, &cells)
    };
    assert_eq!(judged(61.0).verdict(), Reproduced);
    let smaller = judged(59.0);
    assert_eq!(
        (smaller.verdict(), smaller.note.as_str()),
        (NotReproduced, "0 of 1 conditions hold; not at 5 %: a's lead over b more than a's lead over b at 1")
    );
    let cells = [(1.0, "a", HIGH), (5.0, "a", HIGH), (5.0, "b", LOW)];
    assert_eq!(verdict(&text, &cells), CannotTell, "nobody is led at 1 %");
}

#[test]
fn a_ranking_holds_where_nothing_changes_places_and_the_ends_stay_apart() {
    let text = file(
        "kind = \"shape\"\nholds = [{ rank = [\"a\", \"b\", \"c\"], as-in = { beside = \"media\" }, in = { beside = \"none\" }, at = [1] }]",
    );
    let claim = claim(&text);
    let judged = |here: [&[f64]; 3], there: [&[f64]; 3]| {
        let values = there.into_iter().chain(here);
        let rows =
            claim.cells().into_iter().zip(values).flat_map(|(cell, values)| super::cell(&claim.about, cell, values));
        claim.judge(&Evidence::of(&rows.collect::<Vec<_>>())).verdict()
    };
    assert_eq!(claim.cells().len(), 6);
    let there = [HIGH, MIDDLE, LOW];
    assert_eq!(judged([HIGH, MIDDLE, LOW], there), Reproduced);
    assert_eq!(judged([HIGH, LIKE_MIDDLE, LIKE_MIDDLE], there), Reproduced, "two that can no longer be told apart");
    assert_eq!(judged([HIGH, LOW, MIDDLE], there), NotReproduced, "the last two have changed places");
    assert_eq!(judged([LOW, MIDDLE, HIGH], there), NotReproduced);
    assert_eq!(judged([MIDDLE, MIDDLE, LIKE_MIDDLE], there), NotReproduced, "highest and lowest are alike");
    assert_eq!(judged([HIGH, MIDDLE, LOW], [MIDDLE, MIDDLE, LIKE_MIDDLE]), NotReproduced, "and so there");
}

#[test]
fn a_condition_is_of_one_form_or_the_other() {
    for holds in [
        "{ at = [1] }",
        "{ a = { scheme = \"a\" }, at = [1] }",
        "{ rank = [\"a\", \"b\"], a = { scheme = \"a\" }, at = [1] }",
    ] {
        let text = file(&format!("kind = \"shape\"\nholds = [{holds}]"));
        let mistakes = read(&Source::new("claims.toml", text.as_str())).expect_err("neither");
        assert!(mistakes.to_string().contains("a condition has `a` and `is`, or `rank`"), "{mistakes}");
    }
}

#[test]
fn an_alias_means_what_it_does_under_the_error_model_of_its_side() {
    let aliases = "[alias]\nbest = { uniform = \"a\", two-state = \"b\" }\n";
    let holds =
        "{ a = { scheme = \"best\" }, is = \"more\", b = { scheme = \"best\", errors = \"two-state\" }, at = [1] }";
    let claim = claim(&format!("{aliases}{}", file(&format!("kind = \"shape\"\nholds = [{holds}]"))));
    let cells = claim.cells();
    assert_eq!((cells[0].scheme, cells[0].place.errors.as_deref()), ("a", None));
    assert_eq!((cells[1].scheme, cells[1].place.errors.as_deref()), ("b", Some("two-state")));
}
