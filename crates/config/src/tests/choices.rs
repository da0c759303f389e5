//! How enums are written.

use super::*;

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
struct Holder {
    service: Service,
}

fn service(value: &str) -> Service {
    let source = Source::new("good.toml", format!("service = {value}"));
    read_source::<Holder>(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}")).service
}

fn refused(value: &str) -> Vec<String> {
    wrong::<Holder>(&format!("service = {value}"))
}

#[test]
fn each_choice_has_a_short_and_two_long_forms() {
    let selective_repeat =
        |window| Service::SelectiveRepeat(SelectiveRepeat { window: Window(window), ..Default::default() });
    for (value, expected) in [
        (r#""raw""#, Service::Raw),
        (r#"{ kind = "raw" }"#, Service::Raw),
        ("{ raw = {} }", Service::Raw),
        (r#""selective-repeat""#, selective_repeat(127)),
        (r#"{ kind = "selective-repeat" }"#, selective_repeat(127)),
        (r#"{ kind = "selective-repeat", window = 3 }"#, selective_repeat(3)),
        (r#"{ window = 3, kind = "selective-repeat" }"#, selective_repeat(3)),
        ("{ selective-repeat = { window = 3 } }", selective_repeat(3)),
        (r#"{ fixed = "2 s" }"#, Service::Fixed(Span::from_milliseconds(2000))),
    ] {
        assert_eq!(service(value), expected, "{value}");
    }
}

#[test]
fn a_whole_number_will_do_where_a_number_is_wanted() {
    let timeout = Timeout::Adaptive { srtt: 3.0, srttvar: 2.5 };
    let expected = Service::SelectiveRepeat(SelectiveRepeat { timeout, ..Default::default() });
    assert_eq!(
        service(r#"{ kind = "selective-repeat", timeout = { kind = "adaptive", srtt = 3, srttvar = 2.5 } }"#),
        expected
    );
}

#[test]
fn a_choice_that_does_not_exist_is_refused_where_its_name_stands() {
    for (value, expected) in [
        (r#""rwa""#, "bad.toml:1:11 `rwa` is not a kind of service"),
        (r#"{ window = 3, kind = "selectve-repeat" }"#, "bad.toml:1:32 `selectve-repeat` is not a kind of service"),
        ("{ selective-repaet = { window = 3 } }", "bad.toml:1:13 `selective-repaet` is not a kind of service"),
        ("{ window = 3 }", "bad.toml:1:1 missing `kind` in `service`"),
        ("{}", "bad.toml:1:1 missing `kind` in `service`"),
        ("{ kind = 3 }", "bad.toml:1:20 expected one of raw, selective-repeat, fixed, found 3"),
        ("[]", "bad.toml:1:11 expected one of raw, selective-repeat, fixed, found an empty list"),
        ("{ raw = {}, fixed = \"1 s\" }", "bad.toml:1:1 `raw` and `fixed` exclude each other"),
        (r#"{ kind = "raw", window = 3 }"#, "bad.toml:1:27 unknown key `window` in `service`"),
        ("{ raw = { window = 3 } }", "bad.toml:1:21 unknown key `window` in `service.raw`"),
        ("{ raw = 3 }", "bad.toml:1:19 `raw` takes no value"),
        ("{ selective-repeat = 3 }", "bad.toml:1:32 expected a table, found 3"),
        (
            r#""fixed""#,
            "bad.toml:1:11 `fixed` needs a value: a length of time with its unit, such as \"50 ms\"; write `{ fixed = \"50 ms\" }`",
        ),
    ] {
        assert_eq!(refused(value), [expected], "{value}");
    }
}

#[test]
fn every_mistake_inside_a_choice_is_told() {
    let value =
        r#"{ kind = "selective-repeat", window = 0, pace = 3, timeout = { adaptive = { srtt = "a", drift = 1 } } }"#;
    assert_eq!(
        refused(value),
        [
            "bad.toml:1:49 a window is at least 1 frame",
            "bad.toml:1:52 unknown key `pace` in `service`",
            "bad.toml:1:74 missing `srttvar` in `service.timeout.adaptive`",
            "bad.toml:1:94 expected a number, found text \"a\"",
            "bad.toml:1:99 unknown key `drift` in `service.timeout.adaptive`",
        ]
    );
    assert_eq!(
        wrong::<BTreeMap<String, Queue>>("a = \"drop-tail\"\nb = { kind = \"drop-tail\" }"),
        ["bad.toml:1:1 missing `frames` in `a`", "bad.toml:2:1 missing `frames` in `b`"]
    );
}

#[test]
fn a_key_of_another_kind_is_refused_with_the_kinds_that_have_it() {
    let help = "`window` goes with selective-repeat: set `service` to such a kind first, for instance \
                { kind = \"selective-repeat\", window = ... }";
    for value in [r#"{ kind = "raw", window = 3 }"#, "{ raw = { window = 3 } }", "{ window = 3 }"] {
        let source = Source::new("bad.toml", format!("service = {value}"));
        let told = read_source::<Holder>(&source, &[]).expect_err(value).to_string();
        assert!(told.contains(help), "{value}: {told}");
    }
    let source = Source::new("bad.toml", r#"service = { kind = "raw", pace = 3 }"#);
    let told = read_source::<Holder>(&source, &[]).expect_err("no kind knows `pace`").to_string();
    assert!(told.contains("known here: nothing more"), "{told}");
}
