//! `docs/reference/tunnel-status.md` explains each key of the JSON that a tunnel says of itself, and no other.

use arqway_tunnel::{
    CountersStatus, EventLine, FlowStatus, FlowsStatus, LineHint, LineStatus, PathLinkStatus, PathServiceStatus,
    PathStatus, PeerStatus, ServiceStatus, Status, What,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names in the first column of the tables between two headings, which stand there as code.
fn explained(from: &str, to: &str) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/tunnel-status.md");
    let page = fs::read_to_string(path).expect("the page");
    let (_, rest) = page.split_once(from).expect("a heading");
    let (part, _) = rest.split_once(to).unwrap_or((rest, ""));
    let first_columns = part.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    first_columns
        .flat_map(|column| column.split('`').step_by(2))
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The keys of an object, and of those in it.
fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            found.insert(key.clone());
            keys(value, found);
        }),
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}

/// One line of several.
fn line() -> LineStatus {
    LineStatus {
        name: None,
        address: None,
        is_up: true,
        is_spare: true,
        is_slow: true,
        sent_octets: 0,
        received_octets: 0,
        budget_octets: None,
        month_octets: None,
        datagram_loss: None,
        round_trip_s: None,
        mtu_octets: 1500,
        rate_bps: None,
        rate_found: None,
        delivery_rate_bps: None,
    }
}

#[test]
fn each_key_of_the_status_is_explained() {
    let text = || "x".to_owned();
    let service = ServiceStatus {
        name: text(),
        kind: text(),
        goodput: None,
        loss: None,
        retransmissions: None,
        sent_bps: 0.0,
        received_bps: 0.0,
        packets_refused: 0,
        packets_marked: 0,
        acknowledgements_made: 0,
    };
    let peer = PeerStatus {
        lines: vec![line()],
        name: text(),
        address: None,
        is_up: true,
        is_announced_down: false,
        is_line_gone: false,
        heard_s_ago: None,
        datagram_loss: None,
        round_trip_s: None,
        mtu_octets: 1500,
        rate_bps: None,
        slowed_from_bps: None,
        rate_found: None,
        line_queue_s: None,
        line_carries_bps: None,
        delivery_rate_bps: None,
        services: vec![service],
    };
    let status = Status {
        interface: text(),
        public_key: text(),
        listens_at: text(),
        running_s: 0.0,
        peers: vec![peer],
        counters: CountersStatus::default(),
    };
    let mut found = BTreeSet::new();
    keys(&serde_json::to_value(status).expect("JSON"), &mut found);
    let flow = FlowStatus {
        number: 0,
        peer: text(),
        protocol: text(),
        here: None,
        there: None,
        service: text(),
        seen_as: None,
        is_split: false,
        packets_sent: 0,
        octets_sent: 0,
        packets_received: 0,
        octets_received: 0,
    };
    let flows = FlowsStatus { counted_s: 1.0, flows: vec![flow], others_octets: 0 };
    keys(&serde_json::to_value(flows).expect("JSON"), &mut found);
    assert_eq!(explained("## Status", "## A path"), found);
}

#[test]
fn each_key_of_a_path_is_explained() {
    let (name, goodput, loss) = ("x".to_owned(), None, None);
    let service = PathServiceStatus { name: name.clone(), goodput, retransmissions: None, loss, delay_s: None };
    let link =
        PathLinkStatus { name, rate_bps: None, rate_is_least: true, round_trip_s: None, services: vec![service] };
    let mut found = BTreeSet::new();
    keys(&serde_json::to_value(PathStatus { there: vec![link], back: Vec::new() }).expect("JSON"), &mut found);
    assert_eq!(explained("## A path", "## Events"), found);
}

#[test]
fn each_event_is_explained() {
    let why = || "x".to_owned();
    let all = [
        What::Keys,
        What::Restarted,
        What::Refused { why: why() },
        What::Unreachable { unverified: true },
        What::Unanswered { at: why(), public_key: why(), unverified: true },
        What::KeyUnknown { at: why(), public_key: why() },
        What::Stranger { from: why(), public_key: why() },
        What::Misdirected { from: why(), public_key: why(), of: Some(why()) },
        What::KeyTwice { at: why(), before: why() },
        What::Unresolved { endpoint: why(), why: why() },
        What::Moved { to: why() },
        What::Up,
        What::Down,
        What::LineUp,
        What::LineDown,
        What::Slowed { to_bps: 1 },
        What::Rate { found_bps: 1 },
        What::RateTooHigh { carries_bps: 1 },
        What::Restored,
        What::Hint { hint: LineHint::Up },
        What::LineGone { why: why() },
        What::LineRefused { why: why() },
        What::LineBack,
        What::BudgetSpent { octets: 1 },
        What::BudgetRenewed { octets: 1 },
        What::BudgetUnwritten { why: "x".to_owned() },
        What::Mtu { octets: 1500 },
    ];
    let lines = all.map(|what| EventLine { at_s: 0.0, number: 1, peer: Some(why()), line: Some(1), what });
    let events: Vec<Value> = lines.iter().map(|line| serde_json::to_value(line).expect("JSON")).collect();
    let names = events.iter().map(|event| event["event"].as_str().expect("a name").to_owned()).collect();
    assert_eq!(explained("## Events", "```"), names);
}
