//! How fast the simulator is on cells as the papers have them, each of another kind, and that many connections cost no more
//! an event than few.
//!
//! Prints its command, the machine and the spread; `docs/speed.md` keeps what it printed. Fails where an event with a thousand
//! greedy connections takes more than twice as long as one with ten: a step that grows with their number makes it tens of times as long, a
//! neighbour in the cache that cores share 1.5 times.

mod common;
#[path = "common/papers.rs"]
mod papers;

use arqway_link::mux::{Class, Protocol, Scfq, SchedulerConfig};
use arqway_link::selective_repeat::{Policy, Timeout};
use arqway_link::{ServiceConfig, raw, rlc, sscop};
use arqway_sim::app::ConnectionCount;
use arqway_sim::channel::{Ber, Bit, ErrorModel, TwoState, Uniform};
use arqway_sim::tcp::{PacketWindow, Profile, Variant};
use arqway_sim::{PacketLength, Queue, Rate, Room, Scenario};
use arqway_units::{BitRate, Octets, Ratio, Span};
use common::{Measured, measure};
use papers::selective_repeat;
use std::process::ExitCode;

const RUNS: u32 = 7;
/// How much longer an event may take with the most connections than with the fewest.
const LIMIT: f64 = 2.0;

fn main() -> ExitCode {
    println!("command: cargo bench -p arqway-sim --bench speed");
    println!("version: {}", env!("CARGO_PKG_VERSION"));
    println!("machine: {}", common::machine());
    println!("{RUNS} runs of each cell, each with its own random numbers\n");
    common::print_heading();
    let asr = || selective_repeat(Timeout::Adaptive(Policy { srtt: 3.0, srttvar: 2.0 }));
    let sr = || selective_repeat(Timeout::from(Span::from_milliseconds(1100)));
    let cells = [
        ("file, raw", monet08(raw(), uniform(), false)),
        ("file and media, sr", monet08(sr(), uniform(), true)),
        ("file and media, rlc", monet08(rlc(), two_state(), true)),
        ("web, asr", browsing(monet08(asr(), two_state(), false))),
        ("web and media, rlc", browsing(monet08(rlc(), uniform(), true))),
        ("greedy, sscop", shikama06(sscop(), 5, 10)),
        ("greedy, raw, fast", shikama06(raw(), 50, 10)),
        ("fast file, sr", multiservice(sr())),
    ];
    let measured = measure(&cells, RUNS);
    let seconds: f64 = measured.iter().map(|cell| cell.median).sum();
    let events = measured.iter().map(|cell| cell.events).sum::<u64>() as f64 / f64::from(RUNS);
    println!("{:<24} {seconds:>10.4} {:>10} {:>10} {:>10} {:>12.0}\n", "all once", "", "", "", events / seconds);
    many_connections()
}

/// Each connection keeps its share of the link, and each case has as many events. Packets are short: of the longest, those of a
/// thousand connections that are under way are 32 MB, so that the processor's caches would be measured.
fn many_connections() -> ExitCode {
    /// Of each.
    const RUNS: u32 = 3;
    let cell = |connections: u16| {
        let mut scenario = shikama06(raw(), u64::from(connections) / 2, connections);
        scenario.tcp_bulk.packet = PacketLength::SHORT;
        scenario.tcp_bulk.duration = Span::from_seconds(60_000.0 / f64::from(connections));
        scenario
    };
    let cells = [("greedy, 10", cell(10)), ("greedy, 100", cell(100)), ("greedy, 1000", cell(1000))];
    let of_event = |measured: &Measured| measured.minimum * f64::from(RUNS) / measured.events as f64;
    let [few, some, many] = &measure(&cells, RUNS)[..] else { return ExitCode::FAILURE };
    let [few, some, many] = [few, some, many].map(of_event);
    let ratio = f64::max(some, many) / few;
    println!("\nan event of 100 or 1,000 connections takes at most {ratio:.2} times as long as one of 10");
    if ratio > LIMIT {
        println!("more than {LIMIT}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn raw() -> ServiceConfig {
    ServiceConfig::Raw(raw::Config { buffer: Room::of(1000).packets })
}

fn rlc() -> ServiceConfig {
    ServiceConfig::RlcAm(rlc::am::Config { pad_control_pdus: Some(false), ..rlc::am::Config::default() })
}

fn sscop() -> ServiceConfig {
    ServiceConfig::Sscop(sscop::Config { established: true, order_filter: false, ..sscop::Config::default() })
}

fn share(share: f64) -> Ratio {
    Ratio::new(share).unwrap_or_default()
}

fn uniform() -> ErrorModel {
    ErrorModel::Uniform(Uniform { loss: share(0.054) })
}

fn two_state() -> ErrorModel {
    let (good, bad) = (Span::from_milliseconds(10_000), Span::from_milliseconds(500));
    ErrorModel::TwoState(TwoState { good, bad, good_bit_errors: share(1e-6), bad_bit_errors: share(1e-2) })
}

fn megabits(megabits: u64) -> BitRate {
    BitRate::from_bits_per_second(megabits * 1_000_000).unwrap_or(BitRate::MINIMUM)
}

/// A file over 64 kbit/s, perhaps beside a lecture that the reliable service does not carry.
fn monet08(service: ServiceConfig, errors: ErrorModel, with_media: bool) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.wireless.queue = Queue::DropTail(Room::of(256));
    scenario.wireless.charge_tag = false;
    scenario.wireless.errors = errors;
    scenario.tcp.maximum_window = PacketWindow::new(17);
    scenario.media.enabled = with_media;
    scenario.link_layer.service = service;
    scenario.link_layer.classes = vec![Class::of_protocol(Protocol::UDP, raw())];
    scenario
}

/// Two thousand seconds of browsing in place of the file.
fn browsing(mut scenario: Scenario) -> Scenario {
    scenario.file_transfer.enabled = false;
    scenario.web.enabled = true;
    scenario.web.duration = Some(Span::from_seconds(2000.0));
    scenario
}

/// A minute of greedy sources over a satellite, or over a link ten times as fast and ten times as short.
fn shikama06(service: ServiceConfig, rate: u64, connections: u16) -> Scenario {
    let mut scenario = Scenario::default();
    let room = Room::of(100_000);
    scenario.wired.rate = megabits(2 * rate);
    scenario.wired.delay = Span::from_milliseconds(40);
    scenario.wired.queue = room;
    scenario.wireless.rate = Rate::Constant(megabits(rate));
    scenario.wireless.delay = Span::from_milliseconds(250).into();
    scenario.wireless.queue = Queue::DropTail(room);
    scenario.wireless.charge_tag = false;
    scenario.wireless.errors = ErrorModel::Ber(Ber { bit_errors: share(1e-7) });
    scenario.tcp.profile = Profile::Pre2004;
    scenario.tcp.variant = Some(Variant::NewReno);
    scenario.tcp.maximum_window = PacketWindow::new(22);
    scenario.file_transfer.enabled = false;
    scenario.tcp_bulk.enabled = true;
    scenario.tcp_bulk.connections = ConnectionCount::new(connections).unwrap_or(ConnectionCount::ONE);
    scenario.link_layer.service = service;
    scenario
}

/// A hundred million octets over 5 Mbit/s, with fair queueing over two services.
fn multiservice(service: ServiceConfig) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.wireless.rate = Rate::Constant(megabits(5));
    scenario.wireless.delay = Span::from_milliseconds(3).into();
    scenario.wireless.charge_tag = false;
    scenario.wireless.errors = ErrorModel::Bit(Bit { distance: Octets::new(1 << 15) });
    scenario.tcp.profile = Profile::Pre2004;
    scenario.tcp.tick = Some(Span::from_milliseconds(500));
    scenario.file_transfer.size = Octets::new(100_000_000);
    scenario.file_transfer.packet = PacketLength::try_from(Octets::new(1000)).unwrap_or(PacketLength::SHORT);
    scenario.link_layer.scheduler = SchedulerConfig::Scfq(Scfq::default());
    scenario.link_layer.service = service;
    scenario
}
