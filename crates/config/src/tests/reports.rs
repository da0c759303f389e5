//! What is told, and where it points.

use super::*;

#[test]
fn five_mistakes_are_told_at_once_each_with_its_place() {
    let text = r#"[experiment]
replicatoins = 30
id = 7

[wireless]
rate = "64 kbit"
queue = { kind = "drop-tial", frames = 20 }
delay = "50 ms"

[[scheme]]
label = "SR"
service = { kind = "selective-repeat", timeout = { adaptive = { srtt = "three", srttvar = 2 } } }
"#;
    insta::assert_snapshot!(report::<Sample>(text), @r#"
    bad.toml:2:1: unknown key `replicatoins` in `experiment`
        replicatoins = 30
        ^^^^^^^^^^^^
      did you mean `replications`?  (known here: id, source, replications, seed)

    bad.toml:3:6: expected text, found 7
        id = 7
             ^

    bad.toml:6:8: unknown unit `kbit` for a rate; did you mean `kbit/s`? expected one of Gbit/s, Mbit/s, kbit/s, bit/s
        rate = "64 kbit"
               ^^^^^^^^^

    bad.toml:7:18: `drop-tial` is not a kind of queue
        queue = { kind = "drop-tial", frames = 20 }
                         ^^^^^^^^^^^
      did you mean `drop-tail`?  (known here: unbounded, drop-tail)

    bad.toml:12:72: expected a number, found text "three"
        service = { kind = "selective-repeat", timeout = { adaptive = { srtt = "three", srttvar = 2 } } }
                                                                               ^^^^^^^

    5 mistakes; nothing was run
    "#);
}

#[test]
fn of_tens_of_thousands_of_mistakes_the_first_twenty_are_told_and_how_many_more_there_are() {
    let unknown: String = (0..20_000).map(|number| format!("unknown-{number} = 1\n")).collect();
    let wrong: String = (0..20_000).map(|number| format!("{number} = [\"64 kHz\"]\n")).collect();
    let text = format!("{unknown}[sweep]\n{wrong}");
    let mistakes = read_source::<Sample>(&Source::new("bad.toml", text), &[]).unwrap_err();
    assert_eq!(mistakes.len(), 2 + 40_000, "two are missing");
    let told = mistakes.to_string();
    assert!(told.contains("bad.toml:18:1: unknown key `unknown-17`") && !told.contains("`unknown-18`"), "{told}");
    assert!(told.ends_with("\n\n... and 39982 more\n\n40002 mistakes; nothing was run"), "{told}");
    let last = mistakes.iter().last().expect("the last").to_string();
    assert!(last.starts_with("bad.toml:40001:10: "), "each at its place: {last}");
}

#[test]
fn what_is_told_of_any_file_fits_a_few_screens() {
    let report = |text: String| read_source::<Sample>(&Source::new("bad.toml", text), &[]).unwrap_err().to_string();
    let long = |text: &str| text.repeat(100_000);
    let keys = |of: &str| (0..100).map(|number| format!("\"{}{number}\" = 1\n", of.repeat(3000))).collect::<String>();
    for text in [
        keys("x"),
        keys("\\u001b"),
        format!("{} = 1", long("x")),
        format!("experiment = {{ id = \"{}\" }}", long("\\u0007")),
        format!("experiment = \"{}\"", long("\u{202e}")),
        format!("wireless = {{ rate = \"{}\" }}", long("y")),
        long("[["),
    ] {
        let told = report(text);
        assert!(told.chars().count() < 20_000, "{} characters: {told:.300}", told.chars().count());
    }
}

#[test]
fn an_unknown_key_is_refused_wherever_it_stands() {
    let text = r#"
colour = "red"
[experiment]
id = "a"
replications = 3
[wireless]
rate = "64 kbit/s"
delay = "50 ms"
queue = { kind = "drop-tail", frames = 3, frame = 4 }
hue = 3
[[scheme]]
label = "a"
service = "raw"
[[scheme]]
label = "b"
service = { kind = "selective-repeat", windw = 3 }
shade = { a = 1 }
"#;
    assert_eq!(
        wrong::<Sample>(text),
        [
            "bad.toml:2:1 unknown key `colour`",
            "bad.toml:9:43 unknown key `frame` in `wireless.queue`",
            "bad.toml:10:1 unknown key `hue` in `wireless`",
            "bad.toml:16:40 unknown key `windw` in `scheme.service`",
            "bad.toml:17:1 unknown key `shade` in `scheme`",
        ]
    );
}

#[test]
fn every_missing_key_is_told_with_an_instance_where_its_type_knows_one() {
    insta::assert_snapshot!(report::<Sample>("[wireless]\n[[scheme]]\n"), @r#"
    bad.toml:1:1: missing `experiment`
      `experiment` is a table

    bad.toml:1:2: missing `rate` in `wireless`
        [wireless]
         ^^^^^^^^
      for instance `rate = "64 kbit/s"`

    bad.toml:1:2: missing `delay` in `wireless`
        [wireless]
         ^^^^^^^^
      for instance `delay = "50 ms"`

    bad.toml:2:1: missing `label` in `scheme`
        [[scheme]]
        ^^^^^^^^^^
      `label` is text

    bad.toml:2:1: missing `service` in `scheme`
        [[scheme]]
        ^^^^^^^^^^
      `service` is one of raw, selective-repeat, fixed

    5 mistakes; nothing was run
    "#);
}

#[test]
fn a_key_that_is_there_but_wrong_or_misspelt_is_not_missing_as_well() {
    let text = "[experiment]\nid = 1\nreplication = 3\n[wireless]\nrate = false\ndelay = true\n";
    assert_eq!(
        wrong::<Sample>(text),
        [
            "bad.toml:2:6 expected text, found 1",
            "bad.toml:3:1 unknown key `replication` in `experiment`",
            "bad.toml:5:8 expected a rate with its unit, such as \"64 kbit/s\", found false",
            "bad.toml:6:9 expected a length of time with its unit, such as \"50 ms\", found true",
        ]
    );
}

#[test]
fn integers_tell_their_range() {
    assert_eq!(
        wrong::<BTreeMap<String, u32>>("a = -1\nb = 1.5\nc = \"3\"\nd = 99999999999999999999\ne = 4294967296"),
        [
            "bad.toml:1:5 expected a whole number from 0 to 4294967295, found -1",
            "bad.toml:2:5 expected a whole number from 0 to 4294967295, found 1.5",
            "bad.toml:3:5 expected a whole number from 0 to 4294967295, found text \"3\"",
            "bad.toml:4:5 this number is too large",
            "bad.toml:5:5 expected a whole number from 0 to 4294967295, found 4294967296",
        ]
    );
}

#[test]
fn a_type_that_checks_itself_complains_where_its_value_stands() {
    assert_eq!(
        wrong::<SelectiveRepeat>("timeout = { fixed = \"1 s\" }\nwindow = 0"),
        ["bad.toml:2:10 a window is at least 1 frame"]
    );
}

#[test]
fn what_follows_from_a_refused_part_is_not_told() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(try_from = "Raw")]
    struct Range;
    #[derive(Deserialize, JsonSchema)]
    struct Raw {
        low: u8,
        high: u8,
    }
    impl TryFrom<Raw> for Range {
        type Error = &'static str;
        fn try_from(raw: Raw) -> Result<Self, Self::Error> {
            if raw.low < raw.high { Ok(Self) } else { Err("low must lie below high") }
        }
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only read")]
    struct Outer {
        ranges: Vec<Range>,
        pair: (u8, u8),
        last: u8,
    }
    let text =
        "ranges = [{ low = 3, high = 2 }, { low = 3, high = true }, { low = 4 }]\npair = [1, \"a\"]\nlast = false";
    assert_eq!(
        wrong::<Outer>(text),
        [
            "bad.toml:1:11 low must lie below high",
            "bad.toml:1:52 expected a whole number from 0 to 255, found true",
            "bad.toml:1:60 missing `high` in `ranges`",
            "bad.toml:2:12 expected a whole number from 0 to 255, found text \"a\"",
            "bad.toml:3:8 expected a whole number from 0 to 255, found false",
        ]
    );
    assert_eq!(
        wrong::<BTreeMap<String, (u8, u8)>>("pair = [1, 2, 3]"),
        ["bad.toml:1:8 expected a list of 2, found a list of 3"]
    );
    assert_eq!(
        wrong::<BTreeMap<String, (u8, u8)>>("pair = [1]"),
        ["bad.toml:1:8 expected a list of 2, found a list of 1"]
    );
}

#[test]
fn a_part_that_is_read_by_itself_keeps_its_name() {
    let node = tree("base.toml", "[wireless]\nrate = \"64 kbit/s\"\n");
    let mistakes = read::<Wireless>(node.get_path("wireless").unwrap(), &[]).unwrap_err();
    assert_eq!(headlines(&mistakes), ["base.toml:1:2 missing `delay` in `wireless`"]);
}

#[test]
fn lists_are_no_tables_and_tables_no_lists() {
    assert_eq!(
        wrong::<Sample>("experiment = [\"id\", 3]\nscheme = { label = \"a\" }\nwireless = \"fast\""),
        [
            "bad.toml:1:14 expected a table, found a list",
            "bad.toml:2:10 expected a list, found a table",
            "bad.toml:3:12 expected a table, found text \"fast\"",
        ]
    );
}

#[test]
fn callers_add_mistakes_of_their_own_and_each_is_told_once() {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Figure {
        x: Located<String>,
        rest: Node,
    }
    let node = tree("plan.toml", "rest = { deep = [1] }\nx = \"wireless.los\"\n");
    let figure: Figure = read(&node, &[]).unwrap();
    assert_eq!(figure.x.value, "wireless.los");
    assert_eq!(figure.rest.get_path("deep.0"), Some(&Node::new(1_i64, figure.rest.origin.clone())));
    let mut mistakes = Mistakes::new();
    let mistake = Mistake { origin: figure.x.origin, message: "not swept".to_owned(), help: None };
    mistakes.push(mistake.clone());
    mistakes.push(Mistake::at_key(&figure.rest, "no figure").help("leave it out"));
    mistakes.extend([mistake]);
    insta::assert_snapshot!(mistakes.into_result(()).unwrap_err(), @r#"
    plan.toml:1:1: no figure
        rest = { deep = [1] }
        ^^^^
      leave it out

    plan.toml:2:5: not swept
        x = "wireless.los"
            ^^^^^^^^^^^^^^

    2 mistakes; nothing was run
    "#);
}

#[test]
fn a_nonsensical_type_ends_too() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "never made")]
    struct Endless {
        inner: Box<Endless>,
        other: Box<Endless>,
    }
    #[derive(Debug, JsonSchema)]
    #[schemars(with = "BTreeMap<String, Node>")]
    struct NeverContent;
    impl<'de> Deserialize<'de> for NeverContent {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            BTreeMap::<String, Node>::deserialize(deserializer)?;
            Err(serde::de::Error::missing_field("perfection"))
        }
    }
    assert!(!wrong::<Endless>("").is_empty());
    assert!(!wrong::<Endless>("inner = { inner = { other = 3 } }").is_empty());
    assert_eq!(wrong::<NeverContent>("a = 1"), ["bad.toml:1:1 missing `perfection`"]);
    assert_eq!(wrong::<Vec<NeverContent>>("a = 1").len(), 1);
}

#[test]
fn of_a_long_line_what_is_around_the_place_is_shown_and_of_a_long_name_its_ends() {
    let told = |text: String| read_source::<Sample>(&Source::new("bad.toml", text), &[]).unwrap_err().to_string();
    let long = told(format!("{}colour = 1", " ".repeat(3000)));
    let (_, excerpt) = long.split_once("bad.toml:1:3001: unknown key `colour`\n").expect("its place");
    let (line, mark) = excerpt.split_once('\n').expect("two lines");
    assert!(line.starts_with("    …   ") && line.ends_with("  colour = 1"), "{long}");
    assert_eq!(line.find("colour").map(|place| place + 1 - "…".len()), mark.find("^^^^^^\n"), "{long}");
    let name = "x".repeat(100_000);
    let long = told(format!("{name} = 1"));
    assert!(long.contains("xxx … xxx") && long.lines().all(|line| line.chars().count() < 1300), "{long:.2000}");
    let many = told("colour = 1\n".to_owned() + &(0..100).map(|key| format!("key-{key} = 1\n")).collect::<String>());
    assert!(many.contains("\nbad.toml:17:1: unknown key `key-15`\n") && !many.contains("key-99"), "{many}");
}

#[test]
fn what_a_terminal_obeys_is_refused_in_texts_and_escaped_in_what_is_told() {
    let told = report::<Sample>("\"col\\u001bour\" = 1\n\t# \u{7}\nexperiment = { id = \"a\\u009b31m\" }\n");
    insta::assert_snapshot!(told, @r#"
    bad.toml:1:1: this key has the control character U+001B
        "col\u001bour" = 1
        ^^^^^^^^^^^^^^
      leave it out: results are shown on terminals

    bad.toml:2:4: invalid comment character, expected printable characters
        	# \u{7}
        	  ^

    bad.toml:3:21: this text has the control character U+009B
        experiment = { id = "a\u009b31m" }
                            ^^^^^^^^^^^^
      leave it out: results are shown on terminals

    3 mistakes; nothing was run
    "#);
}
