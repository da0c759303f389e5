//! What is told in the end: a table for people, rows for programs.

use super::ping::percentile;
use arqway_units::{Span, ToFloat as _};
use serde::Serialize;

/// What came of all loads on one way.
#[derive(Debug)]
pub(super) struct Outcome {
    /// Of TCP, over the last two thirds.
    pub(super) goodput_bps: f64,
    pub(super) call_packets: u64,
    pub(super) call_packets_in_time: u64,
    /// Of the pings that came back.
    pub(super) round_trips: Vec<Span>,
}

/// A load on one way; what has no meaning for it is `null`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Row {
    load: &'static str,
    path: &'static str,
    goodput_bps: Option<f64>,
    share_of_bound: Option<f64>,
    in_time: Option<f64>,
    p50_s: Option<f64>,
    p95_s: Option<f64>,
}

const PATHS: [&str; 2] = ["plain", "arqway"];

/// Each load on both ways, where TCP can reach so many bits per second at most.
pub(super) fn rows(outcomes: &[Outcome; 2], bound_bps: f64) -> Vec<Row> {
    let none =
        Row { load: "", path: "", goodput_bps: None, share_of_bound: None, in_time: None, p50_s: None, p95_s: None };
    let tcp = |outcome: &Outcome| Row {
        load: "tcp-cubic",
        goodput_bps: Some(outcome.goodput_bps),
        share_of_bound: Some(outcome.goodput_bps / bound_bps),
        ..none.clone()
    };
    let call = |outcome: &Outcome| Row {
        load: "call",
        in_time: (outcome.call_packets > 0)
            .then(|| outcome.call_packets_in_time.to_f64() / outcome.call_packets.to_f64()),
        ..none.clone()
    };
    let ping = |outcome: &Outcome| {
        let [p50_s, p95_s] = [50, 95].map(|percent| percentile(&outcome.round_trips, percent).map(Span::as_seconds));
        Row { load: "ping", p50_s, p95_s, ..none.clone() }
    };
    let loads: [&dyn Fn(&Outcome) -> Row; 3] = [&tcp, &call, &ping];
    let ways = || outcomes.iter().zip(PATHS);
    loads.into_iter().flat_map(|load| ways().map(move |(outcome, path)| Row { path, ..load(outcome) })).collect()
}

pub(super) fn json(rows: &[Row]) -> String {
    // Numbers and fixed words can always be written.
    serde_json::to_string(rows).unwrap_or_default() + "\n"
}

pub(super) fn table(rows: &[Row]) -> String {
    let line = |name: &str, load: &str, cell: &dyn Fn(&Row) -> Option<String>| {
        let cells = PATHS.map(|path| {
            let row = rows.iter().find(|row| row.load == load && row.path == path);
            row.and_then(cell).unwrap_or_else(|| "-".to_owned())
        });
        format!("{name:<30}{:>14}{:>14}\n", cells[0], cells[1])
    };
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let milliseconds = |seconds: f64| format!("{:.0} ms", 1e3 * seconds);
    [
        format!("{:<30}{:>14}{:>14}\n", "", PATHS[0], PATHS[1]),
        line("TCP (CUBIC), goodput", "tcp-cubic", &|row| row.goodput_bps.map(rate)),
        line("  share of achievable", "tcp-cubic", &|row| row.share_of_bound.map(percent)),
        line("call, packets in time", "call", &|row| row.in_time.map(percent)),
        line("ping, median", "ping", &|row| row.p50_s.map(milliseconds)),
        line("  95th percentile", "ping", &|row| row.p95_s.map(milliseconds)),
    ]
    .concat()
}

/// A rate for people.
pub(super) fn rate(bps: f64) -> String {
    if bps >= 1e6 { format!("{:.2} Mbit/s", bps / 1e6) } else { format!("{:.1} kbit/s", bps / 1e3) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(goodput_bps: f64, round_trip: u64) -> Outcome {
        let round_trips = vec![Span::from_milliseconds(round_trip); 3];
        Outcome { goodput_bps, call_packets: 200, call_packets_in_time: 150, round_trips }
    }

    #[test]
    fn each_load_has_a_row_for_each_path_and_null_where_a_number_has_no_meaning() {
        let rows = rows(&[outcome(500_000.0, 40), outcome(8e6, 50)], 1e7);
        let json: serde_json::Value = serde_json::from_str(&json(&rows)).expect("JSON");
        let expected = serde_json::json!([
            {"load": "tcp-cubic", "path": "plain", "goodput_bps": 5e5, "share_of_bound": 0.05, "in_time": null, "p50_s": null, "p95_s": null},
            {"load": "tcp-cubic", "path": "arqway", "goodput_bps": 8e6, "share_of_bound": 0.8, "in_time": null, "p50_s": null, "p95_s": null},
            {"load": "call", "path": "plain", "goodput_bps": null, "share_of_bound": null, "in_time": 0.75, "p50_s": null, "p95_s": null},
            {"load": "call", "path": "arqway", "goodput_bps": null, "share_of_bound": null, "in_time": 0.75, "p50_s": null, "p95_s": null},
            {"load": "ping", "path": "plain", "goodput_bps": null, "share_of_bound": null, "in_time": null, "p50_s": 0.04, "p95_s": 0.04},
            {"load": "ping", "path": "arqway", "goodput_bps": null, "share_of_bound": null, "in_time": null, "p50_s": 0.05, "p95_s": 0.05},
        ]);
        assert_eq!(json, expected);
    }

    #[test]
    fn the_table_has_both_paths_beside_each_other_and_a_dash_for_what_nobody_knows() {
        let mut of_plain = outcome(500_000.0, 40);
        of_plain.round_trips.clear();
        let table = table(&rows(&[of_plain, outcome(8e6, 50)], 1e7));
        let cells: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect())
            .collect();
        assert_eq!(cells[1], ["TCP (CUBIC), goodput", "500.0 kbit/s", "8.00 Mbit/s"]);
        assert_eq!(cells[2], ["share of achievable", "5.0 %", "80.0 %"]);
        assert_eq!(cells[4], ["ping, median", "-", "50 ms"]);
    }
}
