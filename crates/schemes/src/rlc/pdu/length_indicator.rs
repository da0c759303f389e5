//! Length indicators: where in a data PDU an SDU ends (3GPP TS 25.322 §9.2.2.8).
//!
//! ```text
//!     7 bits      15 bits
//!     0           0         the PDU before was filled by the end of an SDU, and nothing there says so
//!     1 to 123    1 ...     an SDU ends so many octets behind the header
//!                 0x7ffa    UMD: one SDU, whole, and one octet of padding
//!                 0x7ffb    the PDU before ended with the end of an SDU and one octet of padding, and nothing there says so
//!     124         0x7ffc    UMD: the first octet of data is the first one of an SDU
//!     125         0x7ffd    UMD: one SDU, whole
//!     126         0x7ffe    AMD: a STATUS PDU is piggybacked behind the data; UMD: octets of one SDU, neither its first nor its last
//!     127         0x7fff    padding behind the data, perhaps none
//! ```

use bytes::BufMut;

/// How wide length indicators are: one octet or two, with the E bit that follows each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthIndicatorSize {
    /// 7 bits.
    Seven,
    /// 15 bits.
    Fifteen,
}

impl LengthIndicatorSize {
    /// What an acknowledged mode bearer with AMD PDUs of this fixed size uses.
    #[must_use]
    pub const fn for_amd(pdu_octets: usize) -> Self {
        if pdu_octets <= 126 { Self::Seven } else { Self::Fifteen }
    }

    /// What an unacknowledged mode bearer with UMD PDUs of at most this size uses.
    #[must_use]
    pub const fn for_umd(largest_pdu_octets: usize) -> Self {
        if largest_pdu_octets <= super::LARGEST_UMD_OF_SEVEN_BITS { Self::Seven } else { Self::Fifteen }
    }

    /// How many octets an indicator and its E bit take.
    #[must_use]
    pub const fn octets(self) -> usize {
        match self {
            Self::Seven => 1,
            Self::Fifteen => 2,
        }
    }

    /// The values that count octets are those below this one.
    pub(super) const fn first_predefined(self) -> u16 {
        match self {
            Self::Seven => 124,
            Self::Fifteen => 0x7ffa,
        }
    }

    /// The value for padding, from which the other predefined values are counted down.
    const fn highest(self) -> u16 {
        match self {
            Self::Seven => 0x7f,
            Self::Fifteen => 0x7fff,
        }
    }
}

/// What one length indicator says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthIndicator {
    /// An SDU ends so many octets behind the header.
    End(u16),
    /// The PDU before was filled by the end of an SDU, and no indicator there says so.
    PreviousFilled,
    /// The PDU before ended with the end of an SDU and one octet of padding, and no indicator there says so. 15 bits only.
    PreviousOneShort,
    /// UMD: the first octet of data is the first one of an SDU.
    First,
    /// UMD: the data are one SDU, whole.
    Whole,
    /// UMD: the data are one SDU, whole, and one octet of padding. 15 bits only.
    WholeOneShort,
    /// UMD: the data are octets of one SDU, but neither its first nor its last.
    Middle,
    /// AMD: a STATUS PDU is piggybacked behind the data.
    Status,
    /// Padding behind the data.
    Padding,
}

impl LengthIndicator {
    /// Writes it with its E bit: whether there is `more`, another indicator behind it.
    pub fn write(self, size: LengthIndicatorSize, more: bool, out: &mut impl BufMut) {
        debug_assert!(self.fits(size), "{self:?} has no value of {size:?} bits");
        let value = self.value(size) << 1 | u16::from(more);
        match (size, value.to_be_bytes()) {
            (LengthIndicatorSize::Seven, [_, octet]) => out.put_u8(octet),
            (LengthIndicatorSize::Fifteen, octets) => out.put_slice(&octets),
        }
    }

    /// Whether it can be told in this size.
    const fn fits(self, size: LengthIndicatorSize) -> bool {
        match self {
            Self::End(octets) => octets > 0 && octets < size.first_predefined(),
            Self::PreviousOneShort | Self::WholeOneShort => matches!(size, LengthIndicatorSize::Fifteen),
            _ => true,
        }
    }

    const fn value(self, size: LengthIndicatorSize) -> u16 {
        let highest = size.highest();
        match self {
            Self::PreviousFilled => 0,
            Self::End(octets) => octets,
            Self::WholeOneShort => highest - 5,
            Self::PreviousOneShort => highest - 4,
            Self::First => highest - 3,
            Self::Whole => highest - 2,
            Self::Middle | Self::Status => highest - 1,
            Self::Padding => highest,
        }
    }

    /// The first indicator of these octets, and its E bit. Where an AMD PDU has `Status`, this says `Middle`.
    pub(super) fn read(octets: &[u8], size: LengthIndicatorSize) -> Option<(Self, bool)> {
        let field = match size {
            LengthIndicatorSize::Seven => u16::from(*octets.first()?),
            LengthIndicatorSize::Fifteen => u16::from_be_bytes(*octets.first_chunk()?),
        };
        let value = field >> 1;
        let indicator = match value {
            0 => Self::PreviousFilled,
            ordinary if ordinary < size.first_predefined() => Self::End(ordinary),
            predefined => match size.highest() - predefined {
                0 => Self::Padding,
                1 => Self::Middle,
                2 => Self::Whole,
                3 => Self::First,
                4 => Self::PreviousOneShort,
                _ => Self::WholeOneShort,
            },
        };
        Some((indicator, field & 1 != 0))
    }
}
