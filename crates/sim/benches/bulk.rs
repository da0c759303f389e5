//! How long ten greedy connections take on one core, for a minute on shikama06's fast link, over the raw link and over
//! Snoop.
//!
//! Prints its command, the machine and the spread; fails if a minute over the raw link takes longer than the project allows
//! itself: some 0.15 s of a processor that does nothing else, and twice that where others use the machine too.

mod common;

use arqway_link::{ServiceConfig, raw, snoop};
use arqway_sim::channel::{Ber, ErrorModel};
use arqway_sim::tcp::{PacketWindow, Profile, Variant};
use arqway_sim::{Queue, Rate, Room, Scenario};
use arqway_units::{BitRate, Ratio, Span};
use common::measure;
use std::process::ExitCode;

const RUNS: u32 = 7;
const LIMIT_SECONDS: f64 = 0.4;

fn main() -> ExitCode {
    println!("command: cargo bench -p arqway-sim --bench bulk");
    println!("machine: {}", common::machine());
    println!("60 s, ten connections, 50 Mbit/s; {RUNS} runs, each with its own random numbers\n");
    common::print_heading();
    let raw = || ServiceConfig::Raw(raw::Config::default());
    let clean = measure("raw, no errors", &scenario(raw(), 0.0), RUNS, None);
    measure("raw, BER 1e-6", &scenario(raw(), 1e-6), RUNS, Some(clean.median));
    let snoop = ServiceConfig::Snoop(snoop::Config::default());
    measure("snoop, BER 1e-6", &scenario(snoop, 1e-6), RUNS, Some(clean.median));
    if clean.minimum > LIMIT_SECONDS {
        println!("\nthe raw link takes {:.3} s: more than {LIMIT_SECONDS} s", clean.minimum);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The paper's fast link.
fn scenario(service: ServiceConfig, bit_errors: f64) -> Scenario {
    let mut scenario = Scenario::default();
    let rate = |bits| BitRate::from_bits_per_second(bits).unwrap_or(BitRate::MINIMUM);
    scenario.wired.rate = rate(100_000_000);
    scenario.wired.delay = Span::from_milliseconds(5);
    scenario.wired.queue = Room::of(1000);
    scenario.wireless.rate = Rate::Constant(rate(50_000_000));
    scenario.wireless.delay = Span::from_milliseconds(25);
    scenario.wireless.queue = Queue::DropTail(Room::of(1000));
    scenario.wireless.charge_tag = false;
    scenario.wireless.errors = ErrorModel::Ber(Ber { bit_errors: Ratio::new(bit_errors).unwrap_or_default() });
    scenario.tcp.profile = Profile::Pre2004;
    scenario.tcp.variant = Variant::NewReno;
    scenario.tcp.maximum_window = PacketWindow::new(22);
    scenario.file_transfer.enabled = false;
    scenario.tcp_bulk.enabled = true;
    scenario.link_layer.service = service;
    scenario
}
