//! A frame that is larger than a datagram may be, cut into pieces and put together again.
//!
//! Services cut packets, or carry none that are too large. What is left is a frame that fitted when it was made: the path's
//! MTU fell under a service that must send it again as it is. And IPv6 wants 1,280 octets carried whatever the path has. So
//! pieces are a fallback, and counted: where one is lost, so is the frame.
//!
//! ```text
//!     frame   |=========================|          piece: number of the frame, index, whether it is the last
//!     pieces  | 0 |====| 1 |====| 2 |===|
//! ```

use super::wire;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use arqway_contract::{Frame, Marks, Tag, Ticket};
use bytes::{Bytes, BytesMut};

/// How many pieces a frame may have.
const MOST: usize = 128;
const LAST: u8 = 0x80;
/// How many frames may be incomplete at once; the oldest gives way. A path that reorders mixes the pieces of many.
const INCOMPLETE: usize = 64;
/// How far apart the numbers of incomplete frames may be.
const NEAR: u16 = 1024;
/// How large a frame may become: that of the largest MTU.
const LARGEST: usize = 9216;

/// The frame that is being cut.
#[derive(Debug, Default)]
pub(super) struct Cutter {
    number: u16,
    index: u8,
    rest: Bytes,
    departure: Option<(Tag, Ticket)>,
    marks: Marks,
}

/// A piece, and what departs with it: the frame, if it is the last.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) head: [u8; wire::PIECE],
    pub(super) octets: Bytes,
    pub(super) departure: Option<(Tag, Ticket)>,
    /// What the frame says.
    pub(super) marks: Marks,
}

impl Piece {
    /// Whether the frame is whole with it.
    pub(super) fn is_last(&self) -> bool {
        self.head[2] & LAST != 0
    }
}

impl Cutter {
    /// Takes a frame to cut: the pieces of the one before have gone.
    pub(super) fn cut(&mut self, frame: &Frame, marks: Marks) {
        let mut octets = BytesMut::with_capacity(frame.size().as_usize());
        octets.extend_from_slice(&[frame.tag.as_octet()]);
        frame.parts().iter().for_each(|part| octets.extend_from_slice(part));
        let departure = frame.ticket.map(|ticket| (frame.tag, ticket));
        *self = Self { number: self.number.wrapping_add(1), index: 0, rest: octets.freeze(), departure, marks };
    }

    /// The next piece, of at most so many octets. There is none of a frame that would have too many.
    pub(super) fn next(&mut self, room: usize) -> Option<Piece> {
        if self.rest.is_empty() || room == 0 || usize::from(self.index) >= MOST {
            return None;
        }
        let octets = self.rest.split_to(room.min(self.rest.len()));
        let last = if self.rest.is_empty() { LAST } else { 0 };
        let [high, low] = self.number.to_be_bytes();
        let head = [high, low, self.index | last];
        self.index += 1;
        let departure = if last == 0 { None } else { self.departure.take() };
        Some(Piece { head, octets, departure, marks: self.marks })
    }

    /// The rest of a frame does not go. What waits for it to leave.
    pub(super) fn abandon(&mut self) -> Option<(Tag, Ticket)> {
        self.rest = Bytes::new();
        self.departure.take()
    }

    /// Gives a frame up that has more pieces than can be told apart: its service, which may wait for it to leave, is to learn that.
    pub(super) fn give_up(&mut self) -> Option<(Tag, Ticket)> {
        if usize::from(self.index) < MOST {
            return None;
        }
        self.rest = Bytes::new();
        self.departure.take()
    }
}

/// Frames of which some pieces have arrived.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    incomplete: VecDeque<Incomplete>,
}

#[derive(Debug)]
struct Incomplete {
    number: u16,
    pieces: Vec<Option<Bytes>>,
    /// How many pieces there are, once the last one has arrived.
    count: Option<usize>,
}

impl Assembler {
    /// A piece arrives; with the last one missing, the frame is there. An error where it cannot be a piece.
    pub(super) fn take(&mut self, mut datagram: Frame) -> Result<Option<Frame>, wire::Malformed> {
        let [high, low, index] = datagram.take().ok_or(wire::Malformed)?;
        let (number, is_last) = (u16::from_be_bytes([high, low]), index & LAST != 0);
        let index = usize::from(index & !LAST);
        let octets = wire::octets(datagram);
        if octets.is_empty() {
            return Err(wire::Malformed);
        }
        let place = self.place(number);
        let Some(frame) = self.incomplete.get_mut(place) else { return Ok(None) };
        frame.add(index, is_last, octets);
        if frame.size() > LARGEST || frame.count.is_some_and(|count| frame.pieces.len() > count) {
            self.incomplete.remove(place);
            return Err(wire::Malformed);
        }
        if !frame.is_whole() {
            return Ok(None);
        }
        let whole = self.incomplete.remove(place).map(Incomplete::join);
        Ok(whole.and_then(wire::take_frame))
    }

    fn place(&mut self, number: u16) -> usize {
        // What is left of frames long ago must not be taken for pieces of those that have their numbers now.
        let is_near = |other: u16| number.wrapping_sub(other).min(other.wrapping_sub(number)) < NEAR;
        self.incomplete.retain(|frame| is_near(frame.number));
        if let Some(place) = self.incomplete.iter().position(|frame| frame.number == number) {
            return place;
        }
        if self.incomplete.len() == INCOMPLETE {
            self.incomplete.pop_front();
        }
        self.incomplete.push_back(Incomplete { number, pieces: Vec::new(), count: None });
        self.incomplete.len() - 1
    }
}

impl Incomplete {
    fn add(&mut self, index: usize, is_last: bool, octets: Bytes) {
        if self.pieces.len() <= index {
            self.pieces.resize(index + 1, None);
        }
        self.pieces[index] = Some(octets);
        if is_last {
            self.count = Some(index + 1);
        }
    }

    fn size(&self) -> usize {
        self.pieces.iter().flatten().map(Bytes::len).sum()
    }

    fn is_whole(&self) -> bool {
        self.count == Some(self.pieces.len()) && self.pieces.iter().all(Option::is_some)
    }

    fn join(self) -> Bytes {
        let mut octets = BytesMut::with_capacity(self.size());
        self.pieces.iter().flatten().for_each(|piece| octets.extend_from_slice(piece));
        octets.freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_contract::Kind;
    use proptest::prelude::*;
    use std::vec;

    fn cut(cutter: &mut Cutter, frame: &Frame, room: usize) -> Vec<Frame> {
        cutter.cut(frame, Marks::default());
        let pieces = core::iter::from_fn(|| cutter.next(room));
        pieces.map(|piece| Frame::new(Kind::new(0), &piece.head, piece.octets)).collect()
    }

    fn large(octet: u8) -> Frame {
        Frame::new(Kind::new(1), &[octet; 3], vec![octet; 1000].into())
    }

    fn wired(frame: &Frame) -> Frame {
        Frame::from_wire(frame.tag, frame.parts().concat().into())
    }

    proptest! {
        #[test]
        fn a_frame_is_whole_again_however_its_pieces_arrive(
            size in 1usize..2000, room in 100usize..400, order in Just((0usize..40).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let frame = Frame::new(Kind::new(1), &[1, 2], vec![5; size].into()).with_trailer(&[3]);
            let pieces = cut(&mut Cutter::default(), &frame, room);
            prop_assert!(pieces.iter().all(|piece| piece.body.len() <= room));
            let mut assembler = Assembler::default();
            let arrives = order.into_iter().filter_map(|index| pieces.get(index));
            let whole: Vec<_> = arrives.filter_map(|piece| assembler.take(piece.clone()).expect("a piece")).collect();
            prop_assert_eq!(whole, [wired(&frame)]);
        }

        #[test]
        fn any_pieces_are_kept_within_bounds(pieces in proptest::collection::vec((0u16..90, any::<u8>(), 0usize..700), 0..600)) {
            let mut assembler = Assembler::default();
            for (number, index, size) in pieces {
                let [high, low] = number.to_be_bytes();
                let _ = assembler.take(Frame::new(Kind::new(0), &[high, low, index], vec![0; size].into()));
                prop_assert!(assembler.incomplete.len() <= INCOMPLETE);
                prop_assert!(assembler.incomplete.iter().all(|frame| frame.size() <= LARGEST && frame.pieces.len() <= MOST));
            }
        }
    }

    #[test]
    fn what_is_left_of_a_frame_long_ago_is_no_part_of_one_that_has_its_number_now() {
        let (mut cutter, mut assembler) = (Cutter::default(), Assembler::default());
        let pieces = cut(&mut cutter, &large(1), 400);
        for piece in [&pieces[0], &pieces[2]] {
            assert_eq!(assembler.take(piece.clone()).expect("a piece"), None);
        }
        for octet in 0..u16::MAX {
            let [octet, _] = octet.to_le_bytes();
            for piece in cut(&mut cutter, &large(octet), 1100) {
                assert!(assembler.take(piece).expect("a piece").is_some());
            }
        }
        let again = cut(&mut cutter, &large(9), 400);
        let whole: Vec<_> = again.into_iter().filter_map(|piece| assembler.take(piece).expect("a piece")).collect();
        assert_eq!(whole, [wired(&large(9))]);
    }

    #[test]
    fn the_oldest_incomplete_frame_gives_way() {
        let (mut cutter, mut assembler) = (Cutter::default(), Assembler::default());
        let frames: Vec<_> = (0..=64).map(|octet| cut(&mut cutter, &large(octet), 600)).collect();
        for pieces in &frames {
            assert_eq!(assembler.take(pieces[0].clone()), Ok(None));
        }
        for (octet, pieces) in (0..).zip(&frames).skip(1) {
            assert_eq!(assembler.take(pieces[1].clone()), Ok(Some(wired(&large(octet)))));
        }
        assert_eq!(assembler.take(frames[0][1].clone()), Ok(None), "its other piece is forgotten");
    }

    #[test]
    fn a_frame_of_too_many_pieces_is_given_up_and_one_of_as_many_as_there_may_be_is_not() {
        for (size, is_given_up) in [(MOST, false), (MOST + 1, true)] {
            let mut cutter = Cutter::default();
            let mut frame = Frame::new(Kind::new(1), &[], vec![0; size - 1].into());
            frame.ticket = Some(Ticket::new(7));
            cutter.cut(&frame, Marks::default());
            let pieces: Vec<_> = core::iter::from_fn(|| cutter.next(1)).collect();
            assert_eq!((pieces.len(), pieces[MOST - 1].is_last()), (MOST, !is_given_up));
            let departure = is_given_up.then_some((frame.tag, Ticket::new(7)));
            assert_eq!([cutter.give_up(), cutter.give_up()], [departure, None]);
            cutter.cut(&large(1), Marks::default());
            assert!(cutter.next(100).is_some(), "the next one has its turn");
        }
    }

    #[test]
    fn the_frame_departs_with_its_last_piece() {
        let mut cutter = Cutter::default();
        let mut frame = large(0);
        frame.ticket = Some(Ticket::new(7));
        cutter.cut(&frame, Marks::default());
        let departures: Vec<_> = core::iter::from_fn(|| cutter.next(600)).map(|piece| piece.departure).collect();
        assert_eq!(departures, [None, Some((large(0).tag, Ticket::new(7)))]);
    }
}
