//! The hash of the tables that packets are looked up in.

use arqway_units::halves;
use core::hash::Hasher;

/// Multiplies and folds: the keys are chosen by whoever writes the rules, not by the packets, so it need not resist
/// anyone, and the same rules give the same tables in every run.
#[derive(Debug, Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, octets: &[u8]) {
        for octet in octets {
            self.write_u64(u64::from(*octet));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // The fraction of the golden ratio: odd, its bits without pattern.
        let product = u128::from(self.0 ^ word).wrapping_add(1) * 0x9e37_79b9_7f4a_7c15;
        let [high, low] = halves(product);
        self.0 = high ^ low;
    }
}
