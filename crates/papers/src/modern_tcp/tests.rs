//! Today's TCP beside the paper's, in a tiny world.

use super::*;
use crate::claims;
use arqway_config::{Node, Source, parse};
use arqway_lab::experiment::{Effort, Experiment, Files};
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::plan::Request;
use arqway_lab::run::run;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;

const FIGURE: &str = "[experiment]\nid = \"paper-fig\"\npaper = \"paper\"\nreplications = 3\n[scenario]\nbase = \"monet08\"\n\
     set = { \"file-transfer.size\" = \"100 kB\", \"wireless.errors\" = { kind = \"uniform\", loss = \"9.8 %\" } }\n\
     [[scheme]]\nuse = \"raw\"\n[[scheme]]\nuse = \"sr\"\n[[scheme]]\nuse = \"sr\"\nvariant = \"few\"\nset = { window = 9 }\n\
     [[figure]]\nid = \"fig\"\ny = \"file-transfer.throughput\"\n";

const CLAIM: &str = "[[claim]]\nid = \"paper.fig\"\nwhere = \"Fig. 1\"\napp = \"file-transfer\"\nerrors = \"uniform\"\n\
     beside = \"none\"\nmetric = \"throughput\"\nkind = \"shape\"\ntext = \"Raw is slow.\"\n\
     holds = [{ a = { scheme = \"raw\" }, is = { at-most = 1000 }, at = [0] }]\n";

fn plan(overlay: &Overlay) -> Plan {
    let source = Source::new("figure.toml", FIGURE);
    let read = Experiment::read_over(&source, &Files::default(), Effort::Full, overlay);
    Plan::new(vec![read.unwrap_or_else(|told| panic!("{told}"))], &Request::default()).expect("all cells")
}

fn set(text: &str) -> Node {
    let source = Source::new("set.toml", text);
    parse(&source, &mut Mistakes::new()).and_then(|tree| tree.get_path("set").cloned()).expect("a set")
}

fn results(plan: &Plan) -> Results {
    run(plan, NonZeroUsize::MIN, &Cancellation::new(), || ()).expect("worlds that can be built")
}

#[test]
fn rows_of_today_are_told_apart_by_their_variant_alone_and_verdicts_are_of_today() {
    let claims = claims::read(&Source::new("claims.toml", CLAIM)).unwrap_or_else(|told| panic!("{told}"));
    let plain_plan = plan(&Overlay::default());
    let plain = Judged::new(&plain_plan, &results(&plain_plan), &claims);
    // A window of one packet and a long wire: whatever the link does, next to nothing gets through.
    let slow = plan(&Overlay::of(set("set = { \"tcp.maximum-window\" = 1, \"wired.delay\" = \"3 s\" }")));
    let today = ModernTcp::new(&slow, &results(&slow), &claims);

    let key = |row: &Row| {
        let words = [&row.scheme, &row.metric].map(ToString::to_string);
        (words, row.replication, row.variant.to_string())
    };
    let todays = |(words, replication, variant): ([String; 2], u32, String)| {
        (words, replication, format!("{variant} {VARIANT}").trim().to_owned())
    };
    let [then, now] = [&plain.findings.rows, &today.rows].map(|rows| rows.iter().map(key).collect::<BTreeSet<_>>());
    assert_eq!(then.iter().cloned().map(todays).collect::<BTreeSet<_>>(), now);
    assert!(now.iter().any(|(_, _, variant)| variant == "few tcp=today") && then.is_disjoint(&now));

    let verdicts = [&plain.judgements, &today.judgements].map(|judged| judged[0].verdict().to_string());
    assert_eq!(verdicts, ["not-reproduced", "reproduced"]);
    let sections = today.sections(&plain_plan, &plain).expect("a section");
    let [Section { paper, html, text }] = sections.as_slice() else { panic!("one paper") };
    assert_eq!(paper, "paper");
    assert!(text.contains("1 of 1 statements (0 with the paper's TCP) are reproduced."), "{text}");
    assert!(text.contains("paper.fig: not reproduced with the paper's TCP, reproduced today"), "{text}");
    assert!(
        text.contains("over the raw link with the paper's TCP and") && html.contains("in the one figure"),
        "{text}"
    );
    for words in ["<caption>fig: ", "<th scope=\"row\">Raw", "<code>paper.fig</code>", "over raw, today"] {
        assert!(html.contains(words), "{words}: {html}");
    }
}

#[test]
fn equal_worlds_turn_no_verdict() {
    let claims = claims::read(&Source::new("claims.toml", CLAIM)).unwrap_or_else(|told| panic!("{told}"));
    let plan = plan(&Overlay::default());
    let plain = Judged::new(&plan, &results(&plan), &claims);
    let same = ModernTcp::new(&plan, &results(&plan), &claims);
    let sections = same.sections(&plan, &plain).expect("a section");
    assert!(!sections[0].text.contains("today\n") && sections[0].html.contains("As before: <code>paper.fig</code>"));
}
