//! What the TCP of today promises in a world: what it is worth, what it puts on the wire, and that no service stops it.

use arqway_link::{ServiceConfig, ShortForm, WorldDefaults};
use arqway_sim::channel::{ErrorModel, Listed, Reordering, Uniform};
use arqway_sim::tcp::{
    Acknowledgements, CongestionControl, PacketWindow, Profile, Sender, TcpConfig, Transmission, Variant,
};
use arqway_sim::{Host, NoProbe, Outcome, Probe, Queue, Room, Scenario, Streams, World};
use arqway_units::{Octets, Ratio, Span, Time};
use etherparse::{TcpHeaderSlice, TcpOptionElement};

fn today() -> TcpConfig {
    TcpConfig { profile: Profile::Today, ..TcpConfig::default() }
}

/// A file over a link with room for all of TCP's window.
fn download(tcp: TcpConfig, octets: u64) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.file_transfer.size = Octets::new(octets);
    scenario.wireless.queue = Queue::DropTail(Room::of(50));
    scenario.tcp = TcpConfig { clock_phase: Some(Span::ZERO), ..tcp };
    scenario
}

fn lossy(tcp: TcpConfig, loss: f64) -> Scenario {
    let mut scenario = download(tcp, 1_000_000);
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(loss).expect("a share") });
    scenario
}

fn watch(scenario: &Scenario, probe: impl Probe) -> Outcome {
    World::new(scenario, &Streams::new(1, 0), probe).expect("one service").run()
}

fn throughput(scenario: &Scenario) -> f64 {
    watch(scenario, NoProbe).applications.file_transfer.expect("a file").throughput_bps
}

#[test]
fn the_profile_is_sack_by_time_with_cubic_and_a_world_may_change_each_setting() {
    let settings = today().settings();
    assert_eq!((settings.variant, settings.congestion_control), (Variant::RackTlp, CongestionControl::Cubic));
    assert_eq!((settings.initial_window, settings.maximum_window), (10, 20), "the window is the world's own");
    assert_eq!(settings.minimum_timeout, Span::from_milliseconds(200));
    let changed = TcpConfig {
        variant: Some(Variant::Sack),
        congestion_control: Some(CongestionControl::Reno),
        acknowledgements: Some(Acknowledgements::EveryPacket),
        maximum_window: PacketWindow::new(17),
        ..today()
    };
    let settings = changed.settings();
    assert_eq!((settings.variant, settings.congestion_control), (Variant::Sack, CongestionControl::Reno));
    assert_eq!((settings.acknowledgements, settings.maximum_window), (Acknowledgements::EveryPacket, 17));
}

/// The link loses each twentieth frame. No number is asserted but for the order of those that differ by far.
#[test]
fn each_way_to_recover_is_worth_more_than_the_one_before() {
    let of = |variant| throughput(&lossy(TcpConfig { variant: Some(variant), ..TcpConfig::default() }, 0.054));
    let (reno, newreno, by_time) = (of(Variant::Reno), of(Variant::NewReno), of(Variant::RackTlp));
    assert!(reno < newreno && 1.2 * newreno < by_time, "{reno}, {newreno}, {by_time}");
    assert!(throughput(&lossy(today(), 0.054)) > 1.2 * newreno);
}

/// The services that read TCP's headers, or withhold its acknowledgements, and one that does neither.
#[test]
fn no_service_stops_it() {
    for name in ["raw", "snoop", "sscop-none", "sscop", "asr:3+2", "sr", "rlp:3", "oos-rlp:1"] {
        for loss in [0.0, 0.054] {
            let mut scenario = lossy(today(), loss);
            let form: ShortForm = name.parse().expect("a short form");
            scenario.link_layer.service = form.in_world(&WorldDefaults::default()).expect("a service");
            scenario.duration = Span::from_milliseconds(10_000_000);
            let outcome = watch(&scenario, NoProbe);
            assert_eq!(
                outcome.applications.file_transfer.as_ref().map(|file| file.is_complete),
                Some(true),
                "{name} at {loss}"
            );
            let throughput = outcome.applications.file_transfer.expect("a file").throughput_bps;
            assert!((20_000.0..64_000.0).contains(&throughput), "{name} at {loss}: {throughput}");
        }
    }
}

/// With its filter, less of what the link delivers out of order is taken for lost than without.
#[test]
fn the_filter_that_knows_tcp_understands_its_blocks() {
    let resent = |filter: bool| {
        let mut scenario = lossy(TcpConfig { variant: Some(Variant::Sack), ..today() }, 0.054);
        let form: ShortForm = "sscop-none".parse().expect("a short form");
        scenario.link_layer.service = form.in_world(&WorldDefaults::default()).expect("a service");
        if let ServiceConfig::Sscop(config) = &mut scenario.link_layer.service
            && let arqway_link::Resequencing::None(unordered) = &mut config.resequencing
        {
            unordered.tcp_filter = filter;
        }
        let mut count = Again::default();
        assert_eq!(
            watch(&scenario, &mut count).applications.file_transfer.as_ref().map(|file| file.is_complete),
            Some(true)
        );
        count.0
    };
    let (with, without) = (resent(true), resent(false));
    assert!(2 * with < without, "{with} with the filter, {without} without");
}

/// How many packets were sent again.
#[derive(Default)]
struct Again(u64);

impl Probe for Again {
    fn tcp_sent(&mut self, transmission: Transmission, _: &Sender, _: Time) {
        self.0 += u64::from(transmission.again);
    }
}

/// RFC 8985 §7: what is lost at the end of the file is found out by a probe, without a timeout.
#[test]
fn a_lost_tail_costs_no_timeout() {
    let of = |tcp: TcpConfig| {
        let mut scenario = download(tcp, 100_000);
        // Of 400 packets behind a SYN the last two.
        scenario.wireless.errors = ErrorModel::Listed(Listed { down: vec![399, 400], up: vec![] });
        let outcome = watch(&scenario, NoProbe);
        (outcome.applications.file_transfer.as_ref().map(|file| file.timeouts), outcome.ended)
    };
    let (timeouts, ended) = of(today());
    assert_eq!(timeouts, Some(0.0));
    let (by_count, later) = of(TcpConfig { variant: Some(Variant::Sack), ..today() });
    assert_eq!(by_count, Some(1.0));
    assert!(ended < later, "{ended:?}, {later:?}");
}

/// RFC 8985 §6: packets that come later by less than a quarter of the round trip are not taken for lost.
#[test]
fn what_is_overtaken_a_little_is_not_sent_again() {
    let again = |tcp: TcpConfig| {
        let mut scenario = download(tcp, 500_000);
        scenario.wireless.reordering =
            Some(Reordering { share: Ratio::new(0.02).expect("a share"), delay: Span::from_milliseconds(120) });
        let mut again = Again::default();
        watch(&scenario, &mut again);
        again.0
    };
    let (by_time, by_count) = (again(today()), again(TcpConfig { variant: Some(Variant::Sack), ..today() }));
    assert!(by_count > 20 && 4 * by_time < by_count, "{by_time} by time, {by_count} by count");
}

/// What the client's acknowledgements are like.
#[derive(Default)]
struct Wire {
    data: u64,
    acknowledgements: u64,
    lengths: Vec<usize>,
    most_blocks: usize,
    permitted: [bool; 2],
}

impl Probe for Wire {
    fn packet_sent(&mut self, host: Host, packet: &[u8], _: Time) {
        let header = TcpHeaderSlice::from_slice(&packet[20..]).expect("a TCP segment");
        let options: Vec<_> = header.options_iterator().map(|option| option.expect("an option")).collect();
        if header.syn() {
            self.permitted[usize::from(host == Host::Client)] =
                options.contains(&TcpOptionElement::SelectiveAcknowledgementPermitted);
        } else if host == Host::Server {
            self.data += 1;
            assert_eq!(packet.len(), 250, "data are as long as ever");
        } else {
            let blocks = options.iter().find_map(|option| match option {
                TcpOptionElement::SelectiveAcknowledgement(_, more) => Some(1 + more.iter().flatten().count()),
                _ => None,
            });
            self.acknowledgements += 1;
            assert_eq!(packet.len(), 40 + blocks.map_or(0, |blocks| 4 + 8 * blocks));
            self.lengths.push(packet.len());
            self.most_blocks = self.most_blocks.max(blocks.unwrap_or(0));
        }
    }
}

/// RFC 2018 §2 and §3 on the wire: an acknowledgement has 40 octets, and 4 + 8n more with n blocks.
#[test]
fn acknowledgements_are_longer_by_what_they_tell() {
    let mut wire = Wire::default();
    watch(&lossy(today(), 0.054), &mut wire);
    assert_eq!(wire.permitted, [true, true]);
    assert!(wire.lengths.contains(&40) && wire.most_blocks > 1, "{}", wire.most_blocks);
    let mut wire = Wire::default();
    watch(&lossy(TcpConfig { profile: Profile::Ns235, ..TcpConfig::default() }, 0.054), &mut wire);
    assert!(wire.permitted == [false, false] && wire.lengths.iter().all(|length| *length == 40));
}

/// RFC 9293 §3.8.6.3: without losses every second packet is answered.
#[test]
fn without_losses_there_is_an_acknowledgement_for_two_packets() {
    let mut wire = Wire::default();
    watch(&download(today(), 500_000), &mut wire);
    assert!((2000..2010).contains(&wire.data) && wire.acknowledgements < 1010, "{}", wire.acknowledgements);
}
