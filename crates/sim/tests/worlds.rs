//! What a world promises, seen from outside: when frames start, what headers cost, whose random numbers are whose.

use arqway_link::mux::{Class, Protocol, Scfq, SchedulerConfig};
use arqway_link::rlc::am;
use arqway_link::selective_repeat::{self, EstimatorConfig, Policy, Samples, Timeout, TimerStarts};
use arqway_link::{Frame, ServiceConfig};
use arqway_sim::channel::{
    Direction, Duplication, ErrorModel, ExponentialJitter, Jitter, Listed, Reordering, TwoState, Uniform, UniformJitter,
};
use arqway_sim::{
    Headers, NoProbe, Outcome, Probe, Queue, Rate, RateStep, Room, Scenario, StepRate, Streams, Trace, TraceEnd, World,
};
use arqway_units::{BitRate, Octets, Ratio, Span, Time};

/// When frames with a packet start toward the client, and which frames are lost in each direction.
#[derive(Default)]
struct Frames {
    down: Vec<Time>,
    lost: [Vec<bool>; 2],
}

impl Probe for Frames {
    fn frame_sent(&mut self, direction: Direction, frame: &Frame, arrives: bool, now: Time) {
        if direction == Direction::Down && !frame.body.is_empty() {
            self.down.push(now);
        }
        self.lost[usize::from(direction == Direction::Up)].push(!arrives);
    }
}

fn run(scenario: &Scenario) -> (Outcome, Frames) {
    let mut frames = Frames::default();
    let outcome = World::new(scenario, &Streams::new(1, 0), &mut frames).expect("one service").run();
    (outcome, frames)
}

#[test]
fn a_run_may_be_given_up_half_way_and_is_the_same_if_it_is_not() {
    let mut scenario = Scenario::default();
    scenario.file_transfer.size = Octets::new(2_000_000);
    let world = || World::new(&scenario, &Streams::new(1, 0), NoProbe).expect("one service");
    let whole = world().run();
    assert_eq!(world().run_unless(|| false), Some(whole));
    // Asked after a part of the events, more than once: this is half way.
    let asked = core::cell::Cell::new(0);
    let give_up = || {
        asked.set(asked.get() + 1);
        asked.get() == 5
    };
    assert_eq!((world().run_unless(give_up), asked.get()), (None, 5));
}

/// Two packets over Selective Repeat; the second waits behind the first, is lost, and only its timer can tell.
#[test]
fn a_lost_tail_comes_again_by_its_timer_from_the_moment_that_is_set() {
    // Each packet takes 0.2 ms and 1 ms on the wire, each frame of 252 octets 31.5 ms on the wireless link.
    let (handed_over, started, departed) = (1.4, 1.2 + 31.5, 1.2 + 2.0 * 31.5);
    let moments =
        [(TimerStarts::HandOver, handed_over), (TimerStarts::Start, started), (TimerStarts::Departure, departed)];
    for (timer_starts, from) in moments {
        let mut scenario = Scenario::default();
        let config = selective_repeat::Config { timer_starts, ..selective_repeat::Config::default() };
        scenario.link_layer.service = ServiceConfig::SelectiveRepeat(config);
        scenario.wireless.queue = Queue::DropTail(Room::of(50));
        scenario.wireless.charge_tag = false;
        scenario.wireless.errors = ErrorModel::Listed(Listed { down: vec![1], up: vec![] });
        scenario.file_transfer.size = Octets::new(500);
        // TCP must not be faster.
        scenario.tcp.minimum_timeout = Some("10 s".parse().expect("a length of time"));
        let (outcome, frames) = run(&scenario);
        let again = frames.down[2].as_seconds() * 1e3;
        assert!((again - (from + 1100.0)).abs() < 0.001, "{timer_starts:?}: sent again at {again} ms");
        assert_eq!(
            (
                outcome.network.access_point.timeouts,
                outcome.applications.file_transfer.as_ref().map(|file| file.is_complete)
            ),
            (1, Some(true))
        );
    }
}

/// RLC reports every 0.4 s from the start on. The access point has heard of nothing until then: the user's request is lost.
#[test]
fn a_timer_that_runs_from_the_start_expires_in_time_where_nothing_was_heard_before() {
    let mut scenario = Scenario::default();
    let config = am::Config { profile: am::Profile::UmtsUniform, ..am::Config::default() };
    scenario.link_layer.service = ServiceConfig::RlcAm(config);
    scenario.file_transfer.enabled = false;
    (scenario.web.enabled, scenario.web.duration) = (true, Some(Span::from_seconds(2.0)));
    scenario.wireless.errors = ErrorModel::Listed(Listed { down: vec![], up: vec![0, 1, 2] });
    let mut starts = Starts::default();
    World::new(&scenario, &Streams::new(1, 0), &mut starts).expect("one service").run();
    let [down, up] = starts.0;
    assert_eq!(down.first(), Some(&Time::from_nanoseconds(400_000_000)));
    assert!(up.is_sorted(), "the clock does not run backwards: {up:?}");
}

/// When frames start, toward the client and from it.
#[derive(Default)]
struct Starts([Vec<Time>; 2]);

impl Probe for Starts {
    fn frame_sent(&mut self, direction: Direction, _frame: &Frame, _arrives: bool, now: Time) {
        self.0[usize::from(direction == Direction::Up)].push(now);
    }
}

/// TCP's window of 20 packets fills a queue that takes longer than the timeout that short queues taught. If each
/// acknowledgement is a sample, the estimate follows. If only frames sent once are, there are no more samples: each frame
/// is sent again before its acknowledgement comes.
#[test]
fn a_timeout_below_the_round_trip_is_not_unlearned_where_frames_sent_again_give_no_sample() {
    let timeouts = |samples| {
        let mut scenario = Scenario::default();
        scenario.link_layer.service = ServiceConfig::SelectiveRepeat(selective_repeat::Config {
            timeout: Timeout::Adaptive(Policy { srtt: 3.0, srttvar: 0.0 }),
            estimator: EstimatorConfig {
                samples,
                initial_srtt: Span::from_milliseconds(200),
                ..EstimatorConfig::default()
            },
            timer_starts: TimerStarts::HandOver,
            drop_stale_copies: false,
            ..selective_repeat::Config::default()
        });
        scenario.wireless.queue = Queue::DropTail(Room::of(256));
        scenario.file_transfer.size = Octets::new(100_000);
        let (outcome, frames) = run(&scenario);
        (outcome.network.access_point.timeouts, frames.down.len())
    };
    let (few, hardly_more) = timeouts(Samples::EachAcknowledgement);
    let (many, copies) = timeouts(Samples::OneAtATime);
    assert!(few < 40 && hardly_more < 440, "{few} timeouts, {hardly_more} frames for 400 packets");
    assert!(many > 300 && copies > 700, "{many} timeouts, {copies} frames for 400 packets");
}

#[test]
fn headers_on_top_cost_their_octets_and_headers_that_count_as_data_do_not() {
    let throughput = |headers| {
        let mut scenario = Scenario { headers, ..Scenario::default() };
        scenario.file_transfer.size = Octets::new(1_000_000);
        scenario.wireless.charge_tag = false;
        run(&scenario).0.applications.file_transfer.expect("a file").throughput_bps
    };
    let (inside, on_top) = (throughput(Headers::CountAsData), throughput(Headers::OnTop));
    assert!((inside / 64_000.0 - 1.0).abs() < 0.01, "{inside}");
    assert!((on_top / inside - 250.0 / 290.0).abs() < 0.001, "{on_top}");
}

#[test]
fn the_two_directions_lose_frames_independently() {
    let mut scenario = Scenario::default();
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.3).expect("a share") });
    scenario.file_transfer.size = Octets::new(200_000);
    let (_, frames) = run(&scenario);
    let [down, up] = &frames.lost;
    let same = down.iter().zip(up).filter(|(down, up)| down == up).count() as f64 / down.len().min(up.len()) as f64;
    // Independent fates agree in 0.7 * 0.7 + 0.3 * 0.3 of all pairs.
    assert!((same - 0.58).abs() < 0.08, "{same}");
}

#[test]
fn a_link_that_loses_everything_ends_with_the_scenario() {
    let mut scenario = Scenario::default();
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::ONE });
    scenario.media.enabled = true;
    scenario.duration = "1000 s".parse().expect("a length of time");
    let outcome = World::new(&scenario, &Streams::new(1, 0), NoProbe).expect("one service").run();
    assert_eq!(
        (
            outcome.applications.file_transfer.as_ref().map(|file| file.is_complete),
            outcome.applications.file_transfer.as_ref().map(|file| file.throughput_bps),
            outcome.applications.media.as_ref().and_then(|media| media.loss)
        ),
        (Some(false), Some(0.0), Some(1.0))
    );
    assert_eq!(outcome.ended, Time::ZERO + scenario.duration);
}

#[test]
fn a_link_that_falls_silent_for_good_ends_with_the_scenario_and_loses_nothing_to_errors() {
    let mut scenario = Scenario::default();
    let rate = StepRate(BitRate::from_bits_per_second(64_000));
    let length = Span::from_milliseconds(500);
    let steps = [RateStep { length, rate }, RateStep { length, rate: StepRate(None) }];
    scenario.wireless.rate = Rate::Trace(Trace::new(steps.as_slice(), TraceEnd::Hold).expect("a rate"));
    // Periods so short that those until the end of time could never be drawn.
    let (good, bad) = (Span::from_milliseconds(1), Span::from_milliseconds(1));
    let (good_bit_errors, bad_bit_errors) = (Ratio::ZERO, Ratio::ZERO);
    scenario.wireless.errors = ErrorModel::TwoState(TwoState { good, bad, good_bit_errors, bad_bit_errors });
    scenario.duration = Span::from_milliseconds(10_000);
    let (outcome, frames) = run(&scenario);
    assert_eq!(
        (outcome.applications.file_transfer.as_ref().map(|file| file.is_complete), outcome.network.frame_loss_rate),
        (Some(false), Some(0.0))
    );
    assert!(!frames.down.is_empty());
    assert_eq!(outcome.ended, Time::ZERO + scenario.duration);
}

#[test]
fn a_lecture_that_arrives_twice_is_lost_as_often_as_one_that_arrives_once() {
    let mut scenario = Scenario::default();
    scenario.file_transfer.enabled = false;
    scenario.media.enabled = true;
    scenario.duration = Span::from_milliseconds(1_000_000);
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.1).expect("a share") });
    let once = run(&scenario).0;
    scenario.wireless.duplication = Some(Duplication { share: Ratio::ONE, delay: Span::from_milliseconds(80) });
    let twice = run(&scenario).0;
    assert_eq!(
        (
            twice.applications.media.as_ref().and_then(|media| media.loss),
            twice.applications.media.as_ref().and_then(|media| media.mean_delay_s)
        ),
        (
            once.applications.media.as_ref().and_then(|media| media.loss),
            once.applications.media.as_ref().and_then(|media| media.mean_delay_s)
        )
    );
}

#[test]
fn a_file_gets_over_a_raw_link_that_reorders_duplicates_and_jitters() {
    let mut scenario = Scenario::default();
    let share = Ratio::new(0.05).expect("a share");
    let wireless = &mut scenario.wireless;
    wireless.reordering = Some(Reordering { share, delay: Span::from_milliseconds(100) });
    wireless.duplication = Some(Duplication { share, delay: Span::from_milliseconds(40) });
    wireless.jitter = Jitter::Exponential(ExponentialJitter { mean: Span::from_milliseconds(30), keep_order: false });
    scenario.file_transfer.size = Octets::new(500_000);
    let (outcome, frames) = run(&scenario);
    assert_eq!(outcome.applications.file_transfer.as_ref().map(|file| file.is_complete), Some(true));
    let frames = frames.down.len() as u64;
    // Each copy is one more packet delivered: 5 % of some 2,000 frames.
    let copies = outcome.network.client.packets_delivered.saturating_sub(frames);
    assert!((50..200).contains(&copies), "{copies} copies of {frames} frames");
}

#[test]
fn selective_repeat_gets_a_file_over_a_link_whose_jitter_keeps_the_order() {
    let mut scenario = Scenario::default();
    scenario.link_layer.service = ServiceConfig::SelectiveRepeat(selective_repeat::Config::default());
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.054).expect("a share") });
    scenario.wireless.jitter =
        Jitter::Uniform(UniformJitter { longest: Span::from_milliseconds(200), keep_order: true });
    scenario.file_transfer.size = Octets::new(500_000);
    let (outcome, _) = run(&scenario);
    assert_eq!(outcome.applications.file_transfer.as_ref().map(|file| file.is_complete), Some(true));
    assert_eq!(
        outcome.applications.file_transfer.as_ref().map(|file| file.timeouts),
        Some(0.0),
        "the link recovers what is lost in time"
    );
}

#[test]
fn each_direction_has_its_own_rate_delay_and_errors() {
    let mut scenario = Scenario::default();
    scenario.file_transfer.size = Octets::new(250);
    scenario.wireless.charge_tag = false;
    scenario.wireless.up.rate = Some(BitRate::from_bits_per_second(6400).expect("a rate").into());
    scenario.wireless.up.delay = Some(Span::from_milliseconds(500).into());
    // A packet: 1.2 ms of wire, 31.25 ms, 50 ms; its acknowledgement of 40 octets: 50 ms, 500 ms, 1.032 ms of wire.
    let (outcome, _) = run(&scenario);
    assert!((outcome.ended.as_seconds() - 0.633_482).abs() < 1e-6, "{}", outcome.ended.as_seconds());
    // Acknowledgements alone are lost: everything arrives, and TCP never knows.
    scenario.wireless.up.errors = Some(ErrorModel::Uniform(Uniform { loss: Ratio::ONE }));
    scenario.duration = Span::from_milliseconds(20_000);
    let (outcome, frames) = run(&scenario);
    assert_eq!(
        (outcome.network.frame_loss_rate, outcome.applications.file_transfer.as_ref().map(|file| file.is_complete)),
        (Some(0.0), Some(false))
    );
    assert!(!frames.lost[1].is_empty() && frames.lost[1].iter().all(|lost| *lost));
}

#[test]
fn a_measurement_of_the_channel_ends_after_its_duration_and_yields_to_other_traffic() {
    let mut scenario = Scenario::default();
    scenario.channel.enabled = true;
    scenario.channel.duration = Span::from_milliseconds(100_000);
    scenario.file_transfer.enabled = false;
    scenario.media.enabled = true;
    let (outcome, frames) = run(&scenario);
    assert_eq!(outcome.ended, Time::ZERO + scenario.channel.duration);
    // 251 octets a frame: the link is never idle, and what it carries of the lecture waits for one frame at most.
    assert!((3187..=3188).contains(&frames.down.len()), "{}", frames.down.len());
    assert!(
        outcome.applications.media.as_ref().and_then(|media| media.mean_delay_s).is_some_and(|delay| delay < 0.15),
        "{:?}",
        outcome.applications.media.as_ref().and_then(|media| media.mean_delay_s)
    );
    assert!(
        outcome.applications.media.as_ref().and_then(|media| media.loss).is_some_and(|loss| loss < 0.01),
        "{:?}",
        outcome.applications.media.as_ref().and_then(|media| media.loss)
    );
}

#[test]
fn under_fair_queueing_a_class_has_the_share_that_is_set_aside_for_it() {
    let mut scenario = Scenario::default();
    scenario.file_transfer.size = Octets::new(1_000_000);
    scenario.wireless.charge_tag = false;
    // Somebody who talks without a pause, at twice what the link carries.
    scenario.media.enabled = true;
    scenario.media.rate = BitRate::from_bits_per_second(128_000).expect("a rate");
    scenario.media.silence = Span::from_nanoseconds(1);
    for (rate, of_the_link) in [("25 %", 0.25), ("48 kbit/s", 0.75)] {
        let voice = Class::of_protocol(Protocol::UDP, scenario.link_layer.service.clone());
        scenario.link_layer.classes = vec![Class { rate: Some(rate.parse().expect("a share")), ..voice }];
        scenario.link_layer.scheduler = SchedulerConfig::Scfq(Scfq::default());
        let (outcome, _) = run(&scenario);
        let of_file = outcome.applications.file_transfer.expect("a file").throughput_bps / 64_000.0;
        assert!((of_file + of_the_link - 1.0).abs() < 0.01, "{of_file} beside {rate}");
    }
}
