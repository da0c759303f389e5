//! The file's structure, read back by a reader that shares nothing with the writer.

use super::*;
use crate::experiment::{Effort, Experiment};
use crate::run::cancellation::Cancellation;
use crate::run::cell::Cell;
use crate::run::plan::Request;
use arqway_config::Source;
use std::path::Path;

const STUDY: &str = r#"
[experiment]
id = "study"
replications = 2
[scenario]
base = "monet08"
set = { "media.enabled" = true, "file-transfer.size" = "20 kB", "wireless.errors" = { kind = "uniform", loss = "5.4 %" } }
[[scheme]]
use = "sr:0.9"
"#;

fn cell() -> Cell {
    let experiment = Experiment::read(&Source::new("study.toml", STUDY), Path::new(""), Effort::Full);
    Cell::find(experiment.expect("no mistakes"), &Request::default()).expect("the only cell")
}

fn capture(places: &[Place]) -> Vec<u8> {
    let cell = cell();
    let mut capture = Capture::new(Vec::new(), "a study", &cell.scenario().link_layer, places).expect("memory");
    cell.watch(&mut capture, &Cancellation::new()).expect("two services");
    capture.finish().expect("memory").1
}

/// A block's type, and its body between the two lengths.
fn blocks(mut file: &[u8]) -> Vec<(u32, &[u8])> {
    let mut blocks = Vec::new();
    while !file.is_empty() {
        let (kind, length) = (u32_at(file, 0), u32_at(file, 4) as usize);
        assert!(length.is_multiple_of(4) && (12..=file.len()).contains(&length), "a block of {length} octets");
        assert_eq!(u32_at(file, length - 4) as usize, length, "the length stands at both ends");
        blocks.push((kind, &file[8..length - 4]));
        file = &file[length..];
    }
    blocks
}

/// The options of a block, but for the one that ends them.
fn options(mut octets: &[u8]) -> Vec<(u16, &[u8])> {
    let mut options = Vec::new();
    loop {
        let (code, length) = (u16_at(octets, 0), usize::from(u16_at(octets, 2)));
        if code == 0 {
            assert_eq!((length, octets.len()), (0, 4), "nothing follows the end of the options");
            return options;
        }
        options.push((code, &octets[4..4 + length]));
        octets = &octets[4 + length.next_multiple_of(4)..];
    }
}

fn u16_at(octets: &[u8], place: usize) -> u16 {
    u16::from_le_bytes(octets[place..place + 2].try_into().expect("two octets"))
}

fn u32_at(octets: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(octets[place..place + 4].try_into().expect("four octets"))
}

/// A packet block: interface, nanoseconds, octets, options.
type PacketBlock<'a> = (u32, u64, &'a [u8], Vec<(u16, &'a [u8])>);

fn packets(file: &[u8]) -> Vec<PacketBlock<'_>> {
    let packets = blocks(file).into_iter().filter(|(kind, _)| *kind == 6);
    let read = packets.map(|(_, block)| {
        let length = u32_at(block, 12);
        assert_eq!(u32_at(block, 16), length, "packets are never cut");
        let time = u64::from(u32_at(block, 4)) << 32 | u64::from(u32_at(block, 8));
        let end = 20 + length as usize;
        (u32_at(block, 0), time, &block[20..end], options(&block[end.next_multiple_of(4)..]))
    });
    read.collect()
}

#[test]
fn the_file_begins_with_what_it_is_about_and_its_interfaces() {
    let file = capture(&Place::ALL);
    let blocks = blocks(&file);
    assert_eq!(blocks[0].0, 0x0A0D_0D0A);
    assert_eq!((u32_at(blocks[0].1, 0), u16_at(blocks[0].1, 4), u16_at(blocks[0].1, 6)), (0x1A2B_3C4D, 1, 0));
    assert_eq!(options(&blocks[0].1[16..])[0], (1, &b"a study"[..]));
    let interfaces: Vec<_> = blocks.iter().filter(|(kind, _)| *kind == 1).collect();
    let expected = [(147, "access point"), (147, "client"), (101, "server IP"), (101, "client IP")];
    assert_eq!(interfaces.len(), expected.len());
    for ((_, interface), (link_type, name)) in interfaces.into_iter().zip(expected) {
        let options = options(&interface[8..]);
        assert_eq!((u16_at(interface, 0), options[0]), (link_type, (2, name.as_bytes())));
        assert!(options.contains(&(9, &[9][..])), "times are in nanoseconds");
        let description = std::str::from_utf8(options[1].1).expect("UTF-8");
        assert_eq!(description.ends_with("; services: 0=selective-repeat 1=raw"), link_type == 147, "{description}");
    }
}

#[test]
fn a_frame_arrives_as_it_went_out_or_is_marked_as_lost() {
    let file = capture(&Place::LINK);
    let mut lost = 0;
    for (near, far) in [(0, 1), (1, 0)] {
        let mut arrivals = packets(&file)
            .into_iter()
            .filter(|(interface, _, _, options)| *interface == far && options[0] == (2, &1u32.to_le_bytes()[..]));
        let sent = packets(&file);
        let sent = sent
            .iter()
            .filter(|(interface, _, _, options)| *interface == near && options[0] == (2, &2u32.to_le_bytes()[..]));
        // What is under way when the run ends never arrives.
        let mut under_way = 0;
        for (_, start, octets, options) in sent {
            if options.contains(&(1, LOST.as_bytes())) {
                lost += 1;
            } else if let Some((_, arrival, arrived, _)) = arrivals.next() {
                assert_eq!(arrived, *octets);
                assert!(arrival > start + 50_000_000, "the way takes 50 ms and the frame's length");
                assert_eq!(under_way, 0);
            } else {
                under_way += 1;
            }
        }
        assert!(arrivals.next().is_none() && under_way < 5);
    }
    assert!(lost > 3, "{lost} frames are lost");
}

#[test]
fn times_never_go_back_and_the_same_run_gives_the_same_bytes() {
    let file = capture(&Place::ALL);
    let times: Vec<u64> = packets(&file).iter().map(|packet| packet.1).collect();
    assert!(times.len() > 400 && times.is_sorted());
    assert!(file == capture(&Place::ALL));
}

#[test]
fn a_place_that_is_not_asked_for_is_not_in_the_file() {
    let file = capture(&[Place::ServerIp]);
    let packets = packets(&file);
    assert!(packets.iter().all(|packet| packet.0 == 0 && packet.2[0] == 0x45));
    assert!(packets.len() > 160, "80 packets and their acknowledgements: {}", packets.len());
}

/// A disk that is soon full.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(octets.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_disk_that_is_full_is_told_at_the_end_of_the_run() {
    let cell = cell();
    let mut capture = Capture::new(Full(2000), "", &cell.scenario().link_layer, &Place::LINK).expect("some room");
    cell.watch(&mut capture, &Cancellation::new()).expect("two services");
    assert_eq!(capture.finish().map(|_| ()).expect_err("no room").kind(), io::ErrorKind::StorageFull);
}
