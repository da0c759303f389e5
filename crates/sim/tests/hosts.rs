//! What the hosts promise: many connections at once, every packet at its own, pages that load over any link.

use arqway_link::mux::Ds;
use arqway_link::mux::{Class, Protocol};
use arqway_link::selective_repeat;
use arqway_link::{ServiceConfig, raw};
use arqway_sim::app::{ConnectionCount, ConnectionUse, Counted, LastPacket, NextStep, Parallel, Requests, WebConfig};
use arqway_sim::channel::{Duplication, ErrorModel, Listed, Uniform};
use arqway_sim::tcp::Profile;
use arqway_sim::{Host, NoProbe, Outcome, Probe, Queue, Room, Scenario, Streams, World};
use arqway_units::{Octets, Ratio, Span, Time};
use std::collections::BTreeMap;

fn run(scenario: &Scenario) -> Outcome {
    watch(scenario, NoProbe)
}

fn watch(scenario: &Scenario, probe: impl Probe) -> Outcome {
    World::new(scenario, &Streams::new(1, 0), probe).expect("few services").run()
}

fn seconds(seconds: u64) -> Span {
    Span::from_milliseconds(seconds * 1000)
}

fn loss(share: f64) -> ErrorModel {
    ErrorModel::Uniform(Uniform { loss: Ratio::new(share).expect("a share") })
}

/// Somebody browses, and nothing else happens.
fn browsing(duration: u64) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.file_transfer.enabled = false;
    scenario.web.enabled = true;
    scenario.duration = seconds(duration);
    scenario.wireless.queue = Queue::DropTail(Room::of(50));
    scenario
}

fn everything(duration: u64) -> Scenario {
    let mut scenario = browsing(duration);
    scenario.file_transfer.enabled = true;
    scenario.file_transfer.connections = ConnectionCount::new(2).expect("a count");
    scenario.web.parallel = Parallel::new(4).expect("a count");
    scenario.media.enabled = true;
    scenario
}

/// Counts packets by what is in them: sent and not yet received.
#[derive(Default)]
struct Packets {
    /// By whether the server sent them.
    under_way: BTreeMap<(bool, Vec<u8>), i64>,
    sent: u64,
    received: u64,
}

impl Probe for Packets {
    fn packet_sent(&mut self, host: Host, packet: &[u8], _now: Time) {
        self.sent += 1;
        *self.under_way.entry((host == Host::Server, packet.to_vec())).or_default() += 1;
    }
    fn packet_received(&mut self, host: Host, packet: &[u8], _now: Time) {
        self.received += 1;
        *self.under_way.entry((host == Host::Client, packet.to_vec())).or_default() -= 1;
    }
}

#[test]
fn everything_at_once_creates_no_packet_and_loses_none_uncounted() {
    let mut scenario = everything(300);
    scenario.wireless.queue = Queue::DropTail(Room::of(10));
    let mut packets = Packets::default();
    let outcome = watch(&scenario, &mut packets);
    assert!(packets.under_way.values().all(|count| *count >= 0), "a packet was received more often than sent");
    let dropped = outcome.network.queue_drops + outcome.network.wired_drops;
    let gone = packets.sent - packets.received;
    assert!(dropped > 100, "{dropped} found no room");
    // What is under way fills the queues at most: 50 on the wire and 10 in front of the link each way, and what flies.
    assert!((dropped..dropped + 140).contains(&gone), "{gone} of {} packets are gone, {dropped} dropped", packets.sent);
    let web = outcome.applications.web.expect("somebody browses");
    assert!(
        web.pages > 5
            && outcome.applications.file_transfer.as_ref().map(|file| file.throughput_bps) > Some(5000.0)
            && outcome.applications.media.as_ref().and_then(|media| media.mean_delay_s).is_some()
    );
}

#[test]
fn everything_at_once_ends_with_the_files() {
    let mut scenario = everything(5000);
    scenario.file_transfer.size = Octets::new(100_000);
    let outcome = run(&scenario);
    assert_eq!(outcome.applications.file_transfer.as_ref().map(|file| file.is_complete), Some(true));
    assert!(outcome.ended < Time::ZERO + seconds(500), "{:?}", outcome.ended);
    let sum = 2.0 * 100_000.0 * 8.0 / outcome.ended.as_seconds();
    assert!(
        outcome
            .applications
            .file_transfer
            .as_ref()
            .map(|file| file.throughput_bps)
            .is_some_and(|throughput| (throughput / sum - 1.0).abs() < 1e-9)
    );
}

#[test]
fn packets_of_closed_connections_are_counted_and_disturb_no_other() {
    let mut scenario = browsing(500);
    scenario.tcp.profile = Profile::Ns235;
    let plain = run(&scenario);
    // Each frame comes again after several connections: none of the copies may be taken for another's.
    scenario.wireless.duplication = Some(Duplication { share: Ratio::ONE, delay: seconds(5) });
    let doubled = run(&scenario);
    assert_eq!(plain.network.late_packets, 0);
    assert!(doubled.network.late_packets > 1000, "{}", doubled.network.late_packets);
    // The acknowledgements of what came twice take their time on the link, no more.
    let pages = |outcome: &Outcome| outcome.applications.web.as_ref().map_or(0, |web| web.pages) as f64;
    assert!((pages(&doubled) / pages(&plain) - 1.0).abs() < 0.05, "{} and {}", pages(&doubled), pages(&plain));
}

/// How many packets each port of the client has received.
#[derive(Default)]
struct ByPort(BTreeMap<u16, u64>);

impl Probe for ByPort {
    fn packet_received(&mut self, host: Host, packet: &[u8], _now: Time) {
        if host == Host::Client {
            *self.0.entry(u16::from_be_bytes([packet[22], packet[23]])).or_default() += 1;
        }
    }
}

#[test]
fn several_files_share_the_link_fairly_and_fill_it() {
    let mut scenario = Scenario::default();
    scenario.file_transfer.connections = ConnectionCount::new(4).expect("a count");
    scenario.wireless.queue = Queue::DropTail(Room::of(50));
    scenario.wireless.charge_tag = false;
    scenario.wireless.errors = loss(0.01);
    scenario.duration = seconds(2000);
    let mut ports = ByPort::default();
    let outcome = watch(&scenario, &mut ports);
    let counts: Vec<u64> = ports.0.values().copied().collect();
    assert_eq!(counts.len(), 4);
    let (least, most) = (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0));
    assert!(most < least * 5 / 4, "{counts:?}");
    assert!(
        outcome.applications.file_transfer.as_ref().map(|file| file.throughput_bps) > Some(0.97 * 64_000.0),
        "{:?}",
        outcome.applications.file_transfer.as_ref().map(|file| file.throughput_bps)
    );
}

#[test]
fn pages_load_over_a_lossy_link_in_every_way_to_fetch_them() {
    let ways = [1, 4].into_iter().flat_map(|parallel| {
        [ConnectionUse::New, ConnectionUse::Kept].into_iter().flat_map(move |connections| {
            [NextStep::Acknowledged, NextStep::Received].into_iter().flat_map(move |next_step| {
                [(Requests::Packets, LastPacket::Padded), (Requests::OnePacket, LastPacket::Exact)]
                    .map(|ends| (parallel, connections, next_step, ends))
            })
        })
    });
    for (parallel, connections, next_step, (requests, last_packet)) in ways {
        for profile in [Profile::Papers, Profile::Ns235] {
            let mut scenario = browsing(2000);
            scenario.tcp.profile = profile;
            scenario.wireless.errors = loss(0.054);
            let parallel = Parallel::new(parallel).expect("a count");
            let enabled = true;
            let way = WebConfig { enabled, parallel, connections, next_step, requests, last_packet, ..scenario.web };
            scenario.web = way.clone();
            let web = run(&scenario).applications.web.expect("somebody browses");
            assert!(web.pages > 90, "{} pages, {profile:?}, {way:?}", web.pages);
            assert!((14_000.0..60_000.0).contains(&web.throughput_bps), "{} bit/s, {way:?}", web.throughput_bps);
            assert!(
                web.response_s.is_some_and(|response| (response * web.pages as f64 - 1950.0).abs() < 50.0),
                "{web:?}"
            );
        }
    }
}

#[test]
fn what_is_counted_differs_by_the_page_that_is_not_there_yet() {
    let mut scenario = browsing(500);
    let pages = run(&scenario).applications.web.expect("somebody browses");
    scenario.web.counted = Counted::Objects;
    let objects = run(&scenario).applications.web.expect("somebody browses");
    assert_eq!(pages.pages, objects.pages);
    assert!((objects.throughput_bps / pages.throughput_bps - 1.0).abs() < 0.1, "{pages:?}, {objects:?}");
    scenario.wireless.errors = loss(1.0);
    assert_eq!(run(&scenario).applications.web.map(|web| (web.pages, web.throughput_bps)), Some((0, 0.0)));
}

#[test]
fn a_last_packet_that_is_not_padded_takes_less_of_the_link() {
    let octets = |last_packet| {
        let mut scenario = browsing(300);
        scenario.web.last_packet = last_packet;
        let mut packets = Lengths::default();
        watch(&scenario, &mut packets);
        packets
    };
    let (padded, exact) = (octets(LastPacket::Padded), octets(LastPacket::Exact));
    assert_eq!(padded.of_data.keys().copied().collect::<Vec<_>>(), [250]);
    assert!(exact.of_data.len() > 20, "{:?}", exact.of_data);
    assert!(exact.of_data.keys().all(|length| (41..=250).contains(length)));
}

/// How often a packet toward the client had which length; acknowledgements apart.
#[derive(Default)]
struct Lengths {
    of_data: BTreeMap<usize, u64>,
}

impl Probe for Lengths {
    fn packet_sent(&mut self, host: Host, packet: &[u8], _now: Time) {
        if host == Host::Server && packet.len() > 40 {
            *self.of_data.entry(packet.len()).or_default() += 1;
        }
    }
}

#[test]
fn a_place_that_lost_its_first_packet_starts_small_ever_after_if_it_remembers() {
    let pages = |lost: Vec<u64>, remember| {
        let mut scenario = browsing(2000);
        scenario.tcp.profile = Profile::Ns235;
        scenario.wireless.errors = ErrorModel::Listed(Listed { down: vec![], up: lost });
        scenario.web.remember_lost_start = remember;
        run(&scenario).applications.web.expect("somebody browses").pages
    };
    assert_eq!(pages(vec![], true), pages(vec![], false));
    // The first frame toward the server is the handshake of the first request.
    let (remembers, forgets) = (pages(vec![0], true), pages(vec![0], false));
    assert!(forgets > remembers + 10, "{forgets} pages instead of {remembers}");
}

/// The DS fields that were seen, by protocol and the server's port.
#[derive(Default)]
struct Fields(BTreeMap<(u8, u16, bool), u8>);

impl Probe for Fields {
    fn packet_sent(&mut self, host: Host, packet: &[u8], _now: Time) {
        let at = if host == Host::Server { 20 } else { 22 };
        let port = u16::from_be_bytes([packet[at], packet[at + 1]]);
        let known = self.0.insert((packet[9], port, host == Host::Server), packet[1] >> 2);
        assert!(known.is_none_or(|known| known == packet[1] >> 2), "one application, two fields");
    }
}

#[test]
fn each_application_marks_its_packets_both_ways() {
    let mut scenario = everything(60);
    let field = |number| Ds::new(number).expect("six bits");
    (scenario.file_transfer.ds, scenario.web.ds, scenario.media.ds) = (field(10), field(18), field(46));
    let mut fields = Fields::default();
    watch(&scenario, &mut fields);
    let seen: Vec<_> = fields.0.into_iter().collect();
    let (tcp, udp) = (6, 17);
    let files = [((tcp, 20, false), 10), ((tcp, 20, true), 10)];
    let pages = [((tcp, 80, false), 18), ((tcp, 80, true), 18)];
    assert_eq!(seen, [&files[..], &pages, &[((udp, 5004, true), 46)]].concat());
}

#[test]
fn browsing_beside_media_uses_the_services_of_their_classes() {
    let mut scenario = everything(300);
    scenario.wireless.queue = Queue::DropTail(Room::of(256));
    scenario.link_layer.service = ServiceConfig::SelectiveRepeat(selective_repeat::Config::default());
    let service = ServiceConfig::Raw(raw::Config::default());
    scenario.link_layer.classes = vec![Class::of_protocol(Protocol::UDP, service)];
    scenario.wireless.errors = loss(0.05);
    let outcome = run(&scenario);
    let media = outcome.applications.media.expect("media");
    assert!(media.loss.is_some_and(|loss| (loss - 0.05).abs() < 0.02), "{media:?}");
    // Raw frames are as long as their packets; some of those that were sent have not yet had their turn on the line.
    let (overhead, left) =
        (media.overhead.expect("a service of its own"), media.left_bps.expect("a service of its own"));
    assert!((-0.05..=0.0).contains(&overhead) && (64_000.0 - left - media.offered_bps).abs() < 1000.0, "{media:?}");
    assert!(outcome.network.access_point.timeouts + outcome.network.client.timeouts > 0);
    assert!(outcome.applications.web.is_some_and(|web| web.pages > 5));
}
