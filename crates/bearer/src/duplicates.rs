//! Which datagrams have arrived: a path may double them, and reorder them within bounds (as RFC 4303 §3.4.3 does it).

/// How far a datagram may be behind the newest.
const WINDOW: u64 = 1024;
const WORDS: usize = 16;

/// The numbers of the last datagrams that arrived.
#[derive(Debug, Clone, Default)]
pub(super) struct Duplicates {
    newest: Option<u64>,
    /// A bit each, at its number modulo the window.
    arrived: [u64; WORDS],
}

impl Duplicates {
    /// The newest that arrived.
    pub(super) fn newest(&self) -> Option<u64> {
        self.newest
    }

    /// A datagram arrives. Whether it is the first of its number; one that is too far behind to tell is not.
    pub(super) fn is_new(&mut self, number: u64) -> bool {
        let newest = self.newest.unwrap_or(number);
        if number + WINDOW <= newest {
            return false;
        }
        for skipped in (newest + 1..=number).take(WINDOW.try_into().unwrap_or(usize::MAX)) {
            let (word, bit) = place(skipped);
            self.arrived[word] &= !bit;
        }
        self.newest = Some(newest.max(number));
        let (word, bit) = place(number);
        let is_new = self.arrived[word] & bit == 0;
        self.arrived[word] |= bit;
        is_new
    }
}

/// Its word, and its bit in there.
fn place(number: u64) -> (usize, u64) {
    (arqway_units::remainder(number / 64, WORDS), 1 << (number % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_agrees_with_a_set(jumps in proptest::collection::vec((-1200i64..1200, 1u8..3), 1..200)) {
            let (mut duplicates, mut seen) = (Duplicates::default(), BTreeSet::new());
            let mut number = 5000u64;
            for (jump, copies) in jumps {
                number = number.saturating_add_signed(jump);
                for _ in 0..copies {
                    let newest = seen.last().copied().unwrap_or(number);
                    let expected = number + WINDOW > newest && seen.insert(number);
                    prop_assert_eq!(duplicates.is_new(number), expected);
                }
                prop_assert_eq!(duplicates.newest(), seen.last().copied());
            }
        }
    }
}
