//! What is in the file, read back by a library that shares nothing with the writer.

use super::*;
use crate::experiment::{Effort, Experiment};
use crate::run::cancellation::Cancellation;
use crate::run::cell::Cell;
use crate::run::plan::Request;
use arqway_config::Source;
use pcap_parser::traits::PcapNGPacketBlock as _;
use pcap_parser::{Block, PcapBlockOwned, PcapNGSlice};
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

fn blocks(file: &[u8]) -> Vec<Block<'_>> {
    let blocks = PcapNGSlice::from_slice(file).expect("a section header").map(|block| match block {
        Ok(PcapBlockOwned::NG(block)) => block,
        Ok(_) => panic!("a block of classic pcap"),
        Err(error) => panic!("{error}"),
    });
    blocks.collect()
}

/// A packet: interface, nanoseconds, whether it was sent, comment, octets.
#[derive(Debug)]
struct Read {
    interface: u32,
    at: u64,
    is_sent: bool,
    comment: Option<String>,
    octets: Vec<u8>,
}

fn packets(file: &[u8]) -> Vec<Read> {
    let packets = blocks(file).into_iter().filter_map(|block| match block {
        Block::EnhancedPacket(packet) => Some(packet),
        _ => None,
    });
    let read = packets.map(|packet| {
        assert_eq!(packet.caplen, packet.origlen, "packets are never cut");
        let told = |code| {
            let option = packet.options.iter().find(|option| option.code.0 == code)?;
            Some(option.as_bytes().expect("as long as it says"))
        };
        Read {
            interface: packet.if_id,
            at: u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low),
            is_sent: told(2) == Some(&2u32.to_le_bytes()),
            comment: told(1).map(|comment| String::from_utf8_lossy(comment).into_owned()),
            octets: packet.packet_data().to_vec(),
        }
    });
    read.collect()
}

#[test]
fn the_file_begins_with_what_it_is_about_and_its_interfaces() {
    let file = capture(&Place::ALL);
    let blocks = blocks(&file);
    let Block::SectionHeader(header) = &blocks[0] else { panic!("{:?}", blocks[0]) };
    assert_eq!(header.options[0].as_str(), Ok("a study"));
    let expected = [(147, "access point"), (147, "client"), (101, "server IP"), (101, "client IP")];
    for (interface, (link_type, name)) in blocks[1..].iter().zip(expected) {
        let Block::InterfaceDescription(interface) = interface else { panic!("{interface:?}") };
        assert_eq!((interface.linktype.0, interface.if_name()), (link_type, Some(Ok(name))));
        let description = interface.if_description().expect("there is one").expect("UTF-8");
        assert_eq!(description.ends_with("; services: 0=selective-repeat 1=raw"), link_type == 147, "{description}");
    }
    assert!(matches!(blocks[5], Block::EnhancedPacket(_)));
}

#[test]
fn a_frame_arrives_as_it_went_out_or_is_marked_as_lost() {
    let file = capture(&Place::LINK);
    let packets = packets(&file);
    let mut lost = 0;
    for (near, far) in [(0, 1), (1, 0)] {
        let mut arrivals = packets.iter().filter(|packet| packet.interface == far && !packet.is_sent);
        // What is under way when the run ends never arrives.
        let mut under_way = 0;
        for sent in packets.iter().filter(|packet| packet.interface == near && packet.is_sent) {
            if sent.comment.as_deref() == Some(LOST) {
                lost += 1;
            } else if let Some(arrived) = arrivals.next() {
                assert_eq!((&arrived.octets, &arrived.comment), (&sent.octets, &None));
                assert!(arrived.at > sent.at + 50_000_000, "the way takes 50 ms and the frame's length");
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
    let times: Vec<u64> = packets(&file).iter().map(|packet| packet.at).collect();
    assert!(times.len() > 400 && times.is_sorted());
    assert!(file == capture(&Place::ALL));
}

#[test]
fn a_place_that_is_not_asked_for_is_not_in_the_file() {
    let file = capture(&[Place::ServerIp]);
    let packets = packets(&file);
    assert!(packets.iter().all(|packet| packet.interface == 0 && packet.octets[0] == 0x45));
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
