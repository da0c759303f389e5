//! PDUs into frames: the body is what was given, and the trailer all the rest.

use super::{BY_SSCOP, KIND, Pdu, padding_of, types};
use alloc::vec::Vec;
use arqway_contract::{Frame, Head};
use bytes::Bytes;

/// The frame of a PDU, behind octets that are no part of it.
#[must_use]
pub fn frame(pdu: Pdu, before: &[u8]) -> Frame {
    let mut trailer = Head::new();
    let body = match pdu {
        Pdu::Sd { number, packet } => with_information(&mut trailer, packet, types::SD, &[], number),
        Pdu::Ud { packet } => with_information(&mut trailer, packet, types::UD, &[], 0),
        Pdu::Md { packet } => with_information(&mut trailer, packet, types::MD, &[], 0),
        Pdu::Bgn { sq, mr, uu } => with_information(&mut trailer, uu, types::BGN, &[sq.into()], mr),
        Pdu::Rs { sq, mr, uu } => with_information(&mut trailer, uu, types::RS, &[sq.into()], mr),
        Pdu::Bgak { mr, uu } => with_information(&mut trailer, uu, types::BGAK, &[0], mr),
        Pdu::Bgrej { uu } => with_information(&mut trailer, uu, types::BGREJ, &[0], 0),
        Pdu::End { by_sscop, uu } => {
            let source = if by_sscop { BY_SSCOP } else { 0 };
            with_information(&mut trailer, uu, types::END | source, &[0], 0)
        }
        Pdu::Stat(stat) => with_information(&mut trailer, stat.list, types::STAT, &[stat.ps, stat.mr], stat.r),
        Pdu::Endak => with_information(&mut trailer, Bytes::new(), types::ENDAK, &[0], 0),
        Pdu::Rsak { mr } => with_information(&mut trailer, Bytes::new(), types::RSAK, &[0], mr),
        Pdu::Er { sq, mr } => with_information(&mut trailer, Bytes::new(), types::ER, &[sq.into()], mr),
        Pdu::Erak { mr } => with_information(&mut trailer, Bytes::new(), types::ERAK, &[0], mr),
        Pdu::Poll { ps, s } => with_information(&mut trailer, Bytes::new(), types::POLL, &[ps], s),
        Pdu::Ustat { first, end, mr, r } => {
            with_information(&mut trailer, Bytes::new(), types::USTAT, &[first, end, mr], r)
        }
    };
    Frame::new(KIND, before, body).with_trailer(&trailer)
}

/// Behind the information: its padding, words of a number each, and the last word.
fn with_information(trailer: &mut Head, information: Bytes, kind: u8, words: &[u32], number: u32) -> Bytes {
    let pl = padding_of(information.len());
    trailer.extend(core::iter::repeat_n(0, pl));
    for word in words {
        trailer.extend(word_of(0, *word));
    }
    // At most three octets of padding: two bits.
    let [bits, ..] = pl.to_le_bytes();
    trailer.extend(word_of(bits << 6 | kind, number));
    information
}

fn word_of(top: u8, number: u32) -> [u8; 4] {
    let [_, high, middle, low] = number.to_be_bytes();
    [top, high, middle, low]
}

/// The octets of a STAT PDU's list.
#[must_use]
pub fn stat_list(numbers: impl Iterator<Item = u32>) -> Bytes {
    let mut octets = Vec::with_capacity(4 * numbers.size_hint().0);
    octets.extend(numbers.flat_map(|number| word_of(0, number)));
    octets.into()
}
