//! What an emulation prints: a line a second, and a table at the end; or JSON, a line each.
//!
//! ```text
//!             to the client                      to the server                    late
//!        time  Mbit/s packets   lost dropped     Mbit/s packets   lost dropped     99 %
//!         1 s    18.9    1576     12       0      0.201     804      0       0     0.08 ms
//! ```

use arqway_emulate::{LatenessSummary, Report, Way};
use arqway_lab::figure::number;
use serde::Serialize;
use std::fmt::Write;

/// The heading is repeated after so many lines.
const PAGE: u64 = 20;

/// How reports are printed.
#[derive(Debug)]
pub(super) struct Screen {
    json: bool,
    /// What people call each link.
    links: Vec<String>,
    lines: u64,
}

/// A report as machines read it.
#[derive(Debug, Serialize)]
struct Json<'a> {
    kind: &'static str,
    /// Where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<&'a str>,
    #[serde(flatten)]
    report: &'a Report,
}

impl Screen {
    pub(super) fn new(json: bool, links: Vec<String>) -> Self {
        Self { json, links, lines: 0 }
    }

    /// What a link is called where there are several.
    fn name(&self, link: usize) -> Option<&str> {
        if self.links.len() > 1 { self.links.get(link).map(String::as_str) } else { None }
    }

    /// A second of a link.
    pub(super) fn second(&mut self, link: usize, report: &Report) -> String {
        if self.json {
            return json("second", self.name(link), report);
        }
        let heading = if self.lines.is_multiple_of(PAGE) { HEADING } else { "" };
        self.lines += 1;
        let Report { at_s, down, up, lateness, .. } = report;
        let time = number::fixed(*at_s, 0);
        let late = if lateness.count == 0 { "-".to_owned() } else { milliseconds(lateness.p99_s) };
        let name = self.name(link).map(|name| format!("  {name}")).unwrap_or_default();
        format!("{heading}{time:>5} s{}{}  {late}{name}\n", columns(down), columns(up))
    }

    /// The whole of a link.
    pub(super) fn summary(&self, link: usize, report: &Report) -> String {
        if self.json {
            return json("summary", self.name(link), report);
        }
        let Report { length_s, down, up, lateness, wake_up_error, .. } = report;
        let about = self.name(link).map_or(format!("{length_s:.1} s"), |name| format!("{name}, {length_s:.1} s"));
        let mut text = format!("{about:<34}{:>16}{:>16}\n", "to the client", "to the server");
        let mut row = |name: &str, of: &dyn Fn(&Way) -> String| {
            // Writing into a text cannot fail.
            writeln!(text, "  {name:<32}{:>16}{:>16}", of(down), of(up)).ok();
        };
        row("packets sent to the link", &|way| way.counters.offered.to_string());
        row("  dropped, the queue was full", &|way| way.counters.queue_full.to_string());
        row("  lost to errors", &|way| share(way.counters.lost, way.counters.sent));
        // What seldom happens is told when it does.
        let [down, up] = [&down.counters, &up.counters];
        if down.outage + up.outage > 0 {
            row("  lost while the link was down", &|way| share(way.counters.outage, way.counters.sent));
        }
        row("packets delivered", &|way| way.counters.delivered.to_string());
        if down.duplicated + up.duplicated > 0 {
            row("  of these, second copies", &|way| way.counters.duplicated.to_string());
        }
        if down.refused + up.refused > 0 {
            row("  refused by the interface", &|way| way.counters.refused.to_string());
        }
        row("Mbit/s delivered", &|way| number::significant(way.delivered_bps / 1e6, 3));
        writeln!(text, "  delivered late by                 {}", lateness_of(lateness)).ok();
        writeln!(text, "  woken late by                     {}", lateness_of(wake_up_error)).ok();
        text
    }
}

const HEADING: &str = "        to the client                      to the server                    late
   time  Mbit/s packets   lost dropped     Mbit/s packets   lost dropped     99 %
";

fn columns(Way { counters, delivered_bps, .. }: &Way) -> String {
    let (lost, dropped) = (counters.lost + counters.outage, counters.queue_full + counters.refused);
    format!("{:>8}{:>8}{lost:>7}{dropped:>8}   ", number::significant(delivered_bps / 1e6, 3), counters.delivered)
}

/// A short time.
pub(super) fn milliseconds(seconds: f64) -> String {
    format!("{} ms", number::fixed(seconds * 1e3, 2))
}

fn lateness_of(lateness: &LatenessSummary) -> String {
    let LatenessSummary { count, median_s, p99_s, max_s } = lateness;
    if *count == 0 {
        return "never".to_owned();
    }
    format!("{} (median), {} (99 %), {} (longest)", milliseconds(*median_s), milliseconds(*p99_s), milliseconds(*max_s))
}

/// A number, and what share of others it is.
fn share(part: u64, whole: u64) -> String {
    if part == 0 {
        return part.to_string();
    }
    let percent = part as f64 / whole as f64 * 100.0;
    format!("{} %   {part}", number::percentage(percent, 2))
}

fn json(kind: &'static str, link: Option<&str>, report: &Report) -> String {
    // Numbers and names have no failure.
    serde_json::to_string(&Json { kind, link, report }).map(|line| line + "\n").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_emulate::Counters;

    fn one() -> Vec<String> {
        vec!["lte".to_owned()]
    }

    fn report(down: Counters) -> Report {
        let way = |counters| Way { counters, waiting: 3, delivered_bps: 18_912_345.6 };
        Report {
            at_s: 2.0004,
            length_s: 1.0,
            down: way(down),
            up: way(Counters::default()),
            lateness: LatenessSummary { count: 9, median_s: 40e-6, p99_s: 140e-6, max_s: 3.5e-3 },
            wake_up_error: LatenessSummary::default(),
            overruns: 0,
        }
    }

    #[test]
    fn a_second_is_a_line_below_its_heading_and_fits_a_terminal() {
        let counters =
            Counters { delivered: 1576, lost: 12, outage: 3, queue_full: 7, refused: 1, ..Counters::default() };
        let mut screen = Screen::new(false, one());
        let first = screen.second(0, &report(counters));
        let lines: Vec<&str> = first.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[2], "    2 s    18.9    1576     15       8       18.9       0      0       0     0.14 ms");
        assert!(lines.iter().all(|line| line.len() <= 84), "{first}");
        assert_eq!(screen.second(0, &report(counters)).lines().count(), 1);
    }

    #[test]
    fn a_summary_has_the_rows_in_which_something_happened() {
        let screen = Screen::new(false, one());
        let quiet = screen.summary(0, &report(Counters::default()));
        assert!(!quiet.contains("copies") && !quiet.contains("refused") && !quiet.contains("was down"), "{quiet}");
        let counters = Counters { sent: 200, lost: 3, outage: 1, duplicated: 2, refused: 4, ..Counters::default() };
        let busy = screen.summary(0, &report(counters));
        for row in ["lost to errors                       1.5 %   3", "was down         0.5 %   1", "copies", "refused"]
        {
            assert!(busy.contains(row), "{row}: {busy}");
        }
        assert!(
            busy.contains("0.04 ms (median), 0.14 ms (99 %), 3.50 ms (longest)") && busy.contains("never"),
            "{busy}"
        );
    }

    #[test]
    fn machines_read_each_report_as_an_object_on_a_line() {
        let mut screen = Screen::new(true, one());
        let lines = [screen.second(0, &report(Counters::default())), screen.summary(0, &report(Counters::default()))];
        for (line, kind) in lines.iter().zip(["second", "summary"]) {
            assert_eq!(line.matches('\n').count(), 1);
            let read: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert_eq!((&read["kind"], &read["down"]["waiting"]), (&kind.into(), &3.into()));
            assert_eq!(read["lateness"]["p99_s"], 140e-6);
        }
    }

    #[test]
    fn of_several_links_each_line_each_table_and_each_object_has_its_name() {
        let links = || ["lte", "satellite"].map(str::to_owned).to_vec();
        let mut screen = Screen::new(false, links());
        let second = screen.second(1, &report(Counters::default()));
        assert!(second.lines().nth(2).is_some_and(|line| line.ends_with(" ms  satellite")), "{second}");
        assert!(screen.summary(0, &report(Counters::default())).starts_with("lte, 1.0 s "));
        let object = Screen::new(true, links()).second(1, &report(Counters::default()));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&object).expect("JSON")["link"], "satellite");
        let object = Screen::new(true, one()).second(0, &report(Counters::default()));
        assert!(!object.contains("link"), "{object}");
    }
}
