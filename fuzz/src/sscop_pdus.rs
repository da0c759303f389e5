//! SSCOP's PDUs of any octets, read twice: by the reader, and here, as words of 32 bits (Q.2110 §7.2). Both must refuse the same, and
//! of the rest read the same, wherever the sender's trailer began.

use arqway_link::fuzz::Input;
use arqway_link::sscop::pdu::{KIND, Pdu, frame, parse};
use arqway_link::{Frame, Tag};

pub(crate) fn drive(octets: &[u8]) {
    let mut input = Input::new(octets);
    let split = input.index(21);
    let octets = input.rest();
    let read = parse(Frame::from_wire(Tag::of_kind(KIND), octets.to_vec().into()));
    let said = read.as_ref().map(said);
    assert_eq!(said, by_words(octets), "{octets:02x?}");
    let Some(pdu) = read else { return };
    // As it would have been written, in memory and off a wire.
    let written = frame(pdu.clone(), &[]);
    let again = written.parts().concat();
    assert_eq!(again.len(), octets.len());
    assert_eq!(parse(written), Some(pdu.clone()));
    assert_eq!(parse(Frame::from_wire(Tag::of_kind(KIND), again.clone().into())), Some(pdu));
    let (body, trailer) = again.split_at(again.len() - split.min(again.len()));
    // A trailer that was cut elsewhere may be refused; it is never read as anything else.
    let cut = parse(Frame::new(KIND, &[], body.to_vec().into()).with_trailer(trailer));
    assert!(cut.is_none_or(|cut| Some(self::said(&cut)) == by_words(octets)));
}

fn said(pdu: &Pdu) -> String {
    match pdu {
        Pdu::Bgn { sq, mr, uu } => format!("1 {sq} {mr} {uu:02x?}"),
        Pdu::Bgak { mr, uu } => format!("2 {mr} {uu:02x?}"),
        Pdu::End { by_sscop, uu } => format!("3 {by_sscop} {uu:02x?}"),
        Pdu::Endak => "4".to_string(),
        Pdu::Rs { sq, mr, uu } => format!("5 {sq} {mr} {uu:02x?}"),
        Pdu::Rsak { mr } => format!("6 {mr}"),
        Pdu::Bgrej { uu } => format!("7 {uu:02x?}"),
        Pdu::Sd { number, packet } => format!("8 {number} {packet:02x?}"),
        Pdu::Er { sq, mr } => format!("9 {sq} {mr}"),
        Pdu::Poll { ps, s } => format!("10 {ps} {s}"),
        Pdu::Stat(stat) => format!("11 {:?} {} {} {}", stat.list().collect::<Vec<_>>(), stat.ps, stat.mr, stat.r),
        Pdu::Ustat { first, end, mr, r } => format!("12 {first} {end} {mr} {r}"),
        Pdu::Ud { packet } => format!("13 {packet:02x?}"),
        Pdu::Md { packet } => format!("14 {packet:02x?}"),
        Pdu::Erak { mr } => format!("15 {mr}"),
    }
}

fn by_words(octets: &[u8]) -> Option<String> {
    if octets.is_empty() || !octets.len().is_multiple_of(4) {
        return None;
    }
    let words: Vec<u32> =
        octets.chunks(4).map(|four| u32::from_be_bytes(four.try_into().expect("four octets"))).collect();
    let low = |word: u32| word & 0xff_ffff;
    let last = words[words.len() - 1];
    let (number, kind, padding) = (low(last), last >> 24 & 0xf, (last >> 30) as usize);
    // What stands before so many words, without its padding.
    let information = |behind: usize| {
        let end = octets.len().checked_sub(4 * behind + padding)?;
        Some(format!("{:02x?}", bytes::Bytes::copy_from_slice(&octets[..end])))
    };
    let from_behind = |place: usize| words.len().checked_sub(place).map(|index| words[index]);
    let exactly = |count: usize| (words.len() == count).then_some(());
    Some(match kind {
        8 | 13 | 14 => {
            let information = information(1)?;
            if kind == 8 { format!("8 {number} {information}") } else { format!("{kind} {information}") }
        }
        1 | 5 => format!("{kind} {} {number} {}", from_behind(2)? & 0xff, information(2)?),
        2 => format!("2 {number} {}", information(2)?),
        7 => format!("7 {}", information(2)?),
        3 => format!("3 {} {}", last >> 28 & 1 == 1, information(2)?),
        4 => exactly(2).map(|()| "4".to_string())?,
        6 | 15 => exactly(2).map(|()| format!("{kind} {number}"))?,
        9 => exactly(2).map(|()| format!("9 {} {number}", words[0] & 0xff))?,
        10 => exactly(2).map(|()| format!("10 {} {number}", low(words[0])))?,
        11 => {
            let (mr, ps) = (low(from_behind(2)?), low(from_behind(3)?));
            let list: Vec<u32> = words[..words.len() - 3].iter().map(|word| low(*word)).collect();
            format!("11 {list:?} {ps} {mr} {number}")
        }
        12 => exactly(4).map(|()| format!("12 {} {} {} {number}", low(words[0]), low(words[1]), low(words[2])))?,
        _ => return None,
    })
}
