//! What a run takes of memory: an event in steady state allocates nothing but, now and then, room for new packets; and
//! a long run needs no more than a short one.

use arqway_link::rlc::um;
use arqway_link::selective_repeat::{self, TimerStarts};
use arqway_link::{
    Bounded, Resequencing, ServiceConfig, Unordered, fec, go_back_n, mux::Class, mux::Protocol, raw, rlp, snoop,
};
use arqway_sim::app::{Adapts, Parallel, Samples, ToLoss};
use arqway_sim::channel::{Duplication, ErrorModel, ExponentialJitter, Jitter, Reordering, Uniform};
use arqway_sim::mobility::{Change, Random, Vertical, When};
use arqway_sim::tcp::{
    CongestionControl, DelayedDuplicates, DuplicateAcknowledgements, OnHints, PacketWindow, Profile, TcpConfig, Variant,
};
use arqway_sim::{
    NoProbe, Probe, Queue, Rate, RateStep, Room, Scenario, StepRate, Streams, Trace, TraceEnd, World, tcp,
};
use arqway_units::{BitRate, Octets, Ratio, Span, Time};

/// Everything at once: Selective Repeat with a fixed timeout under contention, and a link that loses frames.
fn busy_world(megabytes: u64) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.wireless.queue = Queue::DropTail(Room::of(256));
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.054).expect("a share") });
    scenario.link_layer.service = ServiceConfig::SelectiveRepeat(selective_repeat::Config {
        timer_starts: TimerStarts::HandOver,
        drop_stale_copies: false,
        ..selective_repeat::Config::default()
    });
    let service = ServiceConfig::Raw(raw::Config::default());
    scenario.link_layer.classes = vec![Class::of_protocol(Protocol::UDP, service)];
    scenario.media.enabled = true;
    scenario.file_transfer.size = Octets::new(megabytes * 1_000_000);
    scenario
}

#[derive(Default)]
struct PacketCount(u64);

impl Probe for PacketCount {
    fn tcp_sent(&mut self, _: tcp::Transmission, _: &tcp::Sender, _: Time) {
        self.0 += 1;
    }
}

#[test]
fn an_event_in_steady_state_allocates_at_most_the_packet_it_creates() {
    assert_no_allocation_but_packets(&busy_world(10));
}

#[test]
fn no_service_allocates_but_for_the_packets_that_it_makes() {
    let rlp = |resequencing| ServiceConfig::Rlp(rlp::Config { resequencing, ..rlp::Config::default() });
    let repeat = |resequencing| {
        ServiceConfig::SelectiveRepeat(selective_repeat::Config { resequencing, ..selective_repeat::Config::default() })
    };
    for service in [
        ServiceConfig::GoBackN(go_back_n::Config { timeout: Span::from_milliseconds(1100), ..Default::default() }),
        rlp(Resequencing::Full),
        rlp(Resequencing::as_received()),
        rlp(Resequencing::PerFlow),
        repeat(Resequencing::PerFlow),
        repeat(Resequencing::None(Unordered::default())),
        ServiceConfig::XorFec(fec::Config::default()),
    ] {
        let mut scenario = busy_world(10);
        scenario.link_layer.service = service;
        assert_no_allocation_but_packets(&scenario);
    }
}

#[test]
fn neither_does_rlc_which_cuts_packets_and_joins_them() {
    let reordering =
        um::Reception::Reordering { window: Bounded::new(32).expect("below 64"), timer: Span::from_milliseconds(100) };
    for (octets, reception) in [(40, um::Reception::InSequence), (1504, um::Reception::InSequence), (252, reordering)] {
        let pdu_size = um::UmdSize::new(octets).expect("a size");
        let mut scenario = busy_world(20);
        scenario.link_layer.service = ServiceConfig::RlcUm(um::Config { pdu_size, reception, ..um::Config::default() });
        // Few enough that TCP is busy: a packet is lost with any of its pieces.
        scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.002).expect("a share") });
        assert_no_allocation_but_packets(&scenario);
    }
}

#[test]
fn neither_do_impairments_and_a_rate_that_changes() {
    let mut scenario = busy_world(10);
    scenario.link_layer.service = ServiceConfig::Raw(raw::Config::default());
    let wireless = &mut scenario.wireless;
    let share = Ratio::new(0.01).expect("a share");
    wireless.reordering = Some(Reordering { share, delay: Span::from_milliseconds(100) });
    wireless.duplication = Some(Duplication { share, delay: Span::from_milliseconds(50) });
    wireless.jitter = Jitter::Exponential(ExponentialJitter { mean: Span::from_milliseconds(10), keep_order: false });
    let step = |milliseconds, rate| RateStep {
        length: Span::from_milliseconds(milliseconds),
        rate: StepRate(BitRate::from_bits_per_second(rate)),
    };
    let steps = [step(500, 96_000), step(100, 0), step(400, 64_000)];
    wireless.rate = Rate::Trace(Trace::new(steps.as_slice(), TraceEnd::Repeat).expect("steps"));
    assert_no_allocation_but_packets(&scenario);
}

#[test]
fn nor_does_a_user_who_moves_with_everybody_told() {
    let mut scenario = busy_world(10);
    let mobility = &mut scenario.mobility;
    mobility.when = When::Random(Random { mean_stay: Span::from_milliseconds(3000) });
    let rate = BitRate::from_bits_per_second(128_000).expect("a rate");
    mobility.change = Change::Vertical(Vertical { rate: Some(rate.into()), ..Vertical::default() });
    scenario.tcp.on_hints = OnHints::Freeze;
    scenario.media.adapts = Adapts::ToLoss(ToLoss::default());
    assert_no_allocation_but_packets(&scenario);
}

#[test]
fn nor_does_tcp_that_recovers_delays_and_paces_in_every_way() {
    let mut scenario = busy_world(10);
    scenario.link_layer.service = ServiceConfig::Raw(raw::Config::default());
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.01).expect("a share") });
    let delay = Span::from_milliseconds(100);
    scenario.tcp = TcpConfig {
        variant: Some(Variant::NewReno),
        duplicate_acknowledgements: DuplicateAcknowledgements::Delayed(DelayedDuplicates { delay }),
        maximum_burst: PacketWindow::new(3),
        pacing: true,
        ..TcpConfig::default()
    };
    assert_no_allocation_but_packets(&scenario);
}

#[test]
fn nor_does_the_tcp_of_today_nor_any_way_to_recover_with_any_congestion_control() {
    for (variant, control) in [
        (Variant::RackTlp, CongestionControl::Cubic),
        (Variant::RackTlp, CongestionControl::Reno),
        (Variant::Sack, CongestionControl::Cubic),
        (Variant::NewReno, CongestionControl::Cubic),
    ] {
        let mut scenario = busy_world(10);
        scenario.link_layer.service = ServiceConfig::Raw(raw::Config::default());
        scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.02).expect("a share") });
        let share = Ratio::new(0.02).expect("a share");
        scenario.wireless.reordering = Some(Reordering { share, delay: Span::from_milliseconds(100) });
        scenario.tcp = TcpConfig {
            profile: Profile::Today,
            variant: Some(variant),
            congestion_control: Some(control),
            ..TcpConfig::default()
        };
        assert_no_allocation_but_packets(&scenario);
    }
}

#[test]
fn nor_do_short_connections_of_the_tcp_of_today() {
    let mut scenario = browsing_world(1_000_000);
    scenario.tcp.profile = Profile::Today;
    assert_no_allocation_but_packets(&scenario);
}

#[test]
fn nor_does_snoop_which_reads_every_packet() {
    let mut scenario = busy_world(20);
    scenario.link_layer.service = ServiceConfig::Snoop(snoop::Config::default());
    assert_no_allocation_but_packets(&scenario);
}

#[test]
fn nor_do_greedy_sources_a_wire_that_loses_packets_and_a_forwarding_node() {
    let mut scenario = busy_world(1);
    scenario.file_transfer.enabled = false;
    scenario.tcp_bulk.enabled = true;
    scenario.tcp_bulk.duration = Span::from_milliseconds(10_000_000);
    let (from, until) = (Span::ZERO, Span::from_milliseconds(10_000_000));
    scenario.tcp_bulk.samples = Some(Samples::new(from, until, Span::from_milliseconds(1000)).expect("moments"));
    scenario.tcp.variant = Some(tcp::Variant::NewReno);
    scenario.wired.loss = Ratio::new(0.01).expect("a share");
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.01).expect("a share") });
    scenario.forwarding_node.enabled = true;
    scenario.forwarding_node.queue = Some(Room::of(10));
    for service in [ServiceConfig::Raw(raw::Config::default()), ServiceConfig::Snoop(snoop::Config::default())] {
        scenario.link_layer.service = service;
        assert_no_allocation_but_packets(&scenario);
    }
}

fn assert_no_allocation_but_packets(scenario: &Scenario) {
    let mut packets = PacketCount::default();
    let mut world = World::new(scenario, &Streams::new(1, 0), &mut packets).expect("two services");
    world.start();
    for _ in 0..200_000 {
        assert!(world.step(), "the world lasts longer than that");
    }
    let measured = allocation_counter::measure(|| {
        for _ in 0..200_000 {
            assert!(world.step(), "the world lasts longer than that");
        }
    });
    drop(world);
    // One allocation holds some 260 packets, or 44 of the longest; TCP alone has sent thousands by now.
    assert!(packets.0 > 5000, "{} packets were sent", packets.0);
    assert!(measured.count_total < 800, "{} allocations in 200,000 events", measured.count_total);
}

/// Four objects at once, a new connection for each request and each reply, beside media and a link that loses frames.
fn browsing_world(seconds: u64) -> Scenario {
    let mut scenario = busy_world(10);
    scenario.file_transfer.enabled = false;
    scenario.web.enabled = true;
    scenario.web.parallel = Parallel::new(4).expect("a count");
    scenario.duration = Span::from_milliseconds(seconds * 1000);
    scenario
}

#[test]
fn neither_do_connections_that_are_opened_and_closed() {
    assert_no_allocation_but_packets(&browsing_world(1_000_000));
}

#[test]
fn the_memory_of_browsing_does_not_grow_with_its_length() {
    let peak = |seconds| {
        let scenario = browsing_world(seconds);
        let run = || World::new(&scenario, &Streams::new(1, 0), NoProbe).expect("two services").run().events;
        allocation_counter::measure(|| assert!(run() > 0)).bytes_max
    };
    // The table of ports grows with the ports that were ever used, to one slab's size at most.
    let (short, long) = (peak(10_000), peak(40_000));
    assert!(long <= short + 4 * 65_536, "10,000 s: {short} octets, 40,000 s: {long} octets");
    assert!(long < 2_000_000, "{long} octets");
}

#[test]
fn the_memory_of_a_run_does_not_grow_with_its_length() {
    let peak = |megabytes| {
        let scenario = busy_world(megabytes);
        let run = || World::new(&scenario, &Streams::new(1, 0), NoProbe).expect("two services").run().events;
        allocation_counter::measure(|| assert!(run() > 0)).bytes_max
    };
    let (short, long) = (peak(2), peak(40));
    // A packet's octets live in a slab of 64 KiB until its last neighbour is gone, so a peak may differ by a few slabs;
    // eight octets kept of each packet would be a megabyte.
    assert!(long <= short + 4 * 65_536, "2 MB: {short} octets, 40 MB: {long} octets");
    assert!(long < 2_000_000, "{long} octets");
}
