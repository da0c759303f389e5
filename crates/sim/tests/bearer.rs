//! A modem that tells nobody when it is full, with a bearer in front of it: where the queue stands, and what a call is worth.

use arqway_link::bearer::{self, Mtu};
use arqway_link::mux::{Class, Protocol, QueueLimits, Scfq, SchedulerConfig};
use arqway_link::{Frame, ServiceConfig, raw, selective_repeat};
use arqway_sim::app::Application;
use arqway_sim::channel::Direction;
use arqway_sim::{Host, MtuStep, Outcome, PacketLength, Probe, Queue, Room, Scenario, Streams, World, tcp};
use arqway_units::{BitRate, Octets, Span, Time};
use std::num::{NonZeroU32, NonZeroUsize};

const MODEM: u64 = 2_000_000;
const PACE: u64 = 1_960_000;
/// Of a frame of a file's packet, on the modem.
const FRAME: Span = Span::from_milliseconds(6);

fn rate(bits_per_second: u64) -> BitRate {
    BitRate::from_bits_per_second(bits_per_second).expect("not zero")
}

fn length(octets: u64) -> PacketLength {
    PacketLength::try_from(Octets::new(octets)).expect("room for headers")
}

/// A call over a modem of 2 Mbit/s with 1,000 packets of queue; its class has an eighth of it.
fn modem() -> Scenario {
    let mut scenario = Scenario { duration: Span::from_seconds(60.0), ..Scenario::default() };
    scenario.tcp.profile = tcp::Profile::Today;
    scenario.tcp.maximum_window = tcp::PacketWindow::new(32_767);
    scenario.wired.rate = rate(1_000_000_000);
    scenario.wired.queue = Room::of(1000);
    scenario.wireless.rate = rate(MODEM).into();
    scenario.wireless.delay = Span::from_milliseconds(20).into();
    scenario.wireless.queue = Queue::DropTail(Room::of(1000));
    scenario.link_layer.scheduler = SchedulerConfig::Scfq(Scfq::default());
    let packets = NonZeroUsize::new(100).expect("not zero");
    scenario.link_layer.queue = Some(QueueLimits { packets, ..QueueLimits::default() });
    let mut call = Class::of_protocol(Protocol::UDP, ServiceConfig::Raw(raw::Config::default()));
    call.rate = Some("250 kbit/s".parse().expect("a rate"));
    scenario.link_layer.classes = vec![call];
    scenario.file_transfer.enabled = false;
    scenario.file_transfer.packet = length(1400);
    scenario.file_transfer.size = Octets::new(10_000_000);
    scenario.media.enabled = true;
    scenario.media.rate = rate(80_000);
    scenario.media.packet = length(200);
    scenario.media.talk = Span::from_seconds(1000.0);
    scenario.media.silence = Span::from_milliseconds(1);
    scenario
}

fn paced() -> bearer::Config {
    bearer::Config { rate: rate(PACE).into(), mtu_least: Mtu::ETHERNET, ..bearer::Config::default() }
}

/// What waits in the modem's queue toward the client, how long the call's packets took, and when they came.
#[derive(Default)]
struct Seen {
    waiting: usize,
    longest_queue: usize,
    delays: Vec<Span>,
    arrivals: Vec<Time>,
}

impl Probe for &mut Seen {
    fn frame_queued(&mut self, direction: Direction, _: &Frame, _: Time) {
        self.waiting += usize::from(direction == Direction::Down);
    }

    fn frame_dropped(&mut self, direction: Direction, _: &Frame, _: Time) {
        self.waiting -= usize::from(direction == Direction::Down);
    }

    fn frame_taken(&mut self, direction: Direction, _: &Frame, _: Time) {
        if direction == Direction::Down {
            self.longest_queue = self.longest_queue.max(self.waiting);
            self.waiting -= 1;
        }
    }

    fn delivered(&mut self, application: Application, delay: Span, _: Time) {
        if application == Application::Media {
            self.delays.push(delay);
        }
    }

    fn packet_received(&mut self, host: Host, _: &[u8], now: Time) {
        if host == Host::Client {
            self.arrivals.push(now);
        }
    }
}

impl Seen {
    fn p95(&mut self) -> Span {
        self.delays.sort_unstable();
        self.delays[self.delays.len() * 95 / 100]
    }
}

fn run(scenario: &Scenario) -> (Outcome, Seen) {
    let mut seen = Seen::default();
    let outcome = World::new(scenario, &Streams::new(1, 0), &mut seen).expect("a link layer").run();
    (outcome, seen)
}

#[test]
fn unpaced_the_queue_stands_in_the_modem_and_paced_it_stands_where_the_scheduler_orders_it() {
    let mut scenario = modem();
    scenario.link_layer.bearer = Some(paced());
    let idle = run(&scenario).1.p95();
    scenario.file_transfer.enabled = true;

    let (outcome, mut with_bearer) = run(&scenario);
    // The one that is being sent, and one behind it.
    assert!(with_bearer.longest_queue <= 2, "{} frames in the modem", with_bearer.longest_queue);
    let late = with_bearer.p95() - idle;
    assert!(late <= FRAME * 2, "{} s over the {} s of an idle link", late.as_seconds(), idle.as_seconds());
    // A tag and no head, whatever shares its datagrams.
    let overhead = outcome.applications.media.as_ref().and_then(|media| media.overhead).expect("it was sent");
    assert!((overhead - 1.0 / 200.0).abs() < 1e-3, "{overhead}");
    let throughput = outcome.applications.file_transfer.expect("a file").throughput_bps;
    // Datagrams of 200 and 1,400 octets have 28 of UDP and IP, and at most five of ours.
    let of_call = 50.0 * 233.0 * 8.0;
    let least = 0.97 * (PACE as f64 - of_call) * 1400.0 / 1433.0;
    assert!(throughput >= least, "{throughput} bit/s; expected {least}");

    scenario.link_layer.bearer = None;
    let (_, mut without) = run(&scenario);
    assert!(without.longest_queue > 300, "{} frames in the modem", without.longest_queue);
    assert!(without.p95() > Span::from_seconds(1.0), "{:?}", without.p95());
}

#[test]
fn classes_that_are_backlogged_share_a_paced_path_by_their_rates() {
    let mut scenario = modem();
    scenario.link_layer.bearer = Some(paced());
    scenario.link_layer.classes[0].rate = Some("25 %".parse().expect("a share"));
    scenario.media.rate = rate(MODEM);
    scenario.media.packet = length(1400);
    scenario.file_transfer.enabled = true;
    scenario.file_transfer.size = Octets::new(8_000_000);
    let (outcome, seen) = run(&scenario);
    let file = outcome.applications.file_transfer.expect("a file").throughput_bps;
    let lecture = seen.delays.len() as f64 * 1400.0 * 8.0 / outcome.ended.as_seconds();
    let share = lecture / (lecture + file);
    assert!((share - 0.25).abs() <= 0.02 * 0.25, "{share} of the packets' octets");
}

#[test]
fn a_path_whose_mtu_shrinks_holds_packets_back_no_longer_than_five_seconds() {
    for service in [
        ServiceConfig::Raw(raw::Config::default()),
        ServiceConfig::SelectiveRepeat(selective_repeat::Config::default()),
    ] {
        let mut scenario = modem();
        scenario.link_layer.service = service.clone();
        scenario.link_layer.bearer = Some(bearer::Config { rate: rate(PACE).into(), ..bearer::Config::default() });
        scenario.file_transfer.enabled = true;
        scenario.file_transfer.packet = length(1200);
        let octets = |octets| NonZeroU32::new(octets).expect("not zero");
        let shrinks = Span::from_seconds(15.0);
        scenario.wireless.mtu =
            vec![MtuStep { from: Span::ZERO, octets: octets(1500) }, MtuStep { from: shrinks, octets: octets(300) }];
        scenario.duration = Span::from_seconds(200.0);
        let (outcome, seen) = run(&scenario);
        let file = outcome.applications.file_transfer.expect("a file").throughput_bps;
        let longest = seen.arrivals.windows(2).map(|pair| pair[1].since(pair[0])).max().expect("arrivals");
        assert!(longest <= Span::from_seconds(5.0), "{service:?}: nothing arrived for {} s", longest.as_seconds());
        assert!(outcome.ended > Time::ZERO + shrinks + Span::from_seconds(10.0), "{service:?}: {file} bit/s");
    }
}
