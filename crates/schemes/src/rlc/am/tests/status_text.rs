//! STATUS PDUs as text: `window 4; list 1 4+2; bitmap 8 01111111; mrw 3 n1; mrw beyond 20 n0; mrw-ack 3 n1; poll 7; ack 9`.

use crate::rlc::pdu::{Status, Sufi};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::format;

/// The super-fields of a STATUS PDU.
pub(super) fn of(status: &Status) -> String {
    let texts: Vec<_> = status.sufis().filter_map(|sufi| text(&sufi)).collect();
    texts.join("; ")
}

fn text(sufi: &Sufi<'_>) -> Option<String> {
    Some(match sufi {
        Sufi::NoMore => return None,
        Sufi::Window(size) => format!("window {size}"),
        Sufi::Ack(number) => format!("ack {number}"),
        Sufi::List(list) => {
            let runs = list.pairs().map(|(first, more)| match more {
                0 => first.to_string(),
                more => format!("{first}+{more}"),
            });
            format!("list {}", runs.collect::<Vec<_>>().join(" "))
        }
        Sufi::Bitmap(bitmap) => {
            let bits: String = bitmap.all().map(|(_, arrived)| if arrived { '1' } else { '0' }).collect();
            format!("bitmap {} {bits}", bitmap.first)
        }
        Sufi::RelativeList(list) => {
            let missing: Vec<_> = list.missing().map(|number| number.to_string()).collect();
            format!("relative {}", missing.join(" "))
        }
        Sufi::MoveReceivingWindow(request) => {
            let beyond = if request.beyond_window { "beyond " } else { "" };
            let numbers: Vec<_> = request.numbers().map(|number| number.to_string()).collect();
            format!("mrw {beyond}{} n{}", numbers.join(" "), request.n)
        }
        Sufi::MoveReceivingWindowAck { n, number } => format!("mrw-ack {number} n{n}"),
        Sufi::Poll(number) => format!("poll {number}"),
    })
}

/// The octets of a STATUS PDU: also of one that no end of ours would send.
pub(super) fn octets(text: &str) -> Vec<u8> {
    let mut nibbles = alloc::vec![0];
    for sufi in text.split("; ") {
        push(sufi, &mut nibbles);
    }
    nibbles.extend([0, 0]); // NO_MORE, or padding
    nibbles.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn push(sufi: &str, nibbles: &mut Vec<u8>) {
    let mut words = sufi.split(' ');
    let name = words.next().unwrap_or_default();
    let words: Vec<_> = words.collect();
    match (name, words.as_slice()) {
        ("window", [size]) => field(1, size, nibbles),
        ("ack", [number]) => field(2, number, nibbles),
        ("list", runs) => {
            nibbles.extend([3, half(runs.len())]);
            for run in runs {
                let (first, more) = run.split_once('+').unwrap_or((run, "0"));
                twelve(first, nibbles);
                nibbles.push(more.parse().expect("a length"));
            }
        }
        ("bitmap", [first, bits]) => {
            nibbles.extend([4, half(bits.len() / 8 - 1)]);
            twelve(first, nibbles);
            let fours = bits.as_bytes().chunks(4);
            nibbles.extend(fours.map(|four| four.iter().fold(0, |half, bit| half << 1 | (bit - b'0'))));
        }
        ("mrw", ["beyond", number, n]) => {
            nibbles.extend([6, 0]);
            twelve(number, nibbles);
            nibbles.push(n[1..].parse().expect("N"));
        }
        ("mrw", [numbers @ .., n]) => {
            nibbles.extend([6, half(numbers.len())]);
            numbers.iter().for_each(|number| twelve(number, nibbles));
            nibbles.push(n[1..].parse().expect("N"));
        }
        ("mrw-ack", [number, n]) => {
            nibbles.extend([7, n[1..].parse().expect("N")]);
            twelve(number, nibbles);
        }
        ("poll", [number]) => field(8, number, nibbles),
        _ => panic!("no super-field: {sufi}"),
    }
}

fn field(kind: u8, number: &str, nibbles: &mut Vec<u8>) {
    nibbles.push(kind);
    twelve(number, nibbles);
}

fn twelve(number: &str, nibbles: &mut Vec<u8>) {
    let [high, low] = number.parse::<u16>().expect("a number").to_be_bytes();
    nibbles.extend([high & 0xf, low >> 4, low & 0xf]);
}

fn half(count: usize) -> u8 {
    u8::try_from(count).expect("a length of four bits")
}

#[test]
fn a_status_is_written_as_it_is_read() {
    for text in [
        "window 4; list 1 4+2; ack 9",
        "bitmap 4092 01111111; ack 4095",
        "mrw 3 5 n1; mrw-ack 2 n3; poll 7",
        "mrw beyond 20 n0",
    ] {
        let octets = octets(text);
        let frame = arqway_contract::Frame::from_wire(arqway_contract::Tag::of_kind(super::pdu::KIND), octets.into());
        let read = super::parse_am(frame, super::LengthIndicatorSize::Seven, super::AmOptions::default());
        let Some(super::AmPdu::Status(status)) = read else { panic!("{text} cannot be read") };
        assert_eq!(of(&status), text);
    }
}
