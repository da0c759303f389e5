//! How long one File Transfer of 10 MB takes on one core, over the raw link and over Selective Repeat, fixed and adaptive.
//!
//! Prints its command, the machine and the spread; fails if a transfer over Selective Repeat at 5.4 % takes more times what
//! the raw link takes in the same run than the project allows itself, or the raw link more than twice what it takes today
//! beside the standard library's heap.

mod common;
#[path = "common/papers.rs"]
mod papers;

use arqway_link::selective_repeat::{Policy, Timeout};
use arqway_link::{ServiceConfig, raw};
use arqway_sim::channel::{ErrorModel, Uniform};
use arqway_sim::{Queue, Room, Scenario};
use arqway_units::{Ratio, Span};
use common::measure;
use papers::selective_repeat;
use std::process::ExitCode;

const RUNS: u32 = 21;
/// In what [`common::yardstick`] takes, and in what the raw link does.
const LIMIT_RAW: f64 = 1.6;
const LIMIT_REPEATED: f64 = 1.9;

fn main() -> ExitCode {
    println!("command: cargo bench -p arqway-sim --bench file_transfer");
    println!("machine: {}", common::machine());
    println!("10 MB, 64 kbit/s, 5.4 % uniform frame loss; {RUNS} runs, each with its own random numbers\n");
    common::print_heading();
    let over = |timeout| scenario(selective_repeat(timeout));
    let cells = [
        ("raw", scenario(ServiceConfig::Raw(raw::Config::default()))),
        ("selective-repeat", over(Timeout::from(Span::from_milliseconds(1100)))),
        ("asr:3+2", over(Timeout::Adaptive(Policy { srtt: 3.0, srttvar: 2.0 }))),
    ];
    let [raw, fixed, adaptive] = &measure(&cells, RUNS)[..] else { return ExitCode::FAILURE };
    common::judge(&[
        ("raw beside the heap", raw.minimum, common::yardstick(), LIMIT_RAW),
        ("selective-repeat beside raw", fixed.minimum, raw.minimum, LIMIT_REPEATED),
        ("asr:3+2 beside raw", adaptive.minimum, raw.minimum, LIMIT_REPEATED),
    ])
}

fn scenario(service: ServiceConfig) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.wireless.queue = Queue::DropTail(Room::of(256));
    scenario.wireless.charge_tag = false;
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.054).unwrap_or_default() });
    scenario.link_layer.service = service;
    scenario
}
