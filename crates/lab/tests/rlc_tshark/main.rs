//! The judge of RLC's octets is Wireshark, whose dissector of 3GPP TS 25.322 nobody here wrote: it must read in our PDUs
//! what was meant, all of it and nothing else, and our own reader the same.
//!
//! ```text
//!     a source of PDUs --> octets --> a capture --> tshark --> what it says  ==  what was meant
//!                              \-------------------> our reader, likewise
//! ```

#[path = "../judge/mod.rs"]
mod judge;

mod capture;
mod dice;
mod emitted;
mod made;
mod meant;
mod read;
mod said;

use capture::{Direction, Mode, Shown};
use meant::{Meant, forms};
use std::collections::BTreeMap;

/// So many that are made for the purpose, so that each form comes often enough, and so many that services send.
const PDUS: usize = 100_000;
/// Of each kind of PDU, each super-field and each form of a length indicator.
const AT_LEAST: usize = 1000;

/// All of them, a line for the kinds of PDU, one for super-fields, and one for each kind and size of length indicators.
const FORMS: &str = "AMD, AMD that ends an SDU by HE, UMD, TMD, STATUS, piggybacked STATUS, RESET, RESET ACK,\
    NO_MORE, WINDOW, ACK, LIST, BITMAP, RLIST, MRW, MRW beyond the window, MRW_ACK, POLL,\
    AMD 7 End, AMD 7 PreviousFilled, AMD 7 Padding, AMD 7 Status,\
    AMD 15 End, AMD 15 PreviousFilled, AMD 15 PreviousOneShort, AMD 15 Padding, AMD 15 Status, AMD 15 without room,\
    UMD 7 End, UMD 7 PreviousFilled, UMD 7 Padding, UMD 7 First, UMD 7 Whole, UMD 7 Middle,\
    UMD 15 End, UMD 15 PreviousFilled, UMD 15 PreviousOneShort, UMD 15 Padding, UMD 15 First, UMD 15 Whole,\
    UMD 15 WholeOneShort, UMD 15 Middle, UMD 15 without room";

/// A PDU, how it is shown, and what it is meant to say.
pub(crate) struct Pdu {
    pub(crate) shown: Shown,
    pub(crate) meant: Meant,
}

#[test]
fn tshark_and_our_reader_read_in_two_hundred_thousand_pdus_what_was_meant() {
    if !judge::there_is_tshark() {
        return;
    }
    let mut pdus = made::pdus(PDUS);
    pdus.extend(emitted::pdus(PDUS));
    for Pdu { shown, meant } in &pdus {
        assert_eq!(Meant::read(shown).as_ref(), Some(meant), "our own reader, of {shown}");
    }
    judge_all(&pdus);

    let mut counts = BTreeMap::new();
    for form in pdus.iter().flat_map(|pdu| forms(&pdu.shown, &pdu.meant)) {
        *counts.entry(form).or_insert(0) += 1;
    }
    for form in FORMS.split(',').map(str::trim) {
        let count = counts.remove(form).unwrap_or(0);
        assert!(count >= AT_LEAST, "{form}: only {count}");
    }
    assert!(counts.is_empty(), "what nobody asked for: {counts:?}");
}

/// Everything that tshark reads must be what was meant.
fn judge_all(pdus: &[Pdu]) {
    let lines = read::lines(pdus.iter().map(|pdu| &pdu.shown));
    assert_eq!(lines.lines().count(), pdus.len());
    for (index, (line, Pdu { shown, meant })) in lines.lines().zip(pdus).enumerate() {
        match read::meant(line, index, shown) {
            Ok(read) => assert_eq!(&read, meant, "tshark, of PDU {index}: {shown}\n{line}"),
            Err(what) => panic!("PDU {index}, {shown}: {what}\n{line}"),
        }
    }
}

/// What the standard calls invalid, as far as tshark notices: `refused.rs` beside the reader has the rest.
#[test]
fn what_tshark_complains_of_our_reader_refuses() {
    if !judge::there_is_tshark() {
        return;
    }
    let wrong: [(Mode, &[u8]); 17] = [
        (Mode::Acknowledged, b"\x80\x03a"),
        (Mode::Acknowledged, b"\x80\x01\xf8a"),
        (Mode::Acknowledged, b"\x80\x01\xfaa"),
        (Mode::Acknowledged, b"\x80\x01\x08abc"),
        (Mode::Acknowledged, b"\x80\x01\x07\x04abc"),
        (Mode::Acknowledged, b"\x80\x01\x03"),
        (Mode::Acknowledged, b"\x80\x01\x03\xfca\x02\x12"),
        (Mode::Acknowledged, b"\x38\0\0\0"),
        (Mode::Acknowledged, b"\x19\0\0\0"),
        (Mode::Acknowledged, b"\x10\0\0"),
        (Mode::Acknowledged, b"\x09\x12\x30"),
        (Mode::Acknowledged, b"\x03\x00\x07\x00"),
        (Mode::Acknowledged, b"\x05\x10\x07\x20"),
        (Mode::Acknowledged, b"\x05\x10\x07\x10"),
        (Mode::Acknowledged, b"\x02\x12"),
        (Mode::Unacknowledged, b"\x01\x04a"),
        (Mode::Unacknowledged, b"\x01\x07\x04abc"),
    ];
    let shown = wrong.map(|(mode, octets)| Shown::new(mode, Direction::Up, octets.to_vec()));
    let lines = read::lines(shown.iter());
    assert_eq!(lines.lines().count(), shown.len());
    for (index, (line, shown)) in lines.lines().zip(&shown).enumerate() {
        assert!(read::meant(line, index, shown).is_err(), "tshark does not complain of {shown}\n{line}");
        assert_eq!(Meant::read(shown), None, "{shown}");
    }
}
