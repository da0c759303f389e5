//! The octets of tally. Nothing else knows them; who watches frames reads them by [`parse`].
//!
//! The tag's kind tells the frames apart. A frame number counts frames; the transmission counter counts transmissions, those of
//! the same frame again too. Both are the low bits: eleven each in the short form, eighteen in the long one. The short form can
//! be read while there are at most 1,024 frames, or transmissions, of which nothing is known yet. The tiny form has eight and seven. It
//! does for 64 of them, and for a copy that arrives behind up to 192 later frames; one that is later would be taken for another
//! frame. So it is for slow lines that keep the order, on which so many frames take a second.
//!
//! ```text
//!     kind 0  data                | number 11, counter 11, S, E | octets ...
//!     kind 1  data, link          | number 11, counter 11, S, E | link | octets ...                            E = 1
//!     kind 2  data, feedback      | number 11, counter 11, S, E | L, length 7 | link | next 11, newest 11, lateness 2 | runs
//!                                 | octets ...
//!     kind 3  data, long form     | number 18, counter 18, S, E, F, L | link | octets ...                      F = 0
//!                                 | number 18, counter 18, S, E, F, L | link | 0, length 7 | next 18, newest 18, lateness 2, U, 0
//!                                 | runs | octets ...                                                          F = 1
//!     kind 4  feedback            | next 11, newest 11, lateness 2 | runs to the end
//!     kind 5  feedback, long form | next 18, newest 18, lateness 2, U, 0 | runs to the end
//!             poll                | counter 18, zeros 6 |                        nothing else has three octets
//!     kind 6  piece of a frame    | number 18, counter 18, S, E, P, L | link | offset 16 | octets ...          P: the last piece
//!             frames given up     | number 18, counter 18, S, 0, 0, 0 | count 16 |                     nothing else has seven octets
//!             repair              | number 18, counter 18, 0, 0, 1, 1 | count 10, key 6 | sum ...            no piece has a link without E
//!     kind 7  whole packet, tiny  | number 8, counter 7, N | octets ...                     as if S and E were set; N: the link is 0
//! ```
//!
//! S: a packet starts with this frame; E: it ends with it; L: there is a link. Only a frame that ends a packet has one, and only
//! where packets are not released in the order of their numbers (see [`crate::Resequencing`]): how many frames back the one is
//! that must go before it, 0 where there is none. Without a link it is the one that ended the packet before. Link and runs are
//! numbers of seven bits an octet, the higher ones first; the first bit says that another octet follows.
//!
//! Runs: how far the highest frame received is ahead of the next one awaited, then how many frames down from there were
//! received, how many below those are missing, and so on. With U: one more than the distance from the next one
//! awaited to the first frame told of, then how many frames up from there are missing, how many above those were received, and so on. *length* is how many octets they take. Zeros behind them say nothing.

mod write;

pub(super) use write::{given_up, piece, poll, put_variable, repair, write_counter};

use super::feedback::{Feedback, Lateness, Runs};
use crate::arq::Seq;
use crate::contract::{Frame, Kind};
use arqway_units::Octets;
use bytes::Bytes;

/// A frame number.
pub(super) type Number = Seq<18>;
/// A transmission counter.
pub(super) type Counter = Seq<18>;
/// The low bits of either in the short form.
type Short = Seq<11>;
/// Those of a frame number in the tiny form.
type TinyNumber = Seq<8>;
/// Those of a transmission counter.
type TinyCounter = Seq<7>;

const DATA: Kind = Kind::new(0);
const DATA_LINK: Kind = Kind::new(1);
const DATA_FEEDBACK: Kind = Kind::new(2);
const LONG: Kind = Kind::new(3);
const FEEDBACK: Kind = Kind::new(4);
const LONG_FEEDBACK_OR_POLL: Kind = Kind::new(5);
const PIECE_OR_GIVEN_UP: Kind = Kind::new(6);
const WHOLE: Kind = Kind::new(7);

/// So many frames, or transmissions, may be of unknown fate where the tiny form is used: half of its counters.
pub(super) const TINY_REACH: u64 = TinyCounter::MODULUS / 2;
/// The same of the short form: half of its numbers.
pub(super) const SHORT_REACH: u64 = Short::MODULUS / 2;
/// The same of the long form, and so the largest window.
pub(super) const LONG_REACH: u64 = Number::MODULUS / 2;
/// The longest packet: what an IP header can say.
pub(super) const LONGEST_PACKET: usize = 65_535;
/// A packet is not cut into frames of less, unless it ends with one.
pub(super) const LEAST_CUT: usize = 16;
/// So many cuts it has at most.
pub(super) const MOST_CUTS: usize = LONGEST_PACKET / LEAST_CUT + 1;
/// What a poll takes behind the tag.
pub(super) const POLL: usize = 3;
/// The same of what tells of frames that were given up.
pub(super) const GIVEN_UP: usize = 7;
/// What a repair frame has behind the tag and before the sum.
pub(super) const REPAIR: usize = 7;
/// What stands in front of a frame's octets in a sum.
pub(super) const IN_SUM: usize = 5;
/// The most frames that a sum is of.
pub(super) const MOST_IN_SUM: usize = 512;
/// The marks that tell a repair frame from a piece.
const REPAIR_FLAGS: u64 = 3;
/// What a head has room for.
const MOST: usize = 20;
/// What a link takes at most.
pub(super) const MOST_OF_LINK: usize = 3;
/// What a frame takes at most besides its octets, tag and link included.
pub(super) const MOST_BEFORE_OCTETS: Octets = Octets::new(1 + 5 + 3 + 2);

/// How wide numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Eight bits for a frame, seven for a transmission. Only data have it.
    Tiny,
    /// Eleven bits.
    Short,
    /// Eighteen bits.
    Long,
}

impl Form {
    /// The frame that these low bits are, where `next` is the first one that is missing.
    pub(super) fn number_near(self, next: u64, bits: u64) -> u64 {
        if self == Self::Tiny {
            let behind = TinyNumber::MODULUS - TINY_REACH;
            return TinyNumber::at_or_after(TinyNumber::new(next.saturating_sub(behind)), bits).as_u64();
        }
        self.from(next.saturating_sub(self.reach()), bits)
    }

    /// The transmission that these low bits are, where `newest` is the newest one that has arrived.
    pub(super) fn counter_near(self, newest: u64, bits: u64) -> u64 {
        self.from((newest + 1).saturating_sub(self.reach()), bits)
    }

    /// The first number from `base` on that these low bits are; a frame's in the tiny form has more of them.
    pub(super) fn from(self, base: u64, bits: u64) -> u64 {
        match self {
            Self::Tiny => TinyCounter::at_or_after(TinyCounter::new(base), bits).as_u64(),
            Self::Short => Short::at_or_after(Short::new(base), bits).as_u64(),
            Self::Long => Number::at_or_after(Number::new(base), bits).as_u64(),
        }
    }

    /// How many frames, or transmissions, may be of unknown fate.
    pub(super) const fn reach(self) -> u64 {
        match self {
            Self::Tiny => TINY_REACH,
            Self::Short => SHORT_REACH,
            Self::Long => LONG_REACH,
        }
    }

    /// How many octets two numbers take.
    pub(super) const fn head(self) -> usize {
        match self {
            Self::Tiny => 2,
            Self::Short => 3,
            Self::Long => 5,
        }
    }

    /// How many octets of runs fit into a data frame with feedback.
    pub(super) const fn most_runs(self) -> usize {
        MOST - MOST_OF_LINK - 2 * self.head() - 1
    }
}

/// How many octets of runs feedback alone has at most.
pub(super) const MOST_RUNS_ALONE: usize = 96;
/// How much memory for runs is taken at once.
const SLAB: usize = 4096;

/// A frame as received: numbers are still the low bits, for whoever knows the windows to expand.
#[derive(Debug, PartialEq, Eq)]
pub enum Pdu {
    /// A cut of a packet, or all of it.
    Data(Cut, Option<Feedback>),
    /// A piece of a cut that did not fit into a frame any more.
    Piece {
        /// The cut; its octets are those of the piece.
        cut: Cut,
        /// Where in the cut the piece begins.
        offset: u16,
        /// Whether it is the last piece.
        is_last: bool,
    },
    /// What has arrived at who sends this.
    Feedback(Feedback),
    /// Wants feedback at once.
    Poll {
        /// The transmission counter of this frame.
        counter: u64,
    },
    /// Frames of one packet that will not come.
    GivenUp {
        /// The first of them.
        number: u64,
        /// The transmission counter of this frame.
        counter: u64,
        /// The packet starts with the first of them.
        starts: bool,
        /// How many.
        count: u16,
    },
    /// A sum of frames.
    Repair(Repair),
}

/// A sum of frames, from which one that was lost can be worked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The first frame of the sum.
    pub first: u64,
    /// The transmission counter of this frame.
    pub counter: u64,
    /// How many frames it is the sum of.
    pub count: u16,
    /// With the number of a frame, how many times that is taken.
    pub key: u8,
    /// The sum.
    pub sum: Bytes,
}

/// What a data frame carries, and its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// How wide its numbers are.
    pub form: Form,
    /// The frame number.
    pub number: u64,
    /// The transmission counter.
    pub counter: u64,
    /// A packet starts with it.
    pub starts: bool,
    /// A packet ends with it.
    pub ends: bool,
    /// How many frames back the one is that must go before the packet, where the frame says so.
    pub link: Option<u32>,
    /// A part of a packet.
    pub octets: Bytes,
}

/// What of a data frame's head is known when it is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// The narrowest form that its numbers may have.
    pub(super) narrowest: Form,
    pub(super) number: Number,
    pub(super) starts: bool,
    pub(super) ends: bool,
    /// Where the frame bears one.
    pub(super) link: Option<u32>,
    /// Room that is set aside for feedback: none, without runs, or with so many octets of runs.
    pub(super) feedback: Option<usize>,
}

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
        LONG => {
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
            Pdu::Data(cut, feedback)
        }
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

impl Cut {
    fn of(form: Form, number: u64, counter: u64, starts: bool, ends: bool) -> Self {
        Self { form, number, counter, starts, ends, link: None, octets: Bytes::new() }
    }
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
    let (lateness, mut runs) = (Lateness::from_bits(lateness), read_runs(frame, runs)?);
    runs.upward = rest & 2 != 0;
    (rest & 1 == 0).then_some(Feedback { form, next, newest, lateness, runs })
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
pub(super) fn check(kind: u8, octets: &[u8], is_linked: bool, pdu: &Pdu) {
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
            assert!(kind == 4 || bits(39, 1) == 0);
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
