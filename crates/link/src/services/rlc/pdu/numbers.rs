//! Arithmetic of sequence numbers of 12 bits, as they stand in super-fields.

/// `number` and so many on, modulo 4096.
pub(super) const fn after(number: u16, count: u16) -> u16 {
    number.wrapping_add(count) & 0xfff
}
