//! Several frames in one datagram.
//!
//! A datagram of one frame copies nothing: what the bearer writes goes into its head, and the body is shared. Where there are
//! several, they are copied once, into memory that is used again when all datagrams cut from it are gone.

use super::wire::{self, Report};
use alloc::vec::Vec;
use arqway_contract::{Frame, Holds, Marks, Tag};
use arqway_ip::Ecn;
use arqway_units::Time;
use bytes::BytesMut;

/// Frames are not asked for to fill less than this.
const LEAST: usize = 8;
/// How much memory is cut into datagrams.
const SLAB: usize = 64 * 1024;

/// Frames handed over by the services, not started yet.
#[derive(Debug, Default)]
pub(super) struct Packer {
    frames: Vec<Frame>,
    /// How much they take with their lengths.
    octets: usize,
    opened: Time,
    slab: BytesMut,
}

impl Packer {
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// When the first of them was handed over.
    pub(super) fn opened(&self) -> Option<Time> {
        (!self.is_empty()).then_some(self.opened)
    }

    /// How large the next frame may be where all have `room` together; `None` if that is not worth asking.
    pub(super) fn room(&self, room: usize) -> Option<usize> {
        if self.frames.is_empty() {
            return Some(room);
        }
        room.checked_sub(self.octets + 2).filter(|left| *left >= LEAST)
    }

    pub(super) fn push(&mut self, frame: Frame, now: Time) {
        if self.frames.is_empty() {
            self.opened = now;
        }
        self.octets += taken(&frame);
        self.frames.push(frame);
    }

    /// Starts the frames that fit into `room`, the first in any case, and drops those that `start` withdraws. How many are
    /// left of them, in front.
    pub(super) fn start(&mut self, room: usize, mut start: impl FnMut(&mut Frame) -> bool) -> usize {
        let (mut used, mut kept, mut fits) = (0, 0, true);
        self.frames.retain_mut(|frame| {
            used += taken(frame);
            fits &= used == taken(frame) || used <= room;
            let stays = !fits || start(frame);
            kept += usize::from(fits && stays);
            stays
        });
        self.octets = self.frames.iter().map(taken).sum();
        kept
    }

    /// The first frame, to be sent in another way.
    pub(super) fn first(&mut self) -> Option<Frame> {
        let frame = (!self.frames.is_empty()).then(|| self.frames.remove(0))?;
        self.octets -= taken(&frame);
        Some(frame)
    }

    /// A frame that was taken out waits again.
    pub(super) fn push_front(&mut self, frame: Frame) {
        self.octets += taken(&frame);
        self.frames.insert(0, frame);
    }

    /// The first frames.
    pub(super) fn frames(&self, count: usize) -> &[Frame] {
        self.frames.get(..count).unwrap_or(&self.frames)
    }

    /// How much the first frames take with their lengths.
    pub(super) fn octets_of(&self, count: usize) -> usize {
        self.frames(count).iter().map(taken).sum()
    }

    /// What a datagram of the first frames says of them: it may be marked if all of them may be, and goes as the first one does. A mark
    /// that a packet came with stays inside (RFC 3168, section 9.1.1): outside it would say of this path what happened on another.
    pub(super) fn marks(&self, count: usize) -> Marks {
        let frames = self.frames(count);
        let ecn = frames.iter().filter_map(Frame::ecn).reduce(Ecn::with);
        let ecn = ecn.map(|ecn| if ecn == Ecn::Ce { Ecn::Ect0 } else { ecn });
        let service = frames.first().map(|frame| frame.tag.service()).unwrap_or_default();
        Marks::new(ecn.map_or(Holds::Nothing, Holds::Packets), service)
    }

    /// Whether the first frame has no more than `room` octets.
    pub(super) fn first_fits(&self, room: usize) -> bool {
        self.frames.first().is_none_or(|frame| frame.size().as_usize() <= room)
    }

    /// The content of a datagram with the first `count` frames, and a report.
    pub(super) fn write(&mut self, tag: Tag, name: &[u8], count: usize, report: Option<&Report>) -> Frame {
        let size = self.octets_of(count) + report.map_or(0, |_| wire::REPORT);
        if self.slab.capacity() < size {
            self.slab.reserve(size.max(SLAB));
        }
        let Self { frames, slab, .. } = self;
        frames.iter().take(count).for_each(|frame| wire::put_frame(slab, frame));
        if let Some(report) = report {
            wire::put_report(&mut self.slab, report);
        }
        self.frames.drain(..count.min(self.frames.len()));
        self.octets = self.frames.iter().map(taken).sum();
        let body = self.slab.split().freeze();
        wire::datagram(tag, name, body)
    }
}

/// How much of a datagram a frame takes with its length.
fn taken(frame: &Frame) -> usize {
    let size = frame.size().as_usize();
    wire::prefix(size) + size
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_contract::Kind;
    use bytes::Bytes;

    fn frame(octets: &'static [u8]) -> Frame {
        Frame::new(Kind::new(1), &[], Bytes::from_static(octets))
    }

    #[test]
    fn frames_are_packed_in_order_with_a_length_each() {
        let mut packer = Packer::default();
        assert_eq!(packer.room(100), Some(100));
        packer.push(frame(b"ab"), Time::ZERO);
        assert_eq!(packer.room(100), Some(94));
        packer.push(frame(b"c"), Time::ZERO);
        assert_eq!(packer.start(100, |_| true), 2);
        let datagram = packer.write(Tag::from_octet(0x40), &[7], 2, None);
        assert_eq!(datagram.parts().concat(), [7, 3, 1, b'a', b'b', 2, 1, b'c']);
        assert!(packer.is_empty() && packer.room(100) == Some(100));
    }

    #[test]
    fn withdrawn_frames_are_not_in_it_and_what_does_not_fit_waits_unstarted() {
        let mut packer = Packer::default();
        for octets in [&b"aa"[..], b"bb", b"cc", b"dd"] {
            packer.push(Frame::new(Kind::new(1), &[], octets.to_vec().into()), Time::ZERO);
        }
        let mut started = std::vec::Vec::new();
        let kept = packer.start(12, |frame| {
            started.push(frame.body[0]);
            frame.body[0] != b'b'
        });
        assert_eq!((started, kept), (std::vec![b'a', b'b', b'c'], 2));
        let datagram = packer.write(Tag::from_octet(0x40), &[], kept, None);
        assert_eq!(datagram.body.as_ref(), [3, 1, b'a', b'a', 3, 1, b'c', b'c']);
        assert_eq!(packer.first(), Some(frame(b"dd")));
    }

    #[test]
    fn datagrams_share_memory_that_is_used_again() {
        let mut packer = Packer::default();
        let mut places = std::collections::BTreeSet::new();
        for _ in 0..1000 {
            packer.push(frame(&[7; 1000]), Time::ZERO);
            packer.push(frame(b"c"), Time::ZERO);
            places.insert(packer.write(Tag::from_octet(0x40), &[], 2, None).body.as_ptr() as usize);
        }
        assert!(places.len() <= SLAB / 1000, "{} places", places.len());
    }

    #[test]
    fn too_little_room_is_not_filled() {
        let mut packer = Packer::default();
        packer.push(frame(b"abc"), Time::ZERO);
        assert_eq!((packer.room(5 + 2 + LEAST), packer.room(5 + 2 + LEAST - 1)), (Some(LEAST), None));
    }
}
