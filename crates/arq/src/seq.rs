//! Sequence numbers that never wrap inside.
//!
//! A number is 64 bits wide in memory and `BITS` wide on the wire. A number from the wire is read as the first one at
//! or after the window's lower edge with these low bits: the comparison rule of 3GPP TS 25.322 §11.3 (modulo, after
//! subtracting the state variable), right for any window up to the modulus less one, where comparing half-spaces is
//! not. So order is ordinary, and an old duplicate reads as a number far beyond the window.

use core::ops::Add;

/// A sequence number of `BITS` bits on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Seq<const BITS: u32>(u64);

/// A TCP sequence number.
pub type TcpNumber = Seq<32>;

impl<const BITS: u32> Seq<BITS> {
    /// The first number.
    pub const ZERO: Self = Self(0);
    /// How wide a number is on the wire.
    pub const WIDTH: u32 = BITS;
    /// How many different numbers the wire has.
    pub const MODULUS: u64 = 1 << BITS;

    /// The number in full.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number in full.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// The low bits that go onto the wire.
    #[must_use]
    pub const fn wire(self) -> u64 {
        self.0 % Self::MODULUS
    }

    /// The low bits in one octet, for numbers of at most 8 bits.
    #[must_use]
    pub const fn wire_u8(self) -> u8 {
        const { assert!(BITS <= 8, "a wider number does not fit into an octet") };
        let [low, ..] = self.wire().to_le_bytes();
        low
    }

    /// The low bits in two octets, for numbers of at most 16 bits.
    #[must_use]
    pub const fn wire_u16(self) -> u16 {
        const { assert!(BITS <= 16, "a wider number does not fit into two octets") };
        let [a, b, ..] = self.wire().to_le_bytes();
        u16::from_le_bytes([a, b])
    }

    /// The low bits in four octets, for numbers of at most 32 bits.
    #[must_use]
    pub const fn wire_u32(self) -> u32 {
        const { assert!(BITS <= 32, "a wider number does not fit into four octets") };
        let [a, b, c, d, ..] = self.wire().to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    /// The first number at or after `base` whose wire bits are `wire`.
    #[must_use]
    pub const fn at_or_after(base: Self, wire: u64) -> Self {
        Self(base.0 + (wire.wrapping_sub(base.0) & (Self::MODULUS - 1)))
    }

    /// The last number before `end` whose wire bits are `wire`, if there is one.
    #[must_use]
    pub const fn before(end: Self, wire: u64) -> Option<Self> {
        let number = Self::at_or_after(Self(end.0.saturating_sub(Self::MODULUS)), wire);
        if number.0 < end.0 { Some(number) } else { None }
    }

    /// The number nearest to `base` whose wire bits are `wire`, where no window says on which side to look (TCP). Not
    /// right within half a modulus of zero: begin a turn above it.
    #[must_use]
    pub const fn nearest(base: Self, wire: u64) -> Self {
        let ahead = Self::at_or_after(base, wire);
        if ahead.0 - base.0 < Self::MODULUS / 2 { ahead } else { Self(ahead.0.saturating_sub(Self::MODULUS)) }
    }

    /// The next number.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// How far past `base` this number is, or `None` where it is before it.
    #[must_use]
    pub const fn offset_from(self, base: Self) -> Option<u64> {
        self.0.checked_sub(base.0)
    }
}

impl<const BITS: u32> Add<u64> for Seq<BITS> {
    type Output = Self;
    fn add(self, count: u64) -> Self {
        Self(self.0 + count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_is_the_first_at_or_after_the_base_with_its_low_bits() {
        let base = Seq::<8>::new(250);
        assert_eq!(Seq::at_or_after(base, 3), Seq::<8>::new(259));
        assert_eq!(Seq::at_or_after(base, 249), Seq::<8>::new(505));
    }

    #[test]
    fn a_number_is_the_last_before_the_end_with_its_low_bits() {
        let end = Seq::<8>::new(260);
        assert_eq!(Seq::before(end, 3), Some(Seq::<8>::new(259)));
        assert_eq!(Seq::before(end, 4), Some(Seq::<8>::new(4)));
        assert_eq!(Seq::<8>::before(Seq::new(4), 4), None);
    }

    proptest! {
        #[test]
        fn a_number_within_a_modulus_of_the_base_survives_the_wire(base in 0u64..(1 << 40), ahead in 0u64..4096) {
            let base12 = Seq::<12>::new(base);
            let number = base12 + ahead;
            prop_assert_eq!(Seq::<12>::at_or_after(base12, number.wire()), number);
            let number = Seq::<7>::new(base + ahead % 128);
            prop_assert_eq!(Seq::<7>::at_or_after(Seq::new(base), number.wire()), number);
        }

        #[test]
        fn an_old_number_reads_as_one_beyond_any_window(base in 256u64..(1 << 40), behind in 1u64..=128) {
            let base = Seq::<8>::new(base);
            let old = Seq::<8>::new(base.as_u64() - behind);
            prop_assert!(Seq::<8>::at_or_after(base, old.wire()) >= base + 128);
        }
    }
}
