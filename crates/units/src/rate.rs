//! Bits per second, and the time that octets take at that rate.

use crate::{Octets, Span};

const NANOS_PER_SECOND: u128 = 1_000_000_000;

/// A rate in bits per second; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(u64);

impl BitRate {
    /// One bit per second.
    pub const MINIMUM: Self = Self(1);

    /// A rate in bits per second, or `None` for zero: a link that carries nothing has no transmission time.
    #[must_use]
    pub const fn from_bits_per_second(bits_per_second: u64) -> Option<Self> {
        if bits_per_second == 0 { None } else { Some(Self(bits_per_second)) }
    }

    /// The rate in bits per second.
    #[must_use]
    pub const fn as_bits_per_second(self) -> u64 {
        self.0
    }

    /// The time from the first bit of `size` to its last, rounded down to a nanosecond.
    ///
    /// A transmitter that sends frame after frame uses a [`Pacer`], which keeps what is rounded off.
    #[must_use]
    pub fn time_to_send(self, size: Octets) -> Span {
        Pacer::new(self).time_to_send(size)
    }

    /// The whole octets that go in a time.
    #[must_use]
    pub fn octets_in(self, time: Span) -> Octets {
        let bit_nanoseconds = u128::from(self.0) * u128::from(time.as_nanoseconds());
        Octets::new(u64::try_from(bit_nanoseconds / (8 * NANOS_PER_SECOND)).unwrap_or(u64::MAX))
    }
}

/// The clock of a transmitter: hands out transmission times and carries the part of a nanosecond that rounding cut
/// off over to the next frame, so that a million frames take exactly a million times as long as one.
#[derive(Debug, Clone)]
pub struct Pacer {
    rate: BitRate,
    /// Of the last division: in units of 1 / rate nanoseconds.
    remainder: u64,
}

impl Pacer {
    /// A pacer at `rate` with nothing carried over.
    #[must_use]
    pub const fn new(rate: BitRate) -> Self {
        Self { rate, remainder: 0 }
    }

    /// The time on the link of the next `size`.
    pub fn time_to_send(&mut self, size: Octets) -> Span {
        let rate = u128::from(self.rate.0);
        let bit_nanoseconds = u128::from(size.as_u64()) * 8 * NANOS_PER_SECOND + u128::from(self.remainder);
        // Frames and rates of links stay far below the point where this division needs more than 64 bits.
        if let Ok(small) = u64::try_from(bit_nanoseconds) {
            self.remainder = small % self.rate.0;
            return Span::from_nanoseconds(small / self.rate.0);
        }
        self.remainder = u64::try_from(bit_nanoseconds % rate).unwrap_or(0);
        Span::from_nanoseconds(u64::try_from(bit_nanoseconds / rate).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(bits_per_second: u64) -> BitRate {
        BitRate::from_bits_per_second(bits_per_second).expect("not zero")
    }

    #[test]
    fn a_frame_of_250_octets_takes_31_25_ms_at_64_kbit_s() {
        assert_eq!(rate(64_000).time_to_send(Octets::new(250)), Span::from_nanoseconds(31_250_000));
    }

    #[test]
    fn a_pacer_loses_no_time_to_rounding() {
        let mut pacer = Pacer::new(rate(3));
        let mut total = Span::ZERO;
        for _ in 0..3 {
            total += pacer.time_to_send(Octets::new(1));
        }
        assert_eq!(total, Span::from_nanoseconds(8_000_000_000));
    }

    #[test]
    fn eight_gigabytes_at_8_bit_s_do_not_overflow() {
        assert_eq!(rate(8).time_to_send(Octets::new(1 << 33)), Span::from_nanoseconds((1 << 33) * 1_000_000_000));
    }

    #[test]
    fn a_rate_of_zero_is_not_a_rate() {
        assert_eq!(BitRate::from_bits_per_second(0), None);
    }
}
