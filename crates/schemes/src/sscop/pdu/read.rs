//! PDUs out of frames: from the last octet forward.

use super::{BY_SSCOP, LAST_WORD, Pdu, Stat, types};
use arqway_contract::{Frame, Head};
use bytes::Bytes;

/// What stands in front of an SD PDU in its frame; in front of no other PDU stands anything.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InFront {
    /// Octets that mean something to the service.
    pub(crate) meaning: usize,
    /// Octets that mean nothing follow until meaning, padding, trailer and they are so many.
    pub(crate) overhead: usize,
}

impl InFront {
    /// How many octets that mean nothing an SD PDU with so much padding has in front of it.
    pub(crate) fn filling(self, padding: usize) -> usize {
        self.overhead.saturating_sub(self.meaning + padding + LAST_WORD)
    }
}

/// What a frame says that bears nothing but a PDU; `None` where it is none: a length that is no multiple of four or not the type's, more
/// padding than there are octets, a reserved type. Nothing of such a one counts (§7.2.5). What is reserved within a word is not
/// looked at.
#[must_use]
pub fn parse(frame: Frame) -> Option<Pdu> {
    read(frame, InFront::default()).map(|(pdu, _)| pdu)
}

/// What a frame says, and the octets that mean something in front of an SD PDU.
pub(crate) fn read(mut frame: Frame, in_front: InFront) -> Option<(Pdu, Head)> {
    let last = Word::take(&mut frame)?;
    let (kind, pl) = (last.top & 0xf, usize::from(last.top >> 6));
    if kind == types::SD {
        for _ in 0..pl {
            frame.take_last::<1>()?;
        }
        let mut meaning = Head::new();
        for place in 0..in_front.meaning + in_front.filling(pl) {
            let [octet] = frame.take::<1>()?;
            if place < in_front.meaning {
                meaning.push(octet);
            }
        }
        let packet = whole(frame)?;
        return ((packet.len() + pl).is_multiple_of(4)).then(|| (Pdu::Sd { number: last.number, packet }, meaning));
    }
    if !frame.remaining().is_multiple_of(4) {
        return None;
    }
    other_kinds(frame, kind, pl, &last).map(|pdu| (pdu, Head::new()))
}

fn other_kinds(mut frame: Frame, kind: u8, pl: usize, last: &Word) -> Option<Pdu> {
    Some(match kind {
        types::UD => Pdu::Ud { packet: information(frame, pl)? },
        types::MD => Pdu::Md { packet: information(frame, pl)? },
        types::BGN => Pdu::Bgn { sq: number_of_attempt(&mut frame)?, mr: last.number, uu: information(frame, pl)? },
        types::RS => Pdu::Rs { sq: number_of_attempt(&mut frame)?, mr: last.number, uu: information(frame, pl)? },
        types::BGAK => Pdu::Bgak { mr: behind_nothing(&mut frame, last)?, uu: information(frame, pl)? },
        types::BGREJ => {
            behind_nothing(&mut frame, last)?;
            Pdu::Bgrej { uu: information(frame, pl)? }
        }
        types::END => {
            behind_nothing(&mut frame, last)?;
            Pdu::End { by_sscop: last.top & BY_SSCOP != 0, uu: information(frame, pl)? }
        }
        types::STAT => {
            let (mr, ps) = (Word::take(&mut frame)?.number, Word::take(&mut frame)?.number);
            Pdu::Stat(Stat { list: whole(frame)?, ps, mr, r: last.number })
        }
        _ => return fixed(frame, kind, last),
    })
}

/// PDUs that are always as long.
fn fixed(mut frame: Frame, kind: u8, last: &Word) -> Option<Pdu> {
    let pdu = match kind {
        types::ENDAK => {
            behind_nothing(&mut frame, last)?;
            Pdu::Endak
        }
        types::RSAK => Pdu::Rsak { mr: behind_nothing(&mut frame, last)? },
        types::ERAK => Pdu::Erak { mr: behind_nothing(&mut frame, last)? },
        types::ER => Pdu::Er { sq: number_of_attempt(&mut frame)?, mr: last.number },
        types::POLL => Pdu::Poll { ps: Word::take(&mut frame)?.number, s: last.number },
        types::USTAT => {
            let (mr, end) = (Word::take(&mut frame)?.number, Word::take(&mut frame)?.number);
            Pdu::Ustat { first: Word::take(&mut frame)?.number, end, mr, r: last.number }
        }
        _ => return None,
    };
    (frame.remaining() == 0).then_some(pdu)
}

/// Four octets: one for itself, and a number.
struct Word {
    top: u8,
    number: u32,
}

impl Word {
    fn take(frame: &mut Frame) -> Option<Self> {
        let [top, high, middle, low] = frame.take_last::<4>()?;
        Some(Self { top, number: u32::from_be_bytes([0, high, middle, low]) })
    }
}

/// N(SQ): the last octet of a word whose others are reserved.
fn number_of_attempt(frame: &mut Frame) -> Option<u8> {
    Word::take(frame).map(|word| word.number.to_be_bytes()[3])
}

/// The number of a PDU that has a reserved word in front of its last one.
fn behind_nothing(frame: &mut Frame, last: &Word) -> Option<u32> {
    Word::take(frame).map(|_| last.number)
}

/// What is left of the frame without its padding.
fn information(mut frame: Frame, padding: usize) -> Option<Bytes> {
    for _ in 0..padding {
        frame.take_last::<1>()?;
    }
    whole(frame)
}

/// What is left of the frame, which has no head any more.
fn whole(frame: Frame) -> Option<Bytes> {
    frame.head.is_empty().then_some(frame.body)
}
