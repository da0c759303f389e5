use super::*;
use crate::experiment::{Effort, Experiment};
use crate::figure::png;
use crate::run::cancellation::Cancellation;
use crate::run::cell::Cell;
use crate::run::plan::Request;
use arqway_config::Source;
use arqway_units::Span;
use std::path::Path;

/// A second of 80 kbit/s, one of 800, and so on; the queue has room for three frames.
const STUDY: &str = r#"
[experiment]
id = "study"
[scenario]
base = "monet08"
[scenario.set]
file-transfer = { size = "100 kB", packet = "250 octets" }
wireless = { rate = { kind = "trace", steps = [{ for = "1 s", rate = "80 kbit/s" }, { for = "1 s", rate = "800 kbit/s" }] }, queue = { kind = "drop-tail", packets = 3 }, errors = { kind = "none" } }
[[scheme]]
use = "raw"
"#;

fn seconds(seconds: f64) -> Time {
    Time::ZERO + Span::from_seconds(seconds)
}

fn cell() -> Cell {
    let experiment = Experiment::read(&Source::new("study.toml", STUDY), Path::new(""), Effort::Full);
    Cell::find(experiment.expect("no mistakes"), &Request::default()).expect("the only cell")
}

fn record(cell: &Cell, from: f64, to: Time) -> Recorder {
    let mut recorder = Recorder::new(seconds(from), to);
    cell.watch(&mut recorder, &Cancellation::new()).expect("one service");
    recorder
}

fn about() -> About {
    About {
        id: "study".to_owned(),
        title: "RL, what is sent into the link: study, point 0, replication 0, seed 1".to_owned(),
        source: "arqway trace study.toml --timeline FILE.svg".to_owned(),
    }
}

fn svg(cell: &Cell, recorder: &Recorder) -> String {
    recorder.to_svg(&about(), &Link { wireless: &cell.scenario().wireless, streams: cell.streams() })
}

#[test]
fn a_small_timeline_stays_as_it_is() {
    let cell = cell();
    insta::assert_snapshot!(svg(&cell, &record(&cell, 0.0, Time::MAX)));
}

#[test]
fn what_the_link_carries_is_its_rate_and_what_is_sent_are_the_frames() {
    let cell = cell();
    let recorder = record(&cell, 0.0, Time::MAX);
    let link = Link { wireless: &cell.scenario().wireless, streams: cell.streams() };
    let carries = link.carries(Octets::new(100), (Time::ZERO, seconds(4.0)), 1_000_000_000, 4);
    // What is out at the very end of a second counts for the next.
    for (carried, expected) in carries.into_iter().zip([10_000, 100_000, 10_000, 100_000u64]) {
        assert!(carried.abs_diff(expected) <= 100, "{carried} of {expected}");
    }
    let [sent, dropped] = [|bin: &record::Bin| bin.sent, |bin: &record::Bin| bin.dropped]
        .map(|of: fn(&record::Bin) -> u64| recorder.bins.iter().map(of).sum::<u64>());
    // 400 packets arrive, each with a tag of one octet; what the queue has no room for comes again.
    assert_eq!(recorder.largest, Octets::new(251));
    assert!(dropped > 0 && sent - dropped >= 400 * 250, "{sent} sent, {dropped} dropped");
}

#[test]
fn a_frame_waits_for_those_before_it() {
    let recorder = record(&cell(), 0.0, Time::MAX);
    let longest = recorder.bins.iter().map(|bin| bin.waited).max().expect("bins");
    // The queue's three frames are one on the line and two behind it: 25 ms each at 80 kbit/s, without their tags.
    assert_eq!(longest, Span::from_milliseconds(50));
}

#[test]
fn a_window_shows_what_happens_within() {
    let cell = cell();
    let (whole, part) = (record(&cell, 0.0, Time::MAX), record(&cell, 3.0, seconds(3.5)));
    assert_eq!(part.bins[..20], whole.bins[150..170]);
    assert_eq!(part.end(), seconds(3.5));
}

#[test]
fn nothing_at_all_can_be_drawn() {
    let cell = cell();
    let drawn = svg(&cell, &Recorder::new(Time::ZERO, Time::MAX));
    assert!(!drawn.contains("NaN"), "{drawn}");
    png::to_png(&drawn, 1.0).expect("a picture");
}
