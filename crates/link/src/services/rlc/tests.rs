//! Segmentation and reassembly, against the rules of 3GPP TS 25.322 §9.2.2.8 and against each other.

use super::pdu::{
    AmOptions, AmPdu, Contents, HeaderExtension, KIND, LengthIndicator, LengthIndicatorSize, amd_head, parse_am,
    parse_um, umd_head,
};
use super::reassembly::{LONGEST_SDU, Reassembler};
use super::segmentation::{Format, Mode, Segment, Segmenter, with_status};
use crate::contract::Frame;
use alloc::string::String;
use alloc::vec::Vec;
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
    let all: Vec<_> = core::iter::from_fn(|| segmenter.next()).map(|segment| describe(&segment, format)).collect();
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
    assert_eq!(segmenter.next().expect("a PDU").body, "aaaaaaaa");
    // "filled" and more, 3 and more, padding and no more.
    assert_eq!(segmenter.next().expect("a PDU").body, &b"\x01\x07\xfebbb\0\0"[..]);
    let mut segmenter = fifteen(AM, 8);
    push(&mut segmenter, "a7 b2");
    assert_eq!(segmenter.next().expect("a PDU").body, &b"aaaaaaa\0"[..]);
    assert_eq!(segmenter.next().expect("a PDU").body, &b"\xff\xf7\x00\x05\xff\xfebb"[..]);
}

#[test]
fn a_piece_of_one_sdu_is_not_copied() {
    let sdu = Bytes::from(alloc::vec![7; 20]);
    let mut segmenter = seven(AM, 8);
    segmenter.push(sdu.clone());
    assert_eq!(segmenter.next().expect("a PDU").body.as_ptr(), sdu.as_ptr());
    assert_eq!(segmenter.next().expect("a PDU").body.as_ptr(), sdu[8..].as_ptr());
}

#[test]
fn a_status_takes_the_place_of_padding_where_it_fits() {
    let mut segmenter = seven(AM, 8);
    push(&mut segmenter, "a3");
    let segment = segmenter.next().expect("a PDU");
    let padding = segment.padding.expect("padding");
    assert_eq!(with_status(&segment.body, padding, Seven, b"xy"), Some(Bytes::from_static(b"\x07\xfcaaaxy\0")));
    assert_eq!(with_status(&segment.body, padding, Seven, b"xyz"), Some(Bytes::from_static(b"\x07\xfcaaaxyz")));
    assert_eq!(with_status(&segment.body, padding, Seven, b"four"), None);
    let mut segmenter = fifteen(AM, 12);
    push(&mut segmenter, "a3");
    let segment = segmenter.next().expect("a PDU");
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
    let mut next = || told(segmenter.next().expect("a PDU"));
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
    segmenter.next();
    assert_eq!((segmenter.discard_through(1), segmenter.waiting()), (2, 2));
    assert_eq!(pdus(&mut segmenter, format), "3 6 cccddd");
    // An indicator that waits is forgotten with its SDU, and not with an earlier one.
    push(&mut segmenter, "e8");
    segmenter.next();
    assert!(segmenter.has_data());
    assert_eq!((segmenter.discard_through(3), segmenter.discard_through(4)), (0, 1));
    assert!(!segmenter.has_data());
}

#[test]
fn after_a_reset_what_was_begun_is_forgotten_and_the_rest_stays() {
    let format = format(AM, Seven, 8);
    let mut segmenter = Segmenter::new(format);
    push(&mut segmenter, "a10 b3");
    segmenter.next();
    segmenter.restart();
    assert_eq!(pdus(&mut segmenter, format), "3 padding bbb...");
    push(&mut segmenter, "c8 d3");
    segmenter.next();
    segmenter.restart();
    assert_eq!(pdus(&mut segmenter, format), "3 padding ddd...");
    push(&mut segmenter, "e3");
    segmenter.restart();
    assert_eq!(pdus(&mut segmenter, format), "3 padding eee...");
}

/// What comes out of PDUs of which those in `lost` do not arrive: SDUs by their first letter.
fn reassembled(mode: Mode, sdus: &str, lost: &[usize]) -> String {
    let format = format(mode, Seven, 8);
    let (mut segmenter, mut delivered) = (Segmenter::new(format), String::new());
    push(&mut segmenter, sdus);
    let mut reassembler = reassembler(mode);
    for (number, segment) in core::iter::from_fn(|| segmenter.next()).enumerate() {
        if lost.contains(&number) {
            reassembler.lose();
        } else {
            reassembler.take(&contents(&segment, format), &mut |sdu| delivered.push(char::from(sdu[0])));
        }
    }
    delivered
}

fn reassembler(mode: Mode) -> Reassembler {
    if matches!(mode, Mode::Acknowledged { .. }) { Reassembler::of_amd() } else { Reassembler::of_umd() }
}

#[test]
fn a_lost_pdu_costs_the_sdus_of_which_it_has_something() {
    // a ends in PDU 1, b begins there, and ends in PDU 2; c ends with it.
    let sdus = "a10 b6 c6 d8";
    assert_eq!(reassembled(DOWN, sdus, &[]), "abcd");
    assert_eq!(reassembled(DOWN, sdus, &[0]), "bcd");
    assert_eq!(reassembled(DOWN, sdus, &[1]), "cd");
    assert_eq!(reassembled(DOWN, sdus, &[2]), "ad");
}

#[test]
fn where_an_indicator_says_so_an_sdu_begins_behind_a_gap() {
    // Each SDU ends in a PDU of its own, and the next one begins with the next PDU.
    let sdus = "a7 b7 c7";
    assert_eq!((reassembled(DOWN, sdus, &[0]), reassembled(DOWN, sdus, &[1])), ("c".into(), "a".into()));
    let sdus = "a6 b6 c6";
    assert_eq!((reassembled(UP, sdus, &[0]), reassembled(UP, sdus, &[1])), ("bc".into(), "ac".into()));
    let sdus = "a7 b8 c6 d22 e7";
    assert_eq!(reassembled(ALTERNATIVE, sdus, &[]), "abcde");
    assert_eq!(reassembled(ALTERNATIVE, sdus, &[0]), "bcde");
    assert_eq!(reassembled(ALTERNATIVE, sdus, &[1]), "acde");
    assert_eq!(reassembled(ALTERNATIVE, sdus, &[4]), "abce");
}

#[test]
fn after_a_moved_window_an_sdu_begins_behind_the_indicator_that_was_named() {
    let format = format(AM, Seven, 12);
    // With more than there are, nobody knows where one begins before the next end.
    for (indicators, expected) in [(0, "abcde"), (1, "bcde"), (2, "cde"), (3, "de"), (4, "e"), (5, "e")] {
        let mut segmenter = Segmenter::new(format);
        push(&mut segmenter, "a14 b1 c1 d7 e3");
        let (mut reassembler, mut delivered) = (Reassembler::of_amd(), String::new());
        reassembler.take(&contents(&segmenter.next().expect("a PDU"), format), &mut |_| ());
        reassembler.begin_after(indicators);
        while let Some(segment) = segmenter.next() {
            reassembler.take(&contents(&segment, format), &mut |sdu| delivered.push(char::from(sdu[0])));
        }
        assert_eq!(delivered, expected, "behind {indicators}");
    }
}

#[test]
fn an_sdu_that_never_ends_takes_no_more_memory_than_the_longest_packet() {
    let format = Format { octets: 1002, ..format(AM, Fifteen, 1000) };
    let mut segmenter = Segmenter::new(format);
    segmenter.push(alloc::vec![1; 200_000].into());
    push(&mut segmenter, "b3");
    let (mut reassembler, mut delivered) = (Reassembler::of_amd(), Vec::new());
    while let Some(segment) = segmenter.next() {
        reassembler.take(&contents(&segment, format), &mut |sdu| delivered.push(sdu));
    }
    const { assert!(LONGEST_SDU < 200_000) };
    assert_eq!((delivered, reassembler.too_long()), (alloc::vec![Bytes::from_static(b"bbb")], 1));
}

/// PDUs small enough that every rule comes up often.
fn any_format() -> impl Strategy<Value = Format> {
    let mode = prop_oneof![
        any::<bool>().prop_map(|special_end| Mode::Acknowledged { special_end }),
        any::<(bool, bool)>().prop_map(|(alternative, marks_first)| Mode::Unacknowledged { alternative, marks_first }),
    ];
    let size = prop_oneof![Just(Seven), Just(Fifteen)];
    (mode, size, 4usize..40, any::<bool>(), any::<bool>()).prop_map(|(mode, size, room, fixed, few)| {
        let acknowledged = matches!(mode, Mode::Acknowledged { .. });
        let most_ends = if few && acknowledged { 15 } else { usize::MAX };
        Format { fixed, most_ends, ..format(mode, size, room) }
    })
}

/// Octets that tell one SDU from any other and its octets apart.
fn sdu(id: u64, octets: usize) -> Bytes {
    (0..octets as u64).map(|index| (id * 41 + index * 7) as u8).collect()
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Push(usize),
    Next,
    DiscardThrough(u64),
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let octets = prop_oneof![1usize..5, 1usize..40, 1usize..150];
    let step = prop_oneof![4 => octets.prop_map(Step::Push), 4 => Just(Step::Next), 1 => (0u64..4).prop_map(Step::DiscardThrough)];
    proptest::collection::vec(step, 0..60)
}

/// What a segment says of itself is what its octets say, read by what knows nothing of SDUs; and it has the right size.
fn check_segment(segment: &Segment, format: Format, fills: bool) {
    let contents = contents(segment, format);
    let told_before = contents
        .indicators()
        .filter(|it| matches!(it, LengthIndicator::PreviousFilled | LengthIndicator::PreviousOneShort));
    let ends: Vec<_> = contents
        .indicators()
        .filter_map(|it| if let LengthIndicator::End(at) = it { Some(at) } else { None })
        .collect();
    let sole = contents.ends_here()
        || contents.indicators().any(|it| matches!(it, LengthIndicator::Whole | LengthIndicator::WholeOneShort));
    let count = segment.ends.end - segment.ends.start;
    if !sole {
        assert_eq!(count, told_before.count() as u64 + ends.len() as u64, "{segment:?}");
        let last = ends.last().copied().unwrap_or(0);
        assert_eq!(segment.begins_after_end, count > 0 && contents.data.len() > usize::from(last));
    }
    let ids = segment.touches.clone();
    for within in [&segment.ends, &segment.last_octets, &segment.first_octets] {
        assert!(within.is_empty() || ids.contains(&within.start) && ids.contains(&(within.end - 1)), "{segment:?}");
    }
    let size = format.header + segment.body.len();
    assert!(if format.fixed { size == format.octets } else { size <= format.octets }, "{size} octets");
    let is_padded = segment.padding.is_some() && count < format.most_ends as u64;
    assert_eq!(is_padded, format.fixed && !fills, "padding exactly where nothing more could be added");
}

proptest! {
    #[test]
    fn every_sdu_comes_out_as_it_went_in_unless_it_was_discarded(format in any_format(), steps in any_steps()) {
        let (mut segmenter, mut reassembler) = (Segmenter::new(format), reassembler(format.mode));
        let (mut expected, mut delivered) = (Vec::new(), Vec::new());
        let (mut pushed, mut told, mut begun, mut ended) = (0, 0, 0, 0);
        for step in steps.into_iter().chain(core::iter::repeat_n(Step::Next, 2000)) {
            match step {
                Step::Push(octets) => {
                    expected.push(Some(sdu(pushed, octets)));
                    prop_assert_eq!(segmenter.push(sdu(pushed, octets)), pushed);
                    pushed += 1;
                }
                Step::Next => {
                    let fills = segmenter.fills_a_pdu();
                    let Some(segment) = segmenter.next() else {
                        prop_assert!(!segmenter.has_data() && !fills);
                        continue;
                    };
                    check_segment(&segment, format, fills);
                    prop_assert_eq!(segment.ends.start, told);
                    prop_assert_eq!((segment.first_octets.start, segment.last_octets.start), (begun, ended));
                    (told, begun, ended) = (segment.ends.end, segment.first_octets.end, segment.last_octets.end);
                    reassembler.take(&contents(&segment, format), &mut |sdu| delivered.push(sdu));
                }
                Step::DiscardThrough(ahead) => {
                    let through = told + ahead;
                    let gone = through.min(pushed.saturating_sub(1)) + 1;
                    let discarded = segmenter.discard_through(through);
                    prop_assert_eq!(discarded as u64, gone.saturating_sub(told).min(pushed - told));
                    for id in told..gone.min(pushed) {
                        expected[id as usize] = None;
                    }
                    if discarded > 0 {
                        told += discarded as u64;
                        (begun, ended) = (begun.max(told), ended.max(told));
                        reassembler.begin_after(0);
                    }
                }
            }
        }
        prop_assert_eq!(delivered, expected.into_iter().flatten().collect::<Vec<_>>());
    }

    /// With gaps, those SDUs come out of which nothing was lost; where no indicator says that an SDU begins with its PDU, only if the PDU before
    /// arrived as well.
    #[test]
    fn of_pdus_with_gaps_exactly_those_sdus_come_out_that_are_whole(
        format in any_format(),
        octets in proptest::collection::vec(prop_oneof![1usize..5, 1usize..150], 1..30),
        lost in proptest::collection::vec(proptest::bool::weighted(0.2), 1..40),
    ) {
        let (mut segmenter, mut reassembler) = (Segmenter::new(format), reassembler(format.mode));
        let all: Vec<_> = (0..).zip(&octets).map(|(id, octets)| sdu(id, *octets)).collect();
        all.iter().for_each(|sdu| { segmenter.push(sdu.clone()); });
        let mut delivered = Vec::new();
        let mut is_whole = alloc::vec![true; all.len()];
        let begins_are_told = !matches!(format.mode, AM | AM_SPECIAL | DOWN);
        let mut is_behind_gap = false;
        for (segment, lost) in core::iter::from_fn(|| segmenter.next()).zip(lost.into_iter().cycle()) {
            let told_before = contents(&segment, format).indicators().any(|it| matches!(it, LengthIndicator::PreviousFilled | LengthIndicator::PreviousOneShort));
            for id in segment.touches.clone() {
                let begins_untold = is_behind_gap && !begins_are_told && !told_before && id == *segment.touches.start();
                is_whole[id as usize] &= !lost && !begins_untold;
            }
            if lost { reassembler.lose() } else {
                reassembler.take(&contents(&segment, format), &mut |sdu| delivered.push(sdu));
            }
            is_behind_gap = lost;
        }
        let expected: Vec<_> = all.into_iter().zip(is_whole).filter(|(_, whole)| *whole).map(|(sdu, _)| sdu).collect();
        prop_assert_eq!(delivered, expected);
    }
}
