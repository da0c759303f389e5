//! The services that are tried on a link. How each is set up follows from the link, by [`rules`].

mod rules;

use super::link::Link;
use arqway_units::Span;
use rules::{Rules, part, rounded_down, rounded_up, written};

/// A service with its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// As people call it.
    pub(super) label: String,
    /// As files have it: `{ kind = "raw", buffer = 32 }`.
    pub(super) service: String,
}

/// Multiples of the time in which an answer is there at the latest.
const TIMEOUTS: [f64; 4] = [1.1, 1.5, 2.0, 3.0];
/// Policies of an adaptive timeout: so many smoothed round-trip times and so many deviations. TCP's, and the two that did
/// best in aina06.
const POLICIES: [(u8, u8); 3] = [(1, 4), (2, 2), (3, 2)];
/// How often RLP asks for a frame.
const REQUESTS: [u64; 3] = [1, 3, 8];
/// How often it asks where packets do not wait for others.
const REQUESTS_AS_RECEIVED: [u64; 2] = [1, 3];
/// Data frames for each parity frame: from half again as many frames to a sixteenth more.
const BLOCKS: [u64; 4] = [2, 4, 8, 16];
/// The most parity, in percent, where packets have a deadline.
const PARITIES: [u64; 2] = [25, 50];
/// How often RLC sends a PDU again.
const RETRANSMISSIONS: [u64; 2] = [2, 8];
/// TCP waits for nothing that the link repairs, and hears of no gap that the link is filling.
const NONE: &str = "\"none\"";

/// All candidates for a link, the simplest services first: of two that are as good, the simpler is advised.
pub(super) fn candidates(link: &Link) -> Vec<Candidate> {
    let rules = Rules::of(link);
    let mut all = vec![raw(&rules)];
    // It has nothing to tune.
    all.extend(orders(link).map(|order| tally(&rules, order)));
    all.extend(BLOCKS.map(|block| xor_fec(&rules, block)));
    all.extend([1.1, 1.5].map(|times| go_back_n(&rules, times)));
    all.extend(TIMEOUTS.map(|times| fixed(&rules, times, None)));
    all.extend(POLICIES.map(|policy| adaptive(&rules, policy)));
    all.push(fixed(&rules, 1.5, Some(("as received", NONE))));
    if link.has_flows {
        all.push(fixed(&rules, 1.5, Some(("by flow", "\"per-flow\""))));
    }
    all.extend(REQUESTS.map(|requests| rlp(&rules, requests, None)));
    all.extend(REQUESTS_AS_RECEIVED.map(|requests| rlp(&rules, requests, Some(("as received", NONE)))));
    all.extend(RETRANSMISSIONS.map(|retransmissions| rlc_am(link, &rules, 1, &Discard::After(retransmissions))));
    all.push(rlc_am(link, &rules, 4, &Discard::After(8)));
    if let Some(within) = link.within {
        all.push(rlc_am(link, &rules, 1, &Discard::Timer(within)));
        all.extend(PARITIES.map(|parity| deadline(&rules, within - link.path_delay, parity)));
    }
    all.extend(orders(link).map(|order| sscop(&rules, order)));
    if link.has_tcp {
        all.push(snoop(&rules));
    }
    all
}

fn raw(rules: &Rules) -> Candidate {
    Candidate { label: "Raw".to_owned(), service: format!("{{ kind = \"raw\", buffer = {} }}", rules.buffer) }
}

fn xor_fec(rules: &Rules, block: u64) -> Candidate {
    Candidate {
        label: format!("XOR FEC, blocks of {block}"),
        service: format!(
            "{{ kind = \"xor-fec\", block = {block}, idle-timeout = \"{}\", buffer = {} }}",
            written(rules.parity_after),
            rules.buffer
        ),
    }
}

fn go_back_n(rules: &Rules, times: f64) -> Candidate {
    let timeout = written(part(rules.answer, times));
    Candidate {
        label: format!("Go-Back-N, {timeout}"),
        service: format!(
            "{{ kind = \"go-back-n\", window = {}, timeout = \"{timeout}\", timer-starts = \"departure\", \
             delayed-acknowledgement = \"{}\", drop-stale-copies = true }}",
            rules.window.min(255),
            written(rules.delayed_acknowledgement),
        ),
    }
}

/// An order in which packets are released: as people and as files call it.
type Order = Option<(&'static str, &'static str)>;

/// In sequence, as received, and by flow where there are several.
fn orders(link: &Link) -> impl Iterator<Item = Order> {
    let by_flow = link.has_flows.then_some(Some(("by flow", "\"per-flow\"")));
    [None, Some(("as received", NONE))].into_iter().chain(by_flow)
}

fn fixed(rules: &Rules, times: f64, order: Order) -> Candidate {
    let timeout = written(part(rules.answer, times));
    selective_repeat(rules, &timeout, &format!("timeout = \"{timeout}\""), order)
}

/// An adaptive timeout begins with the answer's time, and is never below it.
fn adaptive(rules: &Rules, (srtt, srttvar): (u8, u8)) -> Candidate {
    let answer = written(rules.answer);
    let timeout = format!(
        "timeout = {{ kind = \"adaptive\", srtt = {srtt}, srttvar = {srttvar} }}, \
         estimator = {{ initial-srtt = \"{answer}\", initial-srttvar = \"0 s\", floor = \"{answer}\" }}"
    );
    selective_repeat(rules, &format!("adaptive {srtt}+{srttvar}"), &timeout, None)
}

fn selective_repeat(rules: &Rules, label: &str, timeout: &str, order: Order) -> Candidate {
    let (released, resequencing) = order.map_or(("", "\"full\""), |(label, order)| (label, order));
    let released = if released.is_empty() { String::new() } else { format!(", {released}") };
    Candidate {
        label: format!("Selective Repeat, {label}{released}"),
        service: format!(
            "{{ kind = \"selective-repeat\", window = {}, {timeout}, timer-starts = \"departure\", \
             delayed-acknowledgement = \"{}\", rejects = \"multireject\", drop-stale-copies = true, \
             resequencing = {resequencing} }}",
            rules.window.min(128),
            written(rules.delayed_acknowledgement),
        ),
    }
}

/// Keepalives outlast the last request for the last frame.
fn rlp(rules: &Rules, requests: u64, order: Order) -> Candidate {
    let (request, keepalive) = (rounded_up(rules.request), rounded_up(rules.keepalive));
    let lasts = request * (requests + 2);
    let keepalives = lasts.as_nanoseconds().div_ceil(keepalive.as_nanoseconds().max(1)).clamp(16, 10_000);
    let (released, resequencing) =
        order.map_or((String::new(), "\"full\""), |(label, order)| (format!(", {label}"), order));
    let plural = if requests == 1 { "" } else { "s" };
    Candidate {
        label: format!("RLP, {requests} retransmission{plural}{released}"),
        service: format!(
            "{{ kind = \"rlp\", retransmissions = {requests}, nack-timeout = \"{request}\", window = 128, \
             keepalive = \"{keepalive}\", keepalives = {keepalives}, buffer = {}, resequencing = {resequencing} }}",
            rules.buffer
        ),
    }
}

/// What the way leaves of the time that a packet has.
fn deadline(rules: &Rules, left: Span, parity: u64) -> Candidate {
    let left = rounded_down(left).max(SHORTEST_DEADLINE);
    Candidate {
        label: format!("Deadline, {left}, parity {parity} %"),
        service: format!(
            "{{ kind = \"deadline\", deadline = \"{left}\", parity = \"{parity} %\", buffer = {} }}",
            rules.buffer
        ),
    }
}

/// Even where the way takes all of the time.
const SHORTEST_DEADLINE: Span = Span::from_milliseconds(1);

/// When RLC gives packets up.
enum Discard {
    After(u64),
    Timer(Span),
}

/// Each packet in so many PDUs; behind a header and a length indicator.
fn rlc_am(link: &Link, rules: &Rules, parts: u64, discard: &Discard) -> Candidate {
    const HEADER: u64 = 5;
    const LARGEST: u64 = 1505;
    let pdu = (link.packet.as_u64().div_ceil(parts) + HEADER).clamp(16, LARGEST);
    let cut = if parts == 1 { String::new() } else { format!(", PDUs of {pdu}") };
    let (given_up, discard) = match discard {
        Discard::After(times) => {
            let plural = if *times == 1 { "" } else { "s" };
            (
                format!("{times} retransmission{plural}"),
                format!("discard = \"after-transmissions\", retransmissions = {times}"),
            )
        }
        Discard::Timer(after) => {
            (format!("{after} for each packet"), format!("discard = {{ kind = \"timer\", after = \"{after}\" }}"))
        }
    };
    let (repeat, prohibit) = (written(rules.repeat_poll), written(rules.prohibit));
    Candidate {
        label: format!("RLC, {given_up}{cut}"),
        service: format!(
            "{{ kind = \"rlc-am\", profile = \"robust\", pdu-size = \"{pdu} octets\", flexible-pdu-size = true, \
             window = {}, poll = {{ timer = \"{repeat}\", prohibit = \"{prohibit}\" }}, \
             status = {{ prohibit = \"{prohibit}\" }}, {discard}, mrw = {{ timer = \"{repeat}\" }}, \
             reset = {{ timer = \"{repeat}\" }}, resend-in-flight = false, round-trip = \"{}\", buffer = {} }}",
            (rules.pdus * parts).min(2048),
            written(part(rules.least_round_trip, 0.9)),
            rules.buffer
        ),
    }
}

/// Waits of seconds suit links with round trips of less; on longer ones they grow with them.
fn sscop(rules: &Rules, order: Order) -> Candidate {
    let least = |seconds: f64, polls: u64| written(Span::from_seconds(seconds).max(rules.repeat_poll * polls));
    let (released, resequencing) =
        order.map_or((String::new(), "\"full\""), |(label, order)| (format!(", {label}"), order));
    Candidate {
        label: format!("SSCOP{released}"),
        service: format!(
            "{{ kind = \"sscop\", timer-poll = \"{}\", timer-keep-alive = \"{}\", timer-no-response = \"{}\", \
             timer-cc = \"{}\", credit = {}, buffer = {}, resequencing = {resequencing} }}",
            written(rules.poll),
            least(2.0, 2),
            least(7.0, 7),
            least(1.0, 1),
            rules.credit,
            rules.buffer,
        ),
    }
}

/// The timer of a segment begins with the link's round trip, and is never below it.
fn snoop(rules: &Rules) -> Candidate {
    let round_trip = written(rules.answer);
    Candidate {
        label: "Snoop".to_owned(),
        service: format!(
            "{{ kind = \"snoop\", cache = {}, buffer = {}, estimator = {{ initial-srtt = \"{round_trip}\", floor = \"{round_trip}\" }} }}",
            rules.cache, rules.buffer
        ),
    }
}

/// Only its buffer depends on the link. It holds the burst that TCP sends where packets behind a gap are released at once: a buffer of
/// what is in flight would overflow with each of them.
fn tally(rules: &Rules, order: Order) -> Candidate {
    let (released, resequencing) =
        order.map_or((String::new(), "\"full\""), |(label, order)| (format!(", {label}"), order));
    Candidate {
        label: format!("Tally{released}"),
        service: format!("{{ kind = \"tally\", buffer = {}, resequencing = {resequencing} }}", rules.burst),
    }
}
