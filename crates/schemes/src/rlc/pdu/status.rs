//! STATUS PDUs, of their own and piggybacked (3GPP TS 25.322 §9.2.1.5, §9.2.1.6).
//!
//! ```text
//!     | 0 000 | SUFI | SUFI | ... | ACK or NO_MORE | padding |       the first bit is D/C, or R2 where it is piggybacked
//! ```
//!
//! Only a PDU that its super-fields fill to the last bit may go without ACK or NO_MORE (§11.5.2.2).

use super::control;
use super::nibbles::Nibbles;
use super::sufi::{self, Sufi};
use bytes::Bytes;

/// A STATUS PDU that was read and found right, all of it. Its octets are shared with the frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    octets: Bytes,
}

impl Status {
    /// Reads a STATUS PDU whose first half octet tells that it is one.
    pub(super) fn read(mut octets: Bytes) -> Option<Self> {
        let mut nibbles = Nibbles::of(&octets);
        nibbles.four()?;
        while !nibbles.is_empty() {
            match sufi::read(&mut nibbles)? {
                Sufi::NoMore | Sufi::Ack(_) => break,
                Sufi::Window(_)
                | Sufi::List(_)
                | Sufi::Bitmap(_)
                | Sufi::RelativeList(_)
                | Sufi::MoveReceivingWindow(_)
                | Sufi::MoveReceivingWindowAck { .. }
                | Sufi::Poll(_) => {}
            }
        }
        let end = nibbles.position().div_ceil(2);
        octets.truncate(end);
        Some(Self { octets })
    }

    /// Reads one that is piggybacked: the bit R2 and the PDU type are zero, all else is invalid.
    pub(super) fn piggybacked(octets: Bytes) -> Option<Self> {
        if octets.first()? >> 4 == control::STATUS { Self::read(octets) } else { None }
    }

    /// The super-fields in their order, with [`Sufi::NoMore`] or [`Sufi::Ack`] as the last, if there is one.
    #[must_use]
    pub fn sufis(&self) -> Sufis<'_> {
        let mut nibbles = Nibbles::of(&self.octets);
        let has_more = nibbles.four().is_some();
        Sufis { nibbles, has_more }
    }
}

/// The super-fields of a [`Status`].
#[derive(Debug, Clone)]
pub struct Sufis<'a> {
    nibbles: Nibbles<'a>,
    has_more: bool,
}

impl<'a> Iterator for Sufis<'a> {
    type Item = Sufi<'a>;

    fn next(&mut self) -> Option<Sufi<'a>> {
        if !self.has_more || self.nibbles.is_empty() {
            return None;
        }
        let sufi = sufi::read(&mut self.nibbles);
        self.has_more = !matches!(sufi, None | Some(Sufi::NoMore | Sufi::Ack(_)));
        sufi
    }
}
