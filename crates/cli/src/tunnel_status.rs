//! `arqway status LINK` and `arqway events LINK`: what a tunnel that runs says of itself.

use crate::failure::Failure;
use crate::terminal::{note, print, print_while_read};
use arqway_tunnel::{
    Answers, AskError, EventLine, FlowStatus, FlowsStatus, LineStatus, PeerStatus, ServiceStatus, Status, ask, running,
};
use arqway_units::Span;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

const STATUS: &str = "Examples:
  arqway status                      all tunnels of this network namespace
  arqway status home                 the tunnel of home.toml
  arqway status home --watch --json  again each second, an object a line
  arqway status home --json          for machines: SI units, null where something is not known
  arqway status home --flows         each flow for three seconds: its service, and what it sends and receives";

const EVENTS: &str = "With --json, each line is an object: `event` is keys, restarted, refused, unreachable, unresolved, moved, up, down, slowed, rate, rate-too-high, restored, hint, mtu, line-gone, line-refused, line-back, line-up,
line-down, budget-spent, budget-renewed or budget-unwritten; `number` counts the
events, so a reader that was too slow sees that it missed some.

Examples:
  arqway events home
  arqway events home --json | while read -r event; do logger \"$event\"; done";

#[derive(Debug, clap::Args)]
#[command(after_help = STATUS)]
pub(crate) struct Arguments {
    /// The interface of a tunnel that runs in this network namespace [default: all of them]
    #[arg(value_name = "LINK", required_if_eq("flows", "true"))]
    link: Option<String>,
    /// Print JSON, of each tunnel an object a line
    #[arg(long)]
    json: bool,
    /// Print it again each second, until Ctrl-C
    #[arg(long, conflicts_with = "flows")]
    watch: bool,
    /// Each flow in place of the whole; its addresses only for root
    #[arg(long)]
    flows: bool,
    /// How long flows are counted, up to 10 s
    #[arg(long = "for", value_name = "TIME", default_value = "3 s", requires = "flows", value_parser = length)]
    length: Span,
}

/// How long flows are counted.
fn length(text: &str) -> Result<Span, String> {
    let length: Span = text.parse().map_err(|error| format!("{error}"))?;
    let is_right = (Span::from_milliseconds(100)..=Span::from_milliseconds(10_000)).contains(&length);
    if is_right { Ok(length) } else { Err("expected 0.1 s to 10 s".to_owned()) }
}

#[derive(Debug, clap::Args)]
#[command(after_help = EVENTS)]
pub(crate) struct Events {
    /// The interface of a tunnel that runs in this network namespace
    #[arg(value_name = "LINK")]
    link: String,
    /// Print JSON, an object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(link) = arguments.link.as_deref().filter(|_| arguments.flows) {
        return flows(link, arguments);
    }
    loop {
        let links = match &arguments.link {
            Some(link) => vec![link.clone()],
            None => running().map_err(|error| Failure::Failed(format!("cannot look for tunnels: {error}")))?,
        };
        if links.is_empty() {
            note("no tunnel is running in this network namespace");
        }
        for link in &links {
            let said = match said(link, arguments.json) {
                Err(error) if arguments.link.is_none() => {
                    // One that has ended since its name was read is no news.
                    if !matches!(error, AskError::NotRunning(_)) {
                        note(error);
                    }
                    continue;
                }
                said => said.map_err(failure)?,
            };
            let text = said.map_err(|error| not_understood(link, &error))?;
            if !print_while_read(&text)? {
                return Ok(ExitCode::SUCCESS);
            }
        }
        if !arguments.watch {
            return Ok(ExitCode::SUCCESS);
        }
        thread::sleep(AGAIN);
    }
}

/// How long it is until a status that is watched is printed again.
const AGAIN: Duration = Duration::from_secs(1);

/// The status of a tunnel, for people or for machines.
fn said(link: &str, json: bool) -> Result<Result<String, serde_json::Error>, AskError> {
    let answer = ask(link, "status").and_then(Answers::only)?;
    Ok(if json { Ok(answer) } else { serde_json::from_str(&answer).map(|status| table(&status)) })
}

/// What flows do between two answers.
fn flows(link: &str, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let asked = || -> Result<FlowsStatus, Failure> {
        let answer = ask(link, "flows").and_then(Answers::only).map_err(failure)?;
        serde_json::from_str(&answer).map_err(|error| not_understood(link, &error))
    };
    let before = asked()?;
    thread::sleep(Duration::from_nanos(arguments.length.as_nanoseconds()));
    let between = asked()?.since(&before);
    if arguments.json {
        print(&(serde_json::to_string(&between).map_err(Failure::failed)? + "\n"))?;
    } else {
        print(&table_of_flows(&between))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// So many flows are printed; all of them with --json.
const PRINTED: usize = 40;

fn table_of_flows(status: &FlowsStatus) -> String {
    let FlowsStatus { counted_s, flows, others_octets } = status;
    let rate_of = |octets: u64| rate(Some(precise(octets) * 8.0 / counted_s.max(f64::MIN_POSITIVE)));
    let ends = |flow: &FlowStatus| match (&flow.here, &flow.there) {
        (Some(here), Some(there)) => format!("{} {here} <> {there}", flow.protocol),
        _ => format!("{} (addresses: ask as root)", flow.protocol),
    };
    let width = flows.iter().take(PRINTED).map(|flow| ends(flow).len()).max().unwrap_or(0).max(4);
    let mut lines =
        vec![format!("{:<width$}  {:<12} {:<17} {:>11} {:>11}", "flow", "service", "known by", "sent", "received")];
    for flow in flows.iter().take(PRINTED) {
        let known = match (flow.seen_as.as_deref(), flow.is_split) {
            (Some("rtp"), _) => "RTP",
            (Some(_), _) => "small and steady",
            (None, true) => "TCP, split",
            (None, false) => "",
        };
        let FlowStatus { service, octets_sent, octets_received, .. } = flow;
        let (sent, received) = (rate_of(*octets_sent), rate_of(*octets_received));
        lines.push(format!("{:<width$}  {service:<12} {known:<17} {sent:>11} {received:>11}", ends(flow)));
    }
    let left = flows.len().saturating_sub(PRINTED);
    if left > 0 || *others_octets > 0 {
        let octets: u64 = flows.iter().skip(PRINTED).map(|flow| flow.octets_sent + flow.octets_received).sum();
        lines.push(format!(
            "and {left} with less, and others too many to tell apart: {}",
            rate_of(octets + others_octets)
        ));
    }
    lines.join("\n") + "\n"
}

pub(crate) fn events(arguments: &Events) -> Result<ExitCode, Failure> {
    let mut answers = ask(&arguments.link, "events").map_err(failure)?;
    while let Some(line) = answers.next_line().map_err(failure)? {
        let text = if arguments.json {
            line
        } else {
            let event: EventLine =
                serde_json::from_str(&line).map_err(|error| not_understood(&arguments.link, &error))?;
            format!("{:>10.3} s  {event}\n", event.at_s)
        };
        if !print_while_read(&text)? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is asked of a tunnel that does not run is a slip; all else is a failure.
pub(crate) fn failure(error: AskError) -> Failure {
    match error {
        AskError::NotRunning(_) => Failure::usage(error),
        _ => Failure::failed(error),
    }
}

pub(crate) fn not_understood(link: &str, error: &serde_json::Error) -> Failure {
    Failure::Failed(format!("the answer of the tunnel `{link}` is not understood: {error}; is it of another version?"))
}

fn table(status: &Status) -> String {
    let Status { interface, public_key, listens_at, running_s, peers, counters } = status;
    let mut lines = vec![format!("{interface}: running for {}, listening on {listens_at}", time(Some(*running_s)))];
    lines.push(format!("  public key {public_key}"));
    for peer in peers {
        lines.extend(of_peer(peer));
    }
    let own = &counters.own;
    lines.push(format!("packets: {} sent, {} received", own.packets_taken, own.packets_delivered));
    let dropped = [
        ("queue full", own.packets_dropped),
        ("too large", own.packets_too_large),
        ("no peer", own.packets_without_peer),
        ("no address of the peer", own.packets_without_address),
        ("source not allowed", own.sources_not_allowed),
        ("not taken by the kernel", own.packets_refused_here),
    ];
    lines.extend(of_counters("  dropped", &dropped));
    lines.push(format!("datagrams: {} sent, {} received", counters.datagrams_sent, own.datagrams_received));
    let refused = [
        ("not taken by the kernel", counters.datagrams_lost),
        ("peer's new address not proven", own.datagrams_not_sealed),
        ("not recognised", counters.datagrams_unknown),
        ("of strangers' keys", counters.datagrams_of_strangers),
        ("forged", counters.datagrams_forged),
        ("replayed", counters.datagrams_replayed),
        ("keys expired", counters.datagrams_expired),
        ("too many handshakes", counters.datagrams_overload),
        ("damaged", counters.datagrams_damaged),
    ];
    lines.extend(of_counters("  dropped", &refused));
    lines.join("\n") + "\n"
}

fn of_peer(peer: &PeerStatus) -> Vec<String> {
    let PeerStatus {
        name,
        address,
        is_up,
        is_announced_down,
        is_line_gone,
        heard_s_ago,
        datagram_loss,
        round_trip_s,
        mtu_octets,
        rate_bps,
        slowed_from_bps,
        rate_found,
        line_queue_s,
        line_carries_bps,
        delivery_rate_bps,
        lines: of_lines,
        services,
    } = peer;
    let state = match (is_up, is_announced_down, is_line_gone) {
        (true, ..) => "up",
        (false, true, true) => "down as announced, line gone",
        (false, true, false) => "down as announced",
        (false, false, true) => "down, line gone",
        (false, false, false) => "down",
    };
    let at = address.as_deref().map_or_else(|| "address not known yet".to_owned(), |address| format!("at {address}"));
    let heard = heard_s_ago
        .map_or_else(|| "nothing received yet".to_owned(), |ago| format!("last received {} ago", time(Some(ago))));
    let most = rate_bps
        .map_or_else(|| "rate unlimited".to_owned(), |most| format!("sending at most {}", rate(Some(precise(most)))));
    let slowed = slowed_from_bps.map_or_else(String::new, |from| {
        format!(" (lowered from {}: less than half arrived)", rate(Some(precise(from))))
    });
    let found = rate_found.as_ref().map_or_else(String::new, |finding| {
        format!(" (found: {finding}, {} of queue on the line)", time(line_queue_s.or(Some(0.0))))
    });
    let short = line_carries_bps
        .map_or_else(String::new, |carries| format!(" (too much: the line carries {})", rate(Some(precise(carries)))));
    let mut lines = vec![
        format!("{name}: {state}, {at}, {heard}"),
        format!(
            "  round trip {}, path MTU {mtu_octets}, {most}{found}{slowed}{short}, peer receives {}{}",
            time(*round_trip_s),
            rate(delivery_rate_bps.map(precise)),
            lost(*datagram_loss)
        ),
        format!(
            "  {:<12} {:<18} {:>11} {:>11} {:>8} {:>7} {:>8} {:>8} {:>8}",
            "service", "kind", "sent", "received", "payload", "loss", "resent", "dropped", "marked"
        ),
    ];
    lines.splice(2..2, of_lines.iter().enumerate().map(of_line));
    lines.extend(services.iter().map(of_service));
    lines
}

/// One line of several.
fn of_line((number, line): (usize, &LineStatus)) -> String {
    let LineStatus { name, address, is_up, is_spare, is_slow, sent_octets, received_octets, .. } = line;
    let LineStatus { budget_octets, month_octets, .. } = line;
    let LineStatus { datagram_loss, round_trip_s, mtu_octets, rate_bps, rate_found, delivery_rate_bps, .. } = line;
    let spare = match (is_spare, is_slow) {
        (true, _) => ", spare",
        (false, true) => ", too slow for TCP beside another",
        (false, false) => "",
    };
    let state = if *is_up { "up" } else { "down" };
    let month = budget_octets
        .zip(*month_octets)
        .map_or_else(String::new, |(budget, used)| format!(" ({} of {} this month)", volume(used), volume(budget)));
    let [sent, received] = [sent_octets, received_octets].map(|octets| volume(*octets));
    let name = name.as_deref().map_or_else(String::new, |name| format!(" by {name}"));
    let at = address.as_deref().map_or_else(String::new, |address| format!(" to {address}"));
    let most = rate_bps.map_or_else(|| "unlimited".to_owned(), |most| rate(Some(precise(most))));
    let found = rate_found.as_deref().map_or_else(String::new, |finding| format!(" (found: {finding})"));
    let (round_trip, receives) = (time(*round_trip_s), rate(delivery_rate_bps.map(precise)));
    format!(
        "  line {number}{name}{at}: {state}{spare}, round trip {round_trip}, path MTU {mtu_octets}, at most {most}{found}, peer receives {receives}, \
         sent {sent}, received {received}{}{month}",
        lost(*datagram_loss)
    )
}

/// How much of what the peer sends is lost on its way.
fn lost(share: Option<f64>) -> String {
    share.map_or_else(String::new, |share| format!(", {:.1} % of its datagrams lost", share * 100.0))
}

fn of_service(service: &ServiceStatus) -> String {
    let ServiceStatus { name, kind, goodput, loss, retransmissions, sent_bps, received_bps, .. } = service;
    let ServiceStatus { packets_refused, packets_marked, .. } = service;
    let percent = |value: &Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{:.1} %", value * 100.0));
    format!(
        "  {name:<12} {kind:<18} {:>11} {:>11} {:>8} {:>7} {:>8} {packets_refused:>8} {packets_marked:>8}",
        rate(Some(*sent_bps)),
        rate(Some(*received_bps)),
        percent(goodput),
        percent(loss),
        percent(retransmissions)
    )
}

/// Those that are not zero, in one line.
fn of_counters(head: &str, counters: &[(&str, u64)]) -> Option<String> {
    let counted: Vec<_> =
        counters.iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what} {count}")).collect();
    (!counted.is_empty()).then(|| format!("{head}: {}", counted.join(", ")))
}

pub(crate) fn precise(bits_per_second: u64) -> f64 {
    arqway_units::ToFloat::to_f64(bits_per_second)
}

/// For people.
fn volume(octets: u64) -> String {
    if octets >= 1_000_000_000 {
        format!("{:.2} GB", precise(octets) / 1e9)
    } else {
        format!("{:.1} MB", precise(octets) / 1e6)
    }
}

pub(crate) fn rate(bits_per_second: Option<f64>) -> String {
    match bits_per_second {
        None => "-".to_owned(),
        Some(rate) if rate >= 1e6 => format!("{:.2} Mbit/s", rate / 1e6),
        Some(rate) if rate >= 1e3 => format!("{:.1} kbit/s", rate / 1e3),
        Some(rate) => format!("{rate:.0} bit/s"),
    }
}

pub(crate) fn time(seconds: Option<f64>) -> String {
    match seconds {
        None => "-".to_owned(),
        Some(time) if time < 1.0 => format!("{:.1} ms", time * 1e3),
        Some(time) if time < 120.0 => format!("{time:.1} s"),
        Some(time) if time < 7200.0 => format!("{:.0} min", time / 60.0),
        Some(time) => format!("{:.1} h", time / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_tunnel::{Counters, CountersStatus};

    #[test]
    fn every_datagram_that_was_dropped_is_in_the_table_under_its_reason() {
        let own = Counters { datagrams_not_sealed: 2, ..Counters::default() };
        let counters = CountersStatus {
            own,
            datagrams_lost: 1,
            datagrams_unknown: 3,
            datagrams_of_strangers: 4,
            datagrams_forged: 5,
            datagrams_replayed: 6,
            datagrams_expired: 7,
            datagrams_overload: 8,
            datagrams_damaged: 9,
            ..CountersStatus::default()
        };
        let (interface, public_key, listens_at) = ("home".to_owned(), String::new(), String::new());
        let said = table(&Status { interface, public_key, listens_at, running_s: 0.0, peers: Vec::new(), counters });
        let expected = "  dropped: not taken by the kernel 1, peer's new address not proven 2, not recognised 3, of strangers' keys 4, \
                        forged 5, replayed 6, keys expired 7, too many handshakes 8, damaged 9\n";
        assert!(said.ends_with(expected), "{said}");
    }

    #[test]
    fn flows_are_told_by_their_ends_their_service_and_what_they_were_found_to_be() {
        let flow = |there: Option<&str>, seen_as: Option<&str>, is_split, octets| FlowStatus {
            number: 0,
            peer: "boat".to_owned(),
            protocol: "udp".to_owned(),
            here: there.map(|_| "10.9.0.1:5".to_owned()),
            there: there.map(str::to_owned),
            service: "low-delay".to_owned(),
            seen_as: seen_as.map(str::to_owned),
            is_split,
            packets_sent: 1,
            octets_sent: octets,
            packets_received: 0,
            octets_received: 0,
        };
        let all = [flow(Some("10.9.0.2:6"), Some("rtp"), false, 1000), flow(None, None, true, 10)];
        let said = table_of_flows(&FlowsStatus { counted_s: 2.0, flows: all.to_vec(), others_octets: 0 });
        let lines: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
        let expected = ["udp", "10.9.0.1:5", "<>", "10.9.0.2:6", "low-delay", "RTP", "4.0", "kbit/s", "0", "bit/s"];
        assert_eq!(lines[1], expected);
        assert_eq!(lines[2][1..6].join(" "), "(addresses: ask as root) low-delay");
        assert!(lines.len() == 3 && lines[2].contains(&"split"), "{said}");
        let many = vec![flow(Some("x"), None, false, 250); 42];
        let said = table_of_flows(&FlowsStatus { counted_s: 1.0, flows: many, others_octets: 500 });
        assert!(said.ends_with("and 2 with less, and others too many to tell apart: 8.0 kbit/s\n"), "{said}");
    }
}
