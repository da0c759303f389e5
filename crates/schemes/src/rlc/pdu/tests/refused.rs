//! Reserved and invalid values, each in a PDU that is right but for it.

use super::*;

/// Each PDU of the second column differs from the one beside it by what the third says.
fn only_the_first_reads<T: std::fmt::Debug>(read: impl Fn(&[u8]) -> Option<T>, pairs: &[(&[u8], &[u8], &str)]) {
    for (right, wrong, what) in pairs {
        assert!(read(right).is_some(), "{what}: what it is compared with, {right:x?}, does not read");
        let read = read(wrong);
        assert!(read.is_none(), "{what}: {wrong:x?} reads as {read:?}");
    }
}

#[test]
fn reserved_values_of_an_amd_pdu_are_refused() {
    only_the_first_reads(
        am,
        &[
            (b"\x80\x00a", b"\x80\x03a", "HE = 11"),
            (b"\x80\x00a", b"\x80\x00", "no data"),
            (b"\x80\x02a", b"\x80\x02", "the end of an SDU without an octet"),
            (b"\x80\x01\x02a", b"\x80\x01\xf8a", "LI = 124"),
            (b"\x80\x01\x02a", b"\x80\x01\xfaa", "LI = 125"),
            (b"\x80\x01\x06abc", b"\x80\x01\x08abc", "LI beyond the PDU"),
            (b"\x80\x01\x02a", b"\x80\x01\x03", "LI announced, and the PDU at its end"),
            (b"\x80\x01\x03\x06abc", b"\x80\x01\x07\x04abc", "LI smaller than the one before"),
            (b"\x80\x01\x03\x06abc", b"\x80\x01\x07\x06abc", "an SDU of no octets"),
            (b"\x80\x01\x01\x06abc", b"\x80\x01\x07\x00abc", "LI = 0 that is not the first"),
            (b"\x80\x01\x01\x06abc", b"\x80\x01\x01\x00abc", "LI = 0 twice"),
            (b"\x80\x01\x03\xfeabc", b"\x80\x01\xff\x02abc", "padding before an end"),
            (b"\x80\x01\x03\xfca\x00", b"\x80\x01\xfd\x02a\x00", "a STATUS before an end"),
            (b"\x80\x01\x03\xfca\x00", b"\x80\x01\x03\xfca", "a STATUS of no octets"),
            (b"\x80\x01\x03\xfca\x00", b"\x80\x01\x03\xfca\x80", "R2 = 1"),
            (b"\x80\x01\x03\xfca\x00", b"\x80\x01\x03\xfca\x10", "a piggybacked PDU of another type"),
            (b"\x80\x01\x03\xfca\x00", b"\x80\x01\x03\xfca\x02\x12", "a piggybacked STATUS cut short"),
        ],
    );
    only_the_first_reads(
        am_of_fifteen_bits,
        &[
            (b"\x80\x01\x00\x02a", b"\x80\x01\xff\xf4a", "LI = 0x7ffa"),
            (b"\x80\x01\x00\x02a", b"\x80\x01\xff\xf8a", "LI = 0x7ffc"),
            (b"\x80\x01\x00\x02a", b"\x80\x01\xff\xfaa", "LI = 0x7ffd"),
            (b"\x80\x01\xff\xf7\x00\x02a", b"\x80\x01\x00\x03\xff\xf6a", "LI = 0x7ffb that is not the first"),
            (b"\x80\x01\x00\x02a", b"\x80\x01\x00\x04a", "LI beyond the PDU"),
            (b"\x80\x01\x00\x02a", b"\x80\x01\x00", "half an LI"),
        ],
    );
}

#[test]
fn what_is_not_configured_is_refused() {
    let read = |octets: &[u8], options| parse_am(frame(octets), LengthIndicatorSize::Seven, options).is_some();
    assert!(read(b"\x80\x02a", AmOptions { ends_here: true, ..AmOptions::default() }));
    assert!(!read(b"\x80\x02a", AmOptions::default()));

    // 15 and 16 SDUs of an octet each, the first of them in the PDU before.
    let ends = |count: u8| {
        let mut octets = Vec::from([0x80, 0x01, 0x01]);
        octets.extend((1..count).map(|end| end << 1 | u8::from(end + 1 < count)));
        octets.extend(core::iter::repeat_n(b'a', usize::from(count) - 1));
        octets
    };
    let fifteen = AmOptions { at_most_fifteen_ends: true, ..AmOptions::default() };
    assert!(read(&ends(15), fifteen));
    assert!(!read(&ends(16), fifteen));
    assert!(read(&ends(16), AmOptions::default()));
}

#[test]
fn reserved_values_of_a_umd_pdu_are_refused() {
    only_the_first_reads(
        um,
        &[
            (b"\x00a", b"\x00", "no data"),
            (b"\x01\x02a", b"\x01\x04a", "LI beyond the PDU"),
            (b"\x01\x02a", b"\x01\x03", "LI announced, and the PDU at its end"),
            (b"\x01\x03\x06abc", b"\x01\x07\x04abc", "LI smaller than the one before"),
            (b"\x01\xf9\x02a", b"\x01\x03\xf8a", "LI = 124 that is not the first"),
            (b"\x01\xf8a", b"\x01\xf8", "the first octet of an SDU, and no octets"),
            (b"\x01\xfaa", b"\x01\xfa", "a whole SDU of no octets"),
            (b"\x01\xfaa", b"\x01\xfb\x02a", "a whole SDU, and an end"),
            (b"\x01\xfaa", b"\x01\xfb\xfea", "a whole SDU, and padding"),
            (b"\x01\xfca", b"\x01\xfc", "a part of an SDU of no octets"),
            (b"\x01\xfca", b"\x01\x03\xfca", "neither the first octet nor the last of an SDU, and an end"),
        ],
    );
    only_the_first_reads(
        |octets| parse_um(frame(octets), LengthIndicatorSize::Fifteen, false),
        &[
            (b"\x01\xff\xf4ab", b"\x01\xff\xf4a", "a whole SDU of no octets, one octet short"),
            (b"\x01\xff\xf4ab", b"\x01\xff\xf4", "a whole SDU of less than no octets"),
        ],
    );
}

#[test]
fn a_umd_pdu_too_long_for_indicators_of_seven_bits_is_refused() {
    let octets = [&[0x00][..], &[b'a'; 125]].concat();
    assert!(um(&octets[..125]).is_some());
    assert!(um(&octets).is_none());
    assert!(parse_um(frame(&octets), LengthIndicatorSize::Fifteen, false).is_some());
}

#[test]
fn reserved_values_of_a_control_pdu_are_refused() {
    only_the_first_reads(
        am,
        &[
            (b"\x00", b"", "no octet"),
            (b"\x28\0\0\0", b"\x38\0\0\0", "PDU type 011"),
            (b"\x28\0\0\0", b"\x78\0\0\0", "PDU type 111"),
            (b"\x18\0\0\0", b"\x19\0\0\0", "R1 of a RESET"),
            (b"\x20\0\0\0", b"\x24\0\0\0", "R1 of a RESET ACK"),
            (b"\x10\0\0\0", b"\x10\0\0", "a RESET cut short"),
            (b"\x20\0\0\0", b"\x20", "a RESET ACK cut short"),
        ],
    );
}

#[test]
fn reserved_values_of_super_fields_are_refused_and_with_them_the_whole_pdu() {
    only_the_first_reads(
        am,
        &[
            (b"\x08\x12\x30", b"\x09\x12\x30", "type 9"),
            (b"\x08\x12\x30", b"\x0f\x12\x30", "type 15"),
            (b"\x08\x12\x30", b"\x08\x12\x3f", "type 15 behind another"),
            (b"\x03\x10\x07\x00", b"\x03\x00\x07\x00", "a LIST of no pairs"),
            (b"\x05\x10\x07\x30", b"\x05\x10\x07\x20", "RLIST: the last number does not end"),
            (b"\x05\x10\x07\x30", b"\x05\x10\x07\x10", "RLIST: a burst of unknown length"),
            (b"\x05\x20\x07\x13\x00", b"\x05\x20\x07\x11\x00", "RLIST: a burst of no length"),
            (b"\x05\x20\x07\x03\x00", b"\x05\x20\x07\x01\x00", "RLIST: a number that ends with the mark of a burst"),
            (b"\x05\x40\x07\xee\xef\x00", b"\x05\x50\x07\x00\x00\x30", "RLIST: 4095 and 4096 further on"),
        ],
    );
}

/// The standard wants no end where the super-fields fill the PDU: §11.5.2.2.
#[test]
fn super_fields_without_an_end_read_only_where_they_fill_the_pdu() {
    // MRW with two numbers: type, length, 6 and 1 half octets, with the PDU's type ten.
    let mrw = Said::Mrw { numbers: Vec::from([200, 240]), n: 2, beyond_window: false };
    assert_eq!(status(b"\x06\x20\xc8\x0f\x02"), Some(Vec::from([mrw])));
    // WINDOW ends in the middle of an octet: what is in the other half is no end.
    assert_eq!(status(b"\x01\x04\x08"), None);
    assert_eq!(status(b"\x01\x04\x00"), Some(Vec::from([Said::Window(64), Said::NoMore])));
}

#[test]
fn what_stands_behind_the_end_is_padding_whatever_it_is() {
    assert_eq!(status(b"\x00\x9f\xff"), Some(Vec::from([Said::NoMore])));
    assert_eq!(status(b"\x02\x12\x39\xff"), Some(Vec::from([Said::Ack(0x123)])));
    assert_eq!(am(b"\x18\0\0\x0f\xff"), am(b"\x18\0\0\0"));
    assert_eq!(am(b"\x80\x01\x03\xfeaxyz"), am(b"\x80\x01\x03\xfea"));
}

#[test]
fn a_frame_of_another_kind_is_refused() {
    let other = Frame::new(Kind::new(1), &[], Bytes::from_static(b"\x00a"));
    assert_eq!(parse_am(other.clone(), LengthIndicatorSize::Seven, ALL), None);
    assert_eq!(parse_um(other, LengthIndicatorSize::Seven, false), None);
}
