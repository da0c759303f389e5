use super::*;
use crate::experiment::{Effort, Experiment};
use crate::figure::png;
use crate::run::cancellation::Cancellation;
use crate::run::cell::Cell;
use crate::run::plan::Request;
use arqway_config::Source;
use arqway_sim::Probe;
use arqway_sim::app::Application;
use record::Cause;
use std::path::Path;

/// A world whose frames are lost by list: what is drawn can be told beforehand.
const STUDY: &str = r#"
[experiment]
id = "study"
[scenario]
base = "monet08"
set = { "file-transfer.size" = "3 kB", "wireless.errors" = { kind = "listed", down = [2, 5], up = [] } }
[[scheme]]
use = "sr:0.9"
"#;

fn cell(study: &str) -> Cell {
    let experiment = Experiment::read(&Source::new("study.toml", study), Path::new(""), Effort::Full);
    Cell::find(experiment.expect("no mistakes"), &Request::default()).expect("the only cell")
}

fn seconds(seconds: f64) -> Time {
    Time::ZERO + Span::from_seconds(seconds)
}

fn record(study: &str, from: f64, to: Option<f64>) -> Recorder {
    let cell = cell(study);
    let to = to.map_or(Time::MAX, seconds);
    let mut recorder = Recorder::new(&cell.scenario().link_layer, seconds(from), to).expect("Selective Repeat");
    cell.watch(&mut recorder, &Cancellation::new()).expect("two services");
    recorder
}

fn about() -> About {
    About {
        id: "study".to_owned(),
        title: "SR 0.9 s, frame by frame: study, point 0, replication 0, seed 1".to_owned(),
        source: "arqway trace study.toml --sequence FILE.svg".to_owned(),
    }
}

#[test]
fn a_small_plot_stays_as_it_is() {
    insta::assert_snapshot!(record(STUDY, 0.0, None).to_svg(&about(), Some(Span::from_milliseconds(900))));
}

#[test]
fn every_packet_is_sent_first_once_and_delivered_once() {
    let recorder = record(STUDY, 0.0, None);
    let new: Vec<u64> = recorder.sent.iter().filter(|sent| sent.cause == Cause::New).map(|sent| sent.number).collect();
    assert_eq!(new, (0..12).collect::<Vec<_>>(), "3 kB are 12 packets");
    assert!(recorder.deliveries.is_sorted_by(|one, next| one.at < next.at && one.number < next.number));
    assert_eq!(recorder.deliveries.last().map(|noted| noted.number), Some(12));
}

#[test]
fn a_lost_frame_is_marked_and_comes_again_because_it_was_rejected() {
    let recorder = record(STUDY, 0.0, None);
    let lost: Vec<u64> = recorder.sent.iter().filter(|sent| !sent.arrives).map(|sent| sent.number).collect();
    assert_eq!(lost.len(), 2);
    for number in lost {
        assert!(recorder.rejects.iter().any(|reject| reject.number == number), "{number} is not rejected");
        let again = recorder.sent.iter().find(|sent| sent.number == number && sent.cause != Cause::New);
        assert_eq!(again.map(|sent| (sent.cause, sent.arrives)), Some((Cause::Reject, true)), "{number}");
    }
}

#[test]
fn where_no_reject_can_tell_a_frame_comes_again_by_its_timeout() {
    // The only packet of a file: no frame behind it shows that it is missing.
    let study = STUDY.replace("3 kB", "250 octets").replace("[2, 5]", "[0]");
    let recorder = record(&study, 0.0, None);
    let sent: Vec<_> = recorder.sent.iter().map(|sent| (sent.number, sent.cause, sent.arrives)).collect();
    assert_eq!(sent, [(0, Cause::New, false), (0, Cause::Timeout, true)]);
    let [first, again] = [0, 1].map(|index| recorder.sent[index].at);
    assert_eq!(again - first, Span::from_milliseconds(900));
}

#[test]
fn the_queue_and_the_waiting_are_those_of_the_line() {
    let recorder = record(STUDY, 0.0, None);
    let frame = 252.0 * 8.0 / 64_000.0;
    for (one, next) in recorder.sent.iter().zip(&recorder.sent[1..]) {
        let behind = (next.at - one.at).as_seconds() - frame;
        assert!(behind > -1e-9, "the line sends one frame at a time");
        assert!(next.waited == Span::ZERO || behind < 1e-9, "a frame that waited follows at once");
    }
    let last = recorder.waiting.last().expect("frames");
    assert_eq!((last.new, last.copies, last.others), (0, 0, 0));
    assert!(recorder.waiting.iter().any(|waiting| waiting.new > 0));
}

#[test]
fn a_window_shows_what_happens_within_and_the_state_it_begins_with() {
    let (whole, part) = (record(STUDY, 0.0, None), record(STUDY, 0.3, Some(0.5)));
    let within: Vec<_> =
        whole.sent.iter().filter(|sent| (seconds(0.3)..=seconds(0.5)).contains(&sent.at)).copied().collect();
    assert_eq!(part.sent, within);
    assert!(!within.is_empty() && within.len() < whole.sent.len());
    let before = whole.deliveries.iter().rfind(|noted| noted.at <= seconds(0.3)).copied();
    assert_eq!((part.deliveries.first().copied(), part.end()), (before, seconds(0.5)));
}

#[test]
fn a_link_layer_without_selective_repeat_has_no_such_plot() {
    let cell = cell(&STUDY.replace("sr:0.9", "raw"));
    assert!(Recorder::new(&cell.scenario().link_layer, Time::ZERO, Time::MAX).is_none());
}

#[test]
fn selective_repeat_is_found_where_a_class_has_it() {
    let classes =
        "\"link-layer.classes\" = [{ protocol = \"tcp\", service = \"selective-repeat\" }], \"file-transfer.size\"";
    let study = STUDY.replace("sr:0.9", "raw").replace("\"file-transfer.size\"", classes);
    let recorder = record(&study, 0.0, None);
    assert_eq!(recorder.sent.iter().filter(|sent| sent.cause == Cause::New).count(), 12);
}

#[test]
fn nothing_at_all_can_be_drawn() {
    let cell = cell(STUDY);
    let mut recorder = Recorder::new(&cell.scenario().link_layer, Time::ZERO, Time::MAX).expect("Selective Repeat");
    recorder.delivered(Application::Media, Span::ZERO, Time::ZERO);
    let svg = recorder.to_svg(&about(), Some(Span::from_milliseconds(900)));
    assert!(!svg.contains("NaN"), "{svg}");
    png::to_png(&svg, 1.0).expect("a picture");
}

#[test]
fn a_crowd_of_marks_makes_no_crowd_of_octets() {
    let study = STUDY.replace("3 kB", "3 MB").replace("down = [2, 5]", "down = []");
    let svg = record(&study, 0.0, None).to_svg(&about(), Some(Span::from_milliseconds(900)));
    assert!(svg.len() < 200_000, "{} octets for 12,000 frames", svg.len());
}
