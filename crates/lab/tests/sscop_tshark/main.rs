//! The judge of SSCOP's octets is Wireshark, whose dissector of Q.2110 nobody here wrote: it must read in our PDUs what was
//! meant, and our own reader the same.
//!
//! ```text
//!     two connections --> PDUs --> octets --> a capture --> tshark --> what it says  ==  what was meant
//!                                       \-------------------> our reader, likewise
//! ```
//!
//! tshark shows nothing of what the users say in BGN and the like but the length of its padding, and of management data not even
//! that; what is inside is the reader's to compare.

#[path = "../rlc_tshark/dice.rs"]
#[expect(dead_code, reason = "RLC's PDUs take more kinds of numbers")]
mod dice;
#[path = "../judge/mod.rs"]
mod judge;

mod emitted;
mod read;

use arqway_link::sscop::pdu::{Pdu, frame, parse};
use arqway_link::{Frame, Tag};
use std::collections::BTreeMap;

/// Of each kind.
const AT_LEAST: usize = 1000;

#[test]
fn tshark_and_our_reader_read_in_each_kind_of_pdu_a_thousand_times_what_was_meant() {
    if !judge::there_is_tshark() {
        return;
    }
    let pdus = emitted::pdus(AT_LEAST);
    let octets: Vec<Vec<u8>> = pdus.iter().map(|pdu| frame(pdu.clone(), &[]).parts().concat()).collect();
    for (pdu, octets) in pdus.iter().zip(&octets) {
        let off_the_wire = Frame::from_wire(Tag::default(), octets.clone().into());
        assert_eq!(parse(off_the_wire).as_ref(), Some(pdu), "our own reader, of {octets:02x?}");
    }
    let lines = read::lines(&octets);
    assert_eq!(lines.lines().count(), pdus.len());
    for (line, pdu) in lines.lines().zip(&pdus) {
        assert_eq!(line, read::meant(pdu), "tshark, of {pdu:?}");
    }
    let mut counts = BTreeMap::new();
    for pdu in &pdus {
        *counts.entry(read::kind(pdu)).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 15, "{counts:?}");
    assert!(counts.values().all(|count| *count >= AT_LEAST), "{counts:?}");
}

/// What the standard calls invalid, as far as tshark notices.
#[test]
fn what_tshark_cannot_read_our_reader_refuses() {
    if !judge::there_is_tshark() {
        return;
    }
    let wrong: [&[u8]; 3] = [b"\0\0\0\x07\0\0\0\0", b"\x0a\0\0\0", b"\0\0\0\0\x0c\0\0\0"];
    let lines = read::lines(&wrong.map(<[u8]>::to_vec));
    for (line, octets) in lines.lines().zip(wrong) {
        let kind = Pdu::Endak;
        assert_ne!(line, read::meant(&kind));
        assert_eq!(parse(Frame::from_wire(Tag::default(), octets.to_vec().into())), None, "{octets:02x?}: {line}");
    }
}
