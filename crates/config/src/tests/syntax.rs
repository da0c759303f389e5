//! Texts that are no TOML, and where things stand in a text.

use std::sync::Arc;

use super::*;

#[test]
fn all_mistakes_of_syntax_are_told() {
    insta::assert_snapshot!(report::<Sample>("id = \"a\nseed = 1 = 2\nrate : 3\n[experiment\n"), @r#"
    bad.toml:1:8: invalid basic string, expected `"`
        id = "a
               ^

    bad.toml:2:10: unexpected key or value, expected newline, `#`
        seed = 1 = 2
                 ^

    bad.toml:3:6: key with no value, expected `=`
        rate : 3
             ^

    bad.toml:4:12: unclosed table, expected `]`
        [experiment
                   ^

    4 mistakes; nothing was run
    "#);
}

#[test]
fn reading_goes_on_after_forgotten_quotes_and_keys_given_twice() {
    let text = "[experiment]\nid = fig3\nid = \"fig4\"\nreplications = 3\nwindow = 2\n[wireless]\nrate = 64 kbit/s\n[sweep]\nloss = [1.5%, 2 %, \"x\"]\n";
    insta::assert_snapshot!(report::<Sample>(text), @r#"
    bad.toml:2:6: `fig3` needs quotes
        id = fig3
             ^^^^
      write "fig3"

    bad.toml:3:1: `id` is given twice
        id = "fig4"
        ^^

    bad.toml:5:1: unknown key `window` in `experiment`
        window = 2
        ^^^^^^
      known here: id, source, replications, seed

    bad.toml:6:2: missing `delay` in `wireless`
        [wireless]
         ^^^^^^^^
      for instance `delay = "50 ms"`

    bad.toml:7:8: `64 kbit/s` needs quotes
        rate = 64 kbit/s
               ^^^^^^^^^
      write "64 kbit/s"

    bad.toml:9:9: `1.5%` needs quotes
        loss = [1.5%, 2 %, "x"]
                ^^^^
      write "1.5%"

    bad.toml:9:15: `2 %` needs quotes
        loss = [1.5%, 2 %, "x"]
                      ^^^
      write "2 %"

    bad.toml:9:20: expected a share with its unit, such as "5.4 %" or 0.054
        loss = [1.5%, 2 %, "x"]
                           ^^^

    8 mistakes; nothing was run
    "#);
}

#[test]
fn a_value_that_is_no_toml_is_told_in_our_words_where_they_help_more() {
    for (value, told) in [
        ("1.5%", "1:5 `1.5%` needs quotes"),
        ("fig3", "1:5 `fig3` needs quotes"),
        ("True", "1:5 invalid boolean, expected `true`"),
        ("07", "1:5 unexpected leading zero, expected nothing"),
        ("0x", "1:5 this is not a number"),
        ("0X1F", "1:5 radix must be lowercase, expected `0x`"),
        ("2024-13-01", "1:5 invalid date, expected month between 01 and 12"),
        ("", "1:5 the value is missing"),
    ] {
        assert_eq!(wrong::<BTreeMap<String, Node>>(&format!("a = {value}")), [format!("bad.toml:{told}")]);
    }
}

#[test]
fn columns_count_characters_and_tabs_stay_tabs() {
    assert_eq!(
        wrong::<BTreeMap<String, BTreeMap<String, bool>>>("'süß' = { 'größe' = \"é\", 'ä' = true }"),
        ["bad.toml:1:21 expected true or false, found text \"é\""]
    );
    let source = Source::new("bad.toml", "\u{feff}\"größe\" =\t300\r\n");
    assert_eq!(
        read_source::<BTreeMap<String, u8>>(&source, &[]).unwrap_err().to_string(),
        "bad.toml:1:11: expected a whole number from 0 to 255, found 300\n    \"größe\" =\t300\n             \t^^^\n\n1 mistake; nothing was run"
    );
}

#[test]
fn a_place_that_does_not_exist_is_moved_to_one_that_does() {
    let source = Source::new("odd.toml", "é\r\nlast");
    for (span, told) in [
        (1..2, "odd.toml:1:1: odd\n    é\n    ^"),
        (3..3, "odd.toml:1:2: odd\n    é\n     ^"),
        (0..99, "odd.toml:1:1: odd\n    é\n    ^"),
        (99..120, "odd.toml:2:5: odd\n    last\n        ^"),
        (0..0, "odd.toml:1:1: odd"),
    ] {
        let origin = Origin { source: Arc::clone(&source), span, key_span: None };
        assert_eq!(Mistake { origin, message: "odd".to_owned(), help: None }.to_string(), told);
    }
}
