//! Half octets: every field of a STATUS PDU is a whole number of them, and none cares for the octets' borders.

/// What is left to read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nibbles<'a> {
    octets: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Nibbles<'a> {
    /// All of these octets.
    pub(super) const fn of(octets: &'a [u8]) -> Self {
        Self { octets, at: 0, end: 2 * octets.len() }
    }

    /// How many have been read.
    pub(super) const fn position(&self) -> usize {
        self.at
    }

    /// Whether all have been read.
    pub(super) const fn is_empty(&self) -> bool {
        self.at == self.end
    }

    /// The next half octet.
    pub(super) fn four(&mut self) -> Option<u8> {
        if self.is_empty() {
            return None;
        }
        let octet = *self.octets.get(self.at / 2)?;
        let nibble = if self.at.is_multiple_of(2) { octet >> 4 } else { octet & 0xf };
        self.at += 1;
        Some(nibble)
    }

    /// The next octet.
    pub(super) fn eight(&mut self) -> Option<u8> {
        Some(self.four()? << 4 | self.four()?)
    }

    /// The next 12 bits, which is what a sequence number has.
    pub(super) fn twelve(&mut self) -> Option<u16> {
        Some(u16::from(self.eight()?) << 4 | u16::from(self.four()?))
    }

    /// Takes the next `count` away as they are, for somebody to read later.
    pub(super) fn split(&mut self, count: usize) -> Option<Self> {
        if self.end - self.at < count {
            return None;
        }
        let taken = Self { end: self.at + count, ..*self };
        self.at = taken.end;
        Some(taken)
    }
}
