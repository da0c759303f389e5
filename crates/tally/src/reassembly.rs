//! From cuts to packets.
//!
//! ```text
//!     frames      4 S   5   |   6     7 E      8 SE     9 S   10 E
//!     cuts        aaa   aa  |   .     a        bbb      .     cc        8 is released at once; 7 waits for 6, and 10 for 9
//!                 one buffer, since all of them have come
//! ```

use super::wire::{Cut, LONGEST_PACKET, MOST_CUTS};
use alloc::collections::VecDeque;
use bytes::{BufMut, Bytes, BytesMut};
use core::ops::Range;

/// How much memory is taken at once for packets that are put together.
const SLAB: usize = 64 * 1024;
/// So many octets are kept of cuts that have some of their pieces, whatever a peer sends. Of the cut that all others wait for they are
/// kept in any case, so one after the other is completed.
const MOST_IN_PIECES: usize = 4 * 1024 * 1024;

/// The frames from the first one that is missing to the highest one that has come, and what has come of the packet before them.
#[derive(Debug, Clone, Default)]
pub(super) struct Reassembly {
    frames: VecDeque<Slot>,
    /// All before this one have arrived or are given up.
    edge: u64,
    /// The first frame of the packet that the edge is in, if all of it before the edge has arrived.
    begun: Option<u64>,
    /// The octets of that packet.
    octets: BytesMut,
    /// How many octets are kept of cuts that have some of their pieces.
    in_pieces: usize,
    /// For packets behind a gap.
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
        let (first, last) = (self.first_of(number)?, self.last_of(number)?);
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
            let slot = self.frames.pop_front().unwrap_or_default();
            let continues = match &slot {
                Slot::Cut(cut) => !cut.starts && self.octets.len() + cut.octets.len() <= LONGEST_PACKET,
                Slot::GivenUp { starts } => !starts,
                // Its packet was whole.
                Slot::Empty | Slot::Pieces(_) => false,
            };
            if !continues && self.begun.is_some() {
                endless += 1;
                self.drop_begun();
            }
            match slot {
                Slot::Cut(cut) => {
                    if cut.starts {
                        self.begun = Some(number);
                    }
                    if self.begun.is_some() {
                        put(&mut self.octets, &cut.octets);
                    }
                }
                _ => self.drop_begun(),
            }
        }
        endless
    }

    fn drop_begun(&mut self) {
        self.begun = None;
        self.octets.clear();
    }

    /// The first frame of the packet of frame `number`; `None` if one in between has not come, or belongs to another packet.
    fn first_of(&self, number: u64) -> Option<u64> {
        for at in (self.edge..=number).rev().take(MOST_CUTS) {
            match self.get(at) {
                Some(Slot::Cut(cut)) if at == number || !cut.ends => {
                    if cut.starts {
                        return Some(at);
                    }
                }
                _ => return None,
            }
        }
        self.begun.filter(|_| number - self.edge < MOST_CUTS as u64)
    }

    /// The last one.
    fn last_of(&self, number: u64) -> Option<u64> {
        for at in (number..).take(MOST_CUTS) {
            match self.get(at) {
                Some(Slot::Cut(cut)) if at == number || !cut.starts => {
                    if cut.ends {
                        return Some(at);
                    }
                }
                _ => return None,
            }
        }
        None
    }

    fn join(&mut self, frames: Range<u64>) -> Option<Whole> {
        let has_begun = frames.start < self.edge;
        let mut octets = core::mem::take(if has_begun { &mut self.octets } else { &mut self.slab });
        if has_begun {
            self.begun = None;
        }
        let mut link = None;
        for number in frames.start.max(self.edge)..frames.end {
            if let Some(Slot::Cut(cut)) = self.slot(number).map(core::mem::take) {
                link = cut.link;
                if octets.len() <= LONGEST_PACKET {
                    put(&mut octets, &cut.octets);
                }
            }
        }
        if octets.len() > LONGEST_PACKET {
            octets.clear();
        }
        let packet = octets.split().freeze();
        *(if has_begun { &mut self.octets } else { &mut self.slab }) = octets;
        (!packet.is_empty()).then_some(Whole { frames, link, packet })
    }

    fn get(&self, number: u64) -> Option<&Slot> {
        self.frames.get(usize::try_from(number.checked_sub(self.edge)?).ok()?)
    }

    fn slot(&mut self, number: u64) -> Option<&mut Slot> {
        let index = usize::try_from(number.checked_sub(self.edge)?).ok()?;
        while self.frames.len() <= index {
            self.frames.push_back(Slot::Empty);
        }
        self.frames.get_mut(index)
    }
}

/// Appends octets, into memory that is taken a slab at a time.
fn put(slab: &mut BytesMut, octets: &[u8]) {
    if slab.capacity() - slab.len() < octets.len() {
        slab.reserve(octets.len().max(SLAB));
    }
    slab.put_slice(octets);
}
