//! Super-fields, of which STATUS PDUs consist (3GPP TS 25.322 §9.2.2.11).
//!
//! ```text
//!     0  NO_MORE
//!     1  WINDOW    | WSN (12) |
//!     2  ACK       | LSN (12) |
//!     3  LIST      | LENGTH (4) | SN (12) | L (4) | SN | L | ...                    LENGTH pairs
//!     4  BITMAP    | LENGTH (4) | FSN (12) | bits |                                 LENGTH + 1 octets
//!     5  RLIST     | LENGTH (4) | FSN (12) | CW (4) | CW | ...                      LENGTH code words
//!     6  MRW       | LENGTH (4) | SN_MRW (12) | SN_MRW | ... | N (4) |              LENGTH numbers, but one where it is 0
//!     7  MRW_ACK   | N (4) | SN_ACK (12) |
//!     8  POLL      | Poll_SN (12) |
//! ```
//!
//! All numbers are 12 bits of sequence numbers, for whoever knows a window to expand.

use super::nibbles::Nibbles;
use super::numbers::after;
use super::relative_list;
use core::iter;

pub(super) const NO_MORE: u8 = 0;
pub(super) const WINDOW: u8 = 1;
pub(super) const ACK: u8 = 2;
pub(super) const LIST: u8 = 3;
pub(super) const BITMAP: u8 = 4;
pub(super) const RELATIVE_LIST: u8 = 5;
pub(super) const MOVE_RECEIVING_WINDOW: u8 = 6;
pub(super) const MOVE_RECEIVING_WINDOW_ACK: u8 = 7;
pub(super) const POLL: u8 = 8;

/// One super-field.
#[derive(Debug, Clone, Copy)]
pub enum Sufi<'a> {
    /// What follows is padding (§9.2.2.11.1).
    NoMore,
    /// WSN: how many PDUs the peer may have outstanding. 0 means nothing, and is to be ignored.
    Window(u16),
    /// LSN: all before it have arrived but those that this STATUS says are missing. What follows is padding.
    Ack(u16),
    /// These are missing (§9.2.2.11.4).
    List(List<'a>),
    /// Of these it is told one by one whether they are missing.
    Bitmap(Bitmap<'a>),
    /// These are missing.
    RelativeList(RelativeList<'a>),
    /// The sender has discarded SDUs and asks not to wait for them.
    MoveReceivingWindow(MoveReceivingWindow<'a>),
    /// The answer to [`MoveReceivingWindow`](Self::MoveReceivingWindow) (§9.2.2.11.7).
    MoveReceivingWindowAck {
        /// The N that it answers, or 0 where the window begins elsewhere than asked for.
        n: u8,
        /// SN_ACK: where the window begins now.
        number: u16,
    },
    /// Poll_SN: a status report is asked for, by who has sent this number last.
    Poll(u16),
}

/// LIST: runs of missing PDUs.
#[derive(Debug, Clone, Copy)]
pub struct List<'a> {
    pairs: Nibbles<'a>,
}

impl List<'_> {
    /// The first number of each run, and how many more follow it.
    pub fn pairs(&self) -> impl Iterator<Item = (u16, u8)> {
        let mut pairs = self.pairs;
        iter::from_fn(move || Some((pairs.twelve()?, pairs.four()?)))
    }

    /// The missing numbers.
    pub fn missing(&self) -> impl Iterator<Item = u16> {
        self.pairs().flat_map(|(first, more)| (0..=u16::from(more)).map(move |ahead| after(first, ahead)))
    }
}

/// BITMAP: a bit for each PDU from a first one on.
#[derive(Debug, Clone, Copy)]
pub struct Bitmap<'a> {
    /// FSN: which PDU the first bit is about.
    pub first: u16,
    bits: Nibbles<'a>,
}

impl Bitmap<'_> {
    /// Each number that it is about, and whether that has arrived.
    pub fn all(&self) -> impl Iterator<Item = (u16, bool)> {
        let (mut bits, first) = (self.bits, self.first);
        let octets = iter::from_fn(move || bits.eight());
        let bits = octets.flat_map(|octet| (0..8).map(move |bit| octet & (0x80 >> bit) != 0));
        (0u16..).zip(bits).map(move |(ahead, arrived)| (after(first, ahead), arrived))
    }

    /// The missing numbers.
    pub fn missing(&self) -> impl Iterator<Item = u16> {
        self.all().filter(|(_, arrived)| !arrived).map(|(number, _)| number)
    }

    /// The numbers that have arrived.
    pub fn received(&self) -> impl Iterator<Item = u16> {
        self.all().filter(|(_, arrived)| *arrived).map(|(number, _)| number)
    }
}

/// RLIST: missing PDUs by their distances.
#[derive(Debug, Clone, Copy)]
pub struct RelativeList<'a> {
    /// FSN: the first missing PDU.
    pub first: u16,
    words: Nibbles<'a>,
}

impl RelativeList<'_> {
    /// The missing numbers.
    pub fn missing(&self) -> impl Iterator<Item = u16> {
        relative_list::missing(self.first, self.code_words())
    }

    /// The code words as they are.
    pub fn code_words(&self) -> impl Iterator<Item = u8> {
        let mut words = self.words;
        iter::from_fn(move || words.four())
    }
}

/// MRW: the ends of discarded SDUs, and where the receiver shall go on.
#[derive(Debug, Clone, Copy)]
pub struct MoveReceivingWindow<'a> {
    numbers: Nibbles<'a>,
    /// LENGTH = 0: the discarded SDU reaches beyond the sender's window.
    pub beyond_window: bool,
    /// N_LENGTH: which length indicator of the PDU with the last number ends the last discarded SDU, from 1 on; 0: the
    /// last number's first octet is the first one to be kept.
    pub n: u8,
}

impl MoveReceivingWindow<'_> {
    /// SN_MRW: the PDU where each discarded SDU ends, but for the last one with N = 0, which is where to go on. 1 to 15.
    pub fn numbers(&self) -> impl Iterator<Item = u16> {
        let mut numbers = self.numbers;
        iter::from_fn(move || numbers.twelve())
    }
}

/// Reads a super-field, or `None` where it is cut short, reserved or invalid.
pub(super) fn read<'a>(nibbles: &mut Nibbles<'a>) -> Option<Sufi<'a>> {
    Some(match nibbles.four()? {
        NO_MORE => Sufi::NoMore,
        WINDOW => Sufi::Window(nibbles.twelve()?),
        ACK => Sufi::Ack(nibbles.twelve()?),
        LIST => {
            let length = usize::from(nibbles.four()?);
            if length == 0 {
                return None;
            }
            Sufi::List(List { pairs: nibbles.split(4 * length)? })
        }
        BITMAP => {
            let octets = usize::from(nibbles.four()?) + 1;
            Sufi::Bitmap(Bitmap { first: nibbles.twelve()?, bits: nibbles.split(2 * octets)? })
        }
        RELATIVE_LIST => {
            let length = usize::from(nibbles.four()?);
            let list = RelativeList { first: nibbles.twelve()?, words: nibbles.split(length)? };
            if !relative_list::is_valid(list.code_words()) {
                return None;
            }
            Sufi::RelativeList(list)
        }
        MOVE_RECEIVING_WINDOW => {
            let length = usize::from(nibbles.four()?);
            let numbers = nibbles.split(3 * length.max(1))?;
            Sufi::MoveReceivingWindow(MoveReceivingWindow { numbers, beyond_window: length == 0, n: nibbles.four()? })
        }
        MOVE_RECEIVING_WINDOW_ACK => Sufi::MoveReceivingWindowAck { n: nibbles.four()?, number: nibbles.twelve()? },
        POLL => Sufi::Poll(nibbles.twelve()?),
        _ => return None,
    })
}
