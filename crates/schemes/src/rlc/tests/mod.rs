//! Segmentation and reassembly, against the rules of 3GPP TS 25.322 §9.2.2.8 and against each other.

mod any_sdus;
mod reassembly;

use super::pdu::{
    AmOptions, AmPdu, Contents, HeaderExtension, KIND, LengthIndicator, LengthIndicatorSize, amd_head, parse_am,
    parse_um, umd_head,
};
use super::reassembly::{LONGEST_SDU, Reassembler};
use super::segmentation::{Format, Mode, Segment, Segmenter, with_status};
use alloc::string::String;
use alloc::vec::Vec;
use arqway_contract::Frame;
use arqway_units::Octets;
use bytes::Bytes;
use proptest::prelude::*;
use std::format;

const AM: Mode = Mode::Acknowledged { special_end: false };
const AM_SPECIAL: Mode = Mode::Acknowledged { special_end: true };
const DOWN: Mode = Mode::Unacknowledged { alternative: false, marks_first: false };
const UP: Mode = Mode::Unacknowledged { alternative: false, marks_first: true };
const ALTERNATIVE: Mode = Mode::Unacknowledged { alternative: true, marks_first: false };

/// PDUs with so many octets behind the header.
fn format(mode: Mode, size: LengthIndicatorSize, room: usize) -> Format {
    let header = if matches!(mode, Mode::Acknowledged { .. }) { 2 } else { 1 };
    Format { octets: header + room, fixed: true, header, size, most_ends: usize::MAX, mode }
}

fn seven(mode: Mode, room: usize) -> Segmenter {
    Segmenter::new(format(mode, LengthIndicatorSize::Seven, room))
}

fn fifteen(mode: Mode, room: usize) -> Segmenter {
    Segmenter::new(format(mode, LengthIndicatorSize::Fifteen, room))
}

fn contents(segment: &Segment, format: Format) -> Contents {
    match format.mode {
        Mode::Acknowledged { special_end } => {
            let options = AmOptions { ends_here: special_end, at_most_fifteen_ends: format.most_ends == 15 };
            let frame = Frame::new(KIND, &amd_head(0, false, segment.extension), segment.body.clone());
            match parse_am(frame, format.size, options).expect("a PDU that can be read") {
                AmPdu::Data(amd) => amd.contents,
                other => panic!("no data PDU: {other:?}"),
            }
        }
        Mode::Unacknowledged { alternative, .. } => {
            let extension = segment.extension == HeaderExtension::Indicator;
            let frame = Frame::new(KIND, &umd_head(0, extension), segment.body.clone());
            parse_um(frame, format.size, alternative).expect("a PDU that can be read").contents
        }
    }
}

/// All PDUs of what waits, such as `aaaa, 2 4 aabb, filled cc..`: indicators, data, a dot for each octet of padding that an indicator tells
/// of, and `!` where the header says that an SDU ends.
fn pdus(segmenter: &mut Segmenter, format: Format) -> String {
    let all: Vec<_> =
        core::iter::from_fn(|| segmenter.next(Octets::MAX)).map(|segment| describe(&segment, format)).collect();
    all.join(", ")
}

fn describe(segment: &Segment, format: Format) -> String {
    let contents = contents(segment, format);
    let mut words: Vec<_> = contents
        .indicators()
        .map(|indicator| match indicator {
            LengthIndicator::End(octets) => format!("{octets}"),
            LengthIndicator::PreviousFilled => "filled".into(),
            LengthIndicator::PreviousOneShort => "short".into(),
            LengthIndicator::First => "first".into(),
            LengthIndicator::Whole => "whole".into(),
            LengthIndicator::WholeOneShort => "whole-short".into(),
            LengthIndicator::Middle => "middle".into(),
            LengthIndicator::Status | LengthIndicator::Padding => unreachable!("not about SDUs"),
        })
        .collect();
    let mut data = String::from_utf8(contents.data.to_vec()).expect("letters").replace('\0', "_");
    if contents.ends_here() {
        data.push('!');
    }
    if let Some(padding) = segment.padding {
        data.extend(core::iter::repeat_n('.', segment.body.len() - padding.from));
        words.push("padding".into());
    }
    words.push(data);
    words.join(" ").trim_end().into()
}

/// Each SDU is a letter, so many times: `a5 b3`.
fn check(mode: Mode, size: LengthIndicatorSize, room: usize, sdus: &str, expected: &str) {
    check_in(format(mode, size, room), sdus, expected);
}

fn check_in(format: Format, sdus: &str, expected: &str) {
    let mut segmenter = Segmenter::new(format);
    push(&mut segmenter, sdus);
    assert_eq!(pdus(&mut segmenter, format), expected, "{sdus} in {format:?}");
}

fn push(segmenter: &mut Segmenter, sdus: &str) {
    for sdu in sdus.split_whitespace() {
        let (letter, octets) = sdu.split_at(1);
        segmenter.push(letter.repeat(octets.parse().expect("a number")).into_bytes().into());
    }
}

use LengthIndicatorSize::{Fifteen, Seven};

#[test]
fn an_sdu_is_cut_and_the_next_one_begins_where_it_ends() {
    check(AM, Seven, 8, "a10 b3", "aaaaaaaa, 2 5 padding aabbb");
    check(AM, Seven, 8, "a10 b9", "aaaaaaaa, 2 aabbbbb, 4 padding bbbb..");
    check(DOWN, Fifteen, 8, "a10 b9", "aaaaaaaa, 2 aabbbb, 5 bbbbb");
}

#[test]
fn an_sdu_that_fills_its_pdu_is_ended_by_the_next_one() {
    check(AM, Seven, 8, "a8 b3", "aaaaaaaa, filled 3 padding bbb..");
    check(AM, Seven, 8, "a8", "aaaaaaaa, filled padding ......");
    check(AM, Seven, 8, "a3 b4", "3 aaabbbb, filled padding ......");
    check(AM, Fifteen, 8, "a8 b8", "aaaaaaaa, filled bbbbbb, 2 padding bb..");
}

#[test]
fn an_indicator_of_one_octet_may_just_fit() {
    check(AM, Seven, 8, "a7", "7 aaaaaaa");
    check(AM, Seven, 8, "a6", "6 padding aaaaaa");
    check(AM, Seven, 8, "a5", "5 padding aaaaa.");
}

#[test]
fn with_two_octets_for_an_indicator_one_octet_is_padding_without_one() {
    // One octet short of filling the PDU.
    check(AM, Fifteen, 8, "a7 b2", "aaaaaaa_, short 2 padding bb");
    check(AM, Fifteen, 8, "a2 b3", "2 aabbb_, short padding ....");
    // The indicator leaves one octet, which is not the next SDU's.
    check(AM, Fifteen, 8, "a6", "6 aaaaaa");
    check(AM, Fifteen, 8, "a5 b2", "5 aaaaa, 2 padding bb..");
    check(AM, Fifteen, 8, "a4 b2", "4 aaaabb, filled padding ....");
    check(AM, Fifteen, 8, "a4 b1", "4 aaaab_, short padding ....");
}

#[test]
fn a_pdu_tells_of_as_many_ends_as_it_may_and_the_rest_is_padding() {
    let most = Format { most_ends: 2, ..format(AM, Seven, 8) };
    check_in(most, "a1 b1 c1 d1 e1", "1 2 padding ab..., 1 2 padding cd..., 1 padding e.....");
    check_in(most, "a8 b1 c3", "aaaaaaaa, filled 1 padding b...., 3 padding ccc...");
    check_in(Format { fixed: false, ..most }, "a1 b1 c1", "1 2 ab, 1 c");
}

#[test]
fn a_pdu_of_flexible_size_is_as_long_as_its_content() {
    let flexible = |mode, size| Format { fixed: false, ..format(mode, size, 8) };
    check_in(flexible(AM, Seven), "a3", "3 aaa");
    check_in(flexible(AM, Seven), "a3 b5", "3 aaabbbb, 1 b");
    check_in(flexible(AM, Seven), "a8", "aaaaaaaa, filled");
    check_in(flexible(AM, Fifteen), "a5 b3", "5 aaaaa, 3 bbb");
    check_in(flexible(AM_SPECIAL, Fifteen), "a3", "aaa!");
    check_in(flexible(AM_SPECIAL, Fifteen), "a7", "aaaaaaa!");
    check_in(flexible(ALTERNATIVE, Fifteen), "a7", "aaaaaaa!");
}

#[test]
fn the_special_value_of_the_header_extension_spares_an_indicator() {
    check(AM_SPECIAL, Seven, 8, "a8 b10 c8", "aaaaaaaa!, bbbbbbbb, 2 bbccccc, 3 padding ccc...");
    check(AM_SPECIAL, Seven, 8, "a16", "aaaaaaaa, aaaaaaaa!");
    // Only where no other SDU ends here.
    check(AM_SPECIAL, Seven, 8, "a3 b4 c7", "3 aaabbbb, filled ccccccc, filled padding ......");
}

#[test]
fn on_the_uplink_an_indicator_tells_that_an_sdu_begins_with_the_pdu() {
    check(UP, Seven, 8, "a9 b2", "first aaaaaaa, 2 4 padding aabb.");
    check(UP, Seven, 8, "a7 b2", "first aaaaaaa, filled 2 padding bb...");
    check(UP, Seven, 8, "a6", "first 6 aaaaaa");
    check(UP, Fifteen, 8, "a5 b1", "first aaaaa_, short 1 padding b.");
}

#[test]
fn by_the_alternative_e_bit_a_pdu_is_one_sdu_or_has_an_indicator() {
    check(ALTERNATIVE, Seven, 8, "a8", "aaaaaaaa!");
    check(ALTERNATIVE, Seven, 8, "a7", "whole aaaaaaa");
    check(ALTERNATIVE, Seven, 8, "a6", "first 6 aaaaaa");
    check(ALTERNATIVE, Seven, 8, "a22", "first aaaaaaa, middle aaaaaaa, middle aaaaaaa, 1 padding a.....");
    check(ALTERNATIVE, Seven, 8, "a15", "first aaaaaaa, middle aaaaaaa, 1 padding a.....");
    check(ALTERNATIVE, Fifteen, 8, "a6", "whole aaaaaa");
    check(ALTERNATIVE, Fifteen, 8, "a5", "whole-short aaaaa");
    check(ALTERNATIVE, Fifteen, 8, "a4", "first 4 aaaa");
}

#[test]
fn a_pdu_that_is_one_sdu_also_ends_the_one_that_filled_the_pdu_before() {
    check(ALTERNATIVE, Seven, 8, "a1 b5 c8", "first 1 abbbbb, cccccccc!");
    check(ALTERNATIVE, Seven, 8, "a1 b5 c7", "first 1 abbbbb, whole ccccccc");
    check(ALTERNATIVE, Seven, 8, "a1 b5 c6", "first 1 abbbbb, filled 6 cccccc");
}

#[test]
fn a_whole_pdu_is_told_from_one_that_would_be_padded() {
    for (sdus, fills) in
        [("", false), ("a5", false), ("a6", false), ("a7", true), ("a8", true), ("a3 b2", false), ("a3 b3", true)]
    {
        let mut segmenter = seven(AM, 8);
        push(&mut segmenter, sdus);
        assert_eq!(segmenter.fills_a_pdu(), fills, "{sdus}");
    }
}

#[test]
fn the_octets_are_those_of_the_standard() {
    let mut segmenter = seven(AM, 8);
    push(&mut segmenter, "a8 b3");
    assert_eq!(segmenter.next(Octets::MAX).expect("a PDU").body, "aaaaaaaa");
    // "filled" and more, 3 and more, padding and no more.
    assert_eq!(segmenter.next(Octets::MAX).expect("a PDU").body, &b"\x01\x07\xfebbb\0\0"[..]);
    let mut segmenter = fifteen(AM, 8);
    push(&mut segmenter, "a7 b2");
    assert_eq!(segmenter.next(Octets::MAX).expect("a PDU").body, &b"aaaaaaa\0"[..]);
    assert_eq!(segmenter.next(Octets::MAX).expect("a PDU").body, &b"\xff\xf7\x00\x05\xff\xfebb"[..]);
}

#[test]
fn a_piece_of_one_sdu_is_not_copied() {
    let sdu = Bytes::from(alloc::vec![7; 20]);
    let mut segmenter = seven(AM, 8);
    segmenter.push(sdu.clone());
    assert_eq!(segmenter.next(Octets::MAX).expect("a PDU").body.as_ptr(), sdu.as_ptr());
    assert_eq!(segmenter.next(Octets::MAX).expect("a PDU").body.as_ptr(), sdu[8..].as_ptr());
}

#[test]
fn a_status_takes_the_place_of_padding_where_it_fits() {
    let mut segmenter = seven(AM, 8);
    push(&mut segmenter, "a3");
    let segment = segmenter.next(Octets::MAX).expect("a PDU");
    let padding = segment.padding.expect("padding");
    assert_eq!(with_status(&segment.body, padding, Seven, b"xy"), Some(Bytes::from_static(b"\x07\xfcaaaxy\0")));
    assert_eq!(with_status(&segment.body, padding, Seven, b"xyz"), Some(Bytes::from_static(b"\x07\xfcaaaxyz")));
    assert_eq!(with_status(&segment.body, padding, Seven, b"four"), None);
    let mut segmenter = fifteen(AM, 12);
    push(&mut segmenter, "a3");
    let segment = segmenter.next(Octets::MAX).expect("a PDU");
    let with = with_status(&segment.body, segment.padding.expect("padding"), Fifteen, b"xyz");
    assert_eq!(with, Some(Bytes::from_static(b"\x00\x07\xff\xfcaaaxyz\0\0")));
}

#[test]
fn a_segment_tells_what_it_is_of() {
    let mut segmenter = seven(AM, 8);
    push(&mut segmenter, "a7 b10 c6 d1 e9");
    let told = |segment: Segment| {
        let Segment { touches, ends, last_octets, first_octets, begins_after_end, .. } = segment;
        format!("{touches:?} ends {ends:?} last {last_octets:?} first {first_octets:?} more {begins_after_end}")
    };
    let mut next = || told(segmenter.next(Octets::MAX).expect("a PDU"));
    assert_eq!(next(), "0..=0 ends 0..1 last 0..1 first 0..1 more false");
    assert_eq!(next(), "1..=1 ends 1..1 last 1..1 first 1..2 more false");
    assert_eq!(next(), "1..=2 ends 1..2 last 1..2 first 2..3 more true");
    // c's last octet, then d as far as it fits: nothing says yet that it ends.
    assert_eq!(next(), "2..=4 ends 2..4 last 2..4 first 3..5 more true");
}

#[test]
fn a_discard_forgets_what_is_not_in_pdus_yet_and_the_next_pdu_begins_with_an_sdu() {
    let format = format(AM, Seven, 8);
    let mut segmenter = Segmenter::new(format);
    push(&mut segmenter, "a10 b3 c3 d3");
    segmenter.next(Octets::MAX);
    assert_eq!((segmenter.discard_through(1), segmenter.waiting()), (2, 2));
    assert_eq!(pdus(&mut segmenter, format), "3 6 cccddd");
    // An indicator that waits is forgotten with its SDU, and not with an earlier one.
    push(&mut segmenter, "e8");
    segmenter.next(Octets::MAX);
    assert!(segmenter.has_data());
    assert_eq!((segmenter.discard_through(3), segmenter.discard_through(4)), (0, 1));
    assert!(!segmenter.has_data());
}

#[test]
fn after_a_reset_what_was_begun_is_forgotten_and_the_rest_stays() {
    let format = format(AM, Seven, 8);
    let mut segmenter = Segmenter::new(format);
    push(&mut segmenter, "a10 b3");
    segmenter.next(Octets::MAX);
    segmenter.restart();
    assert_eq!(pdus(&mut segmenter, format), "3 padding bbb...");
    push(&mut segmenter, "c8 d3");
    segmenter.next(Octets::MAX);
    segmenter.restart();
    assert_eq!(pdus(&mut segmenter, format), "3 padding ddd...");
    push(&mut segmenter, "e3");
    segmenter.restart();
    assert_eq!(pdus(&mut segmenter, format), "3 padding eee...");
}

fn reassembler(mode: Mode) -> Reassembler {
    if matches!(mode, Mode::Acknowledged { .. }) { Reassembler::of_amd() } else { Reassembler::of_umd() }
}
