//! What is told of each service of a link is what happened on it, and a class has what it carries.

use arqway_link::fec;
use arqway_link::mux::{Class, Protocol, Scfq, SchedulerConfig};
use arqway_link::{ServiceConfig, deadline, rlp, selective_repeat};
use arqway_sim::app::{ConnectionCount, TcpBulkConfig};
use arqway_sim::channel::{Direction, ErrorModel, Uniform};
use arqway_sim::{NoProbe, Outcome, Probe, Scenario, Streams, World};
use arqway_units::{BitRate, Ratio, Span, Time};

/// The rate of the link, in bit/s.
const LINK: f64 = 64_000.0;

fn run(scenario: &Scenario, probe: impl Probe) -> Outcome {
    World::new(scenario, &Streams::new(1, 0), probe).expect("a link layer").run()
}

/// Greedy sources over Selective Repeat, which always wait for the link, and somebody who talks without a pause at twice what the link carries, in a class of their
/// own with half of the link.
fn world(voice: ServiceConfig, loss: f64) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.file_transfer.enabled = false;
    scenario.tcp_bulk = TcpBulkConfig {
        enabled: true,
        packet: scenario.file_transfer.packet,
        connections: ConnectionCount::try_from(5).expect("a number"),
        duration: Span::from_milliseconds(500_000),
        ..TcpBulkConfig::default()
    };
    scenario.media.enabled = true;
    scenario.media.rate = BitRate::from_bits_per_second(128_000).expect("a rate");
    scenario.media.silence = Span::from_nanoseconds(1);
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(loss).expect("a share") });
    scenario.link_layer.service = ServiceConfig::SelectiveRepeat(selective_repeat::Config::default());
    let class = Class { name: Some("voice".into()), ..Class::of_protocol(Protocol::UDP, voice) };
    scenario.link_layer.classes = vec![Class { rate: Some("50 %".parse().expect("a share")), ..class }];
    scenario.link_layer.scheduler = SchedulerConfig::Scfq(Scfq::default());
    scenario
}

fn raw() -> ServiceConfig {
    Scenario::default().link_layer.service
}

fn value(outcome: &Outcome, scenario: &Scenario, metric: &str) -> Option<f64> {
    outcome.service_metrics(scenario).into_iter().find(|(name, _)| name == metric).map(|(_, value)| value)
}

/// What a service has delivered, in bit/s.
fn delivered(outcome: &Outcome, service: usize) -> f64 {
    outcome.services[service].received.octets as f64 * 8.0 / outcome.ended.as_seconds()
}

#[test]
fn the_throughputs_of_backlogged_services_are_what_each_delivered_and_fill_the_link() {
    let scenario = world(raw(), 0.05);
    let outcome = run(&scenario, NoProbe);
    let mut on_the_link = 0.0;
    for (number, name) in ["default", "voice"].into_iter().enumerate() {
        let of = |metric: &str| value(&outcome, &scenario, &format!("{metric}@{name}")).expect(metric);
        let throughput = of("throughput");
        assert!((throughput / delivered(&outcome, number) - 1.0).abs() < 0.02, "{name}: {throughput}");
        assert!((of("effective-goodput") - of("goodput") * (1.0 - of("loss"))).abs() < 1e-12, "{name}");
        on_the_link += delivered(&outcome, number) / of("effective-goodput");
    }
    assert!((on_the_link / LINK - 1.0).abs() < 0.02, "{on_the_link} bit/s");
}

#[test]
fn the_loss_over_raw_is_that_of_the_link_though_its_receiver_cannot_know_it() {
    /// How many frames with packets were sent to the client, and how many of them were lost.
    #[derive(Default)]
    struct Lost(u32, u32);
    impl Probe for Lost {
        fn frame_sent(&mut self, way: Direction, _: &arqway_link::Frame, arrives: bool, _: Time) {
            if way == Direction::Down {
                (self.0, self.1) = (self.0 + 1, self.1 + u32::from(!arrives));
            }
        }
    }
    let mut scenario = world(raw(), 0.1);
    scenario.tcp_bulk.enabled = false;
    scenario.media.rate = BitRate::from_bits_per_second(20_000).expect("a rate");
    let mut lost = Lost::default();
    let outcome = run(&scenario, &mut lost);
    assert_eq!(outcome.services[1].received.loss, None);
    let loss = value(&outcome, &scenario, "loss@voice").expect("both ends know it together");
    let Lost(sent, lost) = lost;
    let injected = f64::from(lost) / f64::from(sent);
    assert!(sent > 1000 && injected > 0.05 && (loss - injected).abs() < 2.0 / f64::from(sent), "{loss} of {injected}");
}

#[test]
fn a_service_that_carried_no_packet_to_the_client_is_not_told_of_nor_is_a_share_that_nobody_keeps() {
    let mut scenario = world(raw(), 0.0);
    scenario.media.enabled = false;
    let names = |scenario: &Scenario| {
        let metrics = run(scenario, NoProbe).service_metrics(scenario).into_iter();
        metrics.map(|(name, _)| name).collect::<Vec<_>>()
    };
    let metrics = ["goodput", "loss", "delay", "effective-goodput", "throughput", "delivered", "resent"];
    assert_eq!(names(&scenario), metrics.map(|metric| format!("{metric}@default")));
    scenario.link_layer.classes[0].rate = None;
    scenario.link_layer.scheduler = SchedulerConfig::Fcfs;
    let without_shares = metrics.iter().filter(|metric| **metric != "throughput");
    assert_eq!(names(&scenario), without_shares.map(|metric| format!("{metric}@default")).collect::<Vec<_>>());
    scenario.link_layer.classes.clear();
    assert_eq!(names(&scenario).len(), 7, "who is alone has all of the link");
}

#[test]
fn a_source_that_always_has_packets_gets_what_the_service_can_carry_be_it_the_line_or_the_window() {
    const SECONDS: u32 = 1000;
    let of = |service: ServiceConfig, loss: f64| {
        let mut scenario = world(raw(), loss);
        (scenario.tcp_bulk.enabled, scenario.media.enabled) = (false, false);
        (scenario.channel.enabled, scenario.channel.duration) =
            (true, Span::from_milliseconds(u64::from(SECONDS) * 1000));
        scenario.link_layer.service = service;
        scenario.link_layer.classes.clear();
        let outcome = run(&scenario, NoProbe);
        ["delivered", "resent"].map(|name| value(&outcome, &scenario, &format!("{name}@default")).expect(name))
    };
    let [delivered, resent] = of(raw(), 0.1);
    assert!((delivered / LINK - 0.9).abs() < 0.01 && resent == 0.0, "{delivered} bit/s, {resent}");
    let window = |window: u16| {
        let window = selective_repeat::WindowSize::new(window).expect("a window");
        ServiceConfig::SelectiveRepeat(selective_repeat::Config { window, ..selective_repeat::Config::default() })
    };
    let [delivered, resent] = of(window(64), 0.1);
    // Every ninth at least: the rest is sent again without need.
    assert!((0.75..0.9).contains(&(delivered / LINK)) && resent > 0.11, "{delivered} bit/s, {resent}");
    // Two frames each time that the acknowledgement of those before comes: half a second after the first of them.
    let [delivered, _] = of(window(2), 0.0);
    let round_trip = 0.5 + 0.03125 + 2.0 * 0.05;
    assert!((delivered * round_trip / 4000.0 - 1.0).abs() < 0.02, "{delivered} bit/s");
}

#[test]
fn the_delay_is_a_frames_and_a_round_trip_for_each_retransmission_without_any_queue() {
    let of_world = |loss| {
        let scenario = world(raw(), loss);
        let outcome = run(&scenario, NoProbe);
        let sender = outcome.services[0].sender;
        let retransmissions = sender.frames_resent as f64 / sender.frames_sent as f64;
        let of = |name| value(&outcome, &scenario, name).expect(name);
        (retransmissions, of("delay@default"), of("delay@voice"))
    };
    // A frame of 250 octets takes 31.25 ms, and is 50 ms on its way; so is what asks for it again.
    let (one_way, round_trip) = (0.08125, 0.13125);
    for loss in [0.0, 0.1] {
        let (retransmissions, delay, of_raw) = of_world(loss);
        assert!((retransmissions > 0.05) == (loss > 0.0), "{retransmissions}");
        assert!((delay - one_way - round_trip * retransmissions).abs() < 1e-6, "{delay} after {retransmissions}");
        assert!((of_raw - one_way).abs() < 1e-6, "{of_raw}");
    }
}

#[test]
fn a_class_has_what_it_carries_over_a_lossy_link_and_the_rest_is_the_others() {
    let carries = 20_000.0;
    let services = [
        ("rlp", ServiceConfig::Rlp(rlp::Config::default())),
        ("deadline", ServiceConfig::Deadline(deadline::Config::default())),
        ("xor-fec", ServiceConfig::XorFec(fec::Config::default())),
        ("selective-repeat", ServiceConfig::SelectiveRepeat(selective_repeat::Config::default())),
    ];
    for (kind, service) in services {
        let mut scenario = world(service, 0.1);
        scenario.link_layer.classes[0].rate = Some(format!("{carries} bit/s").parse().expect("a rate"));
        let by_rate = run(&scenario, NoProbe);
        let got = delivered(&by_rate, 1);
        assert!(got < 0.96 * carries, "{kind} pays for its recovery out of its rate: {got} bit/s");
        let class = &mut scenario.link_layer.classes[0];
        (class.rate, class.carries) = (None, BitRate::from_bits_per_second(20_000));
        let outcome = run(&scenario, NoProbe);
        let got = delivered(&outcome, 1);
        assert!((0.99..1.03).contains(&(got / carries)), "{kind}: {got} bit/s");
        // What one service has more, the other has less: the link is as full as before.
        let all = |outcome: &Outcome| {
            let of = |number| {
                let service: &arqway_sim::ServiceOutcome = &outcome.services[number];
                service.sent.octets as f64 / service.sent.goodput.expect("packets").as_f64()
            };
            (of(0) + of(1)) * 8.0 / outcome.ended.as_seconds()
        };
        assert!((all(&outcome) / all(&by_rate) - 1.0).abs() < 0.01, "{kind}");
    }
}
