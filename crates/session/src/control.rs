//! What the ends of a session tell each other beside packets: sealed as these are, under a head that says so.
//!
//! ```text
//!     kind, 1 | number, 8          0: report, 1: challenge, 2: answer; little-endian
//! ```

/// The length of a control message.
pub(crate) const CONTROL: usize = 9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Control {
    /// All that will be seen of the counters before this one has been.
    Report(u64),
    /// Are you there?
    Challenge(u64),
    /// Here I am.
    Answer(u64),
}

impl Control {
    pub(crate) fn octets(self) -> [u8; CONTROL] {
        let (kind, number) = match self {
            Self::Report(next) => (0, next),
            Self::Challenge(token) => (1, token),
            Self::Answer(token) => (2, token),
        };
        let mut octets = [kind; CONTROL];
        octets[1..].copy_from_slice(&number.to_le_bytes());
        octets
    }

    pub(crate) fn read(octets: &[u8]) -> Option<Self> {
        let (kind, number) = octets.split_first()?;
        let number = u64::from_le_bytes(number.try_into().ok()?);
        match kind {
            0 => Some(Self::Report(number)),
            1 => Some(Self::Challenge(number)),
            2 => Some(Self::Answer(number)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_message_has_nine_octets_and_one_of_three_kinds() {
        for control in [Control::Report(1), Control::Challenge(u64::MAX), Control::Answer(0x0102_0304_0506_0708)] {
            let octets = control.octets();
            assert_eq!(Control::read(&octets), Some(control));
            assert_eq!(Control::read(&octets[..8]), None);
            assert_eq!(Control::read(&[octets.as_slice(), &[0]].concat()), None);
        }
        assert_eq!(Control::read(&[3; CONTROL]), None);
        assert_eq!(Control::Answer(0x0102).octets(), [2, 2, 1, 0, 0, 0, 0, 0, 0]);
    }
}
