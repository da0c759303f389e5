//! Arithmetic of sequence numbers of 12 bits, as they stand in super-fields.

use arqway_arq::Seq;

type Number = Seq<12>;

/// `number` and so many on, modulo 4096.
pub(super) fn after(number: u16, count: u16) -> u16 {
    (Number::new(number.into()) + u64::from(count)).wire_u16()
}

/// `number` and so many back, modulo 4096.
pub(super) fn before(number: u16, count: u16) -> u16 {
    after(number, Number::new(Number::MODULUS - u64::from(count)).wire_u16())
}
