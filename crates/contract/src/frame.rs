//! What crosses the layer's two borders: packets of the network layer, frames of the link.
//!
//! A frame on the wire is its tag octet, its head and its body, one after the other; a protocol that ends its frames with a
//! trailer (SSCOP) lets the last octets of the head go behind the body:
//!
//! ```text
//!      7       3 2   0
//!     +---------+-----+----------------+----------------------+- - - - - - - -+
//!     | service | kind|  head (0..20)  |  body                |  end of head  |
//!     +---------+-----+----------------+----------------------+- - - - - - - -+
//! ```
//!
//! A head is written afresh for each transmission (a fresh acknowledgement number), a body is shared with the
//! retransmission buffer and never copied.

use arqway_ip::{Ecn, FlowKey, Headers, Outline};
use arqway_units::{LineId, Octets, Span, Time};
use arrayvec::ArrayVec;
use bytes::{Buf, Bytes};
use core::num::NonZeroU64;

/// A packet of the network layer: an IP packet, headers and all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// The packet's octets.
    pub octets: Bytes,
    /// What its headers say, once somebody has read them: nobody need do so again.
    pub headers: Option<Outline>,
    /// When it came to the link layer; `None`: just now. Its age counts from then, wherever it has waited.
    pub arrived: Option<Time>,
    /// When it is worth nothing any more, if it ever is: who still has it then may drop it and count it.
    pub deadline: Option<Time>,
}

// Packets are moved from hand to hand and kept by the thousand: each word more is felt.
const _: () = assert!(size_of::<Packet>() <= size_of::<[u64; 8]>() && size_of::<Frame>() <= size_of::<[u64; 9]>());

impl Packet {
    /// The packet made of these octets, of which nothing more is known.
    #[must_use]
    pub fn new(octets: impl Into<Bytes>) -> Self {
        Self { octets: octets.into(), headers: None, arrived: None, deadline: None }
    }

    /// The packet made of these octets, and what its headers say, which are read; `None` where it is no IP packet.
    #[must_use]
    pub fn read(octets: impl Into<Bytes>) -> Option<(Self, Headers)> {
        let packet = Self::new(octets);
        let (fields, headers) = Outline::read_with_headers(&packet.octets)?;
        Some((Self { headers, ..packet }, fields))
    }

    /// What its headers say, which are read unless they were; `None` where it is no IP packet.
    #[must_use]
    pub fn outline(&self) -> Option<Outline> {
        self.headers.or_else(|| Outline::read(&self.octets))
    }

    /// The flow that it belongs to.
    #[must_use]
    pub fn flow(&self) -> FlowKey {
        self.headers.map_or_else(|| FlowKey::of_packet(&self.octets), |headers| headers.flow())
    }

    /// What it says of congestion.
    #[must_use]
    pub fn ecn(&self) -> Ecn {
        self.headers.map_or_else(|| Ecn::of_packet(&self.octets), |headers| headers.ecn())
    }

    /// How much of the link it takes without what a service adds.
    #[must_use]
    pub fn size(&self) -> Octets {
        Octets::of(self.octets.len())
    }

    /// How long it has been in the link layer.
    #[must_use]
    pub fn age(&self, now: Time) -> Span {
        self.arrived.map_or(Span::ZERO, |arrived| now.since(arrived))
    }

    /// Whether it is worth nothing any more.
    #[must_use]
    pub fn has_expired(&self, now: Time) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// How much is left of a lifetime that began with the packet's arrival, and ends no later than its deadline; `None`
    /// if nothing is.
    pub fn left_of(&self, lifetime: Span, now: Time) -> Option<Span> {
        let until_deadline = self.deadline.map_or(Span::MAX, |deadline| deadline.since(now));
        let left = until_deadline.min(lifetime - self.age(now));
        (left > Span::ZERO).then_some(left)
    }
}

/// The number of a service on one link, in \[0, 31\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ServiceId(u8);

impl ServiceId {
    /// How many services a tag can tell apart.
    pub const COUNT: u8 = 32;

    /// The service of this number, or `None` from 32 on.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if number < Self::COUNT { Some(Self(number)) } else { None }
    }

    /// The number, for indexing.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a service tells its kinds of frame apart by, in \[0, 7\]; each service's `wire` module says what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Kind(u8);

impl Kind {
    /// The kind of this number.
    ///
    /// # Panics
    /// From 8 on; kinds are constants, so this is a compile error where it is used as one.
    #[must_use]
    pub const fn new(number: u8) -> Self {
        assert!(number < 8, "a tag has three bits for the kind of frame");
        Self(number)
    }
}

/// The first octet of a frame: five bits for the service, three for the service's kind of frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Tag(u8);

impl Tag {
    /// A tag of service 0; the multiplexer fills in the service where there are several.
    #[must_use]
    pub const fn of_kind(kind: Kind) -> Self {
        Self(kind.0)
    }

    /// The tag that this octet is; every octet is one.
    #[must_use]
    pub const fn from_octet(octet: u8) -> Self {
        Self(octet)
    }

    /// The octet on the wire.
    #[must_use]
    pub const fn as_octet(self) -> u8 {
        self.0
    }

    /// Which service the frame belongs to.
    #[must_use]
    pub const fn service(self) -> ServiceId {
        ServiceId(self.0 >> 3)
    }

    /// Which of the service's kinds of frame it is.
    #[must_use]
    pub const fn kind(self) -> Kind {
        Kind(self.0 & 7)
    }

    /// The same kind of frame of another service.
    #[must_use]
    pub const fn with_service(self, service: ServiceId) -> Self {
        Self(service.0 << 3 | self.kind().0)
    }
}

/// A service's own name for a frame that it handed over; it comes back when the frame starts and departs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(NonZeroU64);

impl Ticket {
    /// The ticket for frame `number`.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(NonZeroU64::MIN.saturating_add(number))
    }

    /// The number it was made from.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0.get() - 1
    }
}

/// A frame's head: what the service writes in front of the body, at most 20 octets; and 4 for whoever
/// encloses the frame.
pub type Head = ArrayVec<u8, { MOST_OF_SERVICE + 4 }>;

/// What a service may write.
const MOST_OF_SERVICE: usize = 20;

/// What crosses the link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Service and kind.
    pub tag: Tag,
    /// How many of the head's last octets go behind the body.
    behind: u8,
    /// Written afresh at each transmission. Empty when the frame came off a wire: see [`take`](Self::take).
    pub head: Head,
    /// Shared with the retransmission buffer.
    pub body: Bytes,
    /// Known only at the sending end; it does not cross the link.
    pub ticket: Option<Ticket>,
    /// What packets it holds say, likewise. Of a datagram that has crossed a path: whether that has marked it.
    pub marks: Marks,
}

/// What whoever sends a frame, or a datagram with frames, may say of it to those on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// Of its packets.
    pub ecn: Holds,
    /// The service of a datagram's first frame in the lower five bits, and above it the line that it goes by or has come by: a frame is
    /// moved from hand to hand, and has no octet left.
    service_and_line: u8,
}

impl Marks {
    /// What is said of packets, and the service that they belong to.
    #[must_use]
    pub fn new(ecn: Holds, service: ServiceId) -> Self {
        Self { ecn, service_and_line: service.0 }
    }

    /// The service of a datagram's first frame.
    #[must_use]
    pub fn service(self) -> ServiceId {
        ServiceId(self.service_and_line % ServiceId::COUNT)
    }
}

/// What a frame holds of packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Holds {
    /// Its service does not say. A whole packet for a body says it; what else a body is cannot be told, and is not to be marked.
    #[default]
    Unsaid,
    /// Nothing.
    Nothing,
    /// A packet or several, or parts of them, which together say this.
    Packets(Ecn),
}

impl Frame {
    /// What the tag takes of the link.
    pub const TAG: Octets = Octets::new(1);

    /// A frame of this kind, without ticket.
    #[must_use]
    pub fn new(kind: Kind, head: &[u8], body: Bytes) -> Self {
        debug_assert!(head.len() <= MOST_OF_SERVICE, "a head has at most {MOST_OF_SERVICE} octets");
        Self {
            tag: Tag::of_kind(kind),
            behind: 0,
            head: head.iter().copied().collect(),
            body,
            ticket: None,
            marks: Marks::default(),
        }
    }

    /// The same frame with a trailer behind its body; it has to fit into what is left of the head.
    #[must_use]
    pub fn with_trailer(mut self, trailer: &[u8]) -> Self {
        debug_assert!(
            self.head.len() + trailer.len() <= MOST_OF_SERVICE,
            "head and trailer have {MOST_OF_SERVICE} octets together"
        );
        for octet in trailer.iter().take(self.head.remaining_capacity()) {
            self.head.push(*octet);
            self.behind += 1;
        }
        self
    }

    /// The same frame, which holds this of packets.
    #[must_use]
    pub fn holding(mut self, holds: Holds) -> Self {
        self.marks.ecn = holds;
        self
    }

    /// The same frame, which goes by this line or has come by it.
    #[must_use]
    pub fn by(mut self, line: LineId) -> Self {
        let service = self.marks.service_and_line % ServiceId::COUNT;
        self.marks.service_and_line = (line.number() * ServiceId::COUNT) | service;
        self
    }

    /// The line that it goes by, or has come by.
    #[must_use]
    pub fn line(&self) -> LineId {
        LineId::new(self.marks.service_and_line / ServiceId::COUNT).unwrap_or_default()
    }

    /// The same frame, of which this is said.
    #[must_use]
    pub fn marked(self, marks: Marks) -> Self {
        Self { marks, ..self }
    }

    /// What its packets say together, if it has any.
    pub fn ecn(&self) -> Option<Ecn> {
        match self.marks.ecn {
            Holds::Packets(ecn) => Some(ecn),
            Holds::Unsaid if !self.body.is_empty() => Some(Ecn::of_whole_packet(&self.body).unwrap_or_default()),
            Holds::Nothing | Holds::Unsaid => None,
        }
    }

    /// Whether a path has marked it, which met congestion there.
    #[must_use]
    pub fn met_congestion(&self) -> bool {
        self.marks.ecn == Holds::Packets(Ecn::Ce)
    }

    /// The frame whose octets, after its tag, are these. Where the head ends is for its service to say.
    #[must_use]
    pub fn from_wire(tag: Tag, octets: Bytes) -> Self {
        Self { tag, behind: 0, head: Head::new(), body: octets, ticket: None, marks: Marks::default() }
    }

    /// This frame behind another tag and the octets `before` its own, its body still shared; or the frame as it was, where a
    /// head has no room for that.
    ///
    /// # Errors
    /// The frame.
    pub fn enclosed(self, tag: Tag, before: &[u8]) -> Result<Self, Self> {
        if before.len() + 1 + self.head.len() > self.head.capacity() {
            return Err(self);
        }
        let mut head = Head::new();
        head.extend(before.iter().copied());
        head.push(self.tag.0);
        head.extend(self.head.iter().copied());
        Ok(Self { tag, head, ..self })
    }

    /// Becomes the frame that was enclosed, after what stands before it was taken off; `None` if there is none.
    pub fn disclose(&mut self) -> Option<()> {
        let [tag] = self.take()?;
        self.tag = Tag(tag);
        Some(())
    }

    /// Its octets after the tag as they go onto a wire: what stands before the body, the body, and what stands behind it.
    #[must_use]
    pub fn parts(&self) -> [&[u8]; 3] {
        let (before, behind) = self.head.split_at(self.head.len().saturating_sub(self.behind.into()));
        [before, &self.body, behind]
    }

    /// How much of the link it takes: tag, head and body.
    #[must_use]
    pub fn size(&self) -> Octets {
        Octets::of(1 + self.head.len() + self.body.len())
    }

    /// Takes the first `N` octets after the tag off the frame, or `None` where there are fewer.
    ///
    /// Where the sender's head ended does not matter: a frame that came over the simulator's link, head and body still
    /// apart, and one that came off a wire read the same.
    pub fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let before = self.head.len().saturating_sub(self.behind.into());
        if self.head.len() == N && self.behind == 0 {
            let octets = self.head.as_slice().try_into().ok()?;
            self.head.clear();
            return Some(octets);
        }
        if before + self.body.len() < N {
            return None;
        }
        let from_head = before.min(N);
        let mut octets = [0; N];
        for (to, octet) in octets.iter_mut().zip(self.head.drain(..from_head)) {
            *to = octet;
        }
        self.body.copy_to_slice(&mut octets[from_head..]);
        Some(octets)
    }

    /// Takes its last `N` octets, which are one piece in the trailer or one in the body, or `None` where they are not.
    pub fn take_last<const N: usize>(&mut self) -> Option<[u8; N]> {
        if self.behind > 0 {
            let behind = usize::from(self.behind).checked_sub(N).and_then(|left| u8::try_from(left).ok())?;
            let start = self.head.len().checked_sub(N)?;
            let octets = *self.head.get(start..)?.first_chunk()?;
            self.head.truncate(start);
            self.behind = behind;
            return Some(octets);
        }
        let start = self.body.len().checked_sub(N)?;
        let octets = *self.body.get(start..)?.first_chunk()?;
        self.body.truncate(start);
        Some(octets)
    }

    /// The packet behind a head that was taken off; `None` where something of the head is left, or there is no packet.
    #[must_use]
    pub fn into_packet(self) -> Option<Bytes> {
        (self.head.is_empty() && !self.body.is_empty()).then_some(self.body)
    }

    /// How many octets are left behind the tag.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.head.len() + self.body.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec;

    #[test]
    fn a_tag_holds_32_services_of_8_kinds() {
        for octet in 0..=255 {
            let tag = Tag::from_octet(octet);
            assert_eq!(Tag::of_kind(tag.kind()).with_service(tag.service()).as_octet(), octet);
        }
    }

    #[test]
    fn a_frame_says_by_which_line_it_goes_and_of_which_service_it_is() {
        for (line, service) in (0..8).zip((24..32).chain(0..1)) {
            let (line, service) = (LineId::new(line).expect("a line"), ServiceId(service));
            let frame = Frame::new(Kind::new(1), &[], Bytes::new()).marked(Marks::new(Holds::Nothing, service));
            assert_eq!(frame.line(), LineId::FIRST);
            let frame = frame.by(LineId::new(7).expect("a line")).by(line);
            assert_eq!((frame.line(), frame.marks.service()), (line, service));
        }
    }

    #[test]
    fn a_ticket_gives_its_number_back() {
        assert_eq!(Ticket::new(0).number(), 0);
        assert_eq!(Ticket::new(77).number(), 77);
    }

    #[test]
    fn a_trailer_goes_behind_the_body_and_is_read_back_from_there() {
        let mut kept = Frame::new(Kind::new(1), &[1, 2], vec![3, 4].into()).with_trailer(&[5, 6, 7]);
        assert_eq!((kept.parts(), kept.size()), ([&[1, 2][..], &[3, 4], &[5, 6, 7]], Octets::new(8)));
        let mut wired = Frame::from_wire(kept.tag, kept.parts().concat().into());
        for frame in [&mut kept, &mut wired] {
            assert_eq!(frame.take_last::<1>(), Some([7]));
            assert_eq!(frame.take::<1>(), Some([1]));
            assert_eq!(frame.take_last::<2>(), Some([5, 6]));
            assert_eq!(frame.take::<4>(), None);
            assert_eq!((frame.take::<3>(), frame.remaining()), (Some([2, 3, 4]), 0));
            assert_eq!(frame.take_last::<1>(), None);
        }
    }

    #[test]
    fn an_enclosed_frame_is_disclosed_as_it_was_and_its_body_is_not_copied() {
        let frame = Frame::new(Kind::new(1), &[1, 2], vec![3, 4].into()).with_trailer(&[5]);
        let mut outer = frame.clone().enclosed(Tag(99), &[7, 8]).expect("a head has room");
        assert_eq!(outer.parts(), [&[7, 8, 1, 1, 2][..], &[3, 4], &[5]]);
        assert_eq!(outer.body.as_ptr(), frame.body.as_ptr());
        assert_eq!((outer.take(), outer.disclose()), (Some([7, 8]), Some(())));
        assert_eq!(outer, frame);
        let full = Frame::new(Kind::new(1), &[0; 20], vec![3].into());
        assert_eq!(full.clone().enclosed(Tag(99), &[7, 8, 9, 10]), Err(full));
    }

    proptest! {
        #[test]
        fn a_frame_reads_the_same_off_a_wire_as_from_memory(head in proptest::collection::vec(any::<u8>(), 0..6), body in proptest::collection::vec(any::<u8>(), 0..6)) {
            let mut kept = Frame::new(Kind::new(1), &head, body.clone().into());
            let mut wired = Frame::from_wire(kept.tag, [head, body].concat().into());
            prop_assert_eq!(kept.size(), wired.size());
            loop {
                let (left, right) = (kept.take::<2>(), wired.take::<2>());
                prop_assert_eq!(left, right);
                prop_assert_eq!(kept.remaining(), wired.remaining());
                if left.is_none() { break }
            }
        }
    }
}
