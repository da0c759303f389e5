//! Tables and captures: what is read of them, what is said of those that are wrong, and that nothing breaks the reader.

mod captures;

use super::*;
use crate::{Fate, SentFrame};
use arqway_units::Time;
use proptest::prelude::*;

fn frame(at_ns: u64, octets: u64, fate: Fate) -> SentFrame {
    SentFrame { at: Time::from_nanoseconds(at_ns), octets: Octets::new(octets), fate }
}

fn table(text: &str) -> Result<Frames, TableError> {
    read_table("trace.csv", text.as_bytes(), None)
}

fn told(text: &str) -> String {
    table(text).expect_err("a mistake").to_string()
}

#[test]
fn a_table_gives_its_frames_in_the_order_in_which_they_were_sent() {
    let read =
        table("octets, Sent ,note,arrived\n250,1700000000.5,x,1700000000.600000001\n40,1700000000.25,,\n").unwrap();
    assert_eq!(read.frames, [frame(0, 40, Fate::Lost), frame(250_000_000, 250, Fate::After(100_000_001))]);
    let read = read_table("t", b"sent,lost\n0,0\n1.5e-3,1\n", Some(Octets::new(100))).unwrap();
    assert_eq!(read.frames, [frame(0, 100, Fate::Arrived), frame(1_500_000, 100, Fate::Lost)]);
}

#[test]
fn clocks_may_disagree() {
    let read = table("sent,arrived,octets\n10,2,1\n11,3,1\n").unwrap();
    assert_eq!(read.frames[1], frame(1_000_000_000, 1, Fate::After(-8_000_000_000)));
}

#[test]
fn all_mistakes_of_a_table_are_told_at_once_with_their_lines() {
    insta::assert_snapshot!(told("sent,arrived,octets\n0,1,250\nnow,1,250\n1,never,250\n2,3,0\n3,4\n"), @r#"
    trace.csv:3: `sent` is "now"; expected seconds, such as 12.03125
    trace.csv:4: `arrived` is "never"; expected seconds, such as 12.03125
    trace.csv:5: `octets` is "0"; expected the length of a frame, such as 250
    trace.csv:6: 2 cells; the header has 3
    "#);
    insta::assert_snapshot!(told("snet,lost,arrived\n"), @r#"
    trace.csv:1: no column is called `sent`, the seconds at which each frame was sent; did you mean `snet` by it?
    trace.csv:1: `arrived` and `lost` both say which frames were lost; expected one of them
    trace.csv:1: no column is called `octets`, the length of each frame; without it, say how long all are: --frame "250 octets"
    "#);
    assert_eq!(told("sent,arrived,octets\n"), "trace.csv has a header and no frames");
    assert_eq!(told("sent,lost,octets\n0,yes,1\n"), "trace.csv:2: `lost` is \"yes\"; expected 0 or 1");
    let many = format!("sent,lost,octets\n{}", "x,0,1\n".repeat(1000));
    assert_eq!(told(&many).lines().count(), 11);
}

/// An IP packet with UDP inside, as it looks after so many hops: another number of them is left, and both checksums are others.
fn packet(number: u16, hops: u8) -> Vec<u8> {
    let [high, low] = number.to_be_bytes();
    let ip = [0x45, 0, 0, 30, 0, 0, 0, 0, 64 - hops, 17, hops, hops, 10, 0, 0, 1, 10, 0, 0, 2];
    let udp = [3, 232, 7, 208, 0, 10, hops, hops, high, low];
    [&ip[..], &udp].concat()
}

/// A classic capture of such packets: each with its microsecond.
fn pcap(link_type: u32, packets: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut file = Vec::new();
    let words = |file: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|word| file.extend(word.to_le_bytes()));
    words(&mut file, &[0xA1B2_C3D4, 0x0004_0002, 0, 0, 65_535, link_type]);
    for (at, octets) in packets {
        let length = u32::try_from(octets.len()).expect("short");
        words(&mut file, &[at / 1_000_000, at % 1_000_000, length, length]);
        file.extend(octets);
    }
    file
}

fn captures(sent: &[u8], arrived: &[u8]) -> Result<Frames, CaptureError> {
    let file = |name, octets| CaptureFile { name, octets };
    read_captures(&file("a.pcap", sent), Some(&file("b.pcap", arrived)), &Places::default(), None)
}

/// On Ethernet, padded as short frames are.
fn ethernet(packet: Vec<u8>) -> Vec<u8> {
    let mut frame = vec![2; 12];
    frame.extend([0x08, 0x00]);
    frame.extend(packet);
    frame.resize(60, 0);
    frame
}

#[test]
fn packets_are_known_again_behind_routers_and_on_another_link() {
    let sent = pcap(1, &[0, 1, 2, 3].map(|number| (1000 * u32::from(number), ethernet(packet(number, 0)))));
    let arrived = pcap(
        101,
        &[(500, packet(0, 3)), (2900, packet(2, 3)), (2950, packet(1, 3)), (3000, packet(1, 3)), (4000, packet(77, 3))],
    );
    let read = captures(&sent, &arrived).unwrap();
    let fates = [Fate::After(500_000), Fate::After(1_950_000), Fate::After(900_000), Fate::Lost];
    let at = |number: usize| 1_000_000 * number as u64;
    let expected: Vec<SentFrame> =
        fates.iter().enumerate().map(|(number, fate)| frame(at(number), 60, *fate)).collect();
    assert_eq!((read.frames, read.duplicates, read.strangers), (expected, 1, 1));
}

#[test]
fn of_packets_that_are_alike_the_time_tells_which_was_lost() {
    // Number 7 goes out three times, the second time in vain; the others say that the way takes 1,500 us.
    let numbers = [1, 7, 2, 7, 3, 7];
    let sent: Vec<_> = (0..).zip(numbers).map(|(place, number)| (1000 * place, packet(number, 0))).collect();
    let arrived: Vec<_> = sent
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != 3)
        .map(|(_, (at, octets))| (at + 1500, octets.clone()))
        .collect();
    let read = captures(&pcap(101, &sent), &pcap(101, &arrived)).unwrap();
    let lost: Vec<usize> = (0..6).filter(|place| read.frames[*place].is_lost()).collect();
    assert_eq!(lost, [3]);
}

#[test]
fn where_all_packets_are_alike_losses_are_found_by_the_spacing() {
    let sent: Vec<_> = (0..50u32).map(|place| (1000 * place, packet(9, 0))).collect();
    let lost = [7, 8, 20, 33];
    let arrived: Vec<_> = sent
        .iter()
        .filter(|(at, _)| !lost.contains(&(at / 1000)))
        .map(|(at, octets)| (at + 4321, octets.clone()))
        .collect();
    let read = captures(&pcap(101, &sent), &pcap(101, &arrived)).unwrap();
    let found: Vec<usize> = (0..50).filter(|place| read.frames[*place].is_lost()).collect();
    assert_eq!(found, [7, 8, 20, 33]);
}

#[test]
fn captures_that_cut_packets_are_compared_by_their_heads() {
    let whole = pcap(101, &[1, 2].map(|number| (u32::from(number), packet(number, 0))));
    let mut cut = pcap(101, &[1, 2].map(|number| (500 + u32::from(number), packet(number, 4))));
    // The second packet was longer, says its record.
    let place = cut.len() - packet(0, 0).len() - 4;
    cut[place] += 100;
    assert_eq!(captures(&whole, &cut).unwrap().lost(), 0);
}

#[test]
fn captures_that_have_no_packet_in_common_are_refused() {
    let sent = pcap(101, &[(0, packet(1, 0)), (1, packet(2, 0))]);
    for arrived in [pcap(101, &[]), pcap(101, &[(0, packet(3, 1))])] {
        let told = captures(&sent, &arrived).expect_err("strangers").to_string();
        assert!(told.contains("of the 2 packets") && told.contains("router"), "{told}");
    }
}

#[test]
fn a_packet_longer_than_the_reader_expects_is_read() {
    let long = |number| [packet(number, 0), vec![0; 100_000]].concat();
    let capture = pcap(101, &[(0, packet(1, 0)), (1, long(2)), (2, packet(3, 0))]);
    assert_eq!(captures(&capture, &capture).expect("packets").frames.len(), 3);
}

#[test]
fn captures_that_cannot_be_used_are_refused_with_what_is_expected() {
    let good = pcap(101, &[(0, packet(1, 0)), (1, packet(2, 0))]);
    let one = CaptureFile { name: "a.pcap", octets: &good };
    let alone = read_captures(&one, None, &Places::default(), None).unwrap_err().to_string();
    assert_eq!(
        alone,
        "a.pcap has the interface 0 alone; expected a second capture from the other end, or two interfaces named by --from and --to"
    );
    let places = Places { from: Some("eth0".to_owned()), to: None };
    let unknown = read_captures(&one, Some(&one), &places, None).unwrap_err().to_string();
    assert_eq!(unknown, "a.pcap has no interface `eth0`; expected one of 0");
    let empty = captures(&pcap(101, &[]), &good).unwrap_err().to_string();
    assert_eq!(empty, "a.pcap has no packets that were sent");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_octets_break_the_readers(octets in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_table("t", &octets, None);
        for magic in CAPTURES {
            let file = [&magic[..], &octets].concat();
            let _ = captures(&file, &file);
        }
    }

    #[test]
    fn no_change_of_a_capture_breaks_the_reader(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut file = pcapng();
        for (place, octet) in changes {
            let place = place.index(file.len());
            file[place] = octet;
        }
        let _ = captures(&file, &file);
        let _ = read_captures(&CaptureFile { name: "t", octets: &file }, None, &Places::default(), None);
    }
}

/// A pcapng file of two interfaces, by hand: a section, `a` and `b` with nanoseconds, a packet that goes out at `a`, comes in at
/// `b`, and one that is lost.
fn pcapng() -> Vec<u8> {
    let mut file = Vec::new();
    let mut block = |kind: u32, body: &[u8]| {
        let length = u32::try_from(body.len() + 12).expect("short").to_le_bytes();
        file.extend(kind.to_le_bytes());
        file.extend(length);
        file.extend(body);
        file.extend(length);
    };
    block(0x0A0D_0D0A, &[0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    for name in [b'a', b'b'] {
        block(1, &[101, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, name, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
    }
    for (interface, way, at, number) in [(0u32, 2u32, 0u32, 1), (1, 1, 700, 1), (0, 2, 1000, 2), (0, 1, 1500, 3)] {
        let packet = packet(number, 0);
        let length = u32::try_from(packet.len()).expect("short");
        let mut body: Vec<u8> = [interface, 0, at, length, length].iter().flat_map(|word| word.to_le_bytes()).collect();
        body.extend(&packet);
        body.resize(body.len().next_multiple_of(4), 0);
        body.extend([2, 0, 4, 0]);
        body.extend(way.to_le_bytes());
        body.extend([0, 0, 0, 0]);
        block(6, &body);
    }
    file
}

#[test]
fn one_capture_of_both_ends_is_read_by_interface_and_direction() {
    let file = pcapng();
    let of = |from: Option<&str>| {
        let places = Places { from: from.map(str::to_owned), to: None };
        read_captures(&CaptureFile { name: "t", octets: &file }, None, &places, None)
    };
    let read = of(None).unwrap();
    assert_eq!(read.frames, [frame(0, 30, Fate::After(700)), frame(1000, 30, Fate::Lost)]);
    // The other way nothing was sent: what `b` saw came in.
    assert_eq!(of(Some("b")).unwrap_err().to_string(), "t has no packets that were sent at b");
}
