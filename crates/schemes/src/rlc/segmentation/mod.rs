//! From SDUs to the contents of data PDUs: segmentation, concatenation and padding (3GPP TS 25.322 §9.2.2.8, §9.2.2.9).
//!
//! An SDU, a service data unit, is a packet; a PDU, a protocol data unit, is what crosses the link, often of a fixed size. An SDU that is
//! longer than a PDU is cut, the next one begins in the PDU in which it ends, and length indicators (LI) before the data say where:
//!
//! ```text
//!     SDUs      aaaaaaaaaaaaaaaaaaa bbb cccccc
//!
//!     PDU 0     |head|aaaaaaaaaaaa|                     no LI: nothing ends here
//!     PDU 1     |head|7|10|aaaaaaabbb|                  a ends after 7 octets, b after 10
//!     PDU 2     |head|6|pad|cccccc|....|                the last LI says that the rest is padding
//! ```
//!
//! Where an SDU's last octets leave no room for its LI, the first LI of the next PDU tells: `PreviousFilled`, or `PreviousOneShort` where
//! an LI takes two octets and one is left, which is then padding. One octet left behind an LI of two octets is padding without an LI too.
//!
//! Where PDUs have no fixed size, each is as long as the room that there is for it at most.
//!
//! Segmentation knows no sequence numbers: each mode reports gaps and discards to it, and so all modes share it. A part of a
//! single packet is a slice of that packet; anything else is written into memory that many PDUs share.

mod plan;

use super::pdu::{HeaderExtension, LengthIndicator, LengthIndicatorSize};
use super::reassembly::LONGEST_SDU;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use arqway_contract::Frame;
use arqway_units::Octets;
use bytes::{BufMut, Bytes, BytesMut};
use core::ops::{Range, RangeInclusive};
use plan::Plan;

/// What the data PDUs of one direction look like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Format {
    /// How long a PDU is, header and all; at most, where the size is flexible.
    pub(super) octets: usize,
    /// Every PDU is filled up to this size; otherwise it is as long as its content.
    pub(super) fixed: bool,
    /// How many octets stand before the first LI.
    pub(super) header: usize,
    /// How long an LI is.
    pub(super) size: LengthIndicatorSize,
    /// How many SDUs' ends a PDU may tell of.
    pub(super) most_ends: usize,
    /// What each mode does in its own way.
    pub(super) mode: Mode,
}

/// What acknowledged and unacknowledged mode do each in their own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// AMD PDUs.
    Acknowledged {
        /// HE = 10 spares the LI of an SDU that ends with the PDU and shares it with no other end ("use of the special value of the HE field").
        special_end: bool,
    },
    /// UMD PDUs.
    Unacknowledged {
        /// E = 0 means one whole SDU, and any other PDU has an LI ("alternative E-bit interpretation").
        alternative: bool,
        /// An LI tells that an SDU begins with the PDU: the standard wants it on the uplink.
        marks_first: bool,
    },
}

impl Format {
    /// How much room there is behind the header.
    fn room(&self) -> usize {
        self.octets - self.header
    }
}

/// Where a PDU can take a STATUS instead of padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Padding {
    /// Where in the body the LI stands that tells of it.
    pub(super) indicator: usize,
    /// Where in the body it begins.
    pub(super) from: usize,
}

/// The contents of one data PDU.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    /// LIs, data and padding: all behind the header.
    pub(super) body: Bytes,
    /// What the header says of it. In a UMD PDU the E-bit is 1 for `Indicator`, otherwise 0.
    pub(super) extension: HeaderExtension,
    /// How many octets of SDUs.
    pub(super) octets: usize,
    /// The SDUs with an octet or an LI here.
    pub(super) touches: RangeInclusive<u64>,
    /// The SDUs whose end is told here.
    pub(super) ends: Range<u64>,
    /// The SDUs whose last octet is here; its end may be told in the next PDU.
    pub(super) last_octets: Range<u64>,
    /// The SDUs whose first octet is here.
    pub(super) first_octets: Range<u64>,
    /// Octets of another SDU stand behind the last one whose end is told here.
    pub(super) begins_after_end: bool,
    /// Padding that an LI tells of.
    pub(super) padding: Option<Padding>,
}

/// The body with a STATUS where its padding was, or `None` where that has no room for it (§9.2.2.8).
pub(super) fn with_status(body: &Bytes, padding: Padding, size: LengthIndicatorSize, status: &[u8]) -> Option<Bytes> {
    let end = padding.from + status.len();
    if end > body.len() {
        return None;
    }
    let mut octets = BytesMut::with_capacity(body.len());
    octets.put_slice(&body[..padding.indicator]);
    LengthIndicator::Status.write(size, false, &mut octets);
    octets.put_slice(&body[octets.len()..padding.from]);
    octets.put_slice(status);
    octets.put_bytes(0, body.len() - end);
    Some(octets.freeze())
}

/// Cuts SDUs into PDUs.
#[derive(Debug)]
pub(super) struct Segmenter {
    /// Of the next PDU: no longer than there was room for when one was last asked for.
    format: Format,
    /// How long a PDU is at most, whatever the room.
    most: usize,
    /// What is not in PDUs yet: the rest of the first SDU, and whole ones.
    waiting: VecDeque<Bytes>,
    /// How many octets that is.
    octets: usize,
    /// The number of the first of them.
    first: u64,
    /// Some octets of the first one are in PDUs already.
    begun: bool,
    /// The first LI of the next PDU. Nothing of the first waiting SDU is in a PDU then.
    awaiting: Option<Awaiting>,
    /// The LIs of the PDU that is being made.
    indicators: Vec<LengthIndicator>,
    /// Where PDUs are written that are more than a slice of an SDU: one allocation for many.
    slab: BytesMut,
}

/// An LI that tells of the PDU before.
#[derive(Debug, Clone, Copy)]
struct Awaiting {
    indicator: LengthIndicator,
    /// The SDU whose end it tells. `None` after a discard: then it only says that another one begins, and waits for that.
    sdu: Option<u64>,
}

/// PDUs that are written lie side by side in memory of this size.
const SLAB: usize = 16 * 1024;

impl Segmenter {
    pub(super) fn new(format: Format) -> Self {
        Self {
            format,
            most: format.octets,
            waiting: VecDeque::new(),
            octets: 0,
            first: 0,
            begun: false,
            awaiting: None,
            indicators: Vec::new(),
            slab: BytesMut::new(),
        }
    }

    /// Takes an SDU, which has at least one octet; its number. They count from 0.
    pub(super) fn push(&mut self, sdu: Bytes) -> u64 {
        debug_assert!(!sdu.is_empty(), "an SDU without octets has no end to tell");
        self.octets += sdu.len();
        self.waiting.push_back(sdu);
        self.next_id() - 1
    }

    pub(super) fn next_id(&self) -> u64 {
        self.first + self.waiting.len() as u64
    }

    /// How many SDUs have octets that are not in PDUs yet.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Whether there is something to send: octets of an SDU, or an LI that tells the end of one.
    pub(super) fn has_data(&self) -> bool {
        !self.waiting.is_empty() || self.awaiting.is_some_and(|awaiting| awaiting.sdu.is_some())
    }

    /// Whether what waits is enough for a PDU to which nothing could be added.
    pub(super) fn fills_a_pdu(&self) -> bool {
        self.octets >= self.format.room() || self.has_data() && self.plan(&mut |_| ()).is_full
    }

    /// Whether another SDU would make a difference to the next PDU of this room: what waits does not fill it, or nothing
    /// would be left behind it, and it could be taken for the last one.
    pub(super) fn wants_sdu(&self, room: Octets) -> bool {
        self.longest_pdu(room).is_none_or(|pdu| self.octets <= pdu - self.format.header)
    }

    /// How long an SDU may be whose PDUs are to fit into frames of this room: cut into pieces it may have any length, if
    /// there is room for a PDU.
    pub(super) fn largest_sdu(&self, room: Octets) -> Octets {
        self.longest_pdu(room).map_or(Octets::ZERO, |_| Octets::of(LONGEST_SDU))
    }

    /// How long the next PDU may be, if there is room for one.
    fn longest_pdu(&self, room: Octets) -> Option<usize> {
        let octets = (room - Frame::TAG).as_usize().min(self.most);
        // Two LIs and an octet of an SDU: less would not get on.
        let least = self.format.header + 2 * self.format.size.octets() + 1;
        let fits = if self.format.fixed { octets == self.most } else { octets >= least.min(self.most) };
        fits.then_some(octets)
    }

    /// The next PDU, if there is something to send and room for it.
    pub(super) fn next(&mut self, room: Octets) -> Option<Segment> {
        if !self.has_data() {
            return None;
        }
        self.format.octets = self.longest_pdu(room)?;
        let mut indicators = core::mem::take(&mut self.indicators);
        indicators.clear();
        let plan = self.plan(&mut |indicator| indicators.push(indicator));
        let segment = self.make(&plan, &indicators);
        self.indicators = indicators;
        self.go_past(&plan);
        Some(segment)
    }

    /// Forgets the SDUs up to this one, as far as they are not in PDUs yet, and an LI that would tell the end of one: the next PDU begins with
    /// the first octet of an SDU. How many of them still had something to send.
    pub(super) fn discard_through(&mut self, id: u64) -> usize {
        let awaited = self.awaiting.take_if(|awaiting| awaiting.sdu.is_some_and(|sdu| sdu <= id)).is_some();
        let mut discarded = usize::from(awaited);
        while self.first <= id && self.discard_first() {
            discarded += 1;
        }
        discarded
    }

    /// After a reset: forgets an SDU of which some octets are in PDUs, and an LI that waits. The others stay.
    pub(super) fn restart(&mut self) {
        self.awaiting = None;
        if self.begun {
            self.discard_first();
        }
    }

    /// Forgets the first waiting SDU, of which octets may be in PDUs already; an LI for the one before it stays.
    pub(super) fn discard_first(&mut self) -> bool {
        let Some(sdu) = self.waiting.pop_front() else { return false };
        self.octets -= sdu.len();
        self.first += 1;
        self.begun = false;
        true
    }

    /// Whether nothing of this SDU is in a PDU.
    pub(super) fn is_untouched(&self, id: u64) -> bool {
        id >= self.first_untouched()
    }

    /// The first SDU of which nothing is in a PDU, or the next one to come.
    pub(super) fn first_untouched(&self) -> u64 {
        self.first + u64::from(self.begun)
    }

    /// Whether octets of the first waiting SDU are in PDUs already.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// The first LI of the next PDU will say that none of the octets before are the beginning of what follows (§11.2.4.3).
    pub(super) fn tell_of_discard(&mut self) {
        debug_assert!(!self.begun, "what was begun has been discarded");
        self.awaiting.get_or_insert(Awaiting { indicator: LengthIndicator::PreviousFilled, sdu: None });
    }
}

/// The next PDU is made.
impl Segmenter {
    fn make(&mut self, plan: &Plan, indicators: &[LengthIndicator]) -> Segment {
        let awaited = self.awaiting.and_then(|awaiting| awaiting.sdu);
        let begins = awaited.unwrap_or(self.first);
        let octets_end = self.first + plan.whole as u64 + u64::from(plan.part > 0);
        let ends = begins..begins + plan.ends as u64;
        let li = self.format.size.octets();
        let body = self.body(plan, indicators);
        Segment {
            extension: plan.extension,
            octets: self.waiting.iter().take(plan.whole).map(Bytes::len).sum::<usize>() + plan.part,
            touches: begins..=octets_end.max(ends.end).saturating_sub(1),
            begins_after_end: !ends.is_empty() && octets_end > ends.end,
            last_octets: self.first..self.first + plan.whole as u64,
            first_octets: (self.first + u64::from(self.begun)).min(octets_end)..octets_end,
            padding: plan
                .is_padding_told
                .then(|| Padding { indicator: (indicators.len() - 1) * li, from: body.len() - plan.padding }),
            body,
            ends,
        }
    }

    fn body(&mut self, plan: &Plan, indicators: &[LengthIndicator]) -> Bytes {
        let is_slice = indicators.is_empty() && plan.padding == 0 && plan.whole + usize::from(plan.part > 0) == 1;
        if is_slice && let Some(sdu) = self.waiting.front() {
            return if plan.part > 0 { sdu.slice(..plan.part) } else { sdu.clone() };
        }
        if self.slab.capacity() < self.format.octets {
            self.slab = BytesMut::with_capacity(SLAB.max(self.format.octets));
        }
        for (index, indicator) in indicators.iter().enumerate() {
            let is_followed = index + 1 < indicators.len();
            indicator.write(self.format.size, is_followed, &mut self.slab);
        }
        for (index, sdu) in self.waiting.iter().take(plan.whole + 1).enumerate() {
            self.slab.put_slice(if index < plan.whole { sdu } else { &sdu[..plan.part] });
        }
        self.slab.put_bytes(0, plan.padding);
        self.slab.split().freeze()
    }

    /// What is in the PDU waits no longer.
    fn go_past(&mut self, plan: &Plan) {
        for _ in 0..plan.whole {
            self.discard_first();
        }
        if plan.part > 0
            && let Some(sdu) = self.waiting.front_mut()
        {
            let _ = sdu.split_to(plan.part);
            self.octets -= plan.part;
            self.begun = true;
        }
        let last = self.first.saturating_sub(1);
        self.awaiting = plan.owes.map(|indicator| Awaiting { indicator, sdu: Some(last) });
    }
}
