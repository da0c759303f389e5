//! What a frame is in a sum: all that its receiver has to learn of it.
//!
//! ```text
//!     S, E, L, length 13 | link 24 | octets ... | zeros, as far as the longest frame of the sum goes
//! ```

use crate::wire::{Cut, Form, IN_SUM};
use arqway_arq::linear::field::add_scaled;
use bytes::{Bytes, BytesMut};

/// A frame with more octets is in no sum.
pub(crate) const MOST_OCTETS: usize = 0x1fff;
/// How much memory for frames is taken at once.
const SLAB: usize = 64 * 1024;

/// A frame as it is added.
#[derive(Debug, Clone)]
pub(crate) struct Symbol {
    head: [u8; IN_SUM],
    octets: Bytes,
}

impl Symbol {
    /// That of a frame; `None` where it is too long.
    pub(crate) fn new(starts: bool, ends: bool, link: Option<u32>, octets: Bytes) -> Option<Self> {
        let length = u32::try_from(octets.len()).ok().filter(|_| octets.len() <= MOST_OCTETS)?;
        let marks = u32::from(starts) << 15 | u32::from(ends) << 14 | u32::from(link.is_some()) << 13 | length;
        let [_, _, a, b] = marks.to_be_bytes();
        let [_, c, d, e] = link.unwrap_or(0).to_be_bytes();
        Some(Self { head: [a, b, c, d, e], octets })
    }

    /// That of a cut, in memory of its own: what the cut came in has other frames in it, and would be kept with them.
    pub(super) fn copied(cut: &Cut, slab: &mut BytesMut) -> Option<Self> {
        if cut.octets.len() > MOST_OCTETS {
            return None;
        }
        Self::new(cut.starts, cut.ends, cut.link, copied(&cut.octets, slab))
    }

    /// Adds it so many times to a sum that is as long; `None` where that is shorter.
    pub(crate) fn add_to(&self, sum: &mut [u8], times: u8) -> Option<()> {
        let (head, octets) = sum.split_at_mut_checked(IN_SUM)?;
        add_scaled(head, times, &self.head);
        add_scaled(octets.get_mut(..self.octets.len())?, times, &self.octets);
        Some(())
    }
}

/// The frame of a symbol, its numbers apart; `None` where that cannot be one.
pub(super) fn read(symbol: &[u8], is_linked: bool, slab: &mut BytesMut) -> Option<Cut> {
    let ([a, b, c, d, e], octets) = symbol.split_first_chunk()?;
    let (marks, link) = (u16::from_be_bytes([*a, *b]), u32::from_be_bytes([0, *c, *d, *e]));
    let [starts, ends, has_link] = [15, 14, 13].map(|bit| marks >> bit & 1 == 1);
    let (octets, rest) = octets.split_at_checked(usize::from(marks) % (MOST_OCTETS + 1))?;
    let is_padded = !octets.is_empty() && rest.iter().all(|octet| *octet == 0);
    if !is_padded || has_link && !(is_linked && ends) || !has_link && link != 0 {
        return None;
    }
    let link = has_link.then_some(link);
    Some(Cut { form: Form::Long, number: 0, counter: 0, starts, ends, link, octets: copied(octets, slab) })
}

fn copied(octets: &[u8], slab: &mut BytesMut) -> Bytes {
    if slab.capacity() < octets.len() {
        slab.reserve(SLAB);
    }
    slab.extend_from_slice(octets);
    slab.split().freeze()
}
