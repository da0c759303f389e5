//! From cuts to packets.
//!
//! ```text
//!     frames      4 S   5     6 E      7 SE     8 S   9 E
//!     cuts        aaa   aa    a        bbb      .     cc        7 is released at once; 9 waits for 8
//! ```

use super::wire::Cut;
use alloc::collections::VecDeque;
use bytes::{BufMut, Bytes, BytesMut};
use core::ops::Range;

/// The longest packet: what an IP header can say.
pub(super) const LONGEST_PACKET: usize = 65_535;
/// In so many cuts the longest packet is: none but the last has fewer than 16 octets.
const MOST_CUTS: usize = LONGEST_PACKET / 16 + 1;
/// How much memory is taken at once for packets that are put together.
const SLAB: usize = 64 * 1024;
/// So many octets are kept of cuts that have some of their pieces, whatever a peer sends. Of the cut that all others wait for they are
/// kept in any case, so one after the other is completed.
const MOST_IN_PIECES: usize = 4 * 1024 * 1024;

/// The frames from the first one of an incomplete packet to the highest one that has come.
#[derive(Debug, Clone, Default)]
pub(super) struct Reassembly {
    frames: VecDeque<Slot>,
    first: u64,
    /// All before this one have arrived or are given up.
    edge: u64,
    /// How many octets of the packet that the edge is in have arrived.
    octets: usize,
    /// How many octets are kept of cuts that have some of their pieces.
    in_pieces: usize,
    slab: BytesMut,
}

#[derive(Debug, Clone, Default)]
enum Slot {
    /// Nothing has come, or it has left.
    #[default]
    Empty,
    /// The first pieces of a cut.
    Pieces(BytesMut),
    /// A cut that waits for the others of its packet.
    Cut(Cut),
    /// It will not come.
    GivenUp {
        /// A packet starts with it.
        starts: bool,
    },
}

/// A packet that is whole.
#[derive(Debug, Clone)]
pub(super) struct Whole {
    /// The frames that it came in.
    pub(super) frames: Range<u64>,
    /// As its last frame said.
    pub(super) link: Option<u32>,
    pub(super) packet: Bytes,
}

impl Reassembly {
    /// A piece of frame `number`, which has not arrived. The whole cut, if it is the last piece and those before it are there.
    pub(super) fn piece(&mut self, number: u64, mut cut: Cut, offset: usize, is_last: bool) -> Option<Cut> {
        let room = if number == self.edge { LONGEST_PACKET } else { MOST_IN_PIECES.saturating_sub(self.in_pieces) };
        let slot = self.slot(number)?;
        if !matches!(slot, Slot::Pieces(_)) {
            *slot = Slot::Pieces(BytesMut::new());
        }
        let Slot::Pieces(pieces) = slot else { return None };
        // What was there from an earlier try is not taken twice; behind a gap nothing is taken.
        let known = pieces.len().checked_sub(offset)?;
        let new = cut.octets.get(known..).unwrap_or_default();
        let mut kept = 0;
        if pieces.len() + new.len() <= LONGEST_PACKET && new.len() <= room {
            pieces.put_slice(new);
            kept = new.len();
        }
        let is_whole = is_last && pieces.len() == offset + cut.octets.len();
        self.in_pieces += kept;
        if !is_whole {
            return None;
        }
        cut.octets = self.vacate(number).freeze();
        Some(cut)
    }

    /// The pieces that were kept of frame `number`, if any.
    fn vacate(&mut self, number: u64) -> BytesMut {
        let pieces = match self.slot(number).map(core::mem::take) {
            Some(Slot::Pieces(pieces)) => pieces,
            _ => BytesMut::new(),
        };
        self.in_pieces -= pieces.len();
        pieces
    }

    /// Frame `number` arrives for the first time. The packet, if that makes one whole.
    pub(super) fn arrive(&mut self, number: u64, cut: Cut) -> Option<Whole> {
        if self.in_pieces > 0 {
            self.vacate(number);
        }
        if cut.starts && cut.ends {
            return Some(Whole { frames: number..number + 1, link: cut.link, packet: cut.octets });
        }
        *self.slot(number)? = Slot::Cut(cut);
        let last = self.search(number, 1, |cut| cut.ends, |cut| cut.starts)?;
        let first = self.search(number, -1, |cut| cut.starts, |cut| cut.ends)?;
        self.join(first..last + 1)
    }

    /// Frame `number` will not come; a packet starts with it, or not.
    pub(super) fn give_up(&mut self, number: u64, starts: bool) {
        self.vacate(number);
        if let Some(slot) = self.slot(number) {
            *slot = Slot::GivenUp { starts };
        }
    }

    /// All before `edge` have arrived or are given up. How many packets turn out to be without their end, though none of their
    /// frames was given up: they were given up before they were cut to their end.
    pub(super) fn advance(&mut self, edge: u64) -> u64 {
        let mut endless = 0;
        while self.edge < edge {
            let number = self.edge;
            self.edge += 1;
            let (starts, length) = match self.get(number) {
                Some(Slot::Cut(cut)) => (cut.starts, cut.octets.len()),
                Some(Slot::GivenUp { starts }) => (*starts, 0),
                // Its packet was whole.
                _ => (true, 0),
            };
            if starts || self.octets + length > LONGEST_PACKET {
                // What is before it can be joined to nothing.
                endless += u64::from(self.first < number && matches!(self.get(self.first), Some(Slot::Cut(_))));
                self.drop_before(number);
            }
            let is_orphan = !starts && self.first == number;
            if length == 0 || is_orphan {
                self.drop_before(number + 1);
            } else {
                self.octets += length;
            }
        }
        endless
    }

    fn drop_before(&mut self, edge: u64) {
        while self.first < edge {
            self.frames.pop_front();
            self.first += 1;
        }
        self.octets = 0;
    }

    /// The nearest frame from `number` on, upward or downward, with a cut that is the packet's end there; `None` if one in
    /// between has not come, or belongs to another packet.
    fn search(
        &self,
        number: u64,
        step: i64,
        is_end: impl Fn(&Cut) -> bool,
        is_other: impl Fn(&Cut) -> bool,
    ) -> Option<u64> {
        let mut at = number;
        for _ in 0..MOST_CUTS {
            let Some(Slot::Cut(cut)) = self.get(at) else { return None };
            if at != number && is_other(cut) {
                return None;
            }
            if is_end(cut) {
                return Some(at);
            }
            at = at.checked_add_signed(step)?;
        }
        None
    }

    fn join(&mut self, frames: Range<u64>) -> Option<Whole> {
        let cuts = || {
            frames
                .clone()
                .filter_map(|number| if let Some(Slot::Cut(cut)) = self.get(number) { Some(cut) } else { None })
        };
        let octets: usize = cuts().map(|cut| cut.octets.len()).sum();
        let link = cuts().next_back().and_then(|cut| cut.link);
        let mut slab = core::mem::take(&mut self.slab);
        if octets <= LONGEST_PACKET {
            if slab.capacity() < octets {
                slab.reserve(octets.max(SLAB));
            }
            for number in frames.clone() {
                if let Some(Slot::Cut(cut)) = self.get(number) {
                    slab.put_slice(&cut.octets);
                }
            }
        }
        let packet = slab.split().freeze();
        self.slab = slab;
        for number in frames.clone() {
            if let Some(slot) = self.slot(number) {
                *slot = Slot::Empty;
            }
        }
        (!packet.is_empty()).then_some(Whole { frames, link, packet })
    }

    fn get(&self, number: u64) -> Option<&Slot> {
        self.frames.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn slot(&mut self, number: u64) -> Option<&mut Slot> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        while self.frames.len() <= index {
            self.frames.push_back(Slot::Empty);
        }
        self.frames.get_mut(index)
    }
}
