//! TCP agrees with ns-2 packet by packet.
//!
//! `tests/ns2/reno/*.csv` and `tests/ns2/newreno/*.csv` are what the real ns-2 2.35 (`Agent/TCP/Reno`, `Agent/TCP/Newreno`,
//! `TCPSink`) did in a world of the same settings: 250-octet packets, a window of 20, queues of 50, 10 Mbit/s and 1 ms, then
//! 64 kbit/s and 50 ms; the first line of each says which profile and which frames were lost. Every send, resend,
//! acknowledgement and timeout must come at the same time with the same state.

use arqway_sim::channel::{ErrorModel, Listed};
use arqway_sim::tcp::{PacketWindow, Profile, Sender, TcpConfig, Transmission, Variant};
use arqway_sim::{Probe, Queue, Room, Scenario, Streams, World};
use arqway_units::{Octets, Span, Time};

/// What happened, and the sender's state with it.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    seconds: f64,
    what: String,
    packet: Option<i64>,
    window: f64,
    threshold: f64,
    duplicates: f64,
    backoff: f64,
    smoothed_s: f64,
    deviation_s: f64,
}

impl Event {
    fn of(what: &str, packet: Option<i64>, sender: &Sender, now: Time) -> Self {
        let tick = 0.01;
        Self {
            seconds: now.as_seconds(),
            what: what.to_owned(),
            packet,
            window: sender.congestion_window(),
            threshold: sender.slow_start_threshold(),
            duplicates: sender.duplicate_acknowledgements().into(),
            backoff: sender.backoff().into(),
            smoothed_s: sender.round_trip().srtt() * tick,
            deviation_s: sender.round_trip().exact_srttvar() * tick,
        }
    }

    /// The same event, within the digits that ns-2 printed: six behind the point, five for timeouts.
    fn agrees_with(&self, other: &Self) -> bool {
        let near = |one: f64, other: f64, digits: f64| (one - other).abs() <= digits;
        (self.what == other.what && self.packet == other.packet)
            && near(self.seconds, other.seconds, if self.packet.is_some() { 0.6e-6 } else { 0.6e-5 })
            && [(self.window, other.window), (self.smoothed_s, other.smoothed_s), (self.deviation_s, other.deviation_s)]
                .iter()
                .all(|(one, other)| near(*one, *other, 0.000_6))
            && (self.threshold, self.duplicates, self.backoff) == (other.threshold, other.duplicates, other.backoff)
    }
}

#[derive(Default)]
struct Recorder(Vec<Event>);

impl Probe for Recorder {
    fn tcp_sent(&mut self, transmission: Transmission, sender: &Sender, now: Time) {
        let what = if transmission.again { "resend" } else { "send" };
        self.0.push(Event::of(what, Some(transmission.number), sender, now));
    }
    fn tcp_acknowledged(&mut self, number: i64, sender: &Sender, now: Time) {
        self.0.push(Event::of("ack", Some(number), sender, now));
    }
    fn tcp_timed_out(&mut self, sender: &Sender, now: Time) {
        self.0.push(Event::of("timeout", None, sender, now));
    }
}

/// The settings in the first line of a trace.
struct Settings {
    profile: Profile,
    maximum_burst: Option<PacketWindow>,
    packets: u64,
    lost: Listed,
    clock_phase: Span,
}

fn read(text: &str) -> (Settings, Vec<Event>) {
    let mut lines = text.lines();
    let head = lines.next().expect("a first line");
    let value = |name: &str| head.split_once(&format!("{name} = ")).expect("a setting").1;
    let list = |name| {
        let numbers = value(name).trim_start_matches('[').split(']').next().expect("a list");
        numbers
            .split(", ")
            .filter(|number| !number.is_empty())
            .map(|number| number.parse().expect("a number"))
            .collect()
    };
    let word = |name| value(name).split([',', ' ']).next().expect("a word");
    let maximum_burst = head.contains("maximum burst").then(|| word("maximum burst").parse().expect("a number"));
    let settings = Settings {
        profile: match word("profile") {
            "ns235" => Profile::Ns235,
            "ns235-minrto1" => Profile::Ns235Minrto1,
            "pre2004" => Profile::Pre2004,
            other => panic!("no profile {other}"),
        },
        maximum_burst: maximum_burst.map(|packets| PacketWindow::new(packets).expect("a window")),
        packets: word("packets").parse().expect("a number"),
        lost: Listed { down: list("lost down"), up: list("lost up") },
        clock_phase: Span::from_nanoseconds(word("clock phase").parse().expect("a number")),
    };
    (settings, lines.skip(1).map(event).collect())
}

fn event(line: &str) -> Event {
    let cells: Vec<&str> = line.split(',').collect();
    let number = |index: usize| cells[index].parse::<f64>().expect("a number");
    Event {
        seconds: number(0),
        what: cells[1].to_owned(),
        packet: cells[2].parse().ok(),
        window: number(3),
        threshold: number(4),
        duplicates: number(5),
        backoff: number(6),
        smoothed_s: number(7),
        deviation_s: number(8),
    }
}

fn world(settings: &Settings, variant: Variant) -> Scenario {
    let queue = Queue::DropTail(Room::of(50));
    let mut scenario = Scenario::default();
    scenario.file_transfer.size = Octets::new(250 * settings.packets);
    scenario.tcp = TcpConfig {
        profile: settings.profile,
        variant: Some(variant),
        maximum_burst: settings.maximum_burst,
        clock_phase: Some(settings.clock_phase),
        ..TcpConfig::default()
    };
    scenario.wireless.queue = queue;
    scenario.wireless.errors = ErrorModel::Listed(settings.lost.clone());
    scenario.wireless.charge_tag = false;
    scenario
}

#[test]
fn tcp_reno_agrees_with_ns2_packet_by_packet() {
    // Three profiles, nine cases; and bursts of at most three.
    assert_agrees(Variant::Reno, concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ns2/reno"), 27 + 1);
}

#[test]
fn tcp_newreno_agrees_with_ns2_packet_by_packet() {
    // Beside the three profiles and nine cases, seven in which more packets of a window are lost, one of them with bursts of at most three.
    assert_agrees(Variant::NewReno, concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ns2/newreno"), 27 + 7);
}

#[test]
fn a_trace_tells_reno_from_newreno_and_one_clock_from_another() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ns2/newreno/ns235-minrto1-d20_21.csv");
    let (mut settings, expected) = read(&std::fs::read_to_string(path).expect("a trace"));
    assert_eq!(difference(&settings, Variant::NewReno, &expected), None);
    assert!(difference(&settings, Variant::Reno, &expected).is_some());
    settings.clock_phase = Span::ZERO;
    assert!(difference(&settings, Variant::NewReno, &expected).is_some());
}

fn assert_agrees(variant: Variant, directory: &str, count: usize) {
    let mut traces: Vec<_> =
        std::fs::read_dir(directory).expect("the traces").map(|entry| entry.expect("a trace").path()).collect();
    traces.sort();
    assert_eq!(traces.len(), count, "traces in {directory}");
    let mut wrong = Vec::new();
    for path in traces {
        let (settings, expected) = read(&std::fs::read_to_string(&path).expect("a trace"));
        if let Some(difference) = difference(&settings, variant, &expected) {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            wrong.push(format!("{name}{difference}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where the simulator differs from a trace first, if it does.
fn difference(settings: &Settings, variant: Variant, expected: &[Event]) -> Option<String> {
    let mut recorder = Recorder::default();
    World::new(&world(settings, variant), &Streams::new(1, 0), &mut recorder).expect("one service").run();
    let ours = recorder.0;
    let differs = expected.iter().zip(&ours).position(|(theirs, ours)| !theirs.agrees_with(ours));
    if let Some(index) = differs {
        return Some(format!(", event {index}:\n  ns-2 {:?}\n  ours {:?}", expected[index], ours[index]));
    }
    (expected.len() != ours.len()).then(|| format!(": {} events, ns-2 has {}", ours.len(), expected.len()))
}
