//! Greedy sources, a wire that loses packets, and a forwarding node: what shikama06's worlds have and others have not.

use arqway_link::Frame;
use arqway_sim::app::Samples;

use arqway_sim::app::TcpBulkOutcome;
use arqway_sim::channel::{Direction, ErrorModel, Listed, Uniform};
use arqway_sim::{NoProbe, Outcome, Probe, Queue, Rate, Room, Scenario, Streams, World};
use arqway_units::{BitRate, Octets, Ratio, Span, Time};

/// The paper's link of 5 Mbit/s and 0.25 s behind 10 Mbit/s and 0.05 s: a round trip of 0.6 s.
fn satellite() -> Scenario {
    let mut scenario = Scenario::default();
    let rate = |bits| BitRate::from_bits_per_second(bits).expect("a rate");
    scenario.wired.rate = rate(10_000_000);
    scenario.wired.delay = Span::from_milliseconds(50);
    scenario.wired.queue = Room::of(1000);
    scenario.wireless.rate = Rate::Constant(rate(5_000_000));
    scenario.wireless.delay = Span::from_milliseconds(250).into();
    scenario.wireless.queue = Queue::DropTail(Room::of(1000));
    scenario.wireless.charge_tag = false;
    scenario.tcp.maximum_window = Some(22.try_into().expect("a window"));
    scenario.file_transfer.enabled = false;
    scenario.tcp_bulk.enabled = true;
    scenario
}

fn run(scenario: &Scenario) -> Outcome {
    World::new(scenario, &Streams::new(1, 0), NoProbe).expect("one service").run()
}

fn bulk(scenario: &Scenario) -> TcpBulkOutcome {
    run(scenario).applications.tcp_bulk.expect("greedy sources")
}

fn share(percent: f64) -> Ratio {
    Ratio::new(percent / 100.0).expect("a share")
}

#[test]
fn greedy_sources_send_a_window_each_round_trip_until_their_time_is_over() {
    let mut scenario = satellite();
    let mut of = |connections: i64| {
        scenario.tcp_bulk.connections = connections.try_into().expect("a number");
        let outcome = run(&scenario);
        assert_eq!(outcome.ended, Time::ZERO + Span::from_milliseconds(60_000));
        outcome.applications.tcp_bulk.expect("greedy sources")
    };
    let one = of(1);
    // 22 packets in 0.6 s and what they take to be sent, less the slow start and what is still under way.
    let ceiling = 22.0 * 1460.0 * 8.0 / 0.604;
    assert!((0.94..1.0).contains(&(one.throughput_bps / ceiling)), "{one:?}");
    let times = of(10).throughput_bps / one.throughput_bps;
    assert!((9.7..10.0).contains(&times), "they fit on the link side by side: {times}");
    assert_eq!((one.timeouts, one.recovery_s, one.response_s), (0.0, None, None));
}

#[test]
fn a_file_that_lasts_longer_prolongs_the_run_and_not_the_greedy_sources() {
    let mut scenario = satellite();
    scenario.tcp_bulk.duration = Span::from_milliseconds(10_000);
    let alone = run(&scenario);
    scenario.file_transfer.enabled = true;
    scenario.file_transfer.size = Octets::new(100_000);
    let beside = run(&scenario);
    assert!(
        beside.applications.file_transfer.as_ref().map(|file| file.is_complete) == Some(true)
            && beside.ended.as_seconds() > 12.0,
        "{beside:?}"
    );
    assert!(beside.network.late_packets > 0, "what was under way at the end of the sources finds nobody");
    let [alone, beside] =
        [alone, beside].map(|outcome| outcome.applications.tcp_bulk.expect("greedy sources").throughput_bps);
    assert!((beside / alone - 1.0).abs() < 0.02, "{alone}, {beside}");
}

#[test]
fn a_run_that_is_cut_short_counts_what_there_is() {
    let mut scenario = satellite();
    scenario.duration = Span::from_milliseconds(20_000);
    let outcome = run(&scenario);
    assert_eq!(outcome.ended.as_seconds(), 20.0);
    assert!(outcome.applications.tcp_bulk.is_some_and(|bulk| bulk.throughput_bps > 3.5e6));
}

#[test]
fn the_wire_loses_the_share_that_is_asked_for_and_only_toward_the_client() {
    let mut scenario = satellite();
    scenario.tcp_bulk.duration = Span::from_milliseconds(600_000);
    assert_eq!(run(&scenario).network.wired_losses, 0);
    scenario.wired.loss = share(1.0);
    let outcome = run(&scenario);
    let (lost, arrived) = (outcome.network.wired_losses as f64, outcome.network.access_point.packets_taken as f64);
    let expected = 0.01 * (lost + arrived);
    assert!((lost - expected).abs() < 4.0 * expected.sqrt(), "{lost} of {}", lost + arrived);
    assert_eq!(outcome.network.frame_loss_rate, Some(0.0), "the wireless link lost none");
    scenario.wired.loss = Ratio::ONE;
    let nothing = run(&scenario);
    assert_eq!(
        (nothing.network.access_point.packets_taken, nothing.applications.tcp_bulk.expect("sources").throughput_bps),
        (0, 0.0)
    );
}

/// Which frames are lost toward the client.
#[derive(Default)]
struct Fates(Vec<bool>);

impl Probe for Fates {
    fn frame_sent(&mut self, direction: Direction, _: &Frame, arrives: bool, _: Time) {
        if direction == Direction::Down {
            self.0.push(arrives);
        }
    }
}

#[test]
fn a_wire_that_loses_packets_leaves_the_errors_of_the_wireless_link_as_they_are() {
    let fates = |loss| {
        let mut scenario = satellite();
        scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: share(5.0) });
        scenario.wired.loss = loss;
        let mut fates = Fates::default();
        let outcome = World::new(&scenario, &Streams::new(1, 0), &mut fates).expect("one service").run();
        (outcome.network.wired_losses, fates.0[..1000].to_vec())
    };
    let [(none, without), (some, with)] = [Ratio::ZERO, share(1.0)].map(fates);
    assert!(none == 0 && some > 0);
    assert_eq!(without, with, "frame by frame, whatever is in them");
}

#[test]
fn a_loss_on_the_wire_is_answered_a_round_trip_after_it_would_have_arrived() {
    let mut scenario = satellite();
    scenario.wired.loss = share(0.1);
    let response = bulk(&scenario).response_s.expect("a loss");
    // The next packets cross the wireless link and three acknowledgements come back: 0.55 s at the least.
    assert!((0.55..1.5).contains(&response), "{response}");
    // A loss of the wireless link is none of the wire.
    scenario.wired.loss = Ratio::ZERO;
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: share(1.0) });
    assert_eq!(bulk(&scenario).response_s, None);
}

#[test]
fn a_window_recovers_from_a_timeout_by_slow_start() {
    let mut scenario = satellite();
    scenario.tcp_bulk.connections = 1.try_into().expect("a number");
    scenario.wireless.errors = ErrorModel::Listed(Listed { down: (100..122).collect(), up: vec![] });
    let outcome = bulk(&scenario);
    assert_eq!(outcome.timeouts, 1.0);
    // 1, 2, 4, 8, 16 packets: a round trip each, and then the acknowledgement that makes it 11.
    let recovery = outcome.recovery_s.expect("it recovers");
    assert!((4.0 * 0.6..4.0 * 0.62).contains(&recovery), "{recovery}");
}

#[test]
fn acknowledgements_that_come_close_together_are_a_burst() {
    let mut scenario = satellite();
    scenario.tcp_bulk.connections = 1.try_into().expect("a number");
    // A packet each 2.3 ms: 13 intervals in 30 ms.
    assert_eq!(bulk(&scenario).most_acknowledgements, 13);
}

#[test]
fn samples_are_taken_of_the_first_connection_where_they_are_asked_for_and_nowhere_else() {
    let mut scenario = satellite();
    assert_eq!(bulk(&scenario).samples, []);
    let [from, until, every] = [0, 70_000, 20_000].map(Span::from_milliseconds);
    scenario.tcp_bulk.samples = Some(Samples::new(from, until, every).expect("moments"));
    let samples = bulk(&scenario).samples;
    let moments: Vec<f64> = samples.iter().map(|sample| sample.at.as_seconds()).collect();
    assert_eq!(moments, [0.0, 20.0, 40.0], "at 60 s it is over");
    assert_eq!((samples[0].window, samples[0].sent, samples[0].acknowledged), (2.0, 1, -1));
    assert!(samples[1].window > 22.0 && samples[1].sent - samples[1].acknowledged == 22, "{samples:?}");
    assert!(samples[2].acknowledged > samples[1].acknowledged + 20 * 22);
}

/// The same with node D behind the client's end of the wireless link.
fn with_node(room: Option<usize>) -> Scenario {
    let mut scenario = satellite();
    scenario.forwarding_node.enabled = true;
    scenario.forwarding_node.queue = room.map(Room::of);
    scenario
}

#[test]
fn a_forwarding_node_leaves_the_round_trip_as_it_is() {
    let (without, with) = (bulk(&satellite()), bulk(&with_node(None)));
    assert!((with.throughput_bps / without.throughput_bps - 1.0).abs() < 0.01, "{without:?} {with:?}");
    assert_eq!(run(&satellite()).network.node_drops, None);
    assert_eq!(run(&with_node(None)).network.node_drops, Some(0));
}

#[test]
fn a_forwarding_node_drops_what_finds_no_room_in_front_of_the_slow_link() {
    // More comes over the wireless link than goes on.
    let drops = |room| {
        let mut scenario = with_node(room);
        scenario.wireless.rate = Rate::Constant(BitRate::from_bits_per_second(100_000_000).expect("a rate"));
        scenario.wired.rate = BitRate::from_bits_per_second(2_000_000).expect("a rate");
        run(&scenario).network.node_drops.expect("a node")
    };
    assert_eq!(drops(None), 0);
    let (few, many) = (drops(Some(50)), drops(Some(10)));
    assert!(0 < few && few < many, "{few}, {many}");
}

#[test]
fn the_wire_behind_a_forwarding_node_loses_packets_as_any_other() {
    let mut scenario = with_node(None);
    scenario.wired.loss = share(1.0);
    let outcome = run(&scenario);
    assert!(outcome.network.wired_losses > 100, "{outcome:?}");
    // It is at the client almost: the round trip to the sender and back is behind the loss.
    assert!(outcome.applications.tcp_bulk.and_then(|bulk| bulk.response_s).is_some_and(|response| response > 0.3));
}

#[test]
fn every_application_works_through_a_forwarding_node() {
    let mut scenario = with_node(None);
    scenario.file_transfer.enabled = true;
    scenario.file_transfer.size = Octets::new(1_000_000);
    scenario.web.enabled = true;
    scenario.media.enabled = true;
    scenario.tcp.handshake = Some(true);
    let outcome = run(&scenario);
    assert_eq!(
        (
            outcome.applications.file_transfer.as_ref().map(|file| file.is_complete),
            outcome.applications.media.as_ref().and_then(|media| media.loss)
        ),
        (Some(true), Some(0.0))
    );
    assert!(
        outcome.applications.web.is_some_and(|web| web.pages > 0)
            && outcome.applications.tcp_bulk.is_some_and(|bulk| bulk.throughput_bps > 1e6)
    );
    let delay = outcome.applications.media.as_ref().and_then(|media| media.mean_delay_s).expect("media");
    assert!((0.3..0.4).contains(&delay), "the way to the client is as long as ever: {delay}");
}
