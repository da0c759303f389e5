//! A user who moves: what an outage takes and what it spares, who is told, and what that is worth.

use arqway_link::{Frame, ServiceConfig, ShortForm, WorldDefaults, raw};
use arqway_sim::app::{Adapts, Application, ToLoss, ToTheLink};
use arqway_sim::channel::{Direction, ErrorModel, Uniform};
use arqway_sim::mobility::{Change, Listed, MobilityConfig, Periodic, Random, Vertical, When};
use arqway_sim::tcp::OnHints;
use arqway_sim::{Host, NoProbe, Outcome, Probe, Queue, Room, Scenario, Streams, World};
use arqway_units::{BitRate, Octets, Ratio, Span, Time};
use proptest::prelude::*;
use std::num::NonZeroUsize;

fn run(scenario: &Scenario, probe: impl Probe) -> Outcome {
    World::new(scenario, &Streams::new(1, 0), probe).expect("a link layer").run()
}

fn service(name: &str) -> ServiceConfig {
    let form: ShortForm = name.parse().expect("a short form");
    form.in_world(&WorldDefaults::default()).expect("a service")
}

fn ms(milliseconds: u64) -> Span {
    Span::from_milliseconds(milliseconds)
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + ms(milliseconds)
}

fn kbit(kilobits: u64) -> BitRate {
    BitRate::from_bits_per_second(kilobits * 1000).expect("not zero")
}

/// An outage at these times, in milliseconds.
fn listed(times: &[u64]) -> When {
    When::Listed(Listed { at: times.iter().copied().map(ms).collect() })
}

/// A minute of a lecture, over a link of 64 kbit/s and 50 ms.
fn lecture() -> Scenario {
    let mut scenario = Scenario::default();
    scenario.file_transfer.enabled = false;
    scenario.media.enabled = true;
    scenario.duration = ms(60_000);
    scenario
}

/// A file over Selective Repeat, by a user who is out of reach for a while every ten seconds.
fn download(outage: u64) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.file_transfer.size = Octets::new(400_000);
    scenario.link_layer.service = service("sr");
    scenario.mobility.when = When::Periodic(Periodic { stay: ms(10_000) });
    scenario.mobility.outage = ms(outage);
    scenario
}

/// What went over the air.
#[derive(Default)]
struct Air {
    /// When frames started, and whether they were to arrive.
    sent: [Vec<(Time, bool)>; 2],
    received: [u64; 2],
}

impl Probe for Air {
    fn frame_sent(&mut self, direction: Direction, _: &Frame, arrives: bool, now: Time) {
        self.sent[usize::from(direction == Direction::Up)].push((now, arrives));
    }
    fn frame_received(&mut self, direction: Direction, _: &Frame, _: Time) {
        self.received[usize::from(direction == Direction::Up)] += 1;
    }
}

/// When the server sends, and how long its lecture takes.
#[derive(Default)]
struct Server {
    sent: Vec<Time>,
    delays: Vec<(Time, Span)>,
}

impl Probe for Server {
    fn packet_sent(&mut self, host: Host, _: &[u8], now: Time) {
        if host == Host::Server {
            self.sent.push(now);
        }
    }
    fn delivered(&mut self, _: Application, delay: Span, now: Time) {
        self.delays.push((now, delay));
    }
}

impl Server {
    fn packets_between(&self, from: Time, until: Time) -> usize {
        self.sent.iter().filter(|sent| (from..until).contains(sent)).count()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// The notice outlasts a frame and its way, so that nothing is on the air when the link goes; and between two outages
    /// there is time enough to send what has waited, so that no service is full.
    #[test]
    fn an_announced_outage_takes_nothing_whatever_the_service(
        name in prop::sample::select(vec!["raw", "sr", "asr:3+2", "go-back-n:1.1", "rlp:3", "oos-rlp:1", "xor-fec:12", "snoop", "rlc-um", "rlc-tm"]),
        stays in proptest::collection::vec(5000u64..20_000, 1..6),
        outage in 0u64..1500,
        dropping in any::<bool>(),
    ) {
        let mut scenario = lecture();
        scenario.link_layer.service = service(name);
        if dropping {
            scenario.wireless.queue = Queue::DropTail(Room::of(300));
        }
        let mut time = 0;
        let times: Vec<u64> = stays.iter().map(|stay| { time += stay + outage; time - outage }).collect();
        scenario.mobility = MobilityConfig { when: listed(&times), outage: ms(outage), ..MobilityConfig::default() };
        let outcome = run(&scenario, NoProbe);
        prop_assert_eq!((outcome.network.lost_in_outages, outcome.applications.media.as_ref().and_then(|media| media.loss), outcome.network.queue_drops), (0, Some(0.0), 0));
        let counters = (outcome.network.access_point.timeouts, outcome.network.access_point.frames_resent, outcome.network.access_point.packets_refused);
        // An adaptive timeout that has learned a short round trip expires where acknowledgements are delayed, outage or not.
        if name != "asr:3+2" {
            prop_assert_eq!(counters, (0, 0, 0));
        }
    }

    /// Every frame that starts arrives or is told to be lost, and what an outage took is counted, with hints and without.
    #[test]
    fn frames_are_conserved(hints in any::<bool>(), stay in 200u64..5000, outage in 0u64..2000, vertical in any::<bool>()) {
        let mut scenario = download(outage);
        scenario.file_transfer.size = Octets::new(100_000);
        scenario.duration = ms(200_000);
        scenario.mobility.when = When::Random(Random { mean_stay: ms(stay) });
        scenario.mobility.hints = hints;
        if vertical {
            let other = Vertical { rate: Some(kbit(200).into()), delay: Some(ms(10).into()), errors: None };
            scenario.mobility.change = Change::Vertical(other);
        }
        let mut air = Air::default();
        let outcome = run(&scenario, &mut air);
        let mut lost = 0;
        for (sent, received) in air.sent.iter().zip(air.received) {
            let arriving = sent.iter().filter(|(_, arrives)| *arrives).count() as u64;
            lost += sent.len() as u64 - arriving;
            // What is still on its way when the run ends: no more than the acknowledgements that a delay holds.
            prop_assert!((arriving.saturating_sub(40)..=arriving).contains(&received), "{received} of {arriving}");
        }
        prop_assert_eq!(lost, outcome.network.lost_in_outages);
        prop_assert_eq!(outcome, run(&scenario, NoProbe), "the same again");
    }
}

#[test]
fn what_is_on_the_air_is_lost_just_while_the_link_is_gone() {
    let mut scenario = lecture();
    // A frame is 31.375 ms on the line and 50 ms under way, and somebody talks without a pause.
    scenario.media.silence = Span::from_nanoseconds(1);
    scenario.mobility = MobilityConfig { when: listed(&[20_000]), hints: false, ..MobilityConfig::default() };
    let mut air = Air::default();
    run(&scenario, &mut air);
    let [down, _] = &air.sent;
    let from = 20.0 - 0.081_375;
    for (start, arrives) in down {
        assert_eq!(*arrives, !(from..20.5).contains(&start.as_seconds()), "{start:?}");
    }
    assert!(down.iter().any(|(_, arrives)| !arrives), "somebody talks at 20 s");
}

#[test]
fn nothing_starts_between_the_notice_and_the_end_of_an_announced_outage() {
    let mut scenario = download(3000);
    scenario.mobility.notice = ms(400);
    let mut air = Air::default();
    let outcome = run(&scenario, &mut air);
    let held = at(9600)..at(13_000);
    assert!(air.sent.iter().flatten().all(|(start, _)| !held.contains(start)));
    assert!(air.sent[0].iter().any(|(start, _)| *start == held.end), "what waits goes out at once");
    assert_eq!((outcome.network.lost_in_outages, outcome.network.access_point.timeouts), (0, 0));
}

#[test]
fn without_hints_services_send_into_the_dead_link() {
    let mut scenario = download(3000);
    scenario.mobility.hints = false;
    let outcome = run(&scenario, NoProbe);
    assert!(outcome.network.lost_in_outages > 20 && outcome.network.access_point.timeouts > 20, "{outcome:?}");
    assert_eq!(outcome.network.frame_loss_rate, Some(0.0), "the link's errors have nothing to do with it");
}

#[test]
fn a_frozen_tcp_has_no_timeout_in_an_outage_and_one_that_ignores_hints_has() {
    let throughput = |hints: bool, on_hints: OnHints| {
        let mut scenario = download(5000);
        scenario.mobility.hints = hints;
        scenario.tcp.on_hints = on_hints;
        let outcome = run(&scenario, NoProbe);
        assert_eq!(outcome.applications.file_transfer.as_ref().map(|file| file.is_complete), Some(true));
        (
            outcome.applications.file_transfer.as_ref().expect("a file").timeouts,
            outcome.applications.file_transfer.expect("a file").throughput_bps,
        )
    };
    let (frozen, services_only, none) =
        (throughput(true, OnHints::Freeze), throughput(true, OnHints::Ignore), throughput(false, OnHints::Freeze));
    assert_eq!(frozen.0, 0.0);
    assert!(services_only.0 >= 4.0 && none.0 >= 4.0, "{services_only:?} {none:?}");
    // The link is there for ten of fifteen seconds.
    assert!(
        frozen.1 > 41_500.0 && frozen.1 > 1.03 * services_only.1.max(none.1),
        "{frozen:?} {services_only:?} {none:?}"
    );
}

#[test]
fn a_frozen_server_is_silent_from_when_the_hint_has_come_to_when_the_next_has() {
    let mut scenario = download(2000);
    scenario.wired.delay = ms(100);
    scenario.tcp.on_hints = OnHints::Freeze;
    let mut server = Server::default();
    run(&scenario, &mut server);
    // The notice is at 9.8 s, the link back at 12 s.
    assert!(server.packets_between(at(9000), at(9900)) > 10);
    assert_eq!(server.packets_between(at(9901), at(12_100)), 0);
    assert!(server.packets_between(at(12_100), at(12_600)) > 5);
}

#[test]
fn a_page_asked_for_in_an_outage_is_fetched_after_it_without_a_timeout() {
    let mut scenario = lecture();
    scenario.media.enabled = false;
    scenario.web.enabled = true;
    scenario.tcp.on_hints = OnHints::Freeze;
    scenario.link_layer.service = service("sr");
    scenario.mobility.when = When::Random(Random { mean_stay: ms(2000) });
    scenario.mobility.outage = ms(4000);
    let web = run(&scenario, NoProbe).applications.web.expect("a browser");
    assert_eq!(web.timeouts, Some(0.0));
    assert!(web.pages >= 2, "{web:?}");
}

#[test]
fn a_vertical_handoff_leads_to_the_other_link_and_the_next_one_back() {
    let mut scenario = lecture();
    let other = Vertical { rate: Some(kbit(640).into()), delay: Some(ms(500).into()), errors: None };
    scenario.mobility = MobilityConfig {
        when: listed(&[20_000, 40_000]),
        change: Change::Vertical(other),
        ..MobilityConfig::default()
    };
    let mut server = Server::default();
    run(&scenario, &mut server);
    let shortest = |from: u64, until: u64| {
        let within = server.delays.iter().filter(|(now, _)| (at(from)..at(until)).contains(now));
        within.map(|(_, delay)| delay.as_seconds()).fold(f64::MAX, f64::min)
    };
    // 1.2 ms on the wire, a frame of 251 octets, and the way.
    assert!((shortest(0, 20_000) - (0.0012 + 0.031_375 + 0.05)).abs() < 1e-6, "{}", shortest(0, 20_000));
    assert!((shortest(23_000, 40_000) - (0.0012 + 0.003_137_5 + 0.5)).abs() < 1e-6, "{}", shortest(23_000, 40_000));
    assert!((shortest(43_000, 60_000) - (0.0012 + 0.031_375 + 0.05)).abs() < 1e-6);
}

#[test]
fn the_errors_of_the_other_link_are_its_own() {
    let mut scenario = lecture();
    let errors = Some(ErrorModel::Uniform(Uniform { loss: Ratio::ONE }));
    let change = Change::Vertical(Vertical { errors, ..Vertical::default() });
    scenario.mobility = MobilityConfig { when: listed(&[20_000, 40_000]), change, ..MobilityConfig::default() };
    let mut air = Air::default();
    run(&scenario, &mut air);
    for (start, arrives) in &air.sent[0] {
        assert_eq!(*arrives, !(at(20_000)..at(40_000)).contains(start), "{start:?}");
    }
}

#[test]
fn a_lecture_that_follows_the_link_takes_the_rate_that_fits() {
    let packets = |adapts: Adapts, hints: bool| {
        let mut scenario = lecture();
        scenario.wireless.rate = kbit(1000).into();
        scenario.media.rate = kbit(400);
        scenario.media.silence = Span::from_nanoseconds(1);
        scenario.media.adapts = adapts;
        let change = Change::Vertical(Vertical { rate: Some(kbit(125).into()), ..Vertical::default() });
        scenario.mobility =
            MobilityConfig { when: listed(&[20_000, 40_000]), change, hints, ..MobilityConfig::default() };
        let mut server = Server::default();
        let outcome = run(&scenario, &mut server);
        let counts = [(5000, 15_000), (25_000, 35_000), (45_000, 55_000)]
            .map(|(from, until)| server.packets_between(at(from), at(until)));
        (counts, outcome.applications.media.as_ref().and_then(|media| media.loss).expect("media"))
    };
    // 200 packets of 2,000 bits a second; a quarter of the rate is what fits into nine tenths of 125 kbit/s.
    let ([before, on_other, after], loss) = packets(Adapts::ToTheLink(ToTheLink::default()), true);
    assert!(
        before.abs_diff(2000) <= 2 && on_other.abs_diff(500) <= 2 && after.abs_diff(2000) <= 2,
        "{before} {on_other}"
    );
    let (unmoved, overloaded) = packets(Adapts::No, true);
    assert!(unmoved.into_iter().all(|count| count.abs_diff(2000) <= 2), "{unmoved:?}");
    assert!(loss < 0.01 && overloaded > 0.1, "{loss}, {overloaded}");
    let (untold, _) = packets(Adapts::ToTheLink(ToTheLink::default()), false);
    assert_eq!(untold, unmoved, "who is not told does not know");
}

#[test]
fn a_lecture_that_follows_its_losses_leaves_a_link_that_is_too_narrow_for_it() {
    let outcome = |adapts: Adapts| {
        let mut scenario = lecture();
        scenario.duration = ms(200_000);
        scenario.media.silence = Span::from_nanoseconds(1);
        scenario.wireless.rate = kbit(40).into();
        // Half a second of a queue.
        let buffer = NonZeroUsize::new(10).expect("not zero");
        scenario.link_layer.service = ServiceConfig::Raw(raw::Config { buffer });
        scenario.media.adapts = adapts;
        run(&scenario, NoProbe)
    };
    let (stays, follows) = (outcome(Adapts::No), outcome(Adapts::ToLoss(ToLoss::default())));
    let loss = |outcome: &Outcome| outcome.applications.media.as_ref().and_then(|media| media.loss).expect("media");
    // 40 of 56 kbit/s get through.
    assert!((loss(&stays) - 0.28).abs() < 0.02, "{}", loss(&stays));
    assert!(loss(&follows) < loss(&stays) / 3.0, "{}", loss(&follows));
    let offered = follows.applications.media.as_ref().expect("media").offered_bps;
    assert!((20_000.0..50_000.0).contains(&offered), "{offered}");
}

#[test]
fn reports_of_a_lecture_that_misses_nothing_leave_its_rate_alone() {
    let mut scenario = lecture();
    let stays = run(&scenario, NoProbe);
    scenario.media.adapts = Adapts::ToLoss(ToLoss::default());
    let follows = run(&scenario, NoProbe);
    assert_eq!(
        stays.applications.media.as_ref().map(|media| media.offered_bps),
        follows.applications.media.as_ref().map(|media| media.offered_bps)
    );
    let reports = follows.network.client.packets_taken;
    assert!((20..=60).contains(&reports), "{reports} reports in a minute, none in a long silence");
}

#[test]
fn outages_come_when_they_do_whoever_is_told() {
    let lost = |hints: bool| {
        let mut scenario = download(500);
        scenario.mobility.when = When::Random(Random { mean_stay: ms(5000) });
        scenario.mobility.hints = hints;
        // No notice: in both worlds the first frame to be lost is the one that the outage meets.
        scenario.mobility.notice = Span::ZERO;
        let mut air = Air::default();
        run(&scenario, &mut air);
        air.sent[0].iter().find(|(_, arrives)| !arrives).map(|(start, _)| *start)
    };
    assert!(lost(true).is_some());
    assert_eq!(lost(true), lost(false));
}
