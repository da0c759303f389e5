//! What is told of a segment: which fields change, by how much, and TCP's checksum.

/// The mask, numbers of five octets at most, the checksum.
const LONGEST: usize = 1 + 7 * 5 + 2;

/// Octets that are told; the first one is the mask.
#[derive(Debug, Clone)]
pub(super) struct Changes {
    octets: [u8; LONGEST],
    length: usize,
}

impl Default for Changes {
    fn default() -> Self {
        Self { octets: [0; LONGEST], length: 1 }
    }
}

impl core::ops::Deref for Changes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.octets[..self.length]
    }
}

impl Changes {
    /// The field of this number changes.
    pub(super) fn mark(&mut self, field: usize) {
        self.octets[0] |= 1 << field;
    }

    pub(super) fn push(&mut self, octet: u8) {
        self.octets[self.length] = octet;
        self.length += 1;
    }

    /// Seven bits an octet, the lower ones first; the first bit of an octet says that another one follows.
    pub(super) fn push_number(&mut self, mut number: u32) {
        loop {
            let [low, ..] = number.to_le_bytes();
            number >>= 7;
            if number == 0 {
                return self.push(low);
            }
            self.push(low | 0x80);
        }
    }
}

pub(super) fn take(octets: &mut &[u8]) -> Option<u8> {
    octets.split_off_first().copied()
}

pub(super) fn take_number(octets: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in [0, 7, 14, 21, 28] {
        let octet = take(octets)?;
        number |= u32::from(octet & 0x7f) << shift;
        if octet & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
