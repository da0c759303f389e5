//! The files of an emulation: a log of fates, a capture.

use crate::memory::{emulate_with, ms, ratio};
use arqway_emulate::{Emulation, LinkSettings, Report};
use arqway_sim::channel::{Duplication, ErrorModel, Uniform};
use arqway_sim::mobility::{Change, MobilityConfig, Periodic, When};
use arqway_sim::{Queue, Room, Wireless};
use arqway_units::{LineId, Octets, Span, Time};
use pcap_parser::{Block, PcapBlockOwned, PcapError, PcapNGOption, PcapNGReader, traits::PcapReaderIterator};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("arqway-emulate-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// A link on which packets are lost, come twice, find the queue full and the link gone.
fn link() -> LinkSettings {
    let wireless = Wireless {
        queue: Queue::DropTail(Room::of(5)),
        errors: ErrorModel::Uniform(Uniform { loss: ratio(0.1) }),
        duplication: Some(Duplication { share: ratio(0.1), delay: ms(3) }),
        ..Wireless::default()
    };
    let mobility = MobilityConfig {
        when: When::Periodic(Periodic { stay: ms(4_000) }),
        change: Change::SameCell,
        hints: false,
        ..MobilityConfig::default()
    };
    LinkSettings { wireless, mobility, line: LineId::FIRST }
}

/// Bursts of ten packets of 100 to 1,099 octets.
fn sends() -> Vec<(Time, Octets)> {
    (0..1000u64).map(|number| (Time::ZERO + ms(number / 10 * 1000), Octets::new(100 + number))).collect()
}

fn emulate_into(log: Option<&Path>, capture: Option<&Path>) -> (Report, Vec<String>) {
    let prepare = |emulation: &mut Emulation<_, _>| {
        log.map(|path| emulation.log(path, "a test\nof two lines")).transpose().expect("a log");
        capture.map(|path| emulation.capture(path, "a test", ["left", "right"])).transpose().expect("a capture");
    };
    let (_, report, files) = emulate_with(&link(), 5, &sends(), Span::ZERO, prepare);
    (report, files.iter().map(ToString::to_string).collect())
}

#[test]
fn a_log_has_one_row_for_each_packet_with_its_fate() {
    let folder = Folder::new("log");
    let path = folder.0.join("fates.csv");
    let (report, failures) = emulate_into(Some(&path), None);
    assert!(failures.is_empty(), "{failures:?}");
    let text = fs::read_to_string(path).expect("a log");
    assert!(text.starts_with("# a test\n# of two lines\ndirection,frame,octets,offered_s,"), "{text:.200}");
    let mut fates: BTreeMap<String, u64> = BTreeMap::new();
    let (mut frames, mut copies) = (Vec::new(), 0);
    let mut table = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    for row in table.records() {
        let row = row.expect("a row");
        let [way, frame, octets, offered, start, arrival, copy, fate, lateness] =
            std::array::from_fn(|column| row.get(column).expect("nine columns").to_owned());
        assert_eq!(way, "down");
        let [offered, start, arrival] = [offered, start, arrival].map(|text| text.parse().unwrap_or(f64::INFINITY));
        assert!(offered <= start && start <= arrival, "{row:?}");
        let number = octets.parse::<u64>().expect("a size") - 100;
        assert_eq!(offered, (number / 10) as f64, "packets are told apart by their size");
        assert_eq!(arrival.is_finite(), fate == "delivered", "{row:?}");
        assert_eq!(lateness, if fate == "delivered" { "0.000000000" } else { "" }, "{row:?}");
        assert_eq!(frame.is_empty(), fate == "queue-full", "{row:?}");
        frames.extend(frame.parse::<u64>());
        copies += u64::from(!copy.is_empty());
        *fates.entry(fate).or_default() += 1;
    }
    frames.sort_unstable();
    let counters = report.down.counters;
    assert_eq!(frames, (0..counters.sent).collect::<Vec<_>>());
    let delivered = counters.sent - counters.lost - counters.outage;
    let expected = [
        ("delivered", delivered),
        ("lost", counters.lost),
        ("outage", counters.outage),
        ("queue-full", counters.queue_full),
    ];
    assert!(expected.iter().all(|(_, count)| *count > 0), "{expected:?}");
    assert_eq!(fates, BTreeMap::from(expected.map(|(fate, count)| (fate.to_owned(), count))));
    assert_eq!((copies, counters.delivered), (counters.duplicated, delivered + counters.duplicated));
}

/// Interface, nanoseconds, length and comment of each packet of a capture.
fn packets(path: &Path) -> Vec<(u32, u64, u32, String)> {
    let mut reader = PcapNGReader::new(1 << 20, fs::File::open(path).expect("a capture")).expect("pcapng");
    let mut packets = Vec::new();
    loop {
        match reader.next() {
            Ok((length, PcapBlockOwned::NG(block))) => {
                if let Block::EnhancedPacket(packet) = block {
                    let comment = packet.options.iter().find(|option: &&PcapNGOption<'_>| option.code.0 == 1);
                    let comment = comment.map(|option| option.as_str().expect("UTF-8").to_owned());
                    let at = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                    packets.push((packet.if_id, at, packet.origlen, comment.unwrap_or_default()));
                }
                reader.consume(length);
            }
            Ok((length, _)) => reader.consume(length),
            Err(PcapError::Eof) => return packets,
            Err(PcapError::Incomplete(_)) => reader.refill().expect("a capture"),
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[test]
fn a_capture_is_in_the_order_of_time_and_says_of_each_packet_that_is_lost_why() {
    let folder = Folder::new("capture");
    let path = folder.0.join("both.pcapng");
    let (report, failures) = emulate_into(None, Some(&path));
    assert!(failures.is_empty(), "{failures:?}");
    let packets = packets(&path);
    assert!(packets.is_sorted_by_key(|(_, at, _, _)| *at));
    let with = |interface: u32, comment: &str| {
        packets.iter().filter(|(of, _, _, what)| *of == interface && what == comment).count() as u64
    };
    let counters = report.down.counters;
    // The server sends: the second interface.
    assert_eq!(with(1, "lost on the link"), counters.lost);
    assert_eq!(with(1, "lost: the link was down"), counters.outage);
    assert_eq!(with(1, "dropped: the queue was full"), counters.queue_full);
    assert_eq!(with(1, ""), counters.sent - counters.lost - counters.outage);
    assert_eq!(with(0, ""), counters.delivered);
    assert_eq!(packets.len() as u64, counters.offered + counters.delivered);
    // Each at the time at which it was sent.
    for (_, at, length, _) in packets.iter().filter(|(interface, ..)| *interface == 1) {
        assert_eq!(*at, u64::from(length - 100) / 10 * 1_000_000_000);
    }
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_anything_runs() {
    let refusal = |path: &str| {
        let mut refused = [None, None];
        emulate_with(&link(), 1, &[], Span::ZERO, |emulation| {
            refused[0] = emulation.log(Path::new(path), "").err();
            refused[1] = emulation.capture(Path::new(path), "", ["left", "right"]).err();
        });
        refused.map(|error| error.expect("an error").to_string())
    };
    assert_eq!(refusal("/nowhere/f"), ["cannot write /nowhere/f: No such file or directory (os error 2)"; 2]);
    assert_eq!(refusal("/dev/full"), ["cannot write /dev/full: No space left on device (os error 28)"; 2]);
}
