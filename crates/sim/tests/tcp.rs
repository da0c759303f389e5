//! What TCP's settings promise beyond what ns-2 has: which packets go out again, when, and how many at once.

use arqway_sim::channel::{Duplication, ErrorModel, Listed, Reordering, Uniform};
use arqway_sim::mobility::{Random, When};
use arqway_sim::tcp::{
    Acknowledgements, CongestionControl, DelayedAcknowledgements, DelayedDuplicates, DuplicateAcknowledgements,
    OnHints, PacketWindow, Profile, Sender, TcpConfig, Transmission, Variant,
};
use arqway_sim::{NoProbe, Outcome, Probe, Queue, Room, Scenario, Streams, World};
use arqway_units::{Octets, Ratio, Span, Time};
use proptest::prelude::*;

/// What TCP sends, and when.
#[derive(Default)]
struct Sent(Vec<(Transmission, Time)>);

impl Probe for Sent {
    fn tcp_sent(&mut self, transmission: Transmission, _: &Sender, now: Time) {
        self.0.push((transmission, now));
    }
}

impl Sent {
    fn again(&self) -> Vec<(i64, Time)> {
        self.0.iter().filter(|(sent, _)| sent.again).map(|(sent, at)| (sent.number, *at)).collect()
    }
}

fn watch(scenario: &Scenario, probe: impl Probe) -> Outcome {
    World::new(scenario, &Streams::new(1, 0), probe).expect("one service").run()
}

fn sent(scenario: &Scenario) -> Sent {
    let mut sent = Sent::default();
    assert_eq!(watch(scenario, &mut sent).applications.file_transfer.as_ref().map(|file| file.is_complete), Some(true));
    sent
}

fn ms(milliseconds: u64) -> Span {
    Span::from_milliseconds(milliseconds)
}

fn delayed(milliseconds: u64) -> DuplicateAcknowledgements {
    DuplicateAcknowledgements::Delayed(DelayedDuplicates { delay: ms(milliseconds) })
}

/// A file over a link with room for all of TCP's window.
fn download(tcp: TcpConfig) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.file_transfer.size = Octets::new(100_000);
    scenario.wireless.queue = Queue::DropTail(Room::of(50));
    scenario.tcp = TcpConfig { clock_phase: Some(Span::ZERO), ..tcp };
    scenario
}

#[test]
fn delayed_duplicates_spare_a_link_that_overtakes_its_frames_every_retransmission() {
    let again = |duplicate_acknowledgements| {
        let mut scenario = download(TcpConfig { duplicate_acknowledgements, ..TcpConfig::default() });
        let share = Ratio::new(0.05).expect("a share");
        scenario.wireless.reordering = Some(Reordering { share, delay: ms(300) });
        sent(&scenario).again().len()
    };
    assert!(again(DuplicateAcknowledgements::AtOnce) > 5);
    assert!(again(delayed(200)) > 5, "the link takes longer than that");
    assert_eq!(again(delayed(400)), 0);
}

#[test]
fn a_lost_packet_is_sent_again_later_by_just_the_delay_of_its_duplicates() {
    let again = |duplicate_acknowledgements| {
        let mut scenario = download(TcpConfig { duplicate_acknowledgements, ..TcpConfig::default() });
        scenario.wireless.errors = ErrorModel::Listed(Listed { down: vec![20], up: vec![] });
        let again = sent(&scenario).again();
        assert_eq!(again.len(), 1);
        again[0]
    };
    let (number, at) = again(DuplicateAcknowledgements::AtOnce);
    assert_eq!(again(delayed(300)), (number, at + ms(300)));
}

#[test]
fn paced_packets_of_one_connection_keep_their_distance() {
    let closest = |pacing, skipped| {
        let sent = sent(&download(TcpConfig { pacing, ..TcpConfig::default() })).0;
        sent.windows(2).skip(skipped).map(|pair| pair[1].1.since(pair[0].1)).min().expect("packets")
    };
    assert_eq!(closest(false, 2), Span::ZERO, "slow start sends two for one");
    assert!(closest(true, 2) > ms(5), "{:?}: the smoothed time lags behind the window", closest(true, 2));
    // In the end twenty packets are outstanding, of which each takes the wireless link 31.25 ms.
    assert!(closest(true, 200) > ms(25), "{:?}", closest(true, 200));
}

/// The bursts and the round-trip times of the only connection, as they were when it last had an acknowledgement.
#[derive(Default)]
struct Measured {
    bursts: Vec<u64>,
    samples: u64,
    sum: Span,
    packets: u64,
}

impl Probe for Measured {
    fn tcp_sent(&mut self, _: Transmission, _: &Sender, _: Time) {
        self.packets += 1;
    }
    fn tcp_acknowledged(&mut self, _: i64, sender: &Sender, _: Time) {
        self.bursts = sender.bursts().to_vec();
        (self.samples, self.sum) = (sender.round_trip_samples(), sender.round_trip_sum());
    }
}

#[test]
fn every_packet_is_of_one_burst_and_the_mean_round_trip_time_is_what_the_queue_makes_it() {
    let mut measured = Measured::default();
    watch(&download(TcpConfig::default()), &mut measured);
    let packets: u64 = measured.bursts.iter().zip(1..).map(|(bursts, packets)| bursts * packets).sum();
    assert_eq!(packets, measured.packets);
    assert_eq!(measured.bursts[2..], [0; 18], "with nothing lost none has more than two");
    // Nineteen packets of 31.25 ms are in front of one, or fewer at the start; 107 ms are the links' own.
    let mean = measured.sum.as_seconds() / measured.samples as f64;
    assert!((0.5..0.75).contains(&mean), "{mean} s over {} samples", measured.samples);
}

fn any_tcp() -> impl Strategy<Value = TcpConfig> {
    let profile =
        prop_oneof![Just(Profile::Papers), Just(Profile::Ns235), Just(Profile::Pre2004), Just(Profile::Today)];
    let variant = prop_oneof![Just(Variant::Reno), Just(Variant::NewReno), Just(Variant::Sack), Just(Variant::RackTlp)];
    let control = prop_oneof![Just(CongestionControl::Reno), Just(CongestionControl::Cubic)];
    let duplicates = prop_oneof![Just(DuplicateAcknowledgements::AtOnce), (1u64..3000).prop_map(delayed)];
    let acknowledgements = prop_oneof![Just(Acknowledgements::EveryPacket), (1u64..600).prop_map(every_second)];
    let hints = prop_oneof![Just(OnHints::Ignore), Just(OnHints::Freeze)];
    let receiver = (duplicates, acknowledgements, proptest::option::of(any::<bool>()));
    (profile, variant, control, receiver, hints, 0u32..6, any::<bool>(), 1u64..500).prop_map(
        |(profile, variant, control, receiver, on_hints, burst, pacing, tick)| TcpConfig {
            profile,
            variant: Some(variant),
            congestion_control: Some(control),
            duplicate_acknowledgements: receiver.0,
            acknowledgements: Some(receiver.1),
            limited_transmit: receiver.2,
            on_hints,
            maximum_burst: PacketWindow::new(burst),
            pacing,
            tick: Some(ms(tick)),
            ..TcpConfig::default()
        },
    )
}

fn every_second(milliseconds: u64) -> Acknowledgements {
    Acknowledgements::Delayed(DelayedAcknowledgements { delay: ms(milliseconds) })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn the_file_comes_whatever_tcp_and_the_link_do(
        tcp in any_tcp(), loss in 0.0..0.3, reordered in 0.0..0.3, twice in 0.0..0.3, stay in 500u64..20_000,
    ) {
        let mut scenario = download(tcp);
        scenario.duration = ms(1_000_000_000);
        scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(loss).expect("a share") });
        scenario.wireless.reordering =
            Some(Reordering { share: Ratio::new(reordered).expect("a share"), delay: ms(150) });
        scenario.wireless.duplication =
            Some(Duplication { share: Ratio::new(twice).expect("a share"), delay: ms(70) });
        scenario.mobility.when = When::Random(Random { mean_stay: ms(stay) });
        let outcome = watch(&scenario, NoProbe);
        prop_assert_eq!(outcome.applications.file_transfer.as_ref().map(|file| file.is_complete), Some(true));
        prop_assert_eq!(outcome.clone(), watch(&scenario, NoProbe));
    }
}
