//! How the view is drawn: rows of text, of which a part is on the screen.
//!
//! ```text
//!     home  running for 3.0 h, listening on 0.0.0.0:51820
//!     boat  up, at 198.51.100.7:51820, heard 0.1 s ago
//!       line        rate         held by      arrives      round trip  queue   lost   rate lately
//!       0 wwan0     12.3 Mbit/s  steady       12.1 Mbit/s  45.0 ms     2.1 ms  0.3 %  ▁▂▃▅▆▇█▇▇▇
//! ```

use super::View;
use super::history::{Of, Tunnel, rates};
use crate::tunnel_status::{precise, rate, time};
use arqway_tunnel::{FlowStatus, LineStatus, PeerStatus, ServiceStatus};
use arqway_units::truncate;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Style, Stylize as _};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Paragraph;

/// So many flows are shown, those with the most octets.
const FLOWS: usize = 8;
/// A sparkline is no wider than that: two minutes.
const WIDEST: usize = 120;
/// Where it begins.
const TRACK_AT: u16 = 91;
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws what there is.
pub(super) fn draw(frame: &mut Frame<'_>, view: &mut View) {
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(frame.area());
    let rows = rows(view, body.width);
    view.rows = (u16::try_from(rows.len()).unwrap_or(u16::MAX), body.height);
    view.scrolled = view.scrolled.min(view.rows.0.saturating_sub(body.height));
    let state = if view.is_paused { "stopped" } else { "each second" };
    let below = view.rows.0.saturating_sub(view.scrolled + body.height);
    let more = if below > 0 { format!(", {below} more rows below") } else { String::new() };
    let title = format!("arqway top: {state}{more}    q ends, p stops and goes on, arrows move");
    frame.render_widget(Paragraph::new(title).reversed(), head);
    frame.render_widget(Paragraph::new(Text::from(rows)).scroll((view.scrolled, 0)), body);
}

fn rows(view: &View, width: u16) -> Vec<Line<'static>> {
    let tunnels = view.history.tunnels();
    if tunnels.len() == 0 {
        return vec![Line::raw("no tunnel is running in this network namespace")];
    }
    tunnels.flat_map(|tunnel| of_tunnel(tunnel, width)).collect()
}

fn of_tunnel(tunnel: &Tunnel, width: u16) -> Vec<Line<'static>> {
    let status = &tunnel.status;
    let running = format!("  running for {}, listening on {}", time(Some(status.running_s)), status.listens_at);
    let mut rows = vec![Line::from(vec![Span::raw(status.interface.clone()).bold(), Span::raw(running)])];
    for (place, peer) in status.peers.iter().enumerate() {
        rows.extend(of_peer(tunnel, place, peer, width));
    }
    let own = &status.counters.own;
    let dropped = match tunnel.dropped {
        None | Some(0) => Span::raw("none dropped in the last second"),
        Some(count) => Span::raw(format!("{count} dropped in the last second")).yellow(),
    };
    let counted = format!("  packets: {} sent, {} received, ", own.packets_taken, own.packets_delivered);
    rows.push(Line::from(vec![Span::raw(counted), dropped]));
    rows.extend(of_flows(tunnel));
    rows.push(Line::raw(""));
    rows
}

fn of_peer(tunnel: &Tunnel, place: usize, peer: &PeerStatus, width: u16) -> Vec<Line<'static>> {
    let state = if peer.is_up { Span::raw("up").green() } else { Span::raw("DOWN").red().bold() };
    let why = match (peer.is_announced_down, peer.is_line_gone) {
        (true, _) => " as announced",
        (_, true) => ", its device is gone",
        _ => "",
    };
    let at = peer.address.as_ref().map_or_else(|| ", address not known yet".to_owned(), |at| format!(", at {at}"));
    let heard = peer
        .heard_s_ago
        .map_or_else(|| ", nothing received yet".to_owned(), |ago| format!(", last received {} ago", time(Some(ago))));
    let name = Span::raw(format!("{}  ", peer.name)).bold();
    let mut rows = vec![
        Line::from(vec![name, state, Span::raw(format!("{why}{at}{heard}"))]),
        heading([
            format!("  {:<16} {:>13}  {:<18}", "line", "sending at", "held by"),
            format!("{:>13} {:>10} {:>8} {:>6}  rate, second by second", "arriving", "round trip", "queue", "lost"),
        ]),
    ];
    for (number, rate) in rates(peer).into_iter().enumerate() {
        let row = peer.lines.get(number).map_or_else(|| only_line(peer), |line| one_of_lines(number, line));
        let track = Of::Rate(place, number);
        rows.push(with_track(row, tunnel, track, rate.is_some(), width));
    }
    rows.push(heading([
        format!("  {:<16} {:>13}  {:<18}", "service", "sending", "kind"),
        format!(
            "{:>13} {:>10} {:>8} {:>6}  both ways, means of ten seconds",
            "receiving", "sent again", "dropped", "lost"
        ),
    ]));
    for (number, service) in peer.services.iter().enumerate() {
        rows.push(with_track(of_service(service), tunnel, Of::Service(place, number), true, width));
    }
    rows
}

fn heading(parts: [String; 2]) -> Line<'static> {
    Line::raw(parts.join(" ")).dim()
}

/// A row of a table, and behind it a sparkline as far as there is room.
fn with_track(row: Row, tunnel: &Tunnel, of: Of, is_known: bool, width: u16) -> Line<'static> {
    let room = usize::from(width.saturating_sub(TRACK_AT)).min(WIDEST);
    let track = if is_known { sparkline(tunnel.track(of), room) } else { String::new() };
    Line::from(vec![Span::styled(row.text, row.style), Span::raw("  "), Span::raw(track).cyan()])
}

/// A row of a table.
struct Row {
    text: String,
    style: Style,
}

/// The columns that lines and services have alike.
fn row(name: &str, first: &str, words: &str, second: &str, [third, fourth, fifth]: [&str; 3]) -> String {
    format!("  {:<16} {first:>13}  {words:<18} {second:>13} {third:>10} {fourth:>8} {fifth:>6}", shortened(name, 16))
}

/// Of a link with one line.
fn only_line(peer: &PeerStatus) -> Row {
    let held = match &peer.rate_found {
        _ if peer.line_carries_bps.is_some() => "more than it carries",
        Some(finding) => held(finding),
        None => "-",
    };
    let queue = time(peer.line_queue_s);
    let text = row(
        "-",
        &peer.rate_bps.map_or_else(|| "unlimited".to_owned(), |most| rate(Some(precise(most)))),
        held,
        &rate(peer.delivery_rate_bps.map(precise)),
        [&time(peer.round_trip_s), &queue, &percent(peer.datagram_loss)],
    );
    Row { text, style: Style::new() }
}

/// Of a link with several.
fn one_of_lines(number: usize, line: &LineStatus) -> Row {
    let name = line.name.as_deref().or(line.address.as_deref()).unwrap_or_default();
    let held = match &line.rate_found {
        _ if !line.is_up => "DOWN",
        _ if line.is_spare => "spare",
        _ if line.is_slow => "too slow for TCP",
        Some(finding) => held(finding),
        None => "-",
    };
    let text = row(
        &format!("{number} {name}"),
        &line.rate_bps.map_or_else(|| "unlimited".to_owned(), |most| rate(Some(precise(most)))),
        held,
        &rate(line.delivery_rate_bps.map(precise)),
        [&time(line.round_trip_s), "-", &percent(line.datagram_loss)],
    );
    Row { text, style: if line.is_up { Style::new() } else { Style::new().red() } }
}

fn of_service(service: &ServiceStatus) -> Row {
    let ServiceStatus { name, kind, loss, retransmissions, sent_bps, received_bps, packets_refused, .. } = service;
    let text = row(
        name,
        &rate(Some(*sent_bps)),
        &shortened(kind, 18),
        &rate(Some(*received_bps)),
        [&percent(*retransmissions), &packets_refused.to_string(), &percent(*loss)],
    );
    Row { text, style: Style::new() }
}

/// Why a rate that is found is what it is.
fn held(finding: &str) -> &str {
    match finding {
        "probing" => "nothing yet: rising",
        "steady" => "the line",
        "delay" => "a queue on it",
        "others" => "others' traffic",
        "marks" => "congestion marks",
        "losses" => "losses that grow",
        "application" => "nobody sends more",
        // Of a later version.
        other => other,
    }
}

fn of_flows(tunnel: &Tunnel) -> Vec<Line<'static>> {
    let Some(flows) = &tunnel.flows else { return Vec::new() };
    if flows.flows.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![heading([
        format!("  {:<52} {:<16}", "flow in the last second", "service"),
        format!("{:>13} {:>13}", "sending", "receiving"),
    ])];
    let of_second = |octets: u64| rate(Some(precise(octets) * 8.0 / flows.counted_s.max(0.1)));
    for flow in flows.flows.iter().take(FLOWS) {
        let FlowStatus { protocol, here, there, service, octets_sent, octets_received, .. } = flow;
        let ends = here.as_ref().zip(there.as_ref());
        let ends =
            ends.map_or_else(|| "(addresses: ask as root)".to_owned(), |(here, there)| format!("{here} <> {there}"));
        let [sent, received] = [*octets_sent, *octets_received].map(of_second);
        let ends = shortened(&format!("{protocol} {ends}"), 52);
        rows.push(Line::raw(format!("  {ends:<52} {:<16} {sent:>13} {received:>13}", shortened(service, 16))));
    }
    if let more @ 1.. = flows.flows.len().saturating_sub(FLOWS) {
        rows.push(Line::raw(format!("  and {more} with less: `arqway status {} --flows`", tunnel.status.interface)));
    }
    rows
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// At most so many characters, and none that a terminal would obey.
fn shortened(text: &str, most: usize) -> String {
    let text = arqway_config::printable(text);
    if text.chars().count() <= most {
        return text.into_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// The newest values as a row of columns, the highest of them at full height.
fn sparkline(values: impl DoubleEndedIterator<Item = u64> + ExactSizeIterator, width: usize) -> String {
    let newest: Vec<u64> = values.rev().take(width).collect();
    let highest = newest.iter().copied().max().unwrap_or(0).max(1);
    let height = |value: u64| {
        let eighths = truncate(precise(value) / precise(highest) * 7.0 + 0.5);
        usize::try_from(eighths).ok().and_then(|eighths| HEIGHTS.get(eighths)).copied().unwrap_or('█')
    };
    newest.into_iter().rev().map(height).collect()
}

#[cfg(test)]
mod tests;
