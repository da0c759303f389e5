//! Frames of tally as they are read.

use super::feedback::{Feedback, Lateness, Runs};
use super::layout::{
    DATA, DATA_FEEDBACK, DATA_LINK, FEEDBACK, Form, GIVEN_UP, IN_SUM, LONG, LONG_FEEDBACK_OR_POLL, MOST_CUTS,
    MOST_IN_SUM, MOST_OF_LINK, PIECE_OR_GIVEN_UP, POLL, REPAIR_FLAGS, WHOLE,
};
use super::pdu::{Cut, Pdu, Repair};
use arqway_contract::{Frame, LineId};

/// Reads a frame, or `None` where it is none of tally's: too short or too long, of no octets, with a link where there is none
/// to be, or with bits set that mean nothing.
#[must_use]
pub fn parse(mut frame: Frame, is_linked: bool) -> Option<Pdu> {
    let kind = frame.tag.kind();
    let pdu = match kind {
        DATA | DATA_LINK | DATA_FEEDBACK => {
            let (number, counter, flags) = read_short(&mut frame)?;
            let mut cut = Cut::of(Form::Short, number, counter, flags & 2 != 0, flags & 1 != 0);
            let length = if kind == DATA_FEEDBACK { Some(read_length(&mut frame)?) } else { None };
            let has_link = kind == DATA_LINK || length.is_some_and(|(has_link, _)| has_link);
            cut.link = read_link(&mut frame, has_link)?;
            let feedback = match length {
                Some((_, length)) => Some(read_feedback(&mut frame, Form::Short, length)?),
                None => None,
            };
            cut.octets = frame.into_packet()?;
            Pdu::Data(cut, feedback)
        }
        LONG => read_long_data(frame)?,
        LONG_FEEDBACK_OR_POLL if frame.remaining() == POLL => {
            let [high, middle, low] = frame.take()?;
            let bits = u32::from_be_bytes([0, high, middle, low]);
            return bits.is_multiple_of(64).then(|| Pdu::Poll { counter: (bits >> 6).into() });
        }
        FEEDBACK | LONG_FEEDBACK_OR_POLL => {
            let form = if kind == FEEDBACK { Form::Short } else { Form::Long };
            let length = frame.remaining().checked_sub(form.head())?;
            return read_feedback(&mut frame, form, length).map(Pdu::Feedback);
        }
        WHOLE => {
            let [number, counter] = frame.take()?;
            let mut cut = Cut::of(Form::Tiny, number.into(), (counter >> 1).into(), true, true);
            cut.link = (counter & 1 == 1).then_some(0);
            cut.octets = frame.into_packet()?;
            Pdu::Data(cut, None)
        }
        PIECE_OR_GIVEN_UP if frame.remaining() == GIVEN_UP => return read_given_up(&mut frame),
        _ => {
            let (number, counter, flags) = read_long(&mut frame)?;
            if flags == REPAIR_FLAGS {
                return read_repair(frame, number, counter);
            }
            let mut cut = Cut::of(Form::Long, number, counter, flags & 8 != 0, flags & 4 != 0);
            cut.link = read_link(&mut frame, flags & 1 != 0)?;
            let offset = u16::from_be_bytes(frame.take()?);
            cut.octets = frame.into_packet()?;
            Pdu::Piece { cut, offset, is_last: flags & 2 != 0 }
        }
    };
    let (Pdu::Data(cut, _) | Pdu::Piece { cut, .. }) = &pdu else { return Some(pdu) };
    (cut.link.is_none() || is_linked && cut.ends).then_some(pdu)
}

/// A cut with numbers of 18 bits, perhaps with feedback in front.
fn read_long_data(mut frame: Frame) -> Option<Pdu> {
    let (number, counter, flags) = read_long(&mut frame)?;
    let mut cut = Cut::of(Form::Long, number, counter, flags & 8 != 0, flags & 4 != 0);
    cut.link = read_link(&mut frame, flags & 1 != 0)?;
    let feedback = if flags & 2 == 0 {
        None
    } else {
        let (rest, length) = read_length(&mut frame)?;
        Some(read_feedback(&mut frame, Form::Long, length).filter(|_| !rest)?)
    };
    cut.octets = frame.into_packet()?;
    Some(Pdu::Data(cut, feedback))
}

fn read_short(frame: &mut Frame) -> Option<(u64, u64, u32)> {
    let [high, middle, low] = frame.take()?;
    let bits = u32::from_be_bytes([0, high, middle, low]);
    Some(((bits >> 13).into(), (bits >> 2 & 0x7ff).into(), bits & 3))
}

fn read_long(frame: &mut Frame) -> Option<(u64, u64, u64)> {
    let [a, b, c, d, e] = frame.take()?;
    let bits = u64::from_be_bytes([0, 0, 0, a, b, c, d, e]);
    Some((bits >> 22, bits >> 4 & 0x3_ffff, bits & 15))
}

/// The link, where there is to be one; `None` if it cannot be read.
#[expect(clippy::option_option, reason = "it may be absent, and it may be unreadable")]
fn read_link(frame: &mut Frame, is_there: bool) -> Option<Option<u32>> {
    if is_there { read_variable(frame).map(|(link, _)| Some(link)) } else { Some(None) }
}

/// A number of seven bits an octet, at most three octets, and how many it took.
fn read_variable(frame: &mut Frame) -> Option<(u32, usize)> {
    let mut number = 0;
    for octets in 1..=MOST_OF_LINK {
        let [octet] = frame.take()?;
        number = number << 7 | u32::from(octet & 0x7f);
        if octet & 0x80 == 0 {
            return Some((number, octets));
        }
    }
    None
}

/// The octet in front of feedback in data: its first bit, and how many octets of runs there are.
fn read_length(frame: &mut Frame) -> Option<(bool, usize)> {
    let [octet] = frame.take()?;
    Some((octet & 0x80 != 0, usize::from(octet & 0x7f)))
}

fn read_given_up(frame: &mut Frame) -> Option<Pdu> {
    let (number, counter, flags) = read_long(frame)?;
    let count = u16::from_be_bytes(frame.take()?);
    let is_right = flags & 7 == 0 && (1..=MOST_CUTS).contains(&usize::from(count));
    is_right.then_some(Pdu::GivenUp { number, counter, starts: flags & 8 != 0, count })
}

fn read_repair(mut frame: Frame, first: u64, counter: u64) -> Option<Pdu> {
    let both = u16::from_be_bytes(frame.take()?);
    let [_, key] = (both % 64).to_be_bytes();
    let sum = frame.into_packet()?;
    let is_right = (1..=MOST_IN_SUM).contains(&usize::from(both / 64)) && sum.len() > IN_SUM;
    is_right.then_some(Pdu::Repair(Repair { first, counter, count: both / 64, key, sum }))
}

/// Feedback with so many octets of runs.
fn read_feedback(frame: &mut Frame, form: Form, runs: usize) -> Option<Feedback> {
    let (next, newest, lateness, rest) = match form {
        Form::Tiny => return None,
        Form::Short => {
            let (next, newest, lateness) = read_short(frame)?;
            (next, newest, u64::from(lateness), 0)
        }
        Form::Long => {
            let (next, newest, flags) = read_long(frame)?;
            (next, newest, flags >> 2, flags & 3)
        }
    };
    let lateness = Lateness::from_bits(lateness);
    let (line, octets) = match rest & 1 {
        0 => (None, runs),
        _ => {
            let [line] = frame.take()?;
            (Some(LineId::new(line)?), runs.checked_sub(1)?)
        }
    };
    let mut runs = read_runs(frame, octets)?;
    runs.upward = rest & 2 != 0;
    // The newest transmission of a line has arrived.
    let is_said = line.is_none() || !runs.upward && !runs.numbers.is_empty();
    is_said.then_some(Feedback { form, next, newest, lateness, line, runs })
}

/// Runs that take so many octets.
fn read_runs(frame: &mut Frame, octets: usize) -> Option<Runs> {
    let (mut left, mut runs, mut ended) = (octets, Runs::default(), false);
    while left > 0 {
        let (number, took) = read_variable(frame)?;
        left = left.checked_sub(took)?;
        ended |= number == 0;
        if ended && number != 0 {
            return None;
        }
        if !ended {
            runs.numbers.try_push(number).ok()?;
        }
    }
    Some(runs)
}

/// Holds the reader to a second opinion: what was read says what the octets say.
#[cfg(feature = "fuzz")]
pub(crate) fn check(kind: u8, octets: &[u8], is_linked: bool, pdu: &Pdu) {
    let bits = |from: usize, count: usize| {
        let bit = |place: usize| u64::from(octets[place / 8] >> (7 - place % 8) & 1);
        (from..from + count).fold(0, |number, place| number << 1 | bit(place))
    };
    match pdu {
        Pdu::Data(cut, feedback) => {
            let [number, counter] = match kind {
                3 => [18, 18],
                7 => [8, 7],
                _ => [11, 11],
            };
            assert_eq!((cut.number, cut.counter), (bits(0, number), bits(number, counter)));
            let mark = |place: usize| kind == 7 || bits(number + counter + place, 1) == 1;
            assert_eq!((cut.starts, cut.ends), (mark(0), mark(1)));
            assert_eq!(feedback.is_some(), kind == 2 || kind == 3 && bits(38, 1) == 1);
            let has_link = match kind {
                0 => false,
                1 => true,
                2 => bits(24, 1) == 1,
                3 => bits(39, 1) == 1,
                _ => bits(15, 1) == 1,
            };
            assert_eq!(cut.link.is_some(), has_link);
            assert!(!has_link || is_linked && cut.ends);
            assert!(octets.ends_with(&cut.octets) && !cut.octets.is_empty());
        }
        Pdu::Piece { cut, is_last, .. } => {
            assert_eq!((kind, cut.number, cut.counter, *is_last), (6, bits(0, 18), bits(18, 18), bits(38, 1) == 1));
            assert!(octets.ends_with(&cut.octets) && !cut.octets.is_empty());
        }
        Pdu::Feedback(feedback) => {
            let width = if kind == 4 { 11 } else { 18 };
            assert_eq!((feedback.next, feedback.newest), (bits(0, width), bits(width, width)));
            assert_eq!(feedback.lateness.bits(), bits(2 * width, 2));
            assert_eq!(feedback.runs.upward, kind == 5 && bits(38, 1) == 1);
            assert_eq!(feedback.line.is_some(), kind == 5 && bits(39, 1) == 1);
        }
        Pdu::Repair(Repair { first, counter, count, key, sum }) => {
            assert_eq!((kind, *first, *counter, bits(36, 4)), (6, bits(0, 18), bits(18, 18), 3));
            assert_eq!((u64::from(*count), u64::from(*key)), (bits(40, 10), bits(50, 6)));
            assert!(octets.ends_with(sum) && octets.len() == 7 + sum.len());
        }
        Pdu::Poll { counter } => assert_eq!((kind, octets.len(), *counter), (5, POLL, bits(0, 18))),
        Pdu::GivenUp { number, counter, starts, count } => {
            assert_eq!((kind, octets.len(), *number, *counter), (6, GIVEN_UP, bits(0, 18), bits(18, 18)));
            assert_eq!((u64::from(*starts), u64::from(*count)), (bits(36, 1), bits(40, 16)));
        }
    }
}
