//! A datagram octet by octet.
//!
//! ```text
//!      7   6   5   4   3           0
//!     +---+---+-------+-------------+--------+ - - - - - - - - +
//!     | 0 | p | epoch |      number          | one frame (p=0), |    in the steady state
//!     +---+---+-------+-------------+--------+ or several (p=1)|
//!     +---+---+---+---+---+---------+---------------+---------------+ - - - +
//!     | 1   0 | 0   0   0 |  kind   | epoch, 4      | number, 4     | by kind|   in full
//!     +---+---+---+---+---+---------+---------------+---------------+ - - - +
//!     +---+---+---+---+---+---+-----+---------+--------------+---------+---------+
//!     | 1   1 | 0   0   0   0 | c| a| boot, 8 | challenge, 4 | peer, 8 | echo, 4 |  hello: c of the client,
//!     +---+---+---+---+---+---+-----+---------+--------------+---------+---------+         a asks for one
//!
//!     one frame   its tag, its head, its body
//!     several     +--------+-------+--------+-------+----           length: 1 octet below 128, else 2 with the highest
//!                 | length | frame | length | frame | ...           bit set; 0: a report, 16 octets, stands there
//!                 +--------+-------+--------+-------+----
//!     report      newest number, 4 | octets, 4 | time in us, 4 | the largest, 2 | s and hold in 64 us, 2
//!     piece       frame, 2 | last and index, 1 | its octets         s: numbers and epoch may be short from now on
//!     ping        nothing; by one line of several, 1: 1 where it is spare from now on, 0 where it is not
//!     probe       size, 2 | zeros            answer   size, 2
//! ```
//!
//! The first octet is the tag of the datagram's [`Frame`]. All numbers are written highest octet first.

use arqway_contract::{Frame, Side, Tag};
use arqway_units::{Span, Time};
use arrayvec::ArrayVec;
use bytes::{Buf, Bytes, BytesMut};

/// What a datagram carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// A frame, to the datagram's end.
    One,
    /// Frames with their lengths, and reports.
    Several,
    /// A part of a frame that is larger than a datagram.
    Piece,
    /// Nothing, or what the line is used for: it wants a report.
    Ping,
    /// Zeros: it wants an answer that says how large it was.
    Probe,
    /// The size of a probe that arrived.
    Answer,
}

/// How a datagram is told from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// By the last bits of epoch and number.
    Short { epoch: u8, number: u16 },
    /// By all of them.
    Full { epoch: u32, number: u32 },
}

/// How many bits a short number has.
pub(super) const NUMBER_BITS: u32 = 12;
/// How many bits a short epoch has.
pub(super) const EPOCH_BITS: u32 = 2;
/// Octets before the content, with the first one.
pub(super) const SHORT: usize = 2;
/// The same where the name is in full.
pub(super) const FULL: usize = 9;
/// What stands before a frame at most: a name in full, and a length.
pub(super) const MOST_BEFORE: usize = FULL + 2;
/// A report among frames, with the length that stands for it.
pub(super) const REPORT: usize = 17;
/// What stands before a piece's octets.
pub(super) const PIECE: usize = 3;
/// What stands in a probe before the zeros.
pub(super) const PROBE: usize = 2;
/// A hello, with its first octet.
pub(super) const HELLO: usize = 25;

/// What a ping says of the use of its line: frames go by it like by others, or only where there is no other.
pub(super) const USED: u8 = 0;
pub(super) const SPARE: u8 = 1;

const IN_FULL: u8 = 0b1000_0000;
const IS_HELLO: u8 = 0b1100_0000;
const SEVERAL: u8 = 0b0100_0000;
const OF_CLIENT: u8 = 2;
const ASKS: u8 = 1;
const KINDS: [Content; 6] =
    [Content::One, Content::Several, Content::Piece, Content::Ping, Content::Probe, Content::Answer];

/// The last bits of an epoch.
pub(super) fn short_epoch(epoch: u32) -> u8 {
    epoch.to_be_bytes()[3] & ((1 << EPOCH_BITS) - 1)
}

/// What stands before a datagram's content: the first octet as a tag, and the rest.
pub(super) fn write_name(content: Content, name: Name) -> (Tag, ArrayVec<u8, 8>) {
    let mut rest = ArrayVec::new();
    let first = match name {
        Name::Short { epoch, number } => {
            let [high, low] = number.to_be_bytes();
            rest.push(low);
            let several = if content == Content::Several { SEVERAL } else { 0 };
            several | epoch << 4 | high & 0x0F
        }
        Name::Full { epoch, number } => {
            rest.extend(epoch.to_be_bytes());
            rest.extend(number.to_be_bytes());
            let kind = KINDS.iter().position(|kind| *kind == content).and_then(|kind| u8::try_from(kind).ok());
            IN_FULL | kind.unwrap_or(0)
        }
    };
    (Tag::from_octet(first), rest)
}

/// A datagram of a first octet, what stands before its content, and its content.
pub(super) fn datagram(tag: Tag, before: &[u8], content: Bytes) -> Frame {
    let mut datagram = Frame::from_wire(tag, content);
    datagram.head.extend(before.iter().copied());
    datagram
}

/// Whether a datagram is a hello.
pub(super) fn is_hello(tag: Tag) -> bool {
    tag.as_octet() >= IS_HELLO
}

/// Whether a datagram is a probe.
pub(super) fn is_probe(tag: Tag) -> bool {
    KINDS.get(usize::from(tag.as_octet() ^ IN_FULL)) == Some(&Content::Probe)
}

/// Takes what stands before the content off a datagram that is no hello, or `None` where it cannot be read.
pub(super) fn take_name(datagram: &mut Frame) -> Option<(Content, Name)> {
    let first = datagram.tag.as_octet();
    if first & IN_FULL == 0 {
        let [low] = datagram.take()?;
        let content = if first & SEVERAL == 0 { Content::One } else { Content::Several };
        let number = u16::from_be_bytes([first & 0x0F, low]);
        return Some((content, Name::Short { epoch: first >> 4 & 3, number }));
    }
    let content = *KINDS.get(usize::from(first ^ IN_FULL))?;
    let (epoch, number) = (u32::from_be_bytes(datagram.take()?), u32::from_be_bytes(datagram.take()?));
    Some((content, Name::Full { epoch, number }))
}

/// The whole number nearest to `near` whose last `bits` are those of `low`.
pub(super) fn expand(low: u64, bits: u32, near: u64) -> u64 {
    let size = 1u64 << bits;
    let candidate = near & !(size - 1) | low;
    if candidate + size / 2 <= near {
        candidate + size
    } else if candidate > near + size / 2 {
        candidate.checked_sub(size).unwrap_or(candidate)
    } else {
        candidate
    }
}

/// Who an end is, and what it knows of its peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hello {
    pub(super) of_client: bool,
    /// Whether the sender wants one back.
    pub(super) asks: bool,
    /// The sender's boot number.
    pub(super) boot: u64,
    /// What the peer has to echo.
    pub(super) challenge: u32,
    /// The boot number of the peer that `echo` is for.
    pub(super) peer: u64,
    /// The challenge heard last; 0 if none was.
    pub(super) echo: u32,
}

/// Whether a side is the client's.
pub(super) fn is_client(side: Side) -> bool {
    side == Side::Client
}

impl Hello {
    pub(super) fn write(&self) -> Frame {
        let mut head: ArrayVec<u8, { HELLO - 1 }> = ArrayVec::new();
        head.extend(self.boot.to_be_bytes());
        head.extend(self.challenge.to_be_bytes());
        head.extend(self.peer.to_be_bytes());
        head.extend(self.echo.to_be_bytes());
        let client = if self.of_client { OF_CLIENT } else { 0 };
        let asks = if self.asks { ASKS } else { 0 };
        datagram(Tag::from_octet(IS_HELLO | client | asks), &head, Bytes::new())
    }

    /// Reads a datagram whose first octet says that it is one.
    pub(super) fn read(mut datagram: Frame) -> Option<Self> {
        let flags = datagram.tag.as_octet() ^ IS_HELLO;
        let boot = u64::from_be_bytes(datagram.take()?);
        let challenge = u32::from_be_bytes(datagram.take()?);
        let peer = u64::from_be_bytes(datagram.take()?);
        let echo = u32::from_be_bytes(datagram.take()?);
        let is_read = flags & !(OF_CLIENT | ASKS) == 0 && datagram.remaining() == 0;
        is_read.then_some(Self {
            of_client: flags & OF_CLIENT != 0,
            asks: flags & ASKS != 0,
            boot,
            challenge,
            peer,
            echo,
        })
    }
}

/// What a receiver has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Report {
    /// The newest datagram's number: the last 32 bits.
    pub(super) newest: u32,
    /// How many octets arrived in this epoch: the last 32 bits.
    pub(super) octets: u32,
    /// When the newest arrived, by the receiver's clock, in microseconds: the last 32 bits.
    pub(super) arrived: u32,
    /// The largest datagram that arrived since the last report.
    pub(super) largest: u16,
    /// Whether one since then was marked on its way, which is congested (ECN).
    pub(super) is_marked: bool,
    /// How long ago the newest arrived: `None` if that is too long to be said.
    pub(super) hold: Option<Span>,
    /// Whether what comes in may have a short name from now on.
    pub(super) takes_short: bool,
}

const HOLD_UNIT: Span = Span::from_nanoseconds(64_000);
const TAKES_SHORT: u16 = 0x8000;
const MARKED: u16 = 0x4000;
const TOO_LONG: u16 = 0x3FFF;

/// A time as reports have it.
pub(super) fn microseconds(time: Time) -> u32 {
    u32::try_from(time.as_nanoseconds() / 1000 % (1 << 32)).unwrap_or(0)
}

impl Report {
    fn write(&self, out: &mut BytesMut) {
        let units = self.hold.map(|hold| hold.as_nanoseconds() / HOLD_UNIT.as_nanoseconds());
        let units = units.and_then(|units| u16::try_from(units).ok()).unwrap_or(TOO_LONG).min(TOO_LONG);
        let short = if self.takes_short { TAKES_SHORT } else { 0 };
        let marked = if self.is_marked { MARKED } else { 0 };
        out.extend_from_slice(&self.newest.to_be_bytes());
        out.extend_from_slice(&self.octets.to_be_bytes());
        out.extend_from_slice(&self.arrived.to_be_bytes());
        out.extend_from_slice(&self.largest.to_be_bytes());
        out.extend_from_slice(&(units | short | marked).to_be_bytes());
    }

    fn take(octets: &mut Bytes) -> Option<Self> {
        if octets.len() < REPORT - 1 {
            return None;
        }
        let (newest, received, arrived) = (octets.get_u32(), octets.get_u32(), octets.get_u32());
        let (largest, last) = (octets.get_u16(), octets.get_u16());
        let units = last & TOO_LONG;
        let hold = (units < TOO_LONG).then(|| HOLD_UNIT * u64::from(units));
        let [takes_short, is_marked] = [TAKES_SHORT, MARKED].map(|bit| last & bit != 0);
        Some(Self { newest, octets: received, arrived, largest, is_marked, hold, takes_short })
    }
}

/// How many octets say the length of a frame.
pub(super) const fn prefix(length: usize) -> usize {
    if length < 0x80 { 1 } else { 2 }
}

/// Adds a frame and its length.
pub(super) fn put_frame(out: &mut BytesMut, frame: &Frame) {
    let length = frame.size().as_usize();
    match u8::try_from(length).ok().filter(|length| *length < 0x80) {
        Some(length) => out.extend_from_slice(&[length]),
        None => out.extend_from_slice(&(0x8000 | u16::try_from(length).unwrap_or(0)).to_be_bytes()),
    }
    out.extend_from_slice(&[frame.tag.as_octet()]);
    frame.parts().iter().for_each(|part| out.extend_from_slice(part));
}

/// Adds a report.
pub(super) fn put_report(out: &mut BytesMut, report: &Report) {
    out.extend_from_slice(&[0]);
    report.write(out);
}

/// One of several.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    Frame(Frame),
    Report(Report),
}

/// Takes the next of several off their octets; what cannot be read is an error, and nothing behind it can be read either.
pub(super) fn take_item(octets: &mut Bytes) -> Option<Result<Item, Malformed>> {
    if octets.is_empty() { None } else { Some(read_item(octets).ok_or(Malformed)) }
}

/// What was not written by a bearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

fn read_item(octets: &mut Bytes) -> Option<Item> {
    let first = octets.get_u8();
    if first == 0 {
        return Report::take(octets).map(Item::Report);
    }
    let length = match octets.first() {
        _ if first < 0x80 => usize::from(first),
        Some(low) => usize::from(u16::from_be_bytes([first & 0x7F, *low])),
        None => return None,
    };
    octets.advance(usize::from(first >= 0x80));
    if length > octets.len() {
        return None;
    }
    take_frame(octets.split_to(length)).map(Item::Frame)
}

/// The frame that these octets are.
pub(super) fn take_frame(mut octets: Bytes) -> Option<Frame> {
    let tag = octets.split_to(1.min(octets.len()));
    Some(Frame::from_wire(Tag::from_octet(*tag.first()?), octets))
}

/// All that is left of a datagram, in one run: shared where it came off a wire.
pub(super) fn octets(datagram: Frame) -> Bytes {
    let [before, body, behind] = datagram.parts();
    if before.is_empty() && behind.is_empty() { datagram.body } else { [before, body, behind].concat().into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_contract::Kind;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn read_back(mut frame: Frame, octets: &[u8]) -> (Option<(Content, Name)>, bool) {
        let mut wired = Frame::from_wire(frame.tag, frame.parts().concat().into());
        let names = [take_name(&mut frame), take_name(&mut wired)];
        (names[0], names[0] == names[1] && super::octets(frame) == octets && super::octets(wired) == octets)
    }

    #[test]
    fn a_name_reads_back_as_it_was_written() {
        let short = (0..4).map(|epoch| Name::Short { epoch, number: 0xABC });
        let full = core::iter::once(Name::Full { epoch: 0xDEAD_BEEF, number: u32::MAX });
        for (name, content) in short.zip([Content::One, Content::Several].into_iter().cycle()).chain(full.zip(KINDS)) {
            let (tag, head) = write_name(content, name);
            let frame = datagram(tag, &head, Bytes::from_static(b"content"));
            assert_eq!(read_back(frame, b"content"), (Some((content, name)), true));
        }
    }

    #[test]
    fn a_datagram_with_unused_bits_set_is_malformed() {
        for first in 0x86..0xC0 {
            let mut frame = Frame::from_wire(Tag::from_octet(first), Bytes::from_static(&[0; 20]));
            assert_eq!(take_name(&mut frame), None, "{first:#x}");
        }
        for first in 0xC4..=0xFF {
            assert_eq!(Hello::read(Frame::from_wire(Tag::from_octet(first), Bytes::from_static(&[0; 24]))), None);
        }
    }

    #[test]
    fn a_hello_has_25_octets_and_no_other_number_of_them() {
        let hello = Hello { of_client: true, asks: false, boot: u64::MAX, challenge: 7, peer: 9, echo: 11 };
        let frame = hello.write();
        assert_eq!((frame.size().as_usize(), Hello::read(frame.clone())), (HELLO, Some(hello)));
        for length in (0..40).filter(|length| *length != HELLO - 1) {
            let frame = Frame::from_wire(frame.tag, Bytes::copy_from_slice(&[1; 40][..length]));
            assert_eq!(Hello::read(frame), None, "{length}");
        }
    }

    #[test]
    fn a_short_number_means_the_nearest_one() {
        for near in [0, 5, 4000, 4096, 5000, 100_000] {
            for number in near.max(2047) - 2047..near + 2048 {
                assert_eq!(expand(number & 0xFFF, 12, near), number, "near {near}");
            }
        }
    }

    proptest! {
        #[test]
        fn several_frames_and_a_report_read_back(
            sizes in proptest::collection::vec(0usize..400, 0..6),
            newest in any::<u32>(), largest in any::<u16>(), hold in proptest::option::of(0u64..2000), short in any::<bool>(), is_marked in any::<bool>(),
        ) {
            let hold = hold.map(|units| HOLD_UNIT * units);
            let report = Report { newest, octets: !newest, arrived: newest / 2, largest, is_marked, hold, takes_short: short };
            let frames: Vec<_> = sizes.iter().map(|size| {
                Frame::new(Kind::new(3), &[1, 2], std::vec![7; *size].into()).with_trailer(&[9])
            }).collect();
            let mut out = BytesMut::new();
            frames.iter().for_each(|frame| put_frame(&mut out, frame));
            put_report(&mut out, &report);
            let sizes = frames.iter().map(|frame| frame.size().as_usize());
            prop_assert_eq!(out.len(), sizes.map(|size| prefix(size) + size).sum::<usize>() + REPORT);
            let mut octets = out.freeze();
            for frame in frames {
                let wired = Frame::from_wire(frame.tag, frame.parts().concat().into());
                prop_assert_eq!(take_item(&mut octets), Some(Ok(Item::Frame(wired))));
            }
            prop_assert_eq!(take_item(&mut octets), Some(Ok(Item::Report(report))));
            prop_assert_eq!(take_item(&mut octets), None);
        }

        #[test]
        fn any_octets_are_read_to_their_end_or_are_malformed(octets in proptest::collection::vec(any::<u8>(), 0..80)) {
            let mut octets = Bytes::from(octets);
            while let Some(Ok(_)) = take_item(&mut octets) {}
        }
    }
}
