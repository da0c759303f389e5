//! How long one File Transfer of 10 MB takes on one core, over the raw link and over Selective Repeat, fixed and adaptive.
//!
//! Prints its command, the machine and the spread; fails if a transfer over Selective Repeat at 5.4 % takes more than
//! the project allows itself. The raw link is there to compare with, as a ratio from the same run.

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
const LIMIT_SECONDS: f64 = 0.08;

fn main() -> ExitCode {
    println!("command: cargo bench -p arqway-sim --bench file_transfer");
    println!("machine: {}", common::machine());
    println!("10 MB, 64 kbit/s, 5.4 % uniform frame loss; {RUNS} runs, each with its own random numbers\n");
    common::print_heading();
    let raw = measure("raw", &scenario(ServiceConfig::Raw(raw::Config::default())), RUNS, None);
    let adaptive = Timeout::Adaptive(Policy { srtt: 3.0, srttvar: 2.0 });
    let mut exit = ExitCode::SUCCESS;
    for (name, timeout) in [("selective-repeat", Timeout::from(Span::from_milliseconds(1100))), ("asr:3+2", adaptive)] {
        let fastest = measure(name, &scenario(selective_repeat(timeout)), RUNS, Some(raw.median)).minimum;
        if fastest > LIMIT_SECONDS {
            println!("\n{name} takes {fastest:.3} s: more than {LIMIT_SECONDS} s");
            exit = ExitCode::FAILURE;
        }
    }
    exit
}

fn scenario(service: ServiceConfig) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.wireless.queue = Queue::DropTail(Room::of(256));
    scenario.wireless.charge_tag = false;
    scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.054).unwrap_or_default() });
    scenario.link_layer.service = service;
    scenario
}
