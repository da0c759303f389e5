//! What the standard's pictures say, as octets.

use super::*;
use bytes::Bytes;
use std::vec::Vec;

fn am(octets: &[u8]) -> Option<AmPdu> {
    let frame = Frame::new(KIND, &[], Bytes::copy_from_slice(octets));
    parse_am(frame, LengthIndicatorSize::Seven, AmOptions::default())
}

#[test]
fn a_data_pdu_with_two_ends_and_padding_reads_as_written() {
    let Some(AmPdu::Data(pdu)) = am(b"\xd5\xe9\x09\x15\xfeAAAABBBBBB\0\0\0") else { panic!("an AMD PDU") };
    assert_eq!((pdu.number, pdu.poll), (0xabd, false));
    assert_eq!(pdu.contents.data, "AAAABBBBBB");
    let ends: Vec<_> = pdu.contents.indicators().collect();
    assert_eq!(ends, [LengthIndicator::End(4), LengthIndicator::End(10)]);
}
