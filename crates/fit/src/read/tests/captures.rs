//! Captures as other programs write them: with any unit of time, in sections, with pseudo-headers, and without an end.

use super::*;
use crate::CutEnd;

/// Octets of numbers, in one order or the other.
#[derive(Clone, Copy)]
struct Order {
    is_big: bool,
}

impl Order {
    fn word(self, word: u32) -> [u8; 4] {
        if self.is_big { word.to_be_bytes() } else { word.to_le_bytes() }
    }

    fn half(self, half: u16) -> [u8; 2] {
        if self.is_big { half.to_be_bytes() } else { half.to_le_bytes() }
    }

    fn block(self, kind: u32, body: &[u8]) -> Vec<u8> {
        let mut body = body.to_vec();
        body.resize(body.len().next_multiple_of(4), 0);
        let length = self.word(u32::try_from(body.len() + 12).expect("short"));
        [&self.word(kind), &length[..], &body, &length].concat()
    }

    fn section(self) -> Vec<u8> {
        let head = [self.word(0x1A2B_3C4D).to_vec(), self.half(1).to_vec(), vec![0, 0], vec![255; 8]];
        self.block(0x0A0D_0D0A, &head.concat())
    }

    /// An interface of raw IP with this `if_tsresol` and `if_tsoffset`.
    fn interface(self, resolution: u8, offset: i64) -> Vec<u8> {
        let mut body = [self.half(101).to_vec(), vec![0; 6]].concat();
        body.extend([self.half(9), self.half(1)].concat());
        body.extend([resolution, 0, 0, 0]);
        body.extend([self.half(14), self.half(8)].concat());
        body.extend(if self.is_big { offset.to_be_bytes() } else { offset.to_le_bytes() });
        self.block(1, &[body, vec![0; 4]].concat())
    }

    fn packet(self, interface: u32, ticks: u64, number: u16) -> Vec<u8> {
        let packet = packet(number, 0);
        let length = u32::try_from(packet.len()).expect("short");
        let words = [interface, (ticks >> 32) as u32, ticks as u32, length, length].map(|word| self.word(word));
        self.block(6, &[words.concat(), packet].concat())
    }
}

const ORDERS: [Order; 2] = [Order { is_big: false }, Order { is_big: true }];

/// A capture of packets 0, 1, ... a millisecond apart, in units of 2^-20 or of 10^-6 s.
fn of_units(order: Order, resolution: u8, offset: i64, seconds: u64) -> Vec<u8> {
    let unit = if resolution & 0x80 == 0 { 10u64.pow(resolution.into()) } else { 1 << (resolution & 0x7F) };
    let packet = |number: u16| order.packet(0, seconds * unit + u64::from(number) * unit / 1000, number);
    [order.section(), order.interface(resolution, offset), (0..50).flat_map(packet).collect()].concat()
}

#[test]
fn time_counts_in_any_power_of_two_or_ten_from_any_second_and_in_either_order_of_octets() {
    let micro = of_units(ORDERS[0], 6, 0, 1_700_000_000);
    for (order, resolution) in ORDERS.into_iter().flat_map(|order| [0x94, 0x9E, 3, 6, 9].map(|unit| (order, unit))) {
        for (offset, seconds) in [(0, 1_700_000_000), (1_700_000_000, 0), (-5, 1_700_000_005)] {
            let read = captures(&micro, &of_units(order, resolution, offset, seconds)).expect("a capture");
            for frame in read.frames {
                let Fate::After(delay) = frame.fate else { panic!("lost") };
                assert!(delay.abs() <= 1000, "{resolution:#x}, {offset}: {delay} ns");
            }
        }
    }
    // No unit is too small or too large, whatever it makes of the time.
    for resolution in 0..=255 {
        let file = [ORDERS[0].section(), ORDERS[0].interface(resolution, 0), ORDERS[0].packet(0, u64::MAX, 1)].concat();
        match captures(&file, &file) {
            Ok(read) => assert_eq!(read.frames.len(), 1),
            Err(error) => assert!(error.to_string().contains("centuries away"), "{resolution}: {error}"),
        }
    }
}

#[test]
fn sections_one_behind_the_other_are_one_capture_each_with_its_own_interfaces_and_units() {
    let sent = of_units(ORDERS[0], 6, 0, 1_700_000_000);
    let [first, second] = [(ORDERS[0], 0x94, 0..20), (ORDERS[1], 9, 20..50)].map(|(order, resolution, numbers)| {
        let unit = if resolution == 9 { 1_000_000_000 } else { 1 << 20 };
        let packet = |number: u16| order.packet(0, 1_700_000_000 * unit + u64::from(number) * unit / 1000, number);
        [order.section(), order.interface(resolution, 0), numbers.flat_map(packet).collect()].concat()
    });
    let read = captures(&sent, &[first, second].concat()).expect("a capture");
    assert_eq!((read.frames.len(), read.lost()), (50, 0));
}

/// The file without its last octets, beside all that was sent.
fn cut(file: &[u8], length: usize) -> Result<Frames, CaptureError> {
    captures(&file[..length], file)
}

#[test]
fn a_capture_whose_end_is_cut_off_anywhere_is_read_up_to_there_and_that_is_said() {
    let packets: Vec<_> = (0..20).map(|number| (1000 * u32::from(number), packet(number, 0))).collect();
    let (classic, record) = (pcap(101, &packets), 16 + packets[0].1.len());
    let sections = of_units(ORDERS[1], 6, 0, 1_700_000_000);
    let head = ORDERS[1].section().len();
    let (interface, block) = (head + ORDERS[1].interface(6, 0).len(), ORDERS[1].packet(0, 0, 0).len());
    for (file, head, start, each) in [(classic, 24, 24, record), (sections, head, interface, block)] {
        for length in 0..file.len() {
            let (whole, rest) = (length.saturating_sub(start) / each, length.saturating_sub(start) % each);
            match cut(&file, length) {
                _ if length < head => assert!(matches!(cut(&file, length), Err(CaptureError::Broken { .. }))),
                Ok(read) => {
                    assert_eq!(read.frames.len(), whole, "{length}");
                    let said = CutEnd { file: "a.pcap".to_owned(), packets: whole as u64 };
                    assert_eq!(read.cut, if rest > 0 { vec![said] } else { vec![] }, "{length}");
                }
                Err(error) => assert!(whole == 0 && matches!(error, CaptureError::Empty { .. }), "{length}: {error}"),
            }
        }
    }
}

#[test]
fn what_was_sent_behind_the_cut_of_the_arrivals_is_not_lost() {
    let packets: Vec<_> = (0..20).map(|number| (1000 * u32::from(number), packet(number, 0))).collect();
    let sent = pcap(101, &packets);
    let arrived: Vec<_> = packets.iter().filter(|(at, _)| *at != 3000).cloned().collect();
    let arrived = pcap(101, &arrived);
    let read = captures(&sent, &arrived[..arrived.len() - 100]).expect("a capture");
    assert_eq!((read.frames.len(), read.lost()), (17, 1));
    assert_eq!(read.cut, [CutEnd { file: "b.pcap".to_owned(), packets: 16 }]);
    assert_eq!(read.cut[0].to_string(), "the end of b.pcap is cut off: 16 packets before it were read");
}

#[test]
fn a_wrong_length_in_the_middle_is_no_cut_end() {
    let packets: Vec<_> = (0..200).map(|number| (1000 * u32::from(number), packet(number, 0))).collect();
    let (classic, record) = (pcap(101, &packets), 16 + packets[0].1.len());
    let sections = of_units(ORDERS[0], 6, 0, 1_700_000_000);
    let first = ORDERS[0].section().len() + ORDERS[0].interface(6, 0).len();
    let lengths = [u32::MAX, 0x7FFF_FFFF, 0x0004_0000, 0x0001_0000, 20_000];
    for (length, number) in lengths.into_iter().flat_map(|length| [3, 20, 45].map(|number| (length, number))) {
        let (mut file, place) = (classic.clone(), 24 + number * record + 8);
        file[place..place + 8].copy_from_slice(&[length.to_le_bytes(), length.to_le_bytes()].concat());
        assert!(matches!(captures(&file, &classic), Err(CaptureError::Broken { .. })), "pcap: {length}, {number}");
        let (mut file, place) = (sections.clone(), first + number * ORDERS[0].packet(0, 0, 0).len() + 4);
        file[place..place + 4].copy_from_slice(&length.to_le_bytes());
        assert!(matches!(captures(&file, &classic), Err(CaptureError::Broken { .. })), "pcapng: {length}, {number}");
    }
}

#[test]
fn octets_that_a_file_system_never_wrote_are_a_cut_end() {
    let packets: Vec<_> = (0..20).map(|number| (1000 * u32::from(number), packet(number, 0))).collect();
    let file = pcap(101, &packets);
    let read = captures(&[file.clone(), vec![0; 4096]].concat(), &file).expect("a capture");
    assert_eq!((read.frames.len(), read.cut.len()), (20, 1));
}

#[test]
fn what_a_capture_puts_in_front_of_a_packet_is_no_part_of_it() {
    let raw = pcap(101, &[(0, packet(0, 0)), (1000, packet(1, 0))]);
    let cooked = [0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0];
    let cooked_2 = [8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0];
    let radio = [0, 0, 10, 0, 0, 0, 0, 0, 1, 2];
    let kinds: [(u32, &[u8]); 8] = [
        (0, &[2, 0, 0, 0]),
        (108, &[0, 0, 0, 2]),
        (113, &cooked),
        (276, &cooked_2),
        (12, &[]),
        (228, &[]),
        (127, &radio),
        (117, &[61; 64]),
    ];
    for (link_type, before) in kinds {
        let packets = [0, 1].map(|number| (1000 * u32::from(number), [before, &packet(number, 0)].concat()));
        let file = pcap(link_type, &packets);
        // Behind the head of 802.11 there would be more.
        let arrived = if link_type == 127 { &file } else { &raw };
        let read = captures(&file, arrived).unwrap_or_else(|error| panic!("{link_type}: {error}"));
        assert_eq!((read.frames[0].octets, read.lost()), (Octets::new(30), 0), "{link_type}");
    }
    let on_ethernet = pcap(1, &[0, 1].map(|number| (1000 * u32::from(number), ethernet(packet(number, 0)))));
    assert_eq!(captures(&on_ethernet, &raw).expect("a capture").frames[0].octets, Octets::new(60));
}
