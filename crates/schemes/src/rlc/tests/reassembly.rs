//! What comes out where PDUs are lost.

use super::*;
use arqway_units::Octets;

/// What comes out of PDUs of which those in `lost` do not arrive: SDUs by their first letter.
fn reassembled(mode: Mode, sdus: &str, lost: &[usize]) -> String {
    let format = format(mode, Seven, 8);
    let (mut segmenter, mut delivered) = (Segmenter::new(format), String::new());
    push(&mut segmenter, sdus);
    let mut reassembler = reassembler(mode);
    for (number, segment) in core::iter::from_fn(|| segmenter.next(Octets::MAX)).enumerate() {
        if lost.contains(&number) {
            reassembler.lose();
        } else {
            reassembler.take(&contents(&segment, format), &mut |sdu| delivered.push(char::from(sdu[0])));
        }
    }
    delivered
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
        reassembler.take(&contents(&segmenter.next(Octets::MAX).expect("a PDU"), format), &mut |_| ());
        reassembler.begin_after(indicators);
        while let Some(segment) = segmenter.next(Octets::MAX) {
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
    while let Some(segment) = segmenter.next(Octets::MAX) {
        reassembler.take(&contents(&segment, format), &mut |sdu| delivered.push(sdu));
    }
    const { assert!(LONGEST_SDU < 200_000) };
    assert_eq!((delivered, reassembler.too_long()), (alloc::vec![Bytes::from_static(b"bbb")], 1));
}
