//! What passes between SSCOP and what is above it: its user, and the management (Q.2110 §6.1, §6.2).

use arqway_contract::Packet;
use bytes::Bytes;

/// A packet of the user, with what a counter wants to know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The packet.
    pub packet: Packet,
    /// It has been in an SD PDU before, perhaps of an earlier connection.
    pub was_sent: bool,
}

impl Message {
    /// A packet that was never sent.
    #[must_use]
    pub fn new(packet: Packet) -> Self {
        Self { packet, was_sent: false }
    }
}

/// What the user or the management asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// AA-ESTABLISH.request, with SSCOP-UU.
    Establish(Bytes),
    /// AA-ESTABLISH.response, with SSCOP-UU.
    AcceptEstablishment(Bytes),
    /// AA-RELEASE.request, with SSCOP-UU.
    Release(Bytes),
    /// AA-DATA.request.
    Data(Message),
    /// AA-RESYNC.request, with SSCOP-UU.
    Resynchronize(Bytes),
    /// AA-RESYNC.response.
    AcceptResynchronization,
    /// AA-RECOVER.response.
    AcceptRecovery,
    /// AA-UNITDATA.request.
    UnitData(Bytes),
    /// MAA-UNITDATA.request.
    ManagementData(Bytes),
}

/// What the user or the management is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Indication {
    /// AA-ESTABLISH.indication: the peer wants a connection.
    Establish(Bytes),
    /// AA-ESTABLISH.confirm.
    Established(Bytes),
    /// AA-RELEASE.indication: there is no connection any more.
    Release {
        /// What the peer's user said.
        uu: Bytes,
        /// SSCOP released it, no user.
        by_sscop: bool,
    },
    /// AA-RELEASE.confirm.
    Released(Bytes),
    /// AA-DATA.indication.
    Data {
        /// The number of its PDU in full.
        number: u64,
        /// The packet.
        packet: Bytes,
    },
    /// AA-RESYNC.indication.
    Resynchronize(Bytes),
    /// AA-RESYNC.confirm.
    Resynchronized(Bytes),
    /// AA-RECOVER.indication: both ends begin anew.
    Recover,
    /// AA-UNITDATA.indication.
    UnitData(Bytes),
    /// MAA-UNITDATA.indication.
    ManagementData(Bytes),
    /// MAA-ERROR.indication.
    Error(Error),
}

/// From where on packets are wanted back (AA-RETRIEVE.request).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retrieve {
    /// "Unknown": those that were never sent.
    Unsent,
    /// "Total": also all that are not acknowledged.
    All,
    /// Those as well that were sent after the PDU of this number.
    After(u32),
}

/// The errors of Q.2110 annex A, by their letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// A to M: a PDU that the state does not expect.
    Unexpected(Kind),
    /// O: the peer did not answer MaxCC times.
    NoAnswer,
    /// P: Timer_NO-RESPONSE has expired.
    NoResponse,
    /// Q: the number of an SD or POLL PDU.
    SequenceNumber,
    /// R: N(PS) of a STAT PDU.
    PollNumber,
    /// S: N(R) or the list of a STAT PDU.
    StatNumber,
    /// T: N(R) or the list of a USTAT PDU.
    UstatNumber,
    /// U: a PDU that cannot be read.
    Malformed,
    /// V: so many SD PDUs are to be sent again.
    Retransmission(u32),
    /// W: no credit is left.
    CreditLost,
    /// X: there is credit again.
    CreditObtained,
}

/// Which PDU the state did not expect, in the order of the errors' letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the PDU of that name")]
pub enum Kind {
    Sd,
    Bgn,
    Bgak,
    Bgrej,
    End,
    Endak,
    Poll,
    Stat,
    Ustat,
    Rs,
    Rsak,
    Er,
    Erak,
}

impl Error {
    /// Its letter in Q.2110 annex A.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Unexpected(kind) => (b'A' + kind as u8) as char,
            Self::NoAnswer => 'O',
            Self::NoResponse => 'P',
            Self::SequenceNumber => 'Q',
            Self::PollNumber => 'R',
            Self::StatNumber => 'S',
            Self::UstatNumber => 'T',
            Self::Malformed => 'U',
            Self::Retransmission(_) => 'V',
            Self::CreditLost => 'W',
            Self::CreditObtained => 'X',
        }
    }

    /// How many PDUs it is about, where it counts: those to be sent again.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::Retransmission(count) => count,
            _ => 0,
        }
    }

    /// Whether something is wrong; V, W and X only tell how it goes.
    #[must_use]
    pub const fn is_wrong(self) -> bool {
        !matches!(self, Self::Retransmission(_) | Self::CreditLost | Self::CreditObtained)
    }
}
