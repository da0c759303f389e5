//! The standard's pictures, filled in: each field has a value that shows where it lies.

use super::*;
use LengthIndicator::{End, First, PreviousOneShort, Whole};

fn amd(octets: &[u8]) -> Amd {
    match am(octets) {
        Some(AmPdu::Data(pdu)) => pdu,
        other => panic!("no AMD PDU but {other:?}"),
    }
}

#[test]
fn an_amd_pdu_is_figure_9_3() {
    let head = amd_head(0xabc, true, HeaderExtension::Data);
    assert_eq!(head, [0xd5, 0xe4]);
    let pdu = amd(b"\xd5\xe4data");
    assert_eq!((pdu.number, pdu.poll, pdu.status), (0xabc, true, None));
    assert_eq!((&pdu.contents.data[..], pdu.contents.ends_here()), (&b"data"[..], false));
    assert_eq!(indicators(&pdu.contents), []);
}

#[test]
fn two_sdus_that_end_and_padding_have_three_indicators_of_seven_bits() {
    let mut octets = amd_head(0xabd, false, HeaderExtension::Indicator).to_vec();
    for (indicator, more) in [(End(4), true), (End(10), true), (LengthIndicator::Padding, false)] {
        indicator.write(LengthIndicatorSize::Seven, more, &mut octets);
    }
    octets.extend(b"AAAABBBBBB\0\0\0");
    assert_eq!(octets, b"\xd5\xe9\x09\x15\xfeAAAABBBBBB\0\0\0");
    let pdu = amd(&octets);
    assert_eq!(pdu.contents.data, "AAAABBBBBB");
    assert_eq!(indicators(&pdu.contents), [End(4), End(10)]);
}

#[test]
fn the_special_value_of_he_ends_an_sdu_with_the_pdu() {
    assert_eq!(amd_head(0xabf, false, HeaderExtension::EndsHere), [0xd5, 0xfa]);
    let pdu = amd(b"\xd5\xfalast!");
    assert!(pdu.contents.ends_here());
    assert_eq!(pdu.contents.data, "last!");
}

#[test]
fn an_indicator_of_fifteen_bits_takes_two_octets() {
    let mut octets = Vec::new();
    End(300).write(LengthIndicatorSize::Fifteen, true, &mut octets);
    LengthIndicator::Padding.write(LengthIndicatorSize::Fifteen, false, &mut octets);
    PreviousOneShort.write(LengthIndicatorSize::Fifteen, false, &mut octets);
    assert_eq!(octets, b"\x02\x59\xff\xfe\xff\xf6");
}

#[test]
fn a_umd_pdu_is_figure_9_2() {
    assert_eq!(umd_head(5, true), [0x0b]);
    let pdu = um(b"\x0b\xf9\x09\xfeuuuu\0\0").expect("a UMD PDU");
    assert_eq!((pdu.number, &pdu.contents.data[..]), (5, &b"uuuu"[..]));
    assert_eq!(indicators(&pdu.contents), [First, End(4)]);
    let pdu = um(b"\x0b\xfawhole").expect("a UMD PDU");
    assert_eq!((indicators(&pdu.contents), &pdu.contents.data[..]), (Vec::from([Whole]), &b"whole"[..]));
}

#[test]
fn the_alternative_e_bit_makes_a_umd_pdu_one_whole_sdu() {
    let read = |alternative| parse_um(frame(b"\x0awhole"), LengthIndicatorSize::Seven, alternative);
    assert_eq!(read(true).map(|pdu| pdu.contents.ends_here()), Some(true));
    assert_eq!(read(false).map(|pdu| pdu.contents.ends_here()), Some(false));
}

#[test]
fn a_whole_sdu_that_is_one_octet_short_leaves_that_octet_out() {
    let octets = b"\x0b\xff\xf4whole?";
    let pdu = parse_um(frame(octets), LengthIndicatorSize::Fifteen, false).expect("a UMD PDU");
    assert_eq!(
        (indicators(&pdu.contents), &pdu.contents.data[..]),
        (Vec::from([LengthIndicator::WholeOneShort]), &b"whole"[..])
    );
}

#[test]
fn an_octet_behind_the_end_of_an_sdu_that_no_indicator_of_fifteen_bits_fits_into_is_padding() {
    let Some(AmPdu::Data(pdu)) = am_of_fifteen_bits(b"\x80\x01\x00\x06abc?") else { panic!("an AMD PDU") };
    assert_eq!((indicators(&pdu.contents), &pdu.contents.data[..]), (Vec::from([End(3)]), &b"abc"[..]));
    let Some(AmPdu::Data(pdu)) = am_of_fifteen_bits(b"\x80\x01\x00\x06abcde") else { panic!("an AMD PDU") };
    assert_eq!(pdu.contents.data, "abcde");
    // Of seven bits one would fit, so this is the next SDU.
    assert_eq!(amd(b"\x80\x01\x06abcd").contents.data, "abcd");
}

#[test]
fn an_acknowledgement_is_figure_9_9_in_9_4() {
    let mut writer = StatusWriter::new(10);
    assert!(writer.push_ack(0x123));
    let octets = writer.finish(Some(10));
    assert_eq!(octets, &b"\x02\x12\x30\0\0\0\0\0\0\0"[..]);
    assert_eq!(status(&octets), Some(Vec::from([Said::Ack(0x123)])));
}

#[test]
fn a_list_is_figure_9_11() {
    let mut writer = StatusWriter::new(20);
    assert_eq!(writer.push_list([7, 20, 21, 22, 23]), 5);
    assert!(writer.push_ack(24));
    let octets = writer.finish(None);
    assert_eq!(octets, &b"\x03\x20\x07\x00\x14\x32\x01\x80"[..]);
    assert_eq!(status(&octets), Some(Vec::from([Said::List([7, 20, 21, 22, 23].to_vec()), Said::Ack(24)])));
}

#[test]
fn a_bitmap_is_figure_9_12() {
    let arrived = [0, 2, 3, 15].map(|ahead| 100 + ahead);
    let mut writer = StatusWriter::new(12);
    assert_eq!(writer.push_bitmap(100, 16, false, |number| arrived.contains(&number)), 16);
    assert!(writer.push_ack(116));
    let octets = writer.finish(Some(12));
    assert_eq!(octets, &b"\x04\x10\x64\xb0\x01\x20\x74\0\0\0\0\0"[..]);
    let all = (100..116).map(|number| (number, arrived.contains(&number))).collect();
    assert_eq!(status(&octets), Some(Vec::from([Said::Bitmap(all), Said::Ack(116)])));
}

#[test]
fn a_relative_list_is_figure_9_13() {
    let missing = [4000, 4004, 4005, 4006, 4007, 4008, 4009, 4022];
    let mut writer = StatusWriter::new(20);
    assert_eq!(writer.push_relative_list(missing), missing.len());
    assert!(writer.push_ack(80));
    let octets = writer.finish(None);
    assert_eq!(octets, &b"\x05\x5f\xa0\x91\xba\x32\x05\x00"[..]);
    assert_eq!(status(&octets), Some(Vec::from([Said::RelativeList(missing.to_vec()), Said::Ack(80)])));
}

#[test]
fn a_relative_list_of_no_code_words_is_its_first_number() {
    let said = Vec::from([Said::RelativeList(Vec::from([0x123])), Said::NoMore]);
    assert_eq!(status(b"\x05\x01\x23\x00"), Some(said));
}

#[test]
fn an_acknowledged_window_is_figure_9_14() {
    let mut writer = StatusWriter::new(5);
    assert!(writer.push_move_receiving_window_ack(2, 240));
    let octets = writer.finish(None);
    assert_eq!(octets, &b"\x07\x20\xf0\x00"[..]);
    assert_eq!(status(&octets), Some(Vec::from([Said::MrwAck { n: 2, number: 240 }, Said::NoMore])));
}

#[test]
fn a_moved_window_is_figure_9_15() {
    let mut writer = StatusWriter::new(6);
    assert!(writer.push_move_receiving_window(&[200, 240], 2, false));
    let octets = writer.finish(None);
    assert_eq!(octets, &b"\x06\x20\xc8\x0f\x02\x00"[..]);
    let mrw = Said::Mrw { numbers: Vec::from([200, 240]), n: 2, beyond_window: false };
    assert_eq!(status(&octets), Some(Vec::from([mrw, Said::NoMore])));

    let mut writer = StatusWriter::new(4);
    assert!(writer.push_move_receiving_window(&[4095], 0, true));
    let octets = writer.finish(None);
    assert_eq!(octets, &b"\x06\x0f\xff\x00"[..]);
    let mrw = Said::Mrw { numbers: Vec::from([4095]), n: 0, beyond_window: true };
    assert_eq!(status(&octets), Some(Vec::from([mrw, Said::NoMore])));
}

#[test]
fn a_window_and_a_poll_are_figures_9_10_and_9_15b() {
    let mut writer = StatusWriter::new(20);
    assert!(writer.push_window(64) && writer.push_poll(0xabd));
    let octets = writer.finish(None);
    assert_eq!(octets, &b"\x01\x04\x08\xab\xd0"[..]);
    assert_eq!(status(&octets), Some(Vec::from([Said::Window(64), Said::Poll(0xabd), Said::NoMore])));
}

#[test]
fn a_reset_and_its_answer_are_figure_9_6() {
    let asked = Reset { number: true, hyper_frame_number: 0x12345 };
    let octets = reset(asked, Some(10));
    assert_eq!(octets, &b"\x18\x12\x34\x50\0\0\0\0\0\0"[..]);
    assert_eq!(am(&octets), Some(AmPdu::Reset(asked)));
    let answer = Reset { number: false, hyper_frame_number: 0x54321 };
    let octets = reset_ack(answer, None);
    assert_eq!(octets, &b"\x20\x54\x32\x10"[..]);
    assert_eq!(am(&octets), Some(AmPdu::ResetAck(answer)));
}

#[test]
fn a_piggybacked_status_is_figure_9_5_behind_the_data() {
    let pdu = amd(b"\xd5\xf1\x05\xfcZZ\x04\x00\x08\x80\x20\x10\0\0");
    assert_eq!((indicators(&pdu.contents), &pdu.contents.data[..]), (Vec::from([End(2)]), &b"ZZ"[..]));
    let bits = (8..16).map(|number| (number, number == 8)).collect();
    assert_eq!(pdu.status.as_ref().map(said), Some(Vec::from([Said::Bitmap(bits), Said::Ack(16)])));
}
