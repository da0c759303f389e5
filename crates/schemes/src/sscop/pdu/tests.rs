//! The standard's pictures filled in, and what is refused.

use super::*;
use alloc::vec::Vec;
use arqway_contract::{Frame, Tag};
use proptest::prelude::*;

fn octets_of(pdu: Pdu) -> Vec<u8> {
    let frame = frame(pdu, &[]);
    assert_eq!(frame.tag, Tag::of_kind(KIND));
    frame.parts().concat()
}

fn off_the_wire(octets: &[u8]) -> Option<Pdu> {
    parse(Frame::from_wire(Tag::of_kind(KIND), octets.to_vec().into()))
}

/// One of each kind, its octets as Q.2110 figures 3 to 17 have them.
fn pictures() -> Vec<(Pdu, &'static [u8])> {
    let list = stat_list([10, 12, 20].into_iter());
    Vec::from([
        (Pdu::Bgn { sq: 3, mr: 0x1_0002, uu: "uu".into() }, &b"uu\0\0\0\0\0\x03\x81\x01\x00\x02"[..]),
        (Pdu::Bgak { mr: 0x20, uu: Bytes::new() }, b"\0\0\0\0\x02\0\0\x20"),
        (Pdu::Bgrej { uu: "why".into() }, b"why\0\0\0\0\0\x47\0\0\0"),
        (Pdu::End { by_sscop: true, uu: Bytes::new() }, b"\0\0\0\0\x13\0\0\0"),
        (Pdu::End { by_sscop: false, uu: "u".into() }, b"u\0\0\0\0\0\0\0\xc3\0\0\0"),
        (Pdu::Endak, b"\0\0\0\0\x04\0\0\0"),
        (Pdu::Rs { sq: 255, mr: 9, uu: "four".into() }, b"four\0\0\0\xff\x05\0\0\x09"),
        (Pdu::Rsak { mr: 0xff_ffff }, b"\0\0\0\0\x06\xff\xff\xff"),
        (Pdu::Er { sq: 9, mr: 0x30 }, b"\0\0\0\x09\x09\0\0\x30"),
        (Pdu::Erak { mr: 0x40 }, b"\0\0\0\0\x0f\0\0\x40"),
        (Pdu::Sd { number: 0xabcd, packet: "hello".into() }, b"hello\0\0\0\xc8\0\xab\xcd"),
        (Pdu::Sd { number: 1, packet: "four".into() }, b"four\x08\0\0\x01"),
        (Pdu::Poll { ps: 7, s: 0xabce }, b"\0\0\0\x07\x0a\0\xab\xce"),
        (Pdu::Stat(Stat::new(Bytes::new(), 7, 0x100, 0xabce)), b"\0\0\0\x07\0\0\x01\0\x0b\0\xab\xce"),
        (Pdu::Stat(Stat::new(list, 8, 1, 10)), b"\0\0\0\x0a\0\0\0\x0c\0\0\0\x14\0\0\0\x08\0\0\0\x01\x0b\0\0\x0a"),
        (Pdu::Ustat { first: 12, end: 15, mr: 0x100, r: 12 }, b"\0\0\0\x0c\0\0\0\x0f\0\0\x01\0\x0c\0\0\x0c"),
        (Pdu::Ud { packet: "abc".into() }, b"abc\0\x4d\0\0\0"),
        (Pdu::Md { packet: "mgmt".into() }, b"mgmt\x0e\0\0\0"),
    ])
}

#[test]
fn each_pdu_is_its_figure_and_reads_as_it_was_made() {
    for (pdu, octets) in pictures() {
        assert_eq!(octets_of(pdu.clone()), octets, "{pdu:?}");
        assert_eq!(off_the_wire(octets), Some(pdu.clone()));
        assert_eq!(parse(frame(pdu.clone(), &[])), Some(pdu));
    }
}

#[test]
fn what_lacks_an_octet_or_has_one_too_many_is_refused() {
    for (_, octets) in pictures() {
        for octets in [&octets[1..], &octets[..octets.len() - 1], &[octets, &[8]].concat()] {
            assert_eq!(off_the_wire(octets), None, "{octets:?}");
        }
    }
}

#[test]
fn a_pdu_of_one_length_is_refused_at_any_other() {
    for (pdu, octets) in pictures() {
        let more = [&[0; 4], octets].concat();
        let may_be_longer = matches!(
            pdu,
            Pdu::Bgn { .. }
                | Pdu::Bgak { .. }
                | Pdu::Bgrej { .. }
                | Pdu::End { .. }
                | Pdu::Rs { .. }
                | Pdu::Sd { .. }
                | Pdu::Stat(_)
                | Pdu::Ud { .. }
                | Pdu::Md { .. }
        );
        assert_eq!(off_the_wire(&more).is_some(), may_be_longer, "{pdu:?}");
    }
}

#[test]
fn padding_that_is_not_there_is_refused_and_so_is_a_reserved_type() {
    assert_eq!(off_the_wire(b"\xc8\0\0\0"), None);
    assert_eq!(off_the_wire(b"\0\0\0\0\x41\0\0\0"), None);
    assert_eq!(off_the_wire(b"\0\0\0\0\0\0\0\0"), None);
}

#[test]
fn what_is_reserved_is_not_looked_at() {
    assert_eq!(off_the_wire(b"\x12\x34\x56\x07\x3a\0\xab\xce"), Some(Pdu::Poll { ps: 0x34_5607, s: 0xabce }));
    assert_eq!(off_the_wire(b"\x01\x02\x03\x04\x24\x01\x02\x03"), Some(Pdu::Endak));
}

#[test]
fn octets_in_front_of_a_packet_make_up_what_it_is_to_cost() {
    let in_front = InFront { meaning: 1, overhead: 10 };
    for length in 1..20 {
        let packet = Bytes::from(alloc::vec![7; length]);
        let padding = padding_of(length);
        let before = [&[42][..], &[0; 20][..in_front.filling(padding)]].concat();
        let kept = frame(Pdu::Sd { number: 5, packet: packet.clone() }, &before);
        assert_eq!(kept.parts().concat().len(), length + 10);
        let wired = Frame::from_wire(kept.tag, kept.parts().concat().into());
        for frame in [kept, wired] {
            let (pdu, meaning) = read(frame, in_front).expect("an SD PDU");
            assert_eq!((pdu, &meaning[..]), (Pdu::Sd { number: 5, packet: packet.clone() }, &[42][..]));
        }
    }
}

proptest! {
    #[test]
    fn what_is_read_is_what_it_would_be_written_as(octets in proptest::collection::vec(any::<u8>(), 0..40)) {
        if let Some(pdu) = off_the_wire(&octets) {
            let again = octets_of(pdu.clone());
            prop_assert_eq!(again.len(), octets.len());
            prop_assert_eq!(off_the_wire(&again), Some(pdu));
        }
    }
}
