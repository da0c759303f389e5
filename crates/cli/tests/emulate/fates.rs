//! Which packets are lost: those that the simulator's link loses.

use crate::emulator::{Folder, can_run, emulate, itself, stderr};
use crate::load;
use arqway_config::Source;
use arqway_lab::experiment::described::Described;
use arqway_sim::channel::Direction;
use arqway_sim::{Cause, Pipe, PipeEvent, Scenario, Start, Streams};
use arqway_units::{Octets, Time};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A packet of a log.
#[derive(Debug, Clone, PartialEq)]
struct Logged {
    octets: u64,
    offered: Time,
    start: Option<Time>,
    arrival: Option<Time>,
    fate: String,
}

/// Nanoseconds of a decimal with nine digits.
fn time(text: &str) -> Option<Time> {
    let (seconds, rest) = text.split_once('.')?;
    assert_eq!(rest.len(), 9, "{text}");
    let nanoseconds = seconds.parse::<u64>().ok()? * 1_000_000_000 + rest.parse::<u64>().ok()?;
    Some(Time::from_nanoseconds(nanoseconds))
}

/// The packets of a log toward the server, by their number.
fn read(path: &str) -> BTreeMap<u64, Logged> {
    let text = fs::read_to_string(path).expect("a log");
    let rows = text.lines().filter(|line| line.starts_with("up,"));
    let row = |line: &str| {
        let columns: Vec<_> = line.split(',').collect();
        let [_, frame, octets, offered, start, arrival, _, fate, _] = columns[..] else { panic!("{line}") };
        let offered = time(offered).expect("a time");
        let (octets, fate) = (octets.parse().expect("a size"), fate.to_owned());
        let packet = Logged { octets, offered, start: time(start), arrival: time(arrival), fate };
        (frame.parse().expect("no packet finds the queue full"), packet)
    };
    rows.map(row).collect()
}

/// The load over a link: the log's packets, of which the first are the load's.
fn send(folder: &Folder, link: &str, seed: &str) -> BTreeMap<u64, Logged> {
    let link = folder.write("link.toml", link);
    let log = folder.path("fates.csv");
    let load = itself("load::sends");
    let options = [&*link, "--seed", seed, "--servers", "--log", &log, "--"];
    let output = emulate(&options.into_iter().chain(load.iter().map(|word| &**word)).collect::<Vec<_>>());
    assert!(output.status.success(), "{}\n{}", stderr(&output), String::from_utf8_lossy(&output.stdout));
    let packets = read(&log);
    for number in 0..load::PACKETS {
        assert_eq!(packets[&number].octets, load::length(number) as u64, "packet {number}");
    }
    packets
}

/// The numbers of the load's packets that were lost.
fn lost(packets: &BTreeMap<u64, Logged>) -> Vec<u64> {
    packets.range(..load::PACKETS).filter(|(_, packet)| packet.fate != "delivered").map(|(number, _)| *number).collect()
}

/// A link of a megabit for so many packets at once.
fn link(errors: &str) -> String {
    format!(
        "[wireless]\nrate = \"2 Mbit/s\"\ndelay = \"3 ms\"\nqueue = {{ kind = \"drop-tail\", packets = 1000 }}\nerrors = {errors}\n"
    )
}

#[test]
fn the_same_seed_loses_the_same_packets_by_their_number() {
    if !can_run() {
        return;
    }
    let folder = Folder::new("seed");
    for errors in [r#"{ kind = "uniform", loss = "20 %" }"#, r#"{ kind = "ber", bit-errors = 1e-4 }"#] {
        let [first, again, other] = ["7", "7", "8"].map(|seed| lost(&send(&folder, &link(errors), seed)));
        assert!((20..=200).contains(&first.len()), "{errors}: {first:?}");
        assert_eq!(first, again, "{errors}");
        assert_ne!(first, other, "{errors}");
    }
}

#[test]
fn a_recording_of_losses_loses_just_these_packets() {
    if !can_run() {
        return;
    }
    let folder = Folder::new("recording");
    let errors = r#"{ kind = "trace", losses = "0*3 1*2 0*10 1 0*100 1*7", at-end = "no-more-losses" }"#;
    let packets = send(&folder, &link(errors), "1");
    let expected = [3, 4, 15].into_iter().chain(116..123).collect::<Vec<u64>>();
    assert_eq!(lost(&packets), expected);
}

#[test]
fn a_log_of_fates_replayed_as_a_channel_loses_the_same_packets() {
    if !can_run() {
        return;
    }
    let folder = Folder::new("replay");
    let first = lost(&send(&folder, &link(r#"{ kind = "uniform", loss = "20 %" }"#), "3"));
    fs::rename(folder.path("fates.csv"), folder.path("walk.csv")).expect("a log");
    let errors = r#"{ kind = "trace", losses = { file = "walk.csv", direction = "up" }, at-end = "no-more-losses" }"#;
    let replayed = format!("{}\n[wireless.up]\nerrors = {errors}\n", link("\"none\""));
    assert_eq!(lost(&send(&folder, &replayed, "99")), first);
}

/// What the simulator's link makes of the same packets at the same times.
fn simulated(link: &str, seed: u64, packets: &BTreeMap<u64, Logged>) -> Vec<Start> {
    let described = Described::read(&Source::new("link.toml", link), Path::new("")).expect("a link");
    let Scenario { wireless, mobility, .. } = described.scenario;
    let mut pipe = Pipe::new(&wireless, &mobility, Direction::Up, &Streams::new(seed, 0));
    for packet in packets.values() {
        pipe.offer((), Octets::new(packet.octets), packet.offered).expect("room");
    }
    let mut starts = Vec::new();
    // The link goes and comes for ever: what is due next need not be a packet.
    while let Some(at) = pipe.next().filter(|_| starts.len() < packets.len()) {
        while let Some(event) = pipe.poll(at) {
            if let PipeEvent::Started(start) = event {
                starts.push(start);
            }
        }
    }
    starts
}

#[test]
fn every_packet_has_the_fate_and_the_times_that_the_simulators_link_gives_it() {
    if !can_run() {
        return;
    }
    let folder = Folder::new("simulated");
    let two_state = r#"{ kind = "two-state", good = "40 ms", bad = "20 ms" }"#;
    let away = "[mobility]\nwhen = { kind = \"random\", mean-stay = \"200 ms\" }\nchange = \"same-cell\"\noutage = \"50 ms\"\nhints = false\n";
    let links = [
        link(two_state),
        link("\"none\"") + "jitter = { kind = \"uniform\", longest = \"5 ms\" }\n",
        link(r#"{ kind = "uniform", loss = "10 %" }"#) + away,
    ];
    for text in links {
        let packets = send(&folder, &text, "11");
        let simulated = simulated(&text, 11, &packets);
        assert_eq!(simulated.len(), packets.len());
        for (start, (number, logged)) in simulated.iter().zip(&packets) {
            let fate = match start.lost_to {
                None => "delivered",
                Some(Cause::Errors | Cause::TooLarge) => "lost",
                Some(Cause::Outage) => "outage",
            };
            let expected = (fate, start.number, Some(start.at), start.arrival);
            assert_eq!((&*logged.fate, *number, logged.start, logged.arrival), expected, "{text}");
        }
        let fates: Vec<_> = packets.values().map(|packet| &*packet.fate).collect();
        eprintln!("{} of {} packets were lost", fates.iter().filter(|fate| **fate != "delivered").count(), fates.len());
    }
}
