//! From the contents of data PDUs back to SDUs (3GPP TS 25.322 §9.2.2.8, §11.2.3.1).
//!
//! ```text
//!     PDU 7   |head|7|10|aaaaaaabbb|            a is delivered; b ends with the PDU, as its LI says, and is too
//!     PDU 8   |head|cccccccccccc|               kept: the first octets of c, or all of it
//!     PDU 9   |head|0|ddddddddddd|              the LI says that c has ended: delivered
//!             ... lost ...                      d cannot become whole any more: dropped
//!     PDU 11  |head|4|????eeeeeee|              nobody knows where these 4 octets began: dropped; e begins behind them
//! ```
//!
//! It is told of PDUs in their order, and of each gap in it. Which PDU is the next one is for the mode to know.

use super::pdu::{Contents, LengthIndicator};
use bytes::{Bytes, BytesMut};

/// How long an SDU may become before it is dropped: no packet is longer than an IPv6 packet of the largest payload length, and a peer that
/// never ends an SDU must not take all memory.
pub(super) const LONGEST_SDU: usize = 40 + u16::MAX as usize;

/// Puts SDUs together.
#[derive(Debug, Default)]
pub(super) struct Reassembler {
    /// The octets of an SDU whose end is not known yet; perhaps all of it. SDUs made of several pieces lie side by side in this memory.
    partial: BytesMut,
    /// What is known of the next octet.
    next: Next,
    /// A PDU that ends with an SDU, and has no LI to say so, also begins with it: unacknowledged mode's alternative E-bit interpretation. By
    /// HE = 10 it may be the rest of one.
    ends_here_is_whole: bool,
    /// SDUs dropped because they grew too long.
    too_long: u64,
}

/// What is known of the next octet of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Next {
    /// It continues what is partial, or begins an SDU where that is empty.
    #[default]
    Follows,
    /// It belongs to an SDU that cannot become whole: dropped up to the end of that.
    Lost,
    /// As `Lost`; an SDU begins behind this many ends that are told in the next PDU.
    BeginsAfter(u8),
}

/// SDUs made of pieces are written into memory of this size.
const SLAB: usize = 16 * 1024;

impl Reassembler {
    /// Of AMD PDUs, the first of which begins with the first octet of an SDU.
    pub(super) fn of_amd() -> Self {
        Self::default()
    }

    /// Of UMD PDUs.
    pub(super) fn of_umd() -> Self {
        Self { ends_here_is_whole: true, ..Self::default() }
    }

    /// Takes the PDU that follows the one taken before, and delivers the SDUs that are whole.
    pub(super) fn take(&mut self, contents: &Contents, deliver: &mut impl FnMut(Bytes)) {
        let mut data = contents.data.clone();
        let mut at = 0;
        let mut ends_here = contents.ends_here();
        if ends_here && self.ends_here_is_whole {
            self.end_of_filled(deliver);
        }
        for indicator in contents.indicators() {
            match indicator {
                LengthIndicator::End(octets) => {
                    let octets = usize::from(octets);
                    let last = data.split_to(octets.saturating_sub(at).min(data.len()));
                    at = octets;
                    self.end(last, deliver);
                }
                LengthIndicator::PreviousFilled => self.end(Bytes::new(), deliver),
                LengthIndicator::PreviousOneShort => {
                    self.partial.truncate(self.partial.len().saturating_sub(1));
                    self.end(Bytes::new(), deliver);
                }
                LengthIndicator::First => self.begin(),
                LengthIndicator::Whole | LengthIndicator::WholeOneShort => {
                    self.end_of_filled(deliver);
                    ends_here = true;
                }
                LengthIndicator::Middle => self.expect_partial(),
                LengthIndicator::Status | LengthIndicator::Padding => {}
            }
        }
        if let Next::BeginsAfter(_) = self.next {
            self.next = Next::Lost; // Fewer ends than the peer spoke of.
        }
        if ends_here {
            self.end(data, deliver);
        } else {
            self.keep(&data);
        }
    }

    /// A PDU of one whole SDU: it also says that an SDU which filled the PDU before has ended, and no LI does.
    fn end_of_filled(&mut self, deliver: &mut impl FnMut(Bytes)) {
        self.end(Bytes::new(), deliver);
        self.begin();
    }

    /// The PDUs that follow the one taken before are lost.
    pub(super) fn lose(&mut self) {
        self.partial.clear();
        self.next = Next::Lost;
    }

    /// The next PDU does not follow the one taken before. Of its octets those up to the end told by so many LIs are dropped, and an SDU begins
    /// behind them; 0: with its first octet (§11.6.3).
    pub(super) fn begin_after(&mut self, indicators: u8) {
        self.begin();
        if indicators > 0 {
            self.next = Next::BeginsAfter(indicators);
        }
    }

    /// All begins anew.
    pub(super) fn reset(&mut self) {
        self.begin();
    }

    /// How many SDUs were dropped because they grew too long.
    pub(super) fn too_long(&self) -> u64 {
        self.too_long
    }

    /// The next octet is the first one of an SDU, whatever came before.
    fn begin(&mut self) {
        self.partial.clear();
        self.next = Next::Follows;
    }

    /// The octets that come continue an SDU: worth nothing without its beginning.
    fn expect_partial(&mut self) {
        if self.partial.is_empty() && self.next == Next::Follows {
            self.next = Next::Lost;
        }
    }

    /// The SDU ends with these octets.
    fn end(&mut self, last: Bytes, deliver: &mut impl FnMut(Bytes)) {
        match self.next {
            Next::BeginsAfter(ends) if ends > 1 => self.next = Next::BeginsAfter(ends - 1),
            Next::BeginsAfter(_) | Next::Lost => self.begin(),
            Next::Follows => {
                let sdu = if self.partial.is_empty() {
                    last
                } else {
                    self.keep(&last);
                    self.partial.split().freeze()
                };
                self.next = Next::Follows;
                if !sdu.is_empty() {
                    deliver(sdu);
                }
            }
        }
    }

    /// Keeps these octets, the rest of a PDU.
    fn keep(&mut self, octets: &[u8]) {
        if self.next != Next::Follows {
            return;
        }
        if self.partial.len() + octets.len() > LONGEST_SDU {
            self.too_long += 1;
            self.lose();
            return;
        }
        if self.partial.capacity() - self.partial.len() < octets.len() {
            self.partial.reserve(octets.len().max(SLAB - self.partial.len().min(SLAB)));
        }
        self.partial.extend_from_slice(octets);
    }
}
