//! A link of several lines: what all of them carry together, and what a line costs that dies.

use arqway_link::bearer::{self, LineConfig, Mtu};
use arqway_link::mux::{Carrier, Class, Fair, Protocol, QueueLimits, Scfq, SchedulerConfig};
use arqway_link::{Bounded, Resequencing, ServiceConfig, raw, rlp, tally};
use arqway_sim::app::{Application, ConnectionCount};
use arqway_sim::channel::{ErrorModel, Uniform};
use arqway_sim::{
    Absence, Host, Outcome, PacketLength, Probe, Queue, Room, Scenario, Streams, WirelessLine, World, tcp,
};
use arqway_units::{BitRate, Octets, Ratio, Span, Time};
use std::num::NonZeroUsize;

/// A line, and what it is said to carry.
fn line(megabits: u64, milliseconds: u64) -> (WirelessLine, LineConfig) {
    let rate = BitRate::from_bits_per_second(megabits * 1_000_000).expect("not zero");
    let errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.01).expect("a share") });
    let line = WirelessLine {
        rate: Some(rate.into()),
        delay: Some(Span::from_milliseconds(milliseconds).into()),
        errors: Some(errors),
        queue: Some(Queue::DropTail(Room::of(300))),
        ..WirelessLine::default()
    };
    (line, LineConfig { rate: Some(bearer::Rate::Fixed(rate)), ..LineConfig::default() })
}

/// One TCP over lines, each of which loses one in a hundred frames.
fn world(lines: &[(WirelessLine, LineConfig)], duration: Span) -> Scenario {
    let mut scenario = Scenario { duration, ..Scenario::default() };
    scenario.tcp.profile = tcp::Profile::Today;
    scenario.tcp.maximum_window = tcp::PacketWindow::new(32_767);
    scenario.wired.rate = BitRate::from_bits_per_second(1_000_000_000).expect("not zero");
    scenario.wired.queue = Room::of(5000);
    let (media, line) = lines.iter().cloned().unzip();
    scenario.wireless.line = media;
    scenario.link_layer.bearer = Some(bearer::Config { line, mtu_least: Mtu::ETHERNET, ..bearer::Config::default() });
    scenario.link_layer.service = ServiceConfig::Tally(tally::Config::default());
    scenario.link_layer.scheduler = SchedulerConfig::Scfq(Scfq::default());
    let half_round_trips = NonZeroUsize::new(2);
    let fair = Some(Fair::default());
    let queue = QueueLimits { half_round_trips, drop_from_front: true, fair, ..QueueLimits::default() };
    scenario.link_layer.queue = Some(queue);
    scenario.file_transfer.enabled = false;
    scenario.tcp_bulk.enabled = true;
    scenario.tcp_bulk.connections = ConnectionCount::new(1).expect("a count");
    scenario.tcp_bulk.packet = PacketLength::try_from(Octets::new(1400)).expect("room for headers");
    scenario.tcp_bulk.duration = duration;
    scenario
}

/// With a call beside it.
fn with_call(mut scenario: Scenario) -> Scenario {
    let mut call = Class::of_protocol(Protocol::UDP, ServiceConfig::Raw(raw::Config::default()));
    call.rate = Some("250 kbit/s".parse().expect("a rate"));
    scenario.link_layer.classes = vec![call];
    scenario.media.enabled = true;
    scenario.media.talk = Span::from_seconds(1000.0);
    scenario.media.silence = Span::from_milliseconds(1);
    scenario
}

#[derive(Default)]
struct Seen {
    tcp: Vec<Time>,
    calls: Vec<(Time, Span)>,
}

const TCP: u8 = 6;

impl Probe for &mut Seen {
    fn packet_received(&mut self, host: Host, packet: &[u8], now: Time) {
        if host == Host::Client && packet[9] == TCP {
            self.tcp.push(now);
        }
    }

    fn delivered(&mut self, application: Application, delay: Span, now: Time) {
        if application == Application::Media {
            self.calls.push((now, delay));
        }
    }
}

impl Seen {
    /// How long nothing of TCP has come at most, once it has begun.
    fn longest_stall(&self) -> Span {
        let begun = self.tcp.iter().position(|at| *at > Time::ZERO + Span::from_seconds(2.0)).expect("it begins");
        self.tcp[begun..].windows(2).map(|pair| pair[1].since(pair[0])).max().expect("packets")
    }

    fn p95(&self) -> Span {
        let mut delays: Vec<Span> = self.calls.iter().map(|(_, delay)| *delay).collect();
        delays.sort_unstable();
        delays[delays.len() * 95 / 100]
    }
}

fn run(scenario: &Scenario, seed: u64) -> (Outcome, Seen) {
    let mut seen = Seen::default();
    let outcome = World::new(scenario, &Streams::new(seed, 0), &mut seen).expect("a link layer").run();
    (outcome, seen)
}

fn megabits(scenario: &Scenario) -> f64 {
    run(scenario, 1).0.applications.tcp_bulk.expect("a connection").throughput_bps / 1e6
}

const MINUTE: Span = Span::from_milliseconds(60_000);

/// What an octet in a packet of 1,400 takes of a line that loses one in a hundred frames, with 28 of UDP and IP and ten of ours.
const BOUND: f64 = 0.99 * 1400.0 / 1438.0;

#[test]
fn one_tcp_has_what_two_lines_carry_together_however_unlike_they_are() {
    for (lines, rate, least) in [
        ([line(10, 30), line(10, 30)], 20.0, 0.9),
        ([line(10, 20), line(2, 80)], 12.0, 0.9),
        ([line(20, 20), line(10, 270)], 30.0, 0.88),
    ] {
        let share = megabits(&world(&lines, MINUTE)) / rate / BOUND;
        assert!(share >= least, "{share} of {rate} Mbit/s");
    }
}

/// A line whose rate nobody tells.
fn found((line, _): (WirelessLine, LineConfig)) -> (WirelessLine, LineConfig) {
    (line, LineConfig { rate: Some(bearer::Rate::AUTOMATIC), ..LineConfig::default() })
}

#[test]
fn a_slower_line_whose_rate_nobody_knows_is_found_to_be_worth_while() {
    for (lines, rate) in [([line(10, 20), line(2, 80)], 12.0), ([line(20, 20), line(10, 270)], 30.0)] {
        let share = megabits(&world(&lines.map(found), MINUTE)) / rate / BOUND;
        assert!(share >= 0.87, "{share} of {rate} Mbit/s");
    }
}

#[test]
fn a_line_that_carries_little_takes_nothing_from_one_that_carries_much_though_nobody_knows_their_rates() {
    let kilobits = |kilobits: u64| BitRate::from_bits_per_second(kilobits * 1000).expect("not zero");
    for (carries, milliseconds) in [(16, 300), (64, 50), (64, 300), (500, 300)] {
        let (mut slow, config) = found(line(1, milliseconds));
        slow.rate = Some(kilobits(carries).into());
        let two = [found(line(10, 20)), (slow, config)];
        let [both, alone] = [&two[..], &two[..1]].map(|lines| megabits(&world(lines, MINUTE)));
        assert!(both >= 0.98 * alone, "{both} Mbit/s with {carries} kbit/s beside, {alone} without");
    }
}

#[test]
fn a_slow_line_makes_nothing_slower_that_is_short() {
    let two = [line(20, 20), line(10, 270)];
    let [both, alone] = [&two[..], &two[..1]].map(|lines| run(&with_call(world(lines, MINUTE)), 1).1.p95());
    assert!(both <= alone + Span::from_milliseconds(10), "{both:?} with a second line, {alone:?} without");
}

#[test]
fn a_call_is_on_the_line_that_loses_less_where_that_is_worth_its_delay() {
    let mut lines = [line(10, 20), line(10, 60)].map(found);
    lines[0].0.errors = Some(ErrorModel::Uniform(Uniform { loss: Ratio::new(0.05).expect("a share") }));
    lines[1].0.errors = Some(ErrorModel::None);
    let (outcome, seen) = run(&with_call(world(&lines, MINUTE)), 1);
    let loss = outcome.applications.media.expect("a call").loss.expect("packets");
    assert!(loss <= 0.005 && seen.p95() <= Span::from_milliseconds(100), "{loss} lost, {:?}", seen.p95());
}

/// With a call by `rlp` beside it, each frame of which goes by two lines where that is set.
fn with_copied_call(scenario: Scenario, duplicate: bool) -> Scenario {
    let mut scenario = with_call(scenario);
    let resequencing = Resequencing::as_received();
    let service = rlp::Config {
        duplicate,
        retransmissions: Bounded::new(1).expect("one"),
        resequencing,
        ..rlp::Config::default()
    };
    scenario.link_layer.classes[0].carrier = Carrier::Service(ServiceConfig::Rlp(service));
    scenario
}

#[test]
fn of_a_call_on_two_lines_what_one_of_them_loses_comes_by_the_other() {
    let mut lines = [line(10, 30), line(10, 30)];
    for (line, _) in &mut lines {
        line.errors = Some(ErrorModel::Uniform(Uniform { loss: Ratio::new(0.05).expect("a share") }));
    }
    let late = |duplicate| {
        let (outcome, seen) = run(&with_copied_call(world(&lines, MINUTE), duplicate), 1);
        let loss = outcome.applications.media.expect("a call").loss.expect("packets");
        let sent = seen.calls.len() as f64 / (1.0 - loss);
        // What is asked for again takes three times the delay of the line.
        let in_time = seen.calls.iter().filter(|(_, delay)| *delay <= Span::from_milliseconds(80)).count();
        1.0 - in_time as f64 / sent
    };
    let [once, twice] = [false, true].map(late);
    assert!(once >= 0.03, "{once} late with one copy");
    assert!(twice <= 0.0035, "{twice} late with two");
}

#[test]
fn a_call_on_two_lines_misses_nothing_and_waits_for_nothing_when_one_of_them_dies() {
    for dies in [0, 1] {
        let mut lines = [line(10, 30), line(10, 30)];
        for (line, _) in &mut lines {
            line.errors = Some(ErrorModel::None);
        }
        let seconds = |seconds: u64| Span::from_milliseconds(1000 * seconds);
        lines[dies].0.absence =
            [10, 20, 30, 40, 50].map(|from| Absence { from: seconds(from), until: seconds(from + 5) }).to_vec();
        let (outcome, seen) = run(&with_copied_call(world(&lines, MINUTE), true), 1);
        assert_eq!(outcome.applications.media.expect("a call").loss, Some(0.0), "while line {dies} dies");
        // What is asked for again would be later.
        let longest = seen.calls.iter().map(|(_, delay)| *delay).max().expect("packets");
        assert!(longest <= Span::from_milliseconds(80), "{longest:?} while line {dies} dies");
    }
}

#[test]
fn a_line_that_dies_stops_nobody_for_longer_than_300_ms_and_two_round_trips() {
    for dies in [0, 1] {
        let mut lines = [line(10, 30), line(10, 30)];
        let seconds = |seconds: u64| Span::from_milliseconds(1000 * seconds);
        lines[dies].0.absence =
            [10, 20, 30, 40, 50].map(|from| Absence { from: seconds(from), until: seconds(from + 5) }).to_vec();
        let (outcome, seen) = run(&with_call(world(&lines, MINUTE)), 1);
        let most = Span::from_milliseconds(300 + 2 * 60);
        assert!(seen.longest_stall() <= most, "{:?} while line {dies} dies", seen.longest_stall());
        let bits = outcome.applications.tcp_bulk.expect("a connection").throughput_bps;
        let carried = (60.0 + 35.0) / 60.0 * 10e6 * BOUND;
        assert!(bits >= 0.8 * carried, "{bits} of {carried} bit/s while line {dies} dies");
    }
}
