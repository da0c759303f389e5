//! What is told in the end: a table for people, rows for programs.

use super::ping::percentile;
use super::stream::Heard;
use arqway_units::{Span, ToFloat as _};
use serde::Serialize;
use std::collections::BTreeSet;

/// What came of the loads on one way; nothing of those that did not run.
#[derive(Debug)]
pub(super) struct Outcome {
    /// Of TCP, over the last two thirds.
    pub(super) goodput_bps: Option<f64>,
    /// Of TCP, from its start.
    pub(super) from_start_bps: Option<f64>,
    /// How many packets of the call were sent, and what came.
    pub(super) call: Option<(u64, Heard)>,
    /// The same of another stream.
    pub(super) udp: Option<(u64, Heard)>,
    /// Of the pings that came back.
    pub(super) round_trips: Option<Vec<Span>>,
    /// How long each page took that came.
    pub(super) pages: Option<Vec<Span>>,
    /// How long after a link that was cut was back TCP, a ping and a page were.
    pub(super) back: [Option<Span>; 3],
}

/// What was measured on a way.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) path: &'static str,
    /// What people call the links that it crosses.
    pub(super) link: String,
    /// What TCP can reach at most, in bits per second.
    pub(super) bound_bps: f64,
    pub(super) outcome: Outcome,
}

/// A load on one way in one run; what has no meaning for it is `null`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Row {
    load: &'static str,
    path: &'static str,
    link: String,
    seed: u64,
    goodput_bps: Option<f64>,
    share_of_bound: Option<f64>,
    from_start_bps: Option<f64>,
    in_time: Option<f64>,
    p50_s: Option<f64>,
    p95_s: Option<f64>,
    back_after_s: Option<f64>,
}

/// What a load has to tell of a way, if it ran.
type ToRow<'r> = &'r dyn Fn(&Measured) -> Option<Row>;

/// Each load of a run on each way.
pub(super) fn rows(ways: &[Measured], seed: u64) -> Vec<Row> {
    let row = |load: &'static str, way: &Measured, back: Option<Span>| Row {
        load,
        path: way.path,
        link: way.link.clone(),
        seed,
        goodput_bps: None,
        share_of_bound: None,
        from_start_bps: None,
        in_time: None,
        p50_s: None,
        p95_s: None,
        back_after_s: back.map(Span::as_seconds),
    };
    let tcp = |way: &Measured| {
        let of = &way.outcome;
        of.goodput_bps.map(|goodput_bps| Row {
            goodput_bps: Some(goodput_bps),
            share_of_bound: Some(goodput_bps / way.bound_bps),
            from_start_bps: of.from_start_bps,
            ..row("tcp-cubic", way, of.back[0])
        })
    };
    let times = |load: &'static str, way: &Measured, times: &[Span], back: Option<Span>| {
        let [p50_s, p95_s] = [50, 95].map(|percent| percentile(times, percent).map(Span::as_seconds));
        Row { p50_s, p95_s, ..row(load, way, back) }
    };
    let stream = |load, way: &Measured, stream: &Option<(u64, Heard)>| {
        let (all, heard) = stream.as_ref()?;
        let in_time = (*all > 0).then(|| heard.in_time.to_f64() / all.to_f64());
        Some(Row { in_time, ..times(load, way, &heard.delays, heard.back) })
    };
    let call = |way: &Measured| stream("call", way, &way.outcome.call);
    let udp = |way: &Measured| stream("udp", way, &way.outcome.udp);
    let ping = |way: &Measured| Some(times("ping", way, way.outcome.round_trips.as_ref()?, way.outcome.back[1]));
    let page = |way: &Measured| Some(times("page", way, way.outcome.pages.as_ref()?, way.outcome.back[2]));
    let loads: [ToRow<'_>; 5] = [&tcp, &call, &udp, &ping, &page];
    loads.into_iter().flat_map(|load| ways.iter().filter_map(load)).collect()
}

pub(super) fn json(rows: &[Row]) -> String {
    // Numbers and fixed words can always be written.
    serde_json::to_string(rows).unwrap_or_default() + "\n"
}

/// The rows of all runs, a line for each figure: of one run its value, of several the median, least and greatest.
pub(super) fn table(rows: &[Row]) -> String {
    let mut paths: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        if !paths.contains(&(row.path, &row.link)) {
            paths.push((row.path, &row.link));
        }
    }
    paths.sort_by_key(|(path, _)| *path != "plain");
    let are_several = paths.iter().filter(|(path, _)| *path == "plain").count() > 1;
    let runs = rows.iter().map(|row| row.seed).collect::<BTreeSet<_>>().len();
    // Beside others, a plain copy is known by its link.
    let head = |(path, link): &(&str, &str)| match *path {
        "plain" if are_several => format!("plain {link}"),
        path => path.to_owned(),
    };
    let heads: Vec<String> = paths.iter().map(head).collect();
    let longest = heads.iter().map(|head| head.chars().count() + 2).max().unwrap_or_default();
    let width = longest.max(if runs > 1 { 38 } else { 14 });
    let line = |name: &str, load: &str, figure: &dyn Fn(&Row) -> Option<f64>, shown: &dyn Fn(f64) -> String| {
        let values = |(path, link): (&str, &str)| {
            let of_path = rows.iter().filter(|row| row.load == load && row.path == path && row.link == link);
            let mut values: Vec<f64> = of_path.filter_map(figure).collect();
            values.sort_unstable_by(f64::total_cmp);
            values
        };
        let cell = |path: &(&str, &str)| match &values(*path)[..] {
            [] => "-".to_owned(),
            [only] => shown(*only),
            all @ [least, .., most] => {
                let median = f64::midpoint(all[(all.len() - 1) / 2], all[all.len() / 2]);
                format!("{} ({} to {})", shown(median), shown(*least), shown(*most))
            }
        };
        let cells: String = paths.iter().map(|path| format!("{:>width$}", cell(path))).collect();
        let is_there = rows.iter().any(|row| row.load == load && figure(row).is_some());
        if is_there { format!("{name:<30}{cells}\n") } else { String::new() }
    };
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let milliseconds = |seconds: f64| format!("{:.0} ms", 1e3 * seconds);
    let heads: String = heads.iter().map(|head| format!("{head:>width$}")).collect();
    [
        format!("{:<30}{heads}\n", ""),
        line("TCP (CUBIC), goodput", "tcp-cubic", &|row| row.goodput_bps, &rate),
        line("  share of achievable", "tcp-cubic", &|row| row.share_of_bound, &percent),
        line("  from its start", "tcp-cubic", &|row| row.from_start_bps, &rate),
        line("  again after the cut", "tcp-cubic", &|row| row.back_after_s, &milliseconds),
        line("call, packets in time", "call", &|row| row.in_time, &percent),
        line("  median delay", "call", &|row| row.p50_s, &milliseconds),
        line("  95th percentile", "call", &|row| row.p95_s, &milliseconds),
        line("  again after the cut", "call", &|row| row.back_after_s, &milliseconds),
        line("UDP, packets in time", "udp", &|row| row.in_time, &percent),
        line("  median delay", "udp", &|row| row.p50_s, &milliseconds),
        line("  95th percentile", "udp", &|row| row.p95_s, &milliseconds),
        line("  again after the cut", "udp", &|row| row.back_after_s, &milliseconds),
        line("ping, median", "ping", &|row| row.p50_s, &milliseconds),
        line("  95th percentile", "ping", &|row| row.p95_s, &milliseconds),
        line("  again after the cut", "ping", &|row| row.back_after_s, &milliseconds),
        line("page, median", "page", &|row| row.p50_s, &milliseconds),
        line("  95th percentile", "page", &|row| row.p95_s, &milliseconds),
        line("  again after the cut", "page", &|row| row.back_after_s, &milliseconds),
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
        let round_trips = Some(vec![Span::from_milliseconds(round_trip); 3]);
        Outcome {
            goodput_bps: Some(goodput_bps),
            from_start_bps: Some(goodput_bps / 2.0),
            call: Some((200, Heard { delays: vec![Span::from_milliseconds(20); 150], in_time: 150, back: None })),
            udp: None,
            round_trips,
            pages: None,
            back: [None; 3],
        }
    }

    fn measured(path: &'static str, link: &str, outcome: Outcome) -> Measured {
        Measured { path, link: link.to_owned(), bound_bps: 1e7, outcome }
    }

    fn both(plain: Outcome, arqway: Outcome) -> [Measured; 2] {
        [measured("plain", "lte", plain), measured("arqway", "lte", arqway)]
    }

    fn cells(table: &str) -> Vec<Vec<&str>> {
        fn of_line(line: &str) -> Vec<&str> {
            line.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect()
        }
        table.lines().map(of_line).collect()
    }

    #[test]
    fn each_load_has_a_row_for_each_path_and_null_where_a_number_has_no_meaning() {
        let mut cut = outcome(8e6, 50);
        cut.back[1] = Some(Span::from_milliseconds(700));
        let rows = rows(&both(outcome(500_000.0, 40), cut), 7);
        let json: serde_json::Value = serde_json::from_str(&json(&rows)).expect("JSON");
        let row = |load: &str, path: &str, more: serde_json::Value| {
            let mut row = serde_json::json!({ "load": load, "path": path, "link": "lte", "seed": 7, "goodput_bps": null, "share_of_bound": null,
                "from_start_bps": null, "in_time": null, "p50_s": null, "p95_s": null, "back_after_s": null });
            more.as_object().expect("an object").iter().for_each(|(key, value)| row[key] = value.clone());
            row
        };
        let expected = serde_json::json!([
            row(
                "tcp-cubic",
                "plain",
                serde_json::json!({ "goodput_bps": 5e5, "share_of_bound": 0.05, "from_start_bps": 2.5e5 })
            ),
            row(
                "tcp-cubic",
                "arqway",
                serde_json::json!({ "goodput_bps": 8e6, "share_of_bound": 0.8, "from_start_bps": 4e6 })
            ),
            row("call", "plain", serde_json::json!({ "in_time": 0.75, "p50_s": 0.02, "p95_s": 0.02 })),
            row("call", "arqway", serde_json::json!({ "in_time": 0.75, "p50_s": 0.02, "p95_s": 0.02 })),
            row("ping", "plain", serde_json::json!({ "p50_s": 0.04, "p95_s": 0.04 })),
            row("ping", "arqway", serde_json::json!({ "p50_s": 0.05, "p95_s": 0.05, "back_after_s": 0.7 })),
        ]);
        assert_eq!(json, expected);
    }

    #[test]
    fn the_table_has_both_paths_beside_each_other_and_a_dash_for_what_nobody_knows() {
        let mut of_plain = outcome(500_000.0, 40);
        of_plain.round_trips = Some(Vec::new());
        let table = table(&rows(&both(of_plain, outcome(8e6, 50)), 1));
        let cells = cells(&table);
        assert_eq!(cells[1], ["TCP (CUBIC), goodput", "500.0 kbit/s", "8.00 Mbit/s"]);
        assert_eq!(cells[2], ["share of achievable", "5.0 %", "80.0 %"]);
        assert_eq!(cells[7], ["ping, median", "-", "50 ms"]);
    }

    #[test]
    fn of_several_runs_the_table_has_the_median_and_the_range_and_no_line_for_a_load_that_did_not_run() {
        let run = |seed, goodput| {
            let mut of_run = outcome(goodput, 50);
            of_run.call = None;
            rows(&[measured("arqway", "lte", of_run)], seed)
        };
        let table = table(&[run(1, 8e6), run(2, 6e6), run(3, 7.5e6)].concat());
        let cells = cells(&table);
        assert_eq!(cells[0], ["arqway"]);
        assert_eq!(cells[1], ["TCP (CUBIC), goodput", "7.50 Mbit/s (6.00 Mbit/s to 8.00 Mbit/s)"]);
        assert!(!table.contains("call") && !table.contains("cut"), "{table}");
    }

    #[test]
    fn of_several_links_each_plain_copy_has_a_column_with_its_name() {
        let plain = ["lte", "satellite"].map(|link| measured("plain", link, outcome(1e6, 50)));
        let all = measured("arqway", "lte and satellite", outcome(8e6, 50));
        let rows = rows(&plain.into_iter().chain([all]).collect::<Vec<_>>(), 1);
        let table = table(&rows);
        let cells = cells(&table);
        assert_eq!(cells[0], ["plain lte", "plain satellite", "arqway"]);
        assert_eq!(cells[1], ["TCP (CUBIC), goodput", "1.00 Mbit/s", "1.00 Mbit/s", "8.00 Mbit/s"]);
    }
}
