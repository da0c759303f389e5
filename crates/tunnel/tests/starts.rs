//! How a tunnel starts on a slow link, in the simulator: its settings are those of a tunnel that says its rate alone.

use arqway_link::mux::Ds;
use arqway_link::{LinkLayer, bearer};
use arqway_sim::app::Application;
use arqway_sim::channel::{Ber, ErrorModel, Uniform};
use arqway_sim::tcp::Profile;
use arqway_sim::{Host, MtuStep, Probe, Queue, Room, Scenario, Streams, World};
use arqway_tunnel::settings;
use arqway_units::{BitRate, Octets, Span, Time};
use std::num::NonZeroU32;

/// What a tunnel adds to each datagram over IPv4.
const OVERHEAD: Octets = Octets::new(49);
/// A call's packet comes each 50 ms, and is in time within 150 ms.
const WITHIN: Span = Span::from_milliseconds(150);

#[derive(Default)]
struct Seen {
    /// When packets of a call came, and how long they took.
    calls: Vec<(Time, Span)>,
    /// When packets of a file came.
    file: Vec<Time>,
}

impl Probe for &mut Seen {
    fn delivered(&mut self, application: Application, delay: Span, now: Time) {
        if application == Application::Media {
            self.calls.push((now, delay));
        }
    }

    fn packet_received(&mut self, host: Host, packet: &[u8], now: Time) {
        if host == Host::Client && packet.len() > 1000 {
            self.file.push(now);
        }
    }
}

impl Seen {
    /// The share of the call that came in time, of what was sent between two seconds.
    fn in_time(&self, from: u64, to: u64) -> f64 {
        let sent = self.calls.iter().filter(|(at, delay)| (second(from)..second(to)).contains(&at.before(*delay)));
        sent.filter(|(_, delay)| *delay <= WITHIN).count() as f64 / ((to - from) as f64 * 20.0)
    }
}

fn second(second: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(second * 1000)
}

/// A file over a link of 64 kbit/s that has an MTU, through a tunnel that says a rate.
fn slow(rate: &str, mtu: u32) -> Scenario {
    let bearer = bearer::Config {
        rate: rate.parse().expect("a rate"),
        overhead: OVERHEAD,
        hellos: false,
        ..bearer::Config::default()
    };
    let link_layer = LinkLayer { bearer: Some(bearer), ..settings::link_layer() };
    let mut scenario = Scenario { duration: Span::from_seconds(45.0), link_layer, ..Scenario::default() };
    scenario.wired.rate = "1 Gbit/s".parse().expect("a rate");
    scenario.wireless.rate = "64 kbit/s".parse::<BitRate>().expect("a rate").into();
    scenario.wireless.queue = Queue::DropTail(Room::of(256));
    scenario.wireless.mtu = vec![MtuStep { from: Span::ZERO, octets: NonZeroU32::new(mtu).expect("not zero") }];
    scenario.tcp.profile = Profile::Today;
    scenario.file_transfer.size = Octets::new(10_000_000);
    scenario.file_transfer.packet = Octets::new(1400).try_into().expect("a length");
    scenario
}

fn run(scenario: &Scenario, seed: u64) -> Seen {
    let mut seen = Seen::default();
    World::new(scenario, &Streams::new(seed, 0), &mut seen).expect("a link layer").run();
    seen
}

#[test]
fn a_call_beside_a_file_is_in_time_from_the_third_second_on_as_later() {
    // A narrow-band radio.
    let mut scenario = slow("64 kbit/s", 500);
    scenario.wireless.delay = Span::from_milliseconds(20).into();
    scenario.wireless.errors = ErrorModel::Ber(Ber { bit_errors: "0.002 %".parse().expect("a share") });
    scenario.media.enabled = true;
    scenario.media.rate = "16 kbit/s".parse().expect("a rate");
    scenario.media.packet = Octets::new(100).try_into().expect("a length");
    (scenario.media.talk, scenario.media.silence) = (Span::from_seconds(1e6), Span::from_milliseconds(1));
    scenario.media.ds = Ds::EF;
    let runs: Vec<Seen> = (1..=10).map(|seed| run(&scenario, seed)).collect();
    let mean = |from, to| runs.iter().map(|seen| seen.in_time(from, to)).sum::<f64>() / 10.0;
    let [early, later] = [mean(3, 10), mean(20, 45)];
    assert!(early > later - 0.05 && later > 0.8, "{early} in time at first, {later} later");
    assert!(runs.iter().all(|seen| seen.in_time(3, 10) > 0.6));
}

#[test]
fn tcp_on_a_path_of_small_datagrams_that_loses_some_hardly_ever_stands_still_for_two_seconds() {
    let mut scenario = slow("63 kbit/s", 300);
    scenario.wireless.delay = Span::from_milliseconds(50).into();
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: "5.4 %".parse().expect("a share") });
    let longest_of = |seed| {
        let seen = run(&scenario, seed);
        assert!(seen.file.len() > 170, "seed {seed}: {} packets", seen.file.len());
        let gaps = seen.file.windows(2).map(|pair| pair[1].since(pair[0]));
        gaps.max().expect("packets").max(seen.file[0].since(Time::ZERO)).as_seconds()
    };
    let longest: Vec<f64> = (1..=40).map(longest_of).collect();
    // Of 1,500 seeds 3 % did.
    assert!(longest.iter().filter(|seconds| **seconds > 2.0).count() <= 3, "{longest:?}");
    assert!(longest.iter().all(|seconds| *seconds < 3.5), "{longest:?}");
}
