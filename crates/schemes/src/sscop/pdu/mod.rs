//! The PDUs of SSCOP, all fifteen (ITU-T Q.2110 §7.2, figures 3 to 17).
//!
//! SSCOP ends its PDUs with a *trailer* instead of beginning them with a head; all is aligned to four octets, and numbers have
//! 24 bits. A sequenced data PDU:
//!
//! ```text
//!     +- - - - - - - - - - - - - - - - - - - - - - -+-------------+----+----+------+-------------------+
//!     |  information: a packet                      | pad, 0 to 3 | PL | 00 | type |  N(S), 24 bits    |
//!     +- - - - - - - - - - - - - - - - - - - - - - -+-------------+----+----+------+-------------------+
//!                                                    PL says how many 2 bits         4 bits
//! ```
//!
//! So the packet's octets stay where they are, in the frame's body, and all the rest is the trailer behind it. The other PDUs
//! bear words of four octets in front of the last one, of which the highest octet is reserved; a STAT PDU's list of numbers is as
//! long as it takes, and is the body too.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::parse;
pub(crate) use read::{InFront, read};
pub use write::{frame, stat_list};

use arqway_contract::Kind;
use bytes::Bytes;

/// The last word of every PDU, in octets.
pub(crate) const LAST_WORD: usize = 4;

/// All PDUs are one kind of frame: the standard's own type tells them apart.
pub const KIND: Kind = Kind::new(0);

/// One PDU. Numbers are those on the wire: 24 bits, N(SQ) 8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pdu {
    /// Begin: asks for a connection.
    Bgn {
        /// N(SQ): tells one attempt from another.
        sq: u8,
        /// N(MR): the first number that the sender of this PDU does not take yet.
        mr: u32,
        /// SSCOP-UU: what the users tell each other.
        uu: Bytes,
    },
    /// Begin Acknowledge.
    Bgak {
        /// N(MR).
        mr: u32,
        /// SSCOP-UU.
        uu: Bytes,
    },
    /// Begin Reject.
    Bgrej {
        /// SSCOP-UU.
        uu: Bytes,
    },
    /// End: the connection is released.
    End {
        /// S: not the user did so, SSCOP itself did.
        by_sscop: bool,
        /// SSCOP-UU.
        uu: Bytes,
    },
    /// End Acknowledge.
    Endak,
    /// Resynchronization: the user wants both ends to begin anew.
    Rs {
        /// N(SQ).
        sq: u8,
        /// N(MR).
        mr: u32,
        /// SSCOP-UU.
        uu: Bytes,
    },
    /// Resynchronization Acknowledge.
    Rsak {
        /// N(MR).
        mr: u32,
    },
    /// Error Recovery: both ends have to begin anew, since what one said contradicts what the other knows.
    Er {
        /// N(SQ).
        sq: u8,
        /// N(MR).
        mr: u32,
    },
    /// Error Recovery Acknowledge.
    Erak {
        /// N(MR).
        mr: u32,
    },
    /// Sequenced Data.
    Sd {
        /// N(S).
        number: u32,
        /// What the user gave.
        packet: Bytes,
    },
    /// Status Request.
    Poll {
        /// N(PS): the number of this request.
        ps: u32,
        /// N(S): the number of the next new SD PDU.
        s: u32,
    },
    /// Solicited Status Response, to a poll.
    Stat(Stat),
    /// Unsolicited Status Response: these are missing, all at once.
    Ustat {
        /// The first that is missing.
        first: u32,
        /// The first after it that is not.
        end: u32,
        /// N(MR).
        mr: u32,
        /// N(R): the next number awaited.
        r: u32,
    },
    /// Unnumbered Data: sent once, and that is that.
    Ud {
        /// What the user gave.
        packet: Bytes,
    },
    /// Management Data: as unnumbered data, between the managements.
    Md {
        /// What the management gave.
        packet: Bytes,
    },
}

/// What a STAT PDU says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// The list as its octets are, four a number.
    list: Bytes,
    /// N(PS) of the poll that it answers.
    pub ps: u32,
    /// N(MR).
    pub mr: u32,
    /// N(R): all before it have arrived.
    pub r: u32,
}

impl Stat {
    /// A response with this list, as [`stat_list`] writes it.
    #[must_use]
    pub fn new(list: Bytes, ps: u32, mr: u32, r: u32) -> Self {
        Self { list, ps, mr, r }
    }

    /// The list: by turns the first of some that are missing, and the first after them that is not.
    pub fn list(&self) -> impl Iterator<Item = u32> + '_ {
        self.list
            .chunks_exact(4)
            .map(|octets| octets.iter().skip(1).fold(0, |number, octet| number << 8 | u32::from(*octet)))
    }
}

/// The four bits of the type (Q.2110 table 3).
mod types {
    pub(super) const BGN: u8 = 0x1;
    pub(super) const BGAK: u8 = 0x2;
    pub(super) const END: u8 = 0x3;
    pub(super) const ENDAK: u8 = 0x4;
    pub(super) const RS: u8 = 0x5;
    pub(super) const RSAK: u8 = 0x6;
    pub(super) const BGREJ: u8 = 0x7;
    pub(super) const SD: u8 = 0x8;
    pub(super) const ER: u8 = 0x9;
    pub(super) const POLL: u8 = 0xa;
    pub(super) const STAT: u8 = 0xb;
    pub(super) const USTAT: u8 = 0xc;
    pub(super) const UD: u8 = 0xd;
    pub(super) const MD: u8 = 0xe;
    pub(super) const ERAK: u8 = 0xf;
}

/// The bit S of an END PDU, in the octet of the type.
const BY_SSCOP: u8 = 0x10;

/// How many octets make a multiple of four.
#[must_use]
pub(super) fn padding_of(length: usize) -> usize {
    length.wrapping_neg() % 4
}
