//! How long ten greedy connections take on one core, for a minute on shikama06's fast link, over the raw link, Snoop and SSCOP.
//!
//! Prints its command, the machine and the spread; fails if a minute over SSCOP takes more times what one over the raw link
//! takes in the same run than the project allows itself, or the raw link more than twice what it takes today beside the
//! standard library's heap.

mod common;

use arqway_link::{Resequencing, ServiceConfig, Unordered, raw, snoop, sscop};
use arqway_sim::channel::{Ber, ErrorModel};
use arqway_sim::tcp::{PacketWindow, Profile, Variant};
use arqway_sim::{Queue, Rate, Room, Scenario};
use arqway_units::{BitRate, Ratio, Span};
use common::measure;
use std::process::ExitCode;

const RUNS: u32 = 7;
/// In what [`common::yardstick`] takes, of the raw link with errors. The packets under way without errors just about fill a
/// core's second cache: the same program takes 0.24 or 0.41 s there, by where its pages lie.
const LIMIT_RAW: f64 = 5.0;
/// In what the raw link without errors takes.
const LIMIT_SSCOP: f64 = 3.2;

fn main() -> ExitCode {
    println!("command: cargo bench -p arqway-sim --bench bulk");
    println!("machine: {}", common::machine());
    println!("60 s, ten connections, 50 Mbit/s; {RUNS} runs, each with its own random numbers\n");
    common::print_heading();
    let raw = || ServiceConfig::Raw(raw::Config::default());
    let sscop = |resequencing| {
        let config = sscop::Config { resequencing, established: true, order_filter: false, ..sscop::Config::default() };
        scenario(ServiceConfig::Sscop(config), 1e-6)
    };
    let cells = [
        ("raw, no errors", scenario(raw(), 0.0)),
        ("raw, BER 1e-6", scenario(raw(), 1e-6)),
        ("snoop, BER 1e-6", scenario(ServiceConfig::Snoop(snoop::Config::default()), 1e-6)),
        ("sscop, full order, BER 1e-6", sscop(Resequencing::Full)),
        ("sscop, order per flow, BER 1e-6", sscop(Resequencing::PerFlow)),
        ("sscop, no order, BER 1e-6", sscop(Resequencing::None(Unordered::default()))),
    ];
    let [clean, erroneous, _, sscop @ ..] = &measure(&cells, RUNS)[..] else { return ExitCode::FAILURE };
    let slowest = sscop.iter().map(|measured| measured.minimum).fold(0.0, f64::max);
    common::judge(&[
        ("raw with errors beside the heap", erroneous.minimum, common::yardstick(), LIMIT_RAW),
        ("the slowest SSCOP beside raw", slowest, clean.minimum, LIMIT_SSCOP),
    ])
}

/// The paper's fast link.
fn scenario(service: ServiceConfig, bit_errors: f64) -> Scenario {
    let mut scenario = Scenario::default();
    let rate = |bits| BitRate::from_bits_per_second(bits).unwrap_or(BitRate::MINIMUM);
    scenario.wired.rate = rate(100_000_000);
    scenario.wired.delay = Span::from_milliseconds(5);
    scenario.wired.queue = Room::of(1000);
    scenario.wireless.rate = Rate::Constant(rate(50_000_000));
    scenario.wireless.delay = Span::from_milliseconds(25).into();
    scenario.wireless.queue = Queue::DropTail(Room::of(1000));
    scenario.wireless.charge_tag = false;
    scenario.wireless.errors = ErrorModel::Ber(Ber { bit_errors: Ratio::new(bit_errors).unwrap_or_default() });
    scenario.tcp.profile = Profile::Pre2004;
    scenario.tcp.variant = Some(Variant::NewReno);
    scenario.tcp.maximum_window = PacketWindow::new(22);
    scenario.file_transfer.enabled = false;
    scenario.tcp_bulk.enabled = true;
    scenario.link_layer.service = service;
    scenario
}
