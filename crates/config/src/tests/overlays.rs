//! One tree over another.

use super::*;

const BASE: &str = r#"
title = "base"
[wireless]
rate = "64 kbit/s"
delay = "50 ms"
queue = { kind = "drop-tail", frames = 20 }
[wireless.deep.deeper]
a = 1
b = 2
"#;

fn base() -> Node {
    tree("base.toml", BASE)
}

#[test]
fn tables_are_merged_and_everything_else_replaced() {
    let mut settings = base();
    settings.overlay(tree("upper.toml", "[wireless]\nrate = \"1 Mbit/s\"\ndeep.deeper.b = [3]\nqueue.frames = 7\n"));
    insta::assert_snapshot!(settings.to_toml_text(), @r#"
    title = "base"

    [wireless]
    rate = "1 Mbit/s"
    delay = "50 ms"
    queue = { kind = "drop-tail", frames = 7 }
    deep = { deeper = { a = 1, b = [3] } }
    "#);
}

#[test]
fn another_kind_replaces_the_whole_table_and_the_same_kind_does_not() {
    let queue = |below: &str, above: &str| {
        let mut settings = tree("base.toml", &format!("wireless.queue = {below}"));
        settings.overlay(tree("upper.toml", &format!("wireless.queue = {above}")));
        settings.get_path("wireless").unwrap().to_toml_text()
    };
    let below = r#"{ kind = "drop-tail", frames = 20 }"#;
    let drop_tail = "[queue]\nkind = \"drop-tail\"\n";
    assert_eq!(queue(below, r#"{ kind = "red", low = 1 }"#), "[queue]\nkind = \"red\"\nlow = 1\n");
    assert_eq!(queue(below, r#"{ kind = "drop-tail", low = 1 }"#), format!("{drop_tail}frames = 20\nlow = 1\n"));
    assert_eq!(queue(below, "{ frames = 1 }"), format!("{drop_tail}frames = 1\n"));
    assert_eq!(queue(below, r#""unbounded""#), "queue = \"unbounded\"\n");
    assert_eq!(queue(r#""drop-tail""#, "{ frames = 1 }"), format!("{drop_tail}frames = 1\n"));
    assert_eq!(queue("{ red = { low = 1 } }", r#"{ kind = "drop-tail" }"#), drop_tail);
}

#[test]
fn a_path_makes_what_is_missing_on_its_way() {
    let mut settings = tree("base.toml", "list = [{ a = 1 }, { a = 2 }]\nqueue = \"drop-tail\"\nflat = 3\n");
    let origin = settings.origin.clone();
    for path in ["media.web.enabled", "list.1.a", "queue.frames", "flat.deep", "list.7"] {
        settings.set_path(path, Node::new(true, origin.clone()));
        assert_eq!(settings.get_path(path), Some(&Node::new(true, origin.clone())), "{path}");
    }
    assert_eq!(settings.get_path("queue.kind").and_then(Node::as_text), Some("drop-tail"));
    assert_eq!(settings.get_path("media.nothing"), None);
}

#[test]
fn a_mistake_in_an_override_points_at_the_override() {
    let overrides = tree(
        "fig3.toml",
        "[scenario]\nset = { \"wireless.rate\" = \"64 m\", \"wireless.queue.fraems\" = 3, \"wireless.delay.x\" = 1 }\n",
    );
    let mut settings = tree(
        "base.toml",
        "[experiment]\nid = \"a\"\nreplications = 1\n[wireless]\nrate = \"64 kbit/s\"\ndelay = \"50 ms\"\nqueue = { kind = \"drop-tail\", frames = 20 }",
    );
    let table = overrides.get_path("scenario.set").and_then(Node::as_table).unwrap();
    for (path, node) in table.iter() {
        settings.set_path(path, node.clone());
    }
    insta::assert_snapshot!(read::<Sample>(&settings, &[]).unwrap_err(), @r#"
    fig3.toml:2:27: unknown unit `m` for a rate; expected one of Gbit/s, Mbit/s, kbit/s, bit/s
        set = { "wireless.rate" = "64 m", "wireless.queue.fraems" = 3, "wireless.delay.x" = 1 }
                                  ^^^^^^

    fig3.toml:2:35: unknown key `fraems` in `wireless.queue`
        set = { "wireless.rate" = "64 m", "wireless.queue.fraems" = 3, "wireless.delay.x" = 1 }
                                          ^^^^^^^^^^^^^^^^^^^^^^^
      did you mean `frames`?  (known here: frames)

    fig3.toml:2:64: expected a length of time with its unit, such as "50 ms", found a table
        set = { "wireless.rate" = "64 m", "wireless.queue.fraems" = 3, "wireless.delay.x" = 1 }
                                                                       ^^^^^^^^^^^^^^^^^^

    3 mistakes; nothing was run
    "#);
}

#[test]
fn a_key_missing_in_both_is_missed_in_the_lower_one() {
    let mut settings = tree("base.toml", "[wireless]\nrate = \"64 kbit/s\"\n");
    settings.overlay(tree("fig3.toml", "[wireless]\nweight = 3\n[experiment]\nid = \"a\"\n"));
    let mistakes = read::<Sample>(&settings, &[]).unwrap_err();
    assert_eq!(
        headlines(&mistakes),
        ["base.toml:1:2 missing `delay` in `wireless`", "fig3.toml:3:2 missing `replications` in `experiment`"]
    );
}

#[test]
fn a_tree_is_printed_in_order_and_in_one_way() {
    let text = "[b.c]\nx = 1_000\n[a]\n'odd key' = \"q\\\"\\t\\n\"\nf = 3.0\ng = 1e30\nh = [nan, -inf]\nd = 2024-01-02 03:04:05Z\nt = {}\n[[s]]\nl = [{ a = true }]\n[[s]]\n[]\n";
    let text = text.trim_end_matches("[]\n");
    insta::assert_snapshot!(tree("odd.toml", text).to_toml_text(), @r#"
    [b]
    c = { x = 1000 }

    [a]
    "odd key" = "q\"\t\n"
    f = 3.0
    g = 1e30
    h = [nan, -inf]
    d = 2024-01-02T03:04:05Z
    t = {}

    [[s]]
    l = [{ a = true }]

    [[s]]
    "#);
}
