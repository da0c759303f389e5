//! What a packet costs in the classifier, and a frame in the scheduler, as rules, masks and services become many.
//!
//! Prints tables; fails if the cost of a packet grows with the number of rules under one mask, or the cost of a frame
//! faster than the logarithm of the number of services.

use arqway_link::mux::scheduler::{LaneId, SelfClocked};
use arqway_link::mux::{Class, Classifier, Config, FlowId, Headers, Mux, Ports, Protocol, Rule, Scfq, SchedulerConfig};
use arqway_link::{LinkService, Packet, ServiceConfig, ServiceId, Side, raw};
use arqway_units::{Octets, Time};
use std::hint::black_box;
use std::net::IpAddr;
use std::process::ExitCode;

fn main() -> ExitCode {
    println!("command: cargo bench -p arqway-link --bench multi_service");
    println!("nanoseconds, the fastest of {RUNS} runs\n");
    let classifier_holds = classifier();
    let scheduler_holds = scheduler();
    multiplexer();
    if classifier_holds && scheduler_holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

const RUNS: usize = 15;

/// The nanoseconds that one of `count` repetitions takes.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn time(count: usize, mut each: impl FnMut(usize)) -> f64 {
    let of_run = |_| {
        let start = std::time::Instant::now();
        for index in 0..count {
            each(index);
        }
        start.elapsed().as_secs_f64() / count as f64 * 1e9
    };
    (0..RUNS).map(of_run).fold(f64::INFINITY, f64::min)
}

fn udp(source: u16, destination: u16) -> Vec<u8> {
    let mut octets = vec![0; 128];
    (octets[0], octets[3], octets[9]) = (0x45, 128, 17);
    octets[12..20].copy_from_slice(&[10, 0, 0, 1, 10, 0, 1, 2]);
    octets[20..22].copy_from_slice(&source.to_be_bytes());
    octets[22..24].copy_from_slice(&destination.to_be_bytes());
    octets
}

/// A packet that no rule takes is looked up under every mask.
fn classifier() -> bool {
    let packets: Vec<Vec<u8>> = (0..64).map(|port| udp(40_000 + port, 50_000 + port)).collect();
    let headers = |index: usize| Headers::read(&packets[index % packets.len()]).expect("a packet");
    println!("reading the headers           {:>8.1}", time(100_000, |index| _ = black_box(headers(index))));
    let service = ServiceId::default();
    let lookup = |rules: &[Rule]| {
        let classifier = Classifier::new(rules.iter().map(|rule| (rule, service)));
        let headers: Vec<Headers> = (0..64).map(headers).collect();
        (classifier.lookups(), time(100_000, |index| _ = black_box(classifier.classify(&headers[index % 64]))))
    };
    println!("\n{:>8} {:>8} {:>10} {:>10}", "rules", "masks", "lookup", "a mask");
    let of_port = |port| Rule { destination_port: Some(Ports::one(port)), ..Rule::of_protocol(Protocol::UDP) };
    let mut of_one_mask = Vec::new();
    for count in [1, 10, 100, 1000, 10_000] {
        let rules: Vec<Rule> = (0..count).map(of_port).collect();
        let (masks, nanoseconds) = lookup(&rules);
        of_one_mask.push(nanoseconds);
        println!("{count:>8} {masks:>8} {nanoseconds:>10.1} {:>10.1}", nanoseconds / masks as f64);
    }
    for count in [2, 4, 8, 16, 32] {
        // A prefix of each length is a mask of its own.
        let prefix = |length: u32| {
            let address = IpAddr::from((u32::MAX << (32 - length)).to_be_bytes());
            Rule { source: arqway_link::mux::Addresses::new(address, length), ..Rule::default() }
        };
        let rules: Vec<Rule> = (1..=count).map(prefix).collect();
        let (masks, nanoseconds) = lookup(&rules);
        println!("{count:>8} {masks:>8} {nanoseconds:>10.1} {:>10.1}", nanoseconds / masks as f64);
    }
    let holds = of_one_mask[4] < of_one_mask[1] * 3.0 + 20.0;
    if !holds {
        println!("the cost of a lookup grows with the number of rules");
    }
    holds
}

/// Every lane has something waiting: a frame leaves and the next one enters.
fn scheduler() -> bool {
    println!("\n{:>8} {:>10} {:>16}", "services", "a frame", "by log2 services");
    let mut measured = Vec::new();
    for lanes in [2usize, 4, 8, 16, 32, 100, 316, 1000] {
        let weights: Vec<u32> = (0..lanes).map(|lane| 1 + (lane as u32 * 7919) % 1000).collect();
        let mut scheduler = SelfClocked::new(&weights);
        let size = |index: usize| Octets::of(40 + (index * 677) % 1460);
        for lane in 0..lanes {
            scheduler.push(LaneId(lane), size(lane), lane);
            scheduler.push(LaneId(lane), size(lane + 1), lane);
        }
        let nanoseconds = time(50_000, |index| {
            if let Some((lane, item)) = scheduler.pop() {
                scheduler.push(lane, size(index), item);
            }
        });
        let logarithm = f64::from(usize::BITS - (lanes - 1).leading_zeros());
        measured.push(nanoseconds);
        println!("{lanes:>8} {nanoseconds:>10.1} {:>16.1}", nanoseconds / logarithm);
    }
    // log2(1000) / log2(32) is 2; caches take their part too.
    let holds = measured[7] < measured[4] * 6.0;
    if !holds {
        println!("the cost of a frame grows faster than the logarithm of the number of services");
    }
    holds
}

/// A packet from the network layer to the link, through a multiplexer all of whose services but one are idle.
fn multiplexer() {
    println!("\n{:>8} {:>10} {:>10}", "services", "fcfs", "scfq");
    for services in [2u16, 8, 32] {
        let mut taken = Vec::new();
        for scheduler in [SchedulerConfig::Fcfs, SchedulerConfig::Scfq(Scfq::default())] {
            let service = || ServiceConfig::Raw(raw::Config::default());
            let of_port = |port| Rule { destination_port: Some(Ports::one(port)), ..Rule::of_protocol(Protocol::UDP) };
            let classes = (1..services).map(|port| Class::new(of_port(port), service())).collect();
            let Ok(mut mux) = Mux::new(&Config { classes, scheduler, ..Config::new(service()) }, &Side::Client.into())
            else {
                return;
            };
            let flow = |port| FlowId::Protocol {
                protocol: Protocol::of_number(port),
                source: [0; 4].into(),
                destination: [0; 4].into(),
            };
            for port in 100..110 {
                let _ = mux.install_flow(&flow(port), ServiceId::default());
            }
            let packet = Packet::new(udp(1, services - 1));
            taken.push(time(100_000, |_| {
                let _ = mux.handle_packet(packet.clone(), Time::ZERO);
                while let Some(mut frame) = mux.poll_frame(Time::ZERO, Octets::MAX) {
                    let _ = black_box(mux.start_frame(&mut frame, Time::ZERO));
                }
                black_box((mux.poll_packet(), mux.poll_timeout()));
            }));
        }
        println!("{services:>8} {:>10.1} {:>10.1}", taken[0], taken[1]);
    }
}
